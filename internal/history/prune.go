package history

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"time"
)

// litter is how old something that no entry names must be to be removed: it
// may be on its way to being named.
const litter = time.Hour

// Usage is what the history takes.
type Usage struct {
	Entries int
	Blobs   int
	Bytes   int64 // of blobs
}

// Size looks at everything that is kept.
func (s *Store) Size(ctx context.Context) (Usage, error) {
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return Usage{}, nil
	}
	if err != nil {
		return Usage{}, failed("history", "the history could not be read", err)
	}
	defer root.Close()
	u := Usage{}
	list, err := s.load(ctx, root, Filter{})
	if err != nil {
		return u, failed("history", "the history could not be read", err)
	}
	u.Entries = len(list)
	err = blobs(ctx, root, func(b blob) error {
		u.Blobs++
		u.Bytes += b.size
		return nil
	})
	return u, err
}

// Pruned is what Prune let go of.
type Pruned struct {
	Blobs int
	Bytes int64
}

// Prune lets go of copies past their days, and then of the oldest until the
// rest fits the bound. Entries stay listed until all of their segment are past
// their days.
func (s *Store) Prune(ctx context.Context) (Pruned, error) {
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return Pruned{}, nil
	}
	if err != nil {
		return Pruned{}, failed("prune", "the history could not be read", err)
	}
	defer root.Close()
	p, err := s.prune(ctx, root, math.MaxInt64)
	if err != nil {
		return p, failed("prune", "the history could not be pruned", err)
	}
	return p, nil
}

type blob struct {
	name string
	hash string
	size int64
	at   time.Time
	old  bool
}

// blobs calls fn for every blob there is.
func blobs(ctx context.Context, root *os.Root, fn func(blob) error) error {
	files, err := readNames(root, blobsDir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		hash, old := strings.CutSuffix(f, oldEnd)
		if !properHash(hash) {
			continue
		}
		name := path.Join(blobsDir, f)
		st, err := root.Lstat(name)
		if err != nil || !st.Mode().IsRegular() {
			continue // gone, or not ours
		}
		if err := fn(blob{name, hash, st.Size(), keptSince(st), old}); err != nil {
			return err
		}
	}
	return nil
}

// prune lets go of what is past its days or over the bound, but of nothing
// with an order of keep or later.
func (s *Store) prune(ctx context.Context, root *os.Root, keep int64) (Pruned, error) {
	s.pruning.Lock()
	defer s.pruning.Unlock()
	var there []blob
	sizes := map[string]int64{}
	err := blobs(ctx, root, func(b blob) error {
		there = append(there, b)
		if !b.old {
			sizes[b.hash] = b.size
		}
		return nil
	})
	if err != nil {
		return Pruned{}, err
	}
	wanted, named, err := s.live(ctx, root, keep, sizes)
	if err != nil {
		return Pruned{}, err
	}
	now := s.o.Now()
	var out Pruned
	var left int64
	var going []blob
	for _, b := range there {
		young := now.Sub(b.at) < litter // a time to come counts as young
		switch {
		case b.old:
			if !young {
				going = append(going, b) // another process ended half-way
			}
		case wanted[b.hash], !named[b.hash] && young:
			left += b.size
		default:
			if err := root.Rename(b.name, b.name+oldEnd); err != nil {
				continue // another process was faster
			}
			b.name += oldEnd
			going = append(going, b)
		}
	}
	if len(going) > 0 {
		// An entry may have come to name one of them meanwhile. Who writes
		// one later finds the blob gone, and puts it there again.
		if wanted, _, err = s.live(ctx, root, keep, sizes); err != nil {
			s.back(root, going)
			return Pruned{}, err
		}
	}
	for _, b := range going {
		if wanted[b.hash] {
			s.back(root, []blob{b})
			left += b.size
			continue
		}
		if root.Remove(b.name) == nil && !b.old {
			out.Blobs++
			out.Bytes += b.size
		}
	}
	s.counted(root, hint{left, now})
	s.tidy(root, now)
	return out, nil
}

// back gives blobs their names again.
func (s *Store) back(root *os.Root, list []blob) {
	for _, b := range list {
		name := blobName(b.hash)
		if err := root.Link(b.name, name); err == nil || errors.Is(err, fs.ErrExist) {
			root.Remove(b.name)
		} else if errors.Is(err, errors.ErrUnsupported) {
			root.Rename(b.name, name)
		}
	}
}

// live gives the blobs that must stay, and all that any entry names.
func (s *Store) live(ctx context.Context, root *os.Root, keep int64, sizes map[string]int64) (wanted, named map[string]bool, err error) {
	list, err := s.load(ctx, root, Filter{})
	if err != nil {
		return nil, nil, err
	}
	wanted, named = map[string]bool{}, map[string]bool{}
	now, total, full := s.o.Now(), int64(0), false
	// The bound is met with some room to spare, so that not every later call
	// has to prune again.
	most := s.o.TotalBytes - s.o.TotalBytes/10
	for _, e := range list { // the latest first
		if e.Blob == "" {
			continue
		}
		all := append(s.parts(ctx, root, e), e.Blob)
		var bytes int64
		fresh := map[string]bool{}
		for _, h := range all {
			named[h] = true
			if !wanted[h] && !fresh[h] {
				fresh[h] = true
				bytes += sizes[h]
			}
		}
		if e.Order < keep {
			if now.Sub(e.At) > s.life() {
				continue
			}
			if full = full || total+bytes > most; full {
				continue
			}
		}
		total += bytes
		for h := range fresh {
			wanted[h] = true
		}
	}
	return wanted, named, nil
}

// parts are the blobs that a folder's manifest names.
func (s *Store) parts(ctx context.Context, root *os.Root, e Entry) []string {
	if e.Kind != "directory" {
		return nil
	}
	list, err := s.Tree(ctx, e.Blob)
	if err != nil {
		return nil // it can't be brought back any more
	}
	var out []string
	for _, n := range list {
		if n.Blob != "" {
			out = append(out, n.Blob)
		}
	}
	return out
}

// tidy removes segments past their days, and tmp files that nobody works on.
func (s *Store) tidy(root *os.Root, now time.Time) {
	files, _ := readNames(root, entriesDir)
	for _, f := range files {
		name := path.Join(entriesDir, f)
		start, ok := startOf(f)
		if !ok || now.Sub(start) < s.life()+2*segmentLife || s.current(name) {
			continue
		}
		if st, err := root.Lstat(name); err == nil && now.Sub(st.ModTime()) > s.life()+2*segmentLife {
			root.Remove(name)
		}
	}
	files, _ = readNames(root, tmpDir)
	for _, f := range files {
		if stale(f, now) {
			root.RemoveAll(path.Join(tmpDir, f))
		}
	}
}

func (s *Store) current(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur != nil && s.cur.name == name
}
