package capfs

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"

	"reeve"
	"reeve/internal/pathname"
)

// Standing is what stands at a path that is granted, or may be, for the
// owner's eyes.
type Standing struct {
	Path string // as asked
	Real string // link-free, as on disk
	// Links are those on the way, in the order in which they are met.
	Links []Link
	Info  Info
	// Known is what a grant of it should be compared with from now on.
	Known Known
}

// Link is a link on the way and its own text.
type Link struct{ Path, Text string }

// maxShown bounds the links that are told.
const maxShown = 16

// Stands looks at an absolute, clean path, following links, and holds nothing.
// Errors: NotFound, NotDirectory when no folder is there, Changed when it was
// replaced meanwhile, Permission, Timeout, MountDead, Failed. It belongs to
// the owner's tools: it looks outside the granted folders.
func (fs *FS) Stands(ctx context.Context, path string) (Standing, error) {
	shown := pathname.EscapePath(path)
	m := newMount()
	s, err := Call(ctx, fs, func(ctx context.Context) (s Standing, err error) {
		err = fs.touch(ctx, m, func() error { s, err = fs.stands(path); return err })
		return s, err
	})
	if errors.Is(err, ErrNotPlain) {
		err = changed("look", shown)
	}
	return s, failure("look", shown, err)
}

func (fs *FS) stands(path string) (Standing, error) {
	s := Standing{Path: path}
	info, err := fs.layer.Stat(path, true)
	if err != nil {
		return s, err
	}
	if info.Kind != reeve.Directory {
		return s, syscall.ENOTDIR
	}
	if s.Real, err = fs.layer.Real(path); err != nil {
		return s, err
	}
	t, err := fs.takePlain(s.Real)
	if err != nil {
		return s, err
	}
	t.node.Close()
	if !t.info.SameFile(info.Identity) {
		return s, ErrNotPlain
	}
	s.Info, s.Known = t.info, t.was
	s.Links = fs.linksOn(path)
	return s, nil
}

// linksOn finds the links that a path leads through. It stops quietly where
// it may not look.
func (fs *FS) linksOn(path string) []Link {
	var out []Link
	at, rest := splitTop(path)
	for name := ""; rest != "" && len(out) < maxShown; {
		if name, rest = cutName(rest); name == "" || name == "." {
			continue
		}
		if name == ".." {
			if real, err := fs.layer.Real(at); err == nil {
				at = real
			}
			at = filepath.Dir(at)
			continue
		}
		at = join(at, name)
		info, err := fs.layer.Stat(at, false)
		if err != nil {
			return out
		}
		if info.Kind != reeve.Symlink {
			continue
		}
		text, err := fs.linkText(at)
		out = append(out, Link{at, text})
		if err != nil {
			continue // the path after it still tells what follows
		}
		if filepath.IsAbs(text) {
			at, rest = splitTop(join(squeeze(text), rest))
		} else {
			at, rest = filepath.Dir(at), join(text, rest)
		}
	}
	return out
}

// linkText reads a link through the folder that it really is in.
func (fs *FS) linkText(path string) (string, error) {
	real, err := fs.layer.Real(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	dir, _, err := fs.walkPlain(real)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	link, err := dir.Child(filepath.Base(path))
	if err != nil {
		return "", err
	}
	defer link.Close()
	r, ok := link.(LinkReader)
	if !ok {
		return "", errUnable
	}
	return r.ReadLink()
}
