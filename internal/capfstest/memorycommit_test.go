package capfstest_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

type commits struct {
	t  *testing.T
	m  *capfstest.Memory
	fs *capfs.FS
	c  capfs.Committer
}

func newCommits(t *testing.T) *commits {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	for _, op := range []capfstest.Op{
		{Verb: "file", Path: "/w/a", Arg: "old a"}, {Verb: "file", Path: "/w/b", Arg: "old b"}, {Verb: "dir", Path: "/w/d"},
	} {
		if err := m.Make(op); err != nil {
			t.Fatal(err)
		}
	}
	fs := capfs.New(capfs.Options{Layer: m})
	t.Cleanup(func() { fs.Close() })
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.ReadWrite}}, nil)
	return &commits{t, m, fs, m.Committer()}
}

// stage prepares a change of what is at path now.
func (c *commits) stage(kind reeve.ChangeKind, path, text string) capfs.Staged {
	c.t.Helper()
	ctx := context.Background()
	h, err := capfstest.Resolve(ctx, c.fs, path, false)
	if err != nil {
		c.t.Fatal(err)
	}
	defer h.Close()
	ch := reeve.Change{Kind: kind, Place: h.Place()}
	parent := h
	if h.Place().Exists() {
		if h.Place().Kind == reeve.File {
			f, err := h.File(ctx)
			if err != nil {
				c.t.Fatal(err)
			}
			b, _ := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
			sum := blake3.Sum256(b)
			ch.Expect = f.Version(&sum)
			f.Close()
		}
		if parent, err = h.Parent(ctx); err != nil {
			c.t.Fatal(err)
		}
		defer parent.Close()
	}
	var at capfs.At
	switch kind {
	case reeve.Put:
		ch.Content = reeve.Bytes(text)
	case reeve.Move:
		to, err := capfstest.Resolve(ctx, c.fs, text, false)
		if err != nil {
			c.t.Fatal(err)
		}
		defer to.Close()
		p := to.Place()
		ch.To, at.To = &p, to
	}
	at.Parent = parent
	s, err := c.c.Stage(ctx, at, ch)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { s.Cleanup() })
	return s
}

func (c *commits) tree(want ...string) {
	c.t.Helper()
	got := c.m.Tree("/w")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		c.t.Errorf("the tree is\n\t%s\nnot\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestMemoryCommits(t *testing.T) {
	c := newCommits(t)
	r, err := c.c.Swap(context.Background(), []capfs.Staged{
		c.stage(reeve.Put, "/w/a", "new a"), c.stage(reeve.Put, "/w/x/y/z", "made"), c.stage(reeve.Remove, "/w/b", ""),
		c.stage(reeve.Mkdir, "/w/e", ""), c.stage(reeve.Move, "/w/d", "/w/e2"),
	})
	if err != nil {
		t.Fatal(err)
	}
	c.tree("/w/a new a", "/w/x/", "/w/x/y/", "/w/x/y/z made", "/w/e/", "/w/e2/")
	if len(r.Done) != 5 || len(r.Done[1].Made) != 2 || r.Done[1].Made[1].Path() != "/w/x/y" || r.Done[0].Version.IsZero() {
		t.Errorf("the receipt is %+v", r)
	}
	f, err := r.Done[0].Displaced.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(io.NewSectionReader(f, 0, 100)); string(b) != "old a" {
		t.Errorf("displaced was %q", b)
	}
}

func TestMemoryCommitsNothingWhenSomethingChanged(t *testing.T) {
	for name, c := range map[string]struct {
		op   capfstest.Op
		code reeve.Code
	}{
		"another content":   {capfstest.Op{Verb: "file", Path: "/w/b", Arg: "theirs"}, reeve.Changed},
		"removed":           {capfstest.Op{Verb: "remove", Path: "/w/b"}, reeve.Changed},
		"made meanwhile":    {capfstest.Op{Verb: "file", Path: "/w/n/m", Arg: "theirs"}, reeve.Exists},
		"a file for parent": {capfstest.Op{Verb: "file", Path: "/w/n", Arg: "theirs"}, reeve.Changed},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCommits(t)
			staged := []capfs.Staged{
				w.stage(reeve.Put, "/w/a", "new a"), w.stage(reeve.Put, "/w/b", "new b"), w.stage(reeve.Put, "/w/n/m", "new"),
			}
			if err := w.m.Make(c.op); err != nil {
				t.Fatal(err)
			}
			before := w.m.Tree("/w")
			if _, err := w.c.Swap(context.Background(), staged); !errors.Is(err, c.code) {
				t.Errorf("got %v", err)
			}
			w.tree(before...)
		})
	}
}

func TestMemoryCommitsOnce(t *testing.T) {
	c := newCommits(t)
	s := c.stage(reeve.Put, "/w/a", "new a")
	if _, err := c.c.Swap(context.Background(), []capfs.Staged{s}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.c.Swap(context.Background(), []capfs.Staged{s}); err == nil {
		t.Error("a staged change was made twice")
	}
	d := c.stage(reeve.Put, "/w/a", "dropped")
	d.Cleanup()
	d.Cleanup()
	if _, err := c.c.Swap(context.Background(), []capfs.Staged{d}); err == nil {
		t.Error("a change that was cleaned up was made")
	}
	c.tree("/w/a new a", "/w/b old b", "/w/d/")
}
