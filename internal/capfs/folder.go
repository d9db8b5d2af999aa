package capfs

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"reeve"
)

// Folder is an opened folder. Lookup and Stat may be used by several
// goroutines at once; Each by one at a time. It stays on the folder itself,
// also when that is renamed or replaced.
type Folder struct {
	fs     *FS
	v      *view
	node   Node
	at     frame
	place  reeve.Place
	info   Info
	shown  string
	nested []nestedName
	list   sync.Mutex
	closed atomic.Bool
}

// nestedName is an entry that is a granted folder itself.
type nestedName struct {
	name string
	root int
}

// nestedIn finds the roots that stand directly in a folder.
func (v *view) nestedIn(root int, path string, fold bool) []nestedName {
	var out []nestedName
	for _, i := range v.roots[root].nested {
		rest, ok := below(path, v.roots[i].now.real, fold)
		if ok && rest != "" && !strings.ContainsAny(rest, separators) {
			out = append(out, nestedName{rest, i})
		}
	}
	return out
}

// Place is where the folder really is, with its state at opening.
func (f *Folder) Place() reeve.Place { return f.place }

// Info is the folder's state at opening.
func (f *Folder) Info() Info { return f.info }

// Close lets go. A second Close does nothing; what is used after it fails.
func (f *Folder) Close() error {
	if f == nil || f.closed.Swap(true) {
		return nil
	}
	return f.node.Close()
}

// Each calls fn for every entry, in the file system's order, "." and ".."
// left out. An entry made or removed meanwhile may or may not be among them.
// An error of fn ends it and is returned as it is; others are *reeve.Error.
func (f *Folder) Each(ctx context.Context, fn func(DirEntry) error) error {
	l, ok := f.node.(Lister)
	if !ok {
		return failure("list", f.shown, errUnable)
	}
	f.list.Lock()
	defer f.list.Unlock()
	box, _ := f.fs.batches.Get().(*[]DirEntry)
	if box == nil {
		box = new([]DirEntry)
	}
	defer func() {
		clear(*box)
		f.fs.batches.Put(box)
	}()
	for first := true; ; first = false {
		batch := (*box)[:0]
		err := f.fs.touch(ctx, f.at.m, func() (err error) { batch, err = l.List(batch, first); return err })
		*box = batch
		for _, e := range batch {
			if e.Kind == reeve.Absent {
				info, err := f.Stat(ctx, e.Name)
				switch {
				case err == nil:
					e.Kind = info.Kind
				case errors.Is(err, reeve.NotFound): // gone meanwhile
					continue
				case errors.Is(err, reeve.Permission): // never opened, then
					e.Kind = reeve.Special
				default:
					return err
				}
			}
			if err := fn(e); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return failure("list", f.shown, err)
		}
	}
}

// Stat looks at one entry once, without holding it and without following a
// link. Link is not filled in.
func (f *Folder) Stat(ctx context.Context, name string) (info Info, err error) {
	if !oneName(name) {
		return Info{}, notFound("stat", f.shown)
	}
	info, err = f.fs.statChild(ctx, f.at.m, f.node, name)
	return info, failure("stat", f.shown, err)
}

// Lookup holds an entry itself; a link is not followed. The Held's place is
// the folder's place and the name, or the granted folder that the entry is,
// with the marks of both. A name that is not there is no error: the Held then
// has kind Absent.
func (f *Folder) Lookup(ctx context.Context, name string) (*Held, error) {
	if !oneName(name) {
		return nil, notFound("lookup", f.shown)
	}
	child, info, err := f.fs.child(ctx, f.at.m, f.node, name)
	if missing(err) {
		return f.absent(name)
	}
	if err != nil {
		return nil, failure("lookup", f.shown, err)
	}
	if f.at.fsys.Folds {
		name = f.fs.spelling(ctx, f.at.m, f.node, name)
	}
	h := &Held{fs: f.fs, v: f.v, node: child, info: info, shown: f.shown}
	depth := len(f.place.Components) + 1
	if h.at, err = f.fs.pass(ctx, f.v, f.at, child, info, depth, true); err == nil {
		err = f.ownRoot(ctx, h, name, depth)
	}
	if err == nil && info.Kind == reeve.Symlink {
		h.info.Link, err = f.fs.readLink(ctx, h.at.m, child)
	}
	if err != nil {
		child.Close()
		return nil, failure("lookup", f.shown, err)
	}
	n := len(f.place.Components)
	names := append(f.place.Components[:n:n], reeve.Name(name))
	if h.at.depth == depth { // the entry is a granted folder itself
		names = nil
	}
	h.place = placeOf(f.fs, h.v, h.at, names)
	h.place.Via = f.place.Via
	return h, nil
}

// ownRoot sees to it that an entry that is granted by itself is judged by its
// own grant, also when its folder was replaced since it was taken.
func (f *Folder) ownRoot(ctx context.Context, h *Held, name string, depth int) error {
	for _, n := range f.nested {
		if n.name != name && !(f.at.fsys.Folds && strings.EqualFold(n.name, name)) || h.at.root == n.root {
			continue
		}
		v, r, err := f.fs.current(ctx, f.shown, f.v.roots[n.root].grant.ID)
		if err != nil {
			return err
		}
		defer r.now.drop()
		if r.now.state != reeve.StateOpen || !r.now.info.SameFile(h.info.Identity) {
			return changed("lookup", f.shown)
		}
		h.v, h.at.root, h.at.depth = v, v.find(r.grant.ID), depth
		return nil
	}
	return nil
}

func (f *Folder) absent(name string) (*Held, error) {
	n := len(f.place.Components)
	h := &Held{fs: f.fs, v: f.v, at: f.at, shown: f.shown}
	h.place = reeve.Place{
		Target: f.place.Target, Root: f.place.Root, RootPath: f.place.RootPath,
		Components: append(f.place.Components[:n:n], reeve.Name(name)), Missing: 1,
		Access: f.place.Access, Marks: f.place.Marks, Via: f.place.Via,
	}
	return h, nil
}

// oneName: a single name that leads nowhere else.
func oneName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, separators+"\x00")
}
