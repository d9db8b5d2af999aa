package capfstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"reeve"
	"reeve/internal/capfs"
)

func throughJSON(t *testing.T, p reeve.Place) (q reeve.Place) {
	t.Helper()
	b, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(b, &q)
	}
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func testManyEntries(t *testing.T, w World) {
	const many = 10_000
	w.quick(t)
	w.make(t, "dir", "/root/many", "")
	for i := range many {
		verb := "file"
		if i%100 == 0 {
			verb = "dir"
		}
		w.make(t, verb, fmt.Sprintf("/root/many/entry-%05d", i), "")
	}
	fs := w.grant(t, "/root")
	f := w.folder(t, fs, "/root/many")
	seen := make(map[string]bool, many)
	folders := 0
	err := f.Each(context.Background(), func(e capfs.DirEntry) error {
		if seen[e.Name] {
			t.Errorf("%s twice", e.Name)
		}
		seen[e.Name] = true
		switch e.Kind {
		case reeve.Directory:
			folders++
		case reeve.File:
		default:
			t.Errorf("%s is a %q", e.Name, e.Kind)
		}
		return nil
	})
	if err != nil || len(seen) != many || folders != many/100 {
		t.Errorf("%d entries, %d folders, %v", len(seen), folders, err)
	}
}

func testEachStops(t *testing.T, w World) {
	w.quick(t)
	for i := range 300 {
		w.make(t, "file", fmt.Sprintf("/root/f%d", i), "")
	}
	f := w.folder(t, w.grant(t, "/root"), "/root")
	enough := errors.New("enough")
	n := 0
	err := f.Each(context.Background(), func(capfs.DirEntry) error {
		if n++; n == 7 {
			return enough
		}
		return nil
	})
	if err != enough || n != 7 {
		t.Errorf("%d entries, %v", n, err)
	}
}

func testEachTwice(t *testing.T, w World) {
	w.quick(t)
	for i := range 250 {
		w.make(t, "file", fmt.Sprintf("/root/f%d", i), "")
	}
	f := w.folder(t, w.grant(t, "/root"), "/root")
	for round := range 3 {
		n := 0
		err := f.Each(context.Background(), func(capfs.DirEntry) error {
			if n++; round == 0 && n == 120 {
				return errors.New("stop")
			}
			return nil
		})
		if round > 0 && (n != 250 || err != nil) {
			t.Errorf("round %d: %d entries, %v", round, n, err)
		}
	}
	w.make(t, "remove", "/root/f1", "")
	n := 0
	if err := f.Each(context.Background(), func(capfs.DirEntry) error { n++; return nil }); n != 249 || err != nil {
		t.Errorf("after a removal: %d entries, %v", n, err)
	}
}

func testLookup(t *testing.T, w World) {
	w.make(t, "file", "/root/d/f", "hello")
	w.make(t, "link", "/root/d/l", w.Base+"/beyond")
	w.make(t, "file", "/beyond", "secret")
	w.make(t, "file", "/root/up", "x")
	f := w.folder(t, w.grant(t, "/root"), "/root/d")
	ctx := context.Background()
	h, err := f.Lookup(ctx, "f")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if got, err := ReadHeld(h); got != "hello" || err != nil {
		t.Errorf("f: %q, %v", got, err)
	}
	if p := h.Place(); p.Path() != w.Base+"/root/d/f" || p.Kind != reeve.File {
		t.Errorf("f is %+v", p)
	}
	l, err := f.Lookup(ctx, "l")
	if err != nil || l.Info().Kind != reeve.Symlink || l.Info().Link != w.Base+"/beyond" {
		t.Fatalf("l: %v", err)
	}
	defer l.Close()
	if got, err := ReadHeld(l); err == nil {
		t.Errorf("a link was read: %q", got)
	}
	if i, err := f.Stat(ctx, "l"); err != nil || i.Kind != reeve.Symlink {
		t.Errorf("stat of a link: %+v, %v", i, err)
	}
	none, err := f.Lookup(ctx, "none")
	if err != nil || none.Place().Exists() || none.Place().Missing != 1 || none.Place().Base() != "none" {
		t.Errorf("none: %v", err)
	}
	none.Close()
	if _, err := f.Stat(ctx, "none"); !errors.Is(err, reeve.NotFound) {
		t.Errorf("stat of nothing: %v", err)
	}
	for _, bad := range []string{"", ".", "..", "../up", "d/f", "/", w.Base + "/beyond", "f\x00", "f/"} {
		if h, err := f.Lookup(ctx, bad); err == nil {
			t.Errorf("%q was looked up: %s", bad, h.Place().Display())
		}
		if _, err := f.Stat(ctx, bad); err == nil {
			t.Errorf("%q was looked at", bad)
		}
	}
}

