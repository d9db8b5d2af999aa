package capfstest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/capfs"
)

// Run holds a layer to what the resolver and the opening rules promise. Each
// test gets a World of its own.
func Run(t *testing.T, newWorld func(t *testing.T) World) {
	t.Run("resolution", func(t *testing.T) { runTable(t, newWorld) })
	for name, test := range map[string]func(*testing.T, World){
		"forty links are followed and the next is not": testLinkChain,
		"a deep path is walked":                        testDeep,
		"a name that is too long":                      testLongName,
		"a walk that links make endless":               testEndless,
		"a grant that did not change keeps its folder": testSameGrants,
		"a place survives JSON":                        testPlaceJSON,
		"ten thousand entries are listed once each":    testManyEntries,
		"a listing ends when it is told to":            testEachStops,
		"a listing begins anew":                        testEachTwice,
		"entries are looked up by single names":        testLookup,
		"an entry that is a root of its own":           testLookupRoot,
		"an entry that is protected":                   testLookupProtected,
		"a folder that is moved while it is open":      testFolderMoved,
		"a folder that is swapped for a link":          testFolderSwapped,
		"a file that is swapped after it was held":     testFileSwapped,
		"a file that changes while it is open":         testFileChanges,
		"a file is read in parts":                      testReadAt,
		"closing":                                      testClosing,
		"the parent of what is held":                   testParent,
		"a pipe with a writer waiting":                 testPipe,
	} {
		t.Run(name, func(t *testing.T) { test(t, newWorld(t)) })
	}
}

func testLinkChain(t *testing.T, w World) {
	w.make(t, "file", "/root/f", "hello")
	w.make(t, "link", "/root/l1", "f")
	for i := 2; i <= 41; i++ {
		w.make(t, "link", fmt.Sprintf("/root/l%d", i), fmt.Sprintf("l%d", i-1))
	}
	fs := w.grant(t, "/root")
	if p := w.hold(t, fs, "/root/l40", true).Place(); p.Base() != "f" {
		t.Errorf("40 links led to %s", p.Display())
	}
	if _, err := Resolve(context.Background(), fs, w.Base+"/root/l41", true); !errors.Is(err, reeve.TooManyLinks) {
		t.Errorf("41 links: %v", err)
	}
}

func testDeep(t *testing.T, w World) {
	w.quick(t)
	deep := "/root" + strings.Repeat("/d", 600)
	w.make(t, "file", deep+"/f", "hello")
	fs := w.grant(t, "/root")
	h := w.hold(t, fs, deep+"/f", true)
	if got, err := ReadHeld(h); got != "hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if n := len(h.Place().Components); n != 601 {
		t.Errorf("%d components", n)
	}
	p := w.hold(t, fs, deep+strings.Repeat("/e", 400), true).Place()
	if p.Missing != 400 || p.Exists() {
		t.Errorf("missing %d", p.Missing)
	}
}

func testLongName(t *testing.T, w World) {
	if !w.disk {
		t.Skip("names have no bound here")
	}
	w.make(t, "dir", "/root", "")
	fs := w.grant(t, "/root")
	h, err := Resolve(context.Background(), fs, w.Base+"/root/"+strings.Repeat("n", 300), true)
	if err == nil {
		h.Close()
		t.Skip("this system takes such names for missing ones")
	}
	if !errors.Is(err, reeve.Invalid) {
		t.Errorf("got %v", err)
	}
}

// testEndless: links whose text grows the path by more than they use up.
func testEndless(t *testing.T, w World) {
	w.make(t, "dir", "/root/d", "")
	w.make(t, "link", "/root/l", "d/../"+strings.Repeat("./d/../", 60)+"l")
	w.make(t, "link", "/root/m", strings.Repeat("d/../", 60)+"d")
	fs := w.grant(t, "/root")
	if _, err := Resolve(context.Background(), fs, w.Base+"/root/l", true); !errors.Is(err, reeve.TooManyLinks) && !errors.Is(err, reeve.Invalid) {
		t.Errorf("got %v", err)
	}
	if p := w.hold(t, fs, "/root/m", true).Place(); p.Base() != "d" {
		t.Errorf("m leads to %s", p.Display())
	}
}

func testSameGrants(t *testing.T, w World) {
	w.make(t, "file", "/root/f", "hello")
	var events []capfs.Event
	fs := capfs.New(capfs.Options{Layer: w.Layer, Event: func(e capfs.Event) { events = append(events, e) }})
	defer fs.Close()
	g := []capfs.Grant{{Path: w.Base + "/root", Access: reeve.Read}}
	first := fs.SetGrants(g, nil)
	h := w.hold(t, fs, "/root/f", true)
	g[0].Access = reeve.ReadWrite
	second := fs.SetGrants(append(g, g...), nil)
	if len(second) != 1 || second[0].ID != first[0].ID || second[0].ID == "" || second[0].State != reeve.StateOpen {
		t.Errorf("got %+v after %+v", second, first)
	}
	if a := w.hold(t, fs, "/root/f", true).Place().Access; a != reeve.ReadWrite {
		t.Errorf("access is %q", a)
	}
	fs.SetGrants(nil, nil)
	if _, err := Resolve(context.Background(), fs, w.Base+"/root/f", true); !errors.Is(err, reeve.OutsideRoots) {
		t.Errorf("after the grant has gone: %v", err)
	}
	if got, err := ReadHeld(h); got != "hello" || err != nil {
		t.Errorf("what was held: %q, %v", got, err)
	}
	if len(events) != 0 {
		t.Errorf("events %v", events)
	}
}

func testPlaceJSON(t *testing.T, w World) {
	if !w.has("bytes") {
		t.Skip("no such names here")
	}
	w.make(t, "file", "/root/a\nb/caf\xe9", "hello")
	fs := w.grant(t, "/root")
	p := w.hold(t, fs, "/root/a\nb/caf\xe9", true).Place()
	if q := throughJSON(t, p); q.Path() != p.Path() || q.Stamp != p.Stamp || q.Key() != p.Key() {
		t.Errorf("%+v became %+v", p, q)
	}
}

func testParent(t *testing.T, w World) {
	w.make(t, "file", "/root/a/f", "hello")
	w.make(t, "link", "/root/l", "a/f")
	fs := w.grant(t, "/root")
	ctx := context.Background()
	p, err := w.hold(t, fs, "/root/l", true).Parent(ctx)
	if err != nil || p.Place().Base() != "a" {
		t.Fatalf("got %v", err)
	}
	p.Close()
	p, err = w.hold(t, fs, "/root/a/x/y", true).Parent(ctx)
	if err != nil || p.Place().Base() != "x" || p.Place().Missing != 1 {
		t.Fatalf("got %v", err)
	}
	p.Close()
	if _, err := w.hold(t, fs, "/root", true).Parent(ctx); !errors.Is(err, reeve.OutsideRoots) {
		t.Errorf("a root's parent: %v", err)
	}
	h := w.hold(t, fs, "/root/a/f", true)
	w.make(t, "move", "/root/a/f", w.Base+"/root/a/g")
	w.make(t, "file", "/root/a/f", "another")
	if _, err := h.Parent(ctx); !errors.Is(err, reeve.Changed) {
		t.Errorf("another file under the name: %v", err)
	}
}
