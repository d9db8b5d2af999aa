package capfs

import (
	"cmp"
	"context"
	iofs "io/fs"
	"slices"
	"syscall"

	"reeve"
)

// What history asks of a displaced thing that it cannot take as it is.

// walkMost bounds the entries of one displaced folder that are walked.
const walkMost = 1_000_000

// LinkText gives the text of a displaced link.
func (d *displaced) LinkText() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return "", iofs.ErrClosed
	}
	return d.at.text(d.name)
}

// Lend gives the descriptor of a displaced folder to fn.
func (d *displaced) Lend(fn func(fd uintptr) error) error {
	in, err := d.inside()
	if err != nil {
		return err
	}
	defer in.close()
	return lendFolder(in, fn)
}

// Walk calls fn for everything in a displaced folder, a folder before what is
// in it, in the order of names. Rel is raw names with "/" between them. What
// fn is given is valid until it returns. Links are not followed, and what is
// mounted in it is not entered.
func (d *displaced) Walk(ctx context.Context, fn func(rel string, d Displaced) error) error {
	in, err := d.inside()
	if err != nil {
		return err
	}
	defer in.close()
	return walkSite(ctx, in, mountOf(d.info), "", fn)
}

// inside holds the displaced folder itself.
func (d *displaced) inside() (site, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return site{}, iofs.ErrClosed
	}
	if d.info.Kind != reeve.Directory {
		return site{}, syscall.ENOTDIR
	}
	in, err := d.at.enter(d.name)
	if err != nil {
		return site{}, err
	}
	if self, err := in.self(); err != nil || !self.SameFile(d.info.Identity) {
		in.close()
		return site{}, cmp.Or(err, error(syscall.ESTALE))
	}
	return in, nil
}

func lendFolder(in site, fn func(fd uintptr) error) error {
	f, err := in.folder()
	if err != nil {
		return err
	}
	defer f.Close()
	return fn(f.Fd())
}

func walkSite(ctx context.Context, at site, mount uint64, rel string, fn func(string, Displaced) error) error {
	entries, err := at.list(walkMost)
	if err != nil {
		return err
	}
	if len(entries) >= walkMost {
		return syscall.EFBIG
	}
	slices.SortFunc(entries, func(a, b DirEntry) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := walkEntry(ctx, at, e.Name, mount, rel, fn); err != nil {
			return err
		}
	}
	return nil
}

func walkEntry(ctx context.Context, at site, name string, mount uint64, rel string, fn func(string, Displaced) error) error {
	info, err := at.look(name)
	if err != nil {
		return err
	}
	if info.Kind == reeve.Symlink {
		if info.Link, err = at.text(name); err != nil {
			return err
		}
	}
	if rel != "" {
		rel += "/"
	}
	d := &displacedEntry{at: at, name: name, info: info}
	if info.Kind != reeve.Directory {
		return fn(rel+name, d)
	}
	in, err := at.enter(name)
	if err != nil {
		return err
	}
	defer in.close()
	self, err := in.self()
	if err == nil && mountOf(self) != mount {
		err = syscall.EXDEV
	}
	if err != nil {
		return err
	}
	d.in = in
	if err := fn(rel+name, d); err != nil {
		return err
	}
	return walkSite(ctx, in, mount, rel+name, fn)
}

// displacedEntry is one thing in a displaced folder.
type displacedEntry struct {
	at   site
	in   site // of a folder
	name string
	info Info
}

// Info implements Displaced.
func (e *displacedEntry) Info() Info { return e.info }

// Open implements Displaced.
func (e *displacedEntry) Open(context.Context) (OpenFile, error) {
	f, info, err := e.at.open(e.name, false)
	if err != nil {
		return nil, err
	}
	if !info.SameFile(e.info.Identity) {
		f.Close()
		return nil, syscall.ESTALE
	}
	return &siteFile{f, e.at}, nil
}

// Release implements Displaced; it goes with the folder.
func (e *displacedEntry) Release() error { return nil }

// Lend gives the descriptor of a folder to fn.
func (e *displacedEntry) Lend(fn func(fd uintptr) error) error {
	if !e.in.here() {
		return syscall.ENOTDIR
	}
	return lendFolder(e.in, fn)
}