func testLookupRoot(t *testing.T, w World) {
	w.make(t, "file", "/root/in/f", "hello")
	w.make(t, "dir", "/root/other", "")
	fs := capfs.New(capfs.Options{Layer: w.Layer})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{
		{ID: "outer", Path: w.Base + "/root", Access: reeve.ReadWrite},
		{ID: "inner", Path: w.Base + "/root/in", Access: reeve.Read},
	}, nil)
	ctx := context.Background()
	look := func(f *capfs.Folder, name string) reeve.Place {
		h, err := f.Lookup(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		return h.Place()
	}
	f := w.folder(t, fs, "/root")
	if p := look(f, "in"); p.Root != "inner" || p.Access != reeve.Read || len(p.Components) != 0 || p.Path() != w.Base+"/root/in" {
		t.Errorf("in is %+v", p)
	}
	if p := look(f, "other"); p.Root != "outer" || p.Access != reeve.ReadWrite {
		t.Errorf("other is %+v", p)
	}
	h, err := f.Lookup(ctx, "in")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	in, err := h.Folder(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if p := look(in, "f"); p.Root != "inner" || p.Path() != w.Base+"/root/in/f" {
		t.Errorf("in/f is %+v", p)
	}
	// The granted folder is swapped for another: what stands under its name
	// is never the outer root's.
	w.make(t, "swap", "/root/in", w.Base+"/root/other")
	if h, err := f.Lookup(ctx, "in"); err == nil {
		if p := h.Place(); p.Root != "inner" {
			t.Errorf("after the swap in is %+v", p)
		}
		h.Close()
	}
}

func testLookupProtected(t *testing.T, w World) {
	w.make(t, "file", "/root/.safe/key", "secret")
	w.make(t, "hard", "/root/alias", w.Base+"/root/.safe/key")
	fs := w.grant(t, "/root", capfs.Narrowing{Path: w.Base + "/root/.safe", Kind: reeve.MarkProtected, Rule: "~/.safe", Folder: true})
	f := w.folder(t, fs, "/root")
	for _, name := range []string{".safe", "alias"} {
		h, err := f.Lookup(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		if m := h.Place().Marks; !slices.Equal(m, []reeve.Mark{{Kind: reeve.MarkProtected, Rule: "~/.safe"}}) {
			t.Errorf("%s has marks %v", name, m)
		}
		h.Close()
	}
}

func testFolderMoved(t *testing.T, w World) {
	w.make(t, "file", "/root/a/f", "hello")
	f := w.folder(t, w.grant(t, "/root"), "/root/a")
	w.make(t, "move", "/root/a", w.Base+"/root/b")
	w.make(t, "file", "/root/a/f", "another")
	h, err := f.Lookup(context.Background(), "f")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if got, err := ReadHeld(h); got != "hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	n := 0
	if err := f.Each(context.Background(), func(capfs.DirEntry) error { n++; return nil }); n != 1 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

func testFolderSwapped(t *testing.T, w World) {
	w.make(t, "file", "/root/a/f", "hello")
	w.make(t, "file", "/beyond/f", "secret")
	w.make(t, "link", "/root/out", w.Base+"/beyond")
	fs := w.grant(t, "/root")
	h := w.hold(t, fs, "/root/a", true)
	w.make(t, "swap", "/root/a", w.Base+"/root/out")
	f, err := h.Folder(context.Background())
	if errors.Is(err, reeve.Changed) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := f.Lookup(context.Background(), "f")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got, err := ReadHeld(e); got != "hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
