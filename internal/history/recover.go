package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"reeve"
)

// Recover sees to what processes of this computer left in the tmp folder that
// ended while they kept something: what they had taken gets its entry, under
// the change that it belonged to where that is known, and the rest goes. What
// living processes work on is not touched. It gives the new entries; an error
// leaves things for another time. Call it at the start.
func (s *Store) Recover(ctx context.Context) ([]Entry, error) {
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed("history", "the history could not be opened", err)
	}
	defer root.Close()
	tokens, err := readNames(root, liveDir)
	if err != nil {
		return nil, failed("history", "the history could not be read", err)
	}
	names, err := readNames(root, tmpDir)
	if err != nil {
		return nil, failed("history", "the history could not be read", err)
	}
	dead := map[string]bool{}
	for _, t := range tokens {
		dead[t] = true
	}
	for _, n := range names {
		dead[tokenOf(n)] = true
	}
	var out []Entry
	var errs []error
	for token := range dead {
		if own, ok := strings.CutPrefix(token, s.machine()); !ok || own == "" {
			continue
		}
		es, err := s.bury(ctx, root, token)
		out = append(out, es...)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return out, failed("history", "what a process left could not be kept", err)
	}
	return out, nil
}

// bury sees to what one process left, unless it lives.
func (s *Store) bury(ctx context.Context, root *os.Root, token string) (out []Entry, err error) {
	if err := root.Mkdir(liveDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	name := path.Join(liveDir, token)
	f, err := root.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if lockFile(f) != nil || !stands(root, f, token) {
		return nil, nil
	}
	n := &notes{token: token, f: f}
	taken, err := n.read()
	if err != nil {
		return nil, err
	}
	names, err := readNames(root, tmpDir)
	if err != nil {
		return nil, err
	}
	left := 0
	// What was taken goes first: in the rest are parts of it.
	for _, whole := range []bool{true, false} {
		for _, t := range names {
			if tokenOf(t) != token || strings.HasSuffix(t, takenEnd) != whole {
				continue
			}
			gone := true
			if whole {
				l, known := taken[t]
				var e []Entry
				var kerr error
				e, gone, kerr = s.rescue(ctx, root, n, t, l, known)
				out, err = append(out, e...), errors.Join(err, kerr)
			}
			if !gone || root.RemoveAll(path.Join(tmpDir, t)) != nil {
				left++
			}
		}
	}
	if left == 0 && root.Remove(name) != nil {
		f.Close() // a system may not let go of an open file
		root.Remove(name)
	}
	return out, err
}

// rescue keeps what a dead process had taken, unless its entry is there. Gone
// says that it is needed no more.
func (s *Store) rescue(ctx context.Context, root *os.Root, n *notes, name string, l note, known bool) (out []Entry, gone bool, err error) {
	at := path.Join(tmpDir, name)
	st, err := root.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	hash := ""
	if st.Mode().IsRegular() {
		f, err := root.Open(at)
		if err == nil {
			hash, _, err = s.sum(ctx, f, s.o.FileBytes)
			f.Close()
		}
		if err != nil && !errors.Is(err, errTooLarge) {
			return nil, false, err
		}
	}
	wanted := Filter{}
	if known {
		wanted.Change = l.Call.Change
	}
	list, err := s.load(ctx, root, wanted)
	if err != nil {
		return nil, false, err
	}
	entered := 0
	for _, e := range list {
		if hash != "" && e.Blob == hash && (!known || e.N == l.N) {
			return nil, s.Check(ctx, hash, st.Size()) == nil, nil
		}
		if !known || e.N != l.N {
			continue
		}
		d, err := e.Detail()
		if err == nil && hash == "" && d.Later == l.Later && enough(e, d) {
			return nil, true, nil
		}
		if entered++; hash == "" && d.Left {
			entered++ // what failed would fail again
		}
	}
	if made, ok := madeAt(name); entered > 1 {
		// It was tried again already, and stays for as long as somebody may
		// want to look for it by hand.
		return nil, ok && s.o.Now().Sub(made) > 24*litter, nil
	}
	if !known {
		l = note{Name: name, noted: n.was[name], Call: &Call{Change: NewID(), ID: "displaced", Verb: "recover", Subject: reeve.Subject{Kind: reeve.Owner}, At: s.o.Now()},
			Thing: &Thing{Effect: reeve.EffectReplace, Target: reeve.Local}}
		if _, ok := n.was[name]; !ok {
			l.noted = notedOf(takenThing{root: root, name: at, st: st}.Facts())
		}
		n.write(l) // so that it is not entered twice
	}
	if st, err = single(root, at, st, hash); err != nil {
		return nil, false, err
	}
	t := *l.Thing
	in := takenThing{root: root, name: at, st: st, n: n}
	t.Displaced = in
	if st.IsDir() {
		t.Displaced = takenFolder{in}
	}
	es, ds, err := s.keep(ctx, *l.Call, l.N, l.Later || entered > 0, []Thing{t})
	if err != nil {
		return nil, false, err
	}
	return es, enough(es[0], ds[0]), nil
}

// single takes a second name away that a file has as a blob of which no entry
// came to be: with it, the file would be copied, for which there may be no
// room. It becomes a blob again when its entry is made.
func single(root *os.Root, at string, st fs.FileInfo, hash string) (fs.FileInfo, error) {
	if hash == "" || names(st) != 2 {
		return st, nil
	}
	blob, err := root.Lstat(blobName(hash))
	if err != nil || !os.SameFile(blob, st) || root.Remove(blobName(hash)) != nil {
		return st, nil
	}
	return root.Lstat(at)
}

// enough: what was taken is kept, but for what no folder is kept with.
func enough(e Entry, d Detail) bool { return d.Kept || e.Blob != "" && !d.Left }

func notedOf(f Facts) noted { return noted{f.Meta.Mode, f.Meta.MTime, f.Meta.Owner} }

// leave ends this process's notes. What it could not keep stays for the next
// start. The caller holds the lock.
func (s *Store) leave(root *os.Root) {
	n := s.own
	if n == nil {
		return
	}
	s.own = nil
	defer n.f.Close()
	if root == nil {
		return
	}
	names, err := readNames(root, tmpDir)
	for _, t := range names {
		if tokenOf(t) == n.token {
			return
		}
	}
	if name := path.Join(liveDir, n.token); err == nil && root.Remove(name) != nil {
		n.f.Close()
		root.Remove(name)
	}
}

// stale reports that a name in the tmp folder is old, and not something whose
// content may be nowhere else.
func stale(name string, now time.Time) bool {
	at, ok := madeAt(name)
	return ok && now.Sub(at) > 24*litter && !strings.HasSuffix(name, takenEnd)
}
