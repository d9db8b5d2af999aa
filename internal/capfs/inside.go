package capfs

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"reeve"
)

const (
	// insideMax bounds what is read inside one protected folder, insideAll
	// inside all of them.
	insideMax = 10_000
	insideAll = 50_000
	// insideAge is how long a look for changes inside holds: trees full of
	// files with several names must not look again for each of them.
	insideAge = 200 * time.Millisecond
)

// insideCache knows the identities of what lies inside the folders that
// narrow access, so that another name of one of their files, or a mount of
// one of their folders, is known for what it is.
type insideCache struct {
	mu sync.Mutex // guards by; never held while a folder is read
	by map[*narrowing]*inside
}

// inside is what was found in one folder. It never changes.
type inside struct {
	folder  reeve.Identity
	ids     map[fileID]struct{}
	devices map[uint64]bool // on some file systems files have another than folders
	folders []folderStamp
	// whole is false when a bound was hit or something could not be read: a
	// file that is not found may then still be inside.
	whole  bool
	looked time.Time
}

type folderStamp struct {
	path string
	reeve.Stamp
}

// insideOf gives the narrowings whose folder the thing lies in under some
// other name. Where that cannot be told of a file with several names, the
// answer is yes.
func (fs *FS) insideOf(ctx context.Context, v *view, info Info) []*narrowing {
	var out []*narrowing
	total := 0
	for _, n := range v.narrow {
		s := n.seen.Load()
		if !n.Folder || s == nil || !s.exists || s.info.Kind != reeve.Directory {
			continue
		}
		in := fs.insideNow(ctx, n, s, insideAll-total)
		total += len(in.ids)
		_, hit := in.ids[idOf(info.Identity)]
		unsure := !in.whole && info.Kind == reeve.File && info.Links > 1 && in.devices[info.Device]
		if hit || unsure {
			out = append(out, n)
		}
	}
	return out
}

// forget drops what is known of narrowings that are no more.
func (c *insideCache) forget(still []*narrowing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := range c.by {
		if !slices.Contains(still, n) {
			delete(c.by, n)
		}
	}
}

// insideNow gives what is inside a folder, read again when it changed.
func (fs *FS) insideNow(ctx context.Context, n *narrowing, s *sighting, left int) *inside {
	c := &fs.inside
	c.mu.Lock()
	in := c.by[n]
	c.mu.Unlock()
	now := time.Now()
	age := insideAge
	if fs.o.Refresh < 0 {
		age = 0
	}
	fits := in != nil && in.folder.SameFile(s.info.Identity)
	if fits && now.Sub(in.looked) < age {
		return in
	}
	if fits && fs.insideSame(ctx, n, in) {
		same := *in
		same.looked = now
		in = &same
	} else {
		in = fs.readInside(ctx, n, s, min(left, insideMax))
		in.looked = now
	}
	c.mu.Lock()
	if c.by == nil {
		c.by = map[*narrowing]*inside{}
	}
	c.by[n] = in
	c.mu.Unlock()
	return in
}

func (fs *FS) insideSame(ctx context.Context, n *narrowing, in *inside) bool {
	for _, f := range in.folders {
		var info Info
		err := fs.touch(ctx, n.m.Load(), func() (err error) { info, err = fs.layer.Stat(f.path, false); return err })
		if err != nil || info.Stamp != f.Stamp {
			return false
		}
	}
	return in.whole
}

// readInside reads the names inside, breadth first, on the folder's own mount.
func (fs *FS) readInside(ctx context.Context, n *narrowing, s *sighting, limit int) *inside {
	in := &inside{folder: s.info.Identity, ids: map[fileID]struct{}{}, whole: true,
		devices: map[uint64]bool{s.info.Device: true}}
	queue := []string{s.real}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		more, err := fs.readInsideFolder(ctx, n, in, path, limit)
		queue = append(queue, more...)
		if err != nil && !missing(err) || len(in.ids) > limit {
			in.whole = false
			return in
		}
	}
	return in
}

func (fs *FS) readInsideFolder(ctx context.Context, n *narrowing, in *inside, path string, limit int) (below []string, err error) {
	m := n.m.Load()
	var folder Node
	var info Info
	err = fs.touch(ctx, m, func() (err error) {
		var held Node
		if held, info, err = fs.walkPlain(path); err != nil {
			return err
		}
		defer held.Close()
		o, ok := held.(FolderOpener)
		if !ok {
			return errUnable
		}
		folder, err = o.OpenFolder()
		return err
	})
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	lister, ok := folder.(Lister)
	if !ok {
		return nil, errUnable
	}
	in.folders = append(in.folders, folderStamp{path, info.Stamp})
	var batch []DirEntry
	for first := true; ; first = false {
		err := fs.touch(ctx, m, func() (err error) { batch, err = lister.List(batch[:0], first); return err })
		for _, e := range batch {
			inner, err := fs.statChild(ctx, m, folder, e.Name)
			if missing(err) {
				continue
			}
			if err != nil {
				return below, err
			}
			if inner.Kind == reeve.Directory {
				if mountOf(inner) != mountOf(info) {
					continue
				}
				below = append(below, join(path, e.Name))
			}
			in.ids[idOf(inner.Identity)] = struct{}{}
			in.devices[inner.Device] = true
			if len(in.ids) > limit {
				return below, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return below, nil
		}
		if err != nil {
			return below, err
		}
	}
}
