package capfs

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"path/filepath"
	"strings"

	"reeve"
)

// Grant is one folder that the owner granted.
type Grant struct {
	ID reeve.RootID
	// Path is absolute and clean, raw bytes, as the owner wrote it. Links in
	// it are followed once, when it is taken.
	Path   string
	Access reeve.Access
	// Create: the folder may be made later; until then the root is pending.
	Create bool
}

// RootID derives a root's name from its granted path: twelve characters that
// stay the same while the path does.
func RootID(path string) reeve.RootID {
	sum := sha256.Sum256([]byte(path))
	return reeve.RootID(strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:12]))
}

// Narrowing is a fixed path that narrows access wherever it is met, under
// whatever name: a folder of secrets, a file of secrets, Reeve's own.
type Narrowing struct {
	Path   string // absolute and clean; it need not exist
	Kind   reeve.MarkKind
	Rule   string // as the owner knows it
	Folder bool   // what lies inside it counts too
}

// Status is a grant and what became of it.
type Status struct {
	Grant
	// Real is the link-free path of the folder, as on disk.
	Real  string
	State reeve.RootState
	// Note says in a fragment why the state is not open.
	Note string
}

// SetGrants makes the given folders the granted ones and gives their states.
// A grant that did not change keeps its handle; the spellings of a new one
// are taken here. It may be called at any time, also with what stands
// already. A folder whose file system does not answer within the time of one
// call is lost until it does.
func (fs *FS) SetGrants(grants []Grant, narrow []Narrowing) []Status {
	old := fs.view.Load()
	next := &view{narrow: make([]*narrowing, 0, len(narrow))}
	kept := map[string]*narrowing{}
	for _, n := range old.narrow {
		kept[n.key()] = n
	}
	for _, n := range narrow {
		fresh := &narrowing{Narrowing: n}
		if was := kept[fresh.key()]; was != nil {
			fresh = was
		} else {
			kept[fresh.key()] = fresh
			fresh.m.Store(newMount())
		}
		next.narrow = append(next.narrow, fresh)
	}
	seen := map[reeve.RootID]bool{}
	for _, g := range grants {
		if g.ID == "" {
			g.ID = RootID(g.Path)
		}
		if seen[g.ID] {
			continue
		}
		seen[g.ID] = true
		next.roots = append(next.roots, root{grant: g})
	}
	for i := range next.roots {
		r := &next.roots[i]
		if was := old.root(r.grant.ID); was != nil && was.grant.Path == r.grant.Path && was.now.keep() {
			r.now = was.now
			continue
		}
		r.now = fs.takeNew(r.grant)
	}
	fs.mu.Lock()
	if fs.closed.Load() {
		fs.mu.Unlock()
		for _, r := range next.roots {
			r.now.drop()
		}
		return nil
	}
	next.settle()
	old = fs.view.Swap(next)
	fs.mu.Unlock()
	for _, r := range old.roots {
		r.now.drop()
	}
	fs.inside.forget(next.narrow)
	fs.look(context.Background(), true)
	return fs.Roots()
}

// Roots gives the state of every root as last seen. It touches no disk.
func (fs *FS) Roots() []Status {
	v := fs.view.Load()
	out := make([]Status, len(v.roots))
	for i := range v.roots {
		out[i] = v.roots[i].status()
	}
	return out
}

// Confirm is the owner's yes to what stands now at the path of a root. Links
// in the granted path are followed again, this once.
func (fs *FS) Confirm(id reeve.RootID) error {
	r := fs.view.Load().root(id)
	if r == nil {
		return &reeve.Error{Op: "confirm", Path: string(id), Kind: reeve.Input, Code: reeve.NotFound,
			What: "is not a granted folder", Not: "Nothing was changed.", Instead: "`reeve roots list` shows them."}
	}
	now := fs.takeNew(r.grant)
	fs.replace(r, now)
	s := status(r.grant, now)
	if s.State == reeve.StateOpen {
		fs.event(RootOpened, s)
		return nil
	}
	if s.State == reeve.StateSuspended {
		return rootSuspended("confirm", "", s)
	}
	return rootLost("confirm", "", s)
}

func (fs *FS) event(kind EventKind, s Status) {
	if fs.o.Event != nil {
		fs.o.Event(Event{kind, s})
	}
}

// takeNew takes a folder at its granted path, in a worker.
func (fs *FS) takeNew(g Grant) *taken {
	m := newMount()
	if !filepath.IsAbs(g.Path) && !strings.HasPrefix(g.Path, "/") {
		t := &taken{state: reeve.StateLost, real: "", note: "its path is not absolute", m: m}
		t.refs.Store(1)
		return t
	}
	t, err := Call(context.Background(), fs, func(ctx context.Context) (*taken, error) {
		var t *taken
		err := fs.touch(ctx, m, func() (err error) { t, err = fs.take(g); return err })
		return t, err
	})
	if err != nil {
		t = &taken{state: reeve.StateLost, real: g.Path, note: "its file system does not answer"}
		if e, ok := reeve.AsError(err); ok && e.Code != reeve.Timeout && e.Code != reeve.MountDead {
			t.note = "it cannot be used: " + e.What
		}
	}
	if t.m == nil {
		t.m = m
	}
	t.refs.Store(1)
	return t
}
