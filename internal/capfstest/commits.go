package capfstest

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/capfs"
)

// Commits proposes and makes changes below the granted folder /root of a
// World, in the way that the gate does.
type Commits struct {
	T  testing.TB
	W  World
	FS *capfs.FS
	C  capfs.Committer
}

// NewCommits makes /root, grants it and makes a committer for it.
func NewCommits(t testing.TB, w World, c func(*capfs.FS) capfs.Committer) *Commits {
	t.Helper()
	w.make(t, "dir", "/root", "")
	fs := w.grant(t, "/root")
	return &Commits{T: t, W: w, FS: fs, C: c(fs)}
}

// Change proposes a change of what is at a path now. Text is the new content,
// or where a move goes.
func (c *Commits) Change(kind reeve.ChangeKind, path, text string) (capfs.At, reeve.Change) {
	c.T.Helper()
	at, ch, err := c.TryChange(kind, path, text)
	if err != nil {
		c.T.Fatalf("%s %s: %v", kind, path, err)
	}
	return at, ch
}

// TryChange is Change for paths that others change at the same time.
func (c *Commits) TryChange(kind reeve.ChangeKind, path, text string) (at capfs.At, ch reeve.Change, err error) {
	ctx := context.Background()
	hold := func(path string) (*capfs.Held, error) {
		h, err := Resolve(ctx, c.FS, c.W.Base+path, false)
		if err == nil {
			c.T.Cleanup(func() { h.Close() })
		}
		return h, err
	}
	h, err := hold(path)
	if err != nil {
		return at, ch, err
	}
	ch = reeve.Change{Kind: kind, Place: h.Place()}
	at.Parent = h
	if h.Place().Exists() {
		if h.Place().Kind == reeve.File {
			if ch.Expect, err = version(h); err != nil {
				return at, ch, err
			}
		}
		if at.Parent, err = h.Parent(ctx); err != nil {
			return at, ch, err
		}
		c.T.Cleanup(func() { at.Parent.Close() })
	}
	switch kind {
	case reeve.Put:
		ch.Content = reeve.Bytes(text)
	case reeve.Move:
		if at.To, err = hold(text); err != nil {
			return at, ch, err
		}
		p := at.To.Place()
		ch.To = &p
	}
	return at, ch, nil
}

// Version reads a held file for its version.
func (c *Commits) Version(h *capfs.Held) reeve.Version {
	c.T.Helper()
	v, err := version(h)
	if err != nil {
		c.T.Fatal(err)
	}
	return v
}

// version reads a held file for its version.
func version(h *capfs.Held) (reeve.Version, error) {
	f, err := h.File(context.Background())
	if err != nil {
		return reeve.Version{}, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<40))
	if err != nil {
		return reeve.Version{}, err
	}
	now, err := f.Fresh()
	if err == nil && now.Stamp != f.Info().Stamp {
		err = errors.New("it is being written")
	}
	sum := blake3.Sum256(b)
	return f.Version(&sum), err
}

// Stage prepares a change of what is at a path now.
func (c *Commits) Stage(kind reeve.ChangeKind, path, text string) (capfs.Staged, error) {
	c.T.Helper()
	at, ch := c.Change(kind, path, text)
	return c.StageChange(at, ch)
}

// StageChange prepares a change.
func (c *Commits) StageChange(at capfs.At, ch reeve.Change) (capfs.Staged, error) {
	c.T.Helper()
	s, err := c.C.Stage(context.Background(), at, ch)
	if err == nil {
		c.T.Cleanup(func() { s.Cleanup() })
	}
	return s, err
}

// MustStage is Stage that ends the test when it is refused.
func (c *Commits) MustStage(kind reeve.ChangeKind, path, text string) capfs.Staged {
	c.T.Helper()
	s, err := c.Stage(kind, path, text)
	if err != nil {
		c.T.Fatalf("stage %s %s: %v", kind, path, err)
	}
	return s
}

// Do makes one change, to the end: durable, and what was displaced is let go.
func (c *Commits) Do(kind reeve.ChangeKind, path, text string) (capfs.Done, error) {
	c.T.Helper()
	s, err := c.Stage(kind, path, text)
	if err != nil {
		return capfs.Done{}, err
	}
	defer s.Cleanup()
	r, err := c.C.Swap(context.Background(), []capfs.Staged{s})
	if err != nil {
		return capfs.Done{}, err
	}
	return r.Done[0], c.End(r)
}

// End makes a receipt durable and lets go of what was displaced.
func (c *Commits) End(r capfs.Receipt) error {
	err := r.Sync(context.Background())
	for _, d := range r.Done {
		if d.Displaced != nil {
			if rerr := d.Displaced.Release(); err == nil {
				err = rerr
			}
		}
	}
	return err
}

// Read gives a file's content, by its path.
func (c *Commits) Read(path string) string {
	c.T.Helper()
	text, err := ReadHeld(c.W.hold(c.T, c.FS, path, true))
	if err != nil {
		c.T.Fatalf("read %s: %v", path, err)
	}
	return text
}

// Tree lists everything below a folder, hidden names too: folders with a
// slash, links with their text, files with their content.
func (c *Commits) Tree(path string) []string {
	c.T.Helper()
	ctx := context.Background()
	var out []string
	var walk func(f *capfs.Folder, at string)
	walk = func(f *capfs.Folder, at string) {
		var names []capfs.DirEntry
		if err := f.Each(ctx, func(e capfs.DirEntry) error { names = append(names, e); return nil }); err != nil {
			c.T.Fatalf("list %s: %v", at, err)
		}
		for _, e := range names {
			h, err := f.Lookup(ctx, e.Name)
			if err != nil {
				c.T.Fatalf("look up %s/%s: %v", at, e.Name, err)
			}
			p := at + "/" + e.Name
			switch h.Place().Kind {
			case reeve.Directory:
				out = append(out, p+"/")
				in, err := h.Folder(ctx)
				if err != nil {
					c.T.Fatal(err)
				}
				walk(in, p)
				in.Close()
			case reeve.File:
				text, err := ReadHeld(h)
				if err != nil {
					c.T.Fatal(err)
				}
				out = append(out, p+" "+text)
			case reeve.Symlink:
				out = append(out, p+" -> "+h.Info().Link)
			default:
				out = append(out, p+" |")
			}
			h.Close()
		}
	}
	walk(c.W.folder(c.T, c.FS, path), path)
	slices.Sort(out)
	return out
}

// Want compares the tree below /root with what it should be.
func (c *Commits) Want(want ...string) {
	c.T.Helper()
	slices.Sort(want)
	if got := c.Tree("/root"); !slices.Equal(got, want) {
		c.T.Errorf("the tree is\n\t%q\nnot\n\t%q", got, want)
	}
}
