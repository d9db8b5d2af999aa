package capfs

import (
	"context"
	"errors"
	iofs "io/fs"
	"sync/atomic"

	"reeve"
)

// errUnable: a layer's node lacks what is needed here.
var errUnable = errors.New("not possible on this file system")

// Held is what a path led to, held but not opened; or, where nothing is
// there, its deepest existing parent. It belongs to one caller, who closes it.
type Held struct {
	fs    *FS
	v     *view
	base  *taken // kept while node is the root's own handle
	node  Node   // nil below a pending root
	at    frame
	place reeve.Place
	info  Info
	shown string
	// aliases are the other names by which it was reached.
	aliases []alias
	closed  atomic.Bool
}

// Place is where the held thing really is, with the access of the deepest
// root that holds it and the marks of what was walked through.
func (h *Held) Place() reeve.Place { return h.place }

// Aliases are the names by way of which the thing was reached, one for each
// link that was followed: each as a place that differs from Place in its root
// and components alone, without marks. Rules that protect a name hold for what
// a link of that name leads to.
func (h *Held) Aliases() []reeve.Place {
	list := make([]reeve.Place, len(h.aliases))
	for i, a := range h.aliases {
		p := h.place
		p.Root, p.RootPath, p.Components, p.Marks = a.root, reeve.Name(a.real), a.names, nil
		list[i] = p
	}
	return list
}

// Info is the thing's state when it was held; its zero value when nothing is
// there.
func (h *Held) Info() Info { return h.info }

// Close lets go. A second Close does nothing.
func (h *Held) Close() error {
	if h == nil || h.closed.Swap(true) {
		return nil
	}
	if h.base != nil {
		h.base.drop()
		return nil
	}
	if h.node != nil {
		return h.node.Close()
	}
	return nil
}

// Fresh looks again at what is held, asking the file system itself.
func (h *Held) Fresh(ctx context.Context) (Info, error) {
	if err := h.usable("stat"); err != nil {
		return Info{}, err
	}
	if !h.place.Exists() {
		return Info{}, notFound("stat", h.shown)
	}
	var info Info
	err := h.fs.touch(ctx, h.at.m, func() (err error) { info, err = h.node.Info(true); return err })
	info.Link = h.info.Link
	return info, failure("stat", h.shown, err)
}

// NodeOf gives what a Held holds, for committers only: what is done with it
// passes by the place. It is nil below a pending root.
func NodeOf(h *Held) Node {
	if h == nil {
		return nil
	}
	return h.node
}

func (h *Held) usable(op string) error {
	if h.closed.Load() {
		return failure(op, h.shown, iofs.ErrClosed)
	}
	return nil
}

// Parent holds the folder that the held thing is in. It fails with
// reeve.Changed when the thing is no longer there under its name, and with
// OutsideRoots for a root itself, whose parent was not granted.
func (h *Held) Parent(ctx context.Context) (*Held, error) {
	if err := h.usable("parent"); err != nil {
		return nil, err
	}
	n := len(h.place.Components)
	if n == 0 {
		return nil, outside("parent", h.shown)
	}
	up := h.place
	up.Components = up.Components[:n-1]
	p, err := h.fs.resolve(ctx, up.Path(), h.shown, false)
	if err != nil {
		return nil, err
	}
	if !h.place.Exists() {
		return p, nil
	}
	if p.place.Kind != reeve.Directory {
		p.Close()
		return nil, changed("parent", h.shown)
	}
	info, err := h.fs.statChild(ctx, p.at.m, p.node, string(h.place.Components[n-1]))
	if err != nil || !info.SameFile(h.info.Identity) {
		p.Close()
		return nil, changed("parent", h.shown)
	}
	return p, nil
}

// File opens the held regular file itself, whatever its name leads to by now.
// Anything else is refused before it is opened: NotFound, IsDirectory,
// SpecialFile. The File lives on when the Held is closed.
func (h *Held) File(ctx context.Context) (*File, error) {
	if err := h.usable("open"); err != nil {
		return nil, err
	}
	switch h.info.Kind {
	case reeve.File:
	case reeve.Absent:
		return nil, notFound("open", h.shown)
	case reeve.Directory:
		return nil, isDirectory("open", h.shown)
	case reeve.Symlink:
		return nil, unfollowed("open", h.shown)
	default:
		return nil, special("open", h.shown)
	}
	o, ok := h.node.(FileOpener)
	if !ok {
		return nil, failure("open", h.shown, errUnable)
	}
	f := &File{fs: h.fs, ctx: ctx, m: h.at.m, coarse: h.at.fsys.Coarse, place: h.place, shown: h.shown}
	err := h.fs.touch(ctx, f.m, func() (err error) {
		if f.open, err = o.OpenFile(); err == nil {
			f.info, err = f.open.Info()
		}
		return err
	})
	if err == nil && (f.info.Kind != reeve.File || !f.info.SameFile(h.info.Identity)) {
		err = changed("open", h.shown)
	}
	if err != nil {
		if f.open != nil {
			f.open.Close()
		}
		return nil, failure("open", h.shown, err)
	}
	f.opened = h.fs.o.Now()
	f.place.Stamp, f.place.Links, f.place.Mode = f.info.Stamp, f.info.Links, f.info.Mode
	return f, nil
}

// Folder opens the held folder itself for listing and for looking up what is
// in it. It lives on when the Held is closed.
func (h *Held) Folder(ctx context.Context) (*Folder, error) {
	if err := h.usable("list"); err != nil {
		return nil, err
	}
	switch h.info.Kind {
	case reeve.Directory:
	case reeve.Absent:
		return nil, notFound("list", h.shown)
	default:
		return nil, notDirectory("list", h.shown, "is no folder")
	}
	o, ok := h.node.(FolderOpener)
	if !ok {
		return nil, failure("list", h.shown, errUnable)
	}
	f := &Folder{fs: h.fs, v: h.v, at: h.at, place: h.place, shown: h.shown}
	err := h.fs.touch(ctx, h.at.m, func() (err error) {
		if f.node, err = o.OpenFolder(); err == nil {
			f.info, err = f.node.Info(false)
		}
		return err
	})
	if err == nil && (f.info.Kind != reeve.Directory || !f.info.SameFile(h.info.Identity)) {
		err = changed("list", h.shown)
	}
	if err != nil {
		if f.node != nil {
			f.node.Close()
		}
		return nil, failure("list", h.shown, err)
	}
	f.at.info, f.at.depth = f.info, 0
	f.place.Stamp, f.place.Mode = f.info.Stamp, f.info.Mode
	f.nested = h.v.nestedIn(h.at.root, h.place.Path(), h.at.fsys.Folds)
	return f, nil
}
