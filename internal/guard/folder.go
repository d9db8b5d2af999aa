package guard

import (
	"context"

	"reeve"
	"reeve/internal/capfs"
)

// Folder is an open folder whose entries are judged: by name as they stream
// past, and by what they really are when one of them is opened. Entries are
// opened from the folder's own handle, so that what is opened is by
// construction in the judged place, wherever the folder may have been moved.
type Folder struct {
	view *View
	held *capfs.Folder
	rule func(string, reeve.FileKind) reeve.Decision
}

// Entry is one name. Protected entries may be told by name and nothing more.
type Entry struct {
	Name string
	Kind reeve.FileKind
	// Protected says that policy refuses to show what is in it.
	Protected bool
}

// Place is where the folder is.
func (f *Folder) Place() reeve.Place { return f.held.Place() }

// Info is the folder's state when it was opened.
func (f *Folder) Info() capfs.Info { return f.held.Info() }

// Each streams the entries in the file system's own order. An error from fn
// ends it and is returned.
func (f *Folder) Each(ctx context.Context, fn func(Entry) error) error {
	return f.held.Each(ctx, func(e capfs.DirEntry) error {
		d := f.rule(e.Name, e.Kind)
		return fn(Entry{Name: e.Name, Kind: e.Kind, Protected: d.Verdict != reeve.Allow})
	})
}

// Stat gives the facts of an entry that its name does not protect, without
// following a link: a link's own text is among them.
func (f *Folder) Stat(ctx context.Context, name string) (capfs.Info, error) {
	info, err := f.held.Stat(ctx, name)
	if err != nil {
		return capfs.Info{}, err
	}
	if d := f.rule(name, info.Kind); d.Verdict != reeve.Allow {
		return capfs.Info{}, refusal("stat", name, reeve.EffectRead, d)
	}
	here := f.held.Info()
	switch {
	case info.Kind == reeve.Symlink && info.Link == "":
	case info.Kind == reeve.File && info.Links > 1, info.Device != here.Device, info.Mount != here.Mount:
		// It may be a name of something protected, or lead elsewhere.
	default:
		return info, nil
	}
	k := reeve.EffectRead
	if info.Kind == reeve.Directory {
		k = reeve.EffectList
	}
	h, err := f.judge(ctx, name, k)
	if err != nil {
		return capfs.Info{}, err
	}
	defer h.Close()
	return h.Info(), nil
}

// Open opens an entry for reading. The caller closes the file.
func (f *Folder) Open(ctx context.Context, name string) (*capfs.File, error) {
	h, err := f.judge(ctx, name, reeve.EffectRead)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	file, err := h.File(ctx)
	if err == nil {
		f.view.opens(file.Place())
	}
	return file, err
}

// Into opens a folder in this one. Links are not followed. The caller closes
// it.
func (f *Folder) Into(ctx context.Context, name string) (*Folder, error) {
	h, err := f.judge(ctx, name, reeve.EffectList)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	in, err := h.Folder(ctx)
	if err != nil {
		return nil, err
	}
	return f.view.folder(in), nil
}

// Close ends the use of the folder.
func (f *Folder) Close() error { return f.held.Close() }

// judge holds an entry and asks policy about the place it really is.
func (f *Folder) judge(ctx context.Context, name string, k reeve.EffectKind) (*capfs.Held, error) {
	h, err := f.held.Lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	d := f.view.rules.Decide(f.view.subject, reeve.Effect{Kind: k, Place: h.Place()})
	if d.Verdict != reeve.Allow {
		h.Close()
		return nil, refusal("open", name, k, d)
	}
	return h, nil
}
