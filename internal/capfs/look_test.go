package capfs_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// slowClock is long past, so that no stamp is too fresh to be trusted.
func slowClock() func() time.Time {
	clock := time.Unix(1_700_000_000, 5)
	return func() time.Time { clock = clock.Add(time.Second); return clock }
}

func rulesOf(t *testing.T, fs *capfs.FS, path string) (rules []string) {
	t.Helper()
	for _, m := range marksOf(t, fs, path) {
		rules = append(rules, m.Rule)
	}
	return rules
}

// While nobody can tell what is protected, a file with several names may be
// it; and what comes after a mount that hangs is looked at all the same.
func TestWhatWasNeverSeenIsUnsure(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "mount", Path: "/dead", Arg: "net"}, capfstest.Op{Verb: "file", Path: "/srv/.late/key", Arg: "x"},
		capfstest.Op{Verb: "file", Path: "/w/one", Arg: "x"}, capfstest.Op{Verb: "file", Path: "/w/two", Arg: "x"},
		capfstest.Op{Verb: "hard", Path: "/w/twin", Arg: "/w/two"}, capfstest.Op{Verb: "hard", Path: "/w/alias", Arg: "/srv/.late/key"})
	var narrow []capfs.Narrowing
	for i := range 12 {
		path := fmt.Sprintf("/dead/.safe%d", i)
		build(t, m, capfstest.Op{Verb: "dir", Path: path})
		narrow = append(narrow, capfs.Narrowing{Path: path, Kind: reeve.MarkProtected, Rule: "dead", Folder: true})
	}
	narrow = append(narrow, capfs.Narrowing{Path: "/srv/.late", Kind: reeve.MarkProtected, Rule: "late", Folder: true})
	release, err := m.Hang("/dead")
	if err != nil {
		t.Fatal(err)
	}
	fs := capfs.New(capfs.Options{Layer: m, Refresh: -1, MaxAbandoned: 5})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, narrow)
	if got := rulesOf(t, fs, "/w/one"); len(got) != 0 {
		t.Errorf("a file with one name: %v", got)
	}
	if got := rulesOf(t, fs, "/w/two"); !slices.Contains(got, "dead") || slices.Contains(got, "late") {
		t.Errorf("a file with two names: %v", got)
	}
	if got := rulesOf(t, fs, "/w/alias"); !slices.Contains(got, "late") {
		t.Errorf("what comes after the mount that hangs: %v", got)
	}
	release()
	for try := 0; ; try++ {
		got := rulesOf(t, fs, "/w/two")
		if len(got) == 0 {
			break
		}
		if try > 200 {
			t.Fatalf("after it answered: %v", got)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// What was seen on another device before it stopped answering is not here.
func TestWhatWasSeenElsewhereIsNotHere(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{Now: slowClock()})
	build(t, m, capfstest.Op{Verb: "mount", Path: "/dead", Arg: "net"}, capfstest.Op{Verb: "dir", Path: "/dead/.safe"},
		capfstest.Op{Verb: "file", Path: "/w/two", Arg: "x"}, capfstest.Op{Verb: "hard", Path: "/w/twin", Arg: "/w/two"})
	fs := capfs.New(capfs.Options{Layer: m, Refresh: -1, Timeout: 200 * time.Millisecond})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, []capfs.Narrowing{
		{Path: "/dead/.safe", Kind: reeve.MarkProtected, Rule: "there", Folder: true},
		{Path: "/dead/.none", Kind: reeve.MarkProtected, Rule: "missing", Folder: true}})
	marksOf(t, fs, "/w/two")
	release, err := m.Hang("/dead")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if got := rulesOf(t, fs, "/w/two"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestAMountInsideAProtectedFolder(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "dir", Path: "/home/.safe/in"}, capfstest.Op{Verb: "mount", Path: "/home/.safe/in/m", Arg: "disk"},
		capfstest.Op{Verb: "file", Path: "/w/two", Arg: "x"}, capfstest.Op{Verb: "hard", Path: "/w/twin", Arg: "/w/two"})
	fs := capfs.New(capfs.Options{Layer: m})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, safe())
	if n := len(marksOf(t, fs, "/w/twin")); n != 1 {
		t.Errorf("%d marks", n)
	}
}

// A protected place that is made after the last look is known at once, as far
// as files with several names go.
func TestProtectedPlacesMadeBetweenTwoLooks(t *testing.T) {
	for name, c := range map[string]struct {
		narrow capfs.Narrowing
		secret string
	}{
		"a folder": {capfs.Narrowing{Path: "/home/.safe", Kind: reeve.MarkProtected, Rule: "r", Folder: true}, "/home/.safe/key"},
		"a file":   {capfs.Narrowing{Path: "/home/.netrc", Kind: reeve.MarkProtected, Rule: "r"}, "/home/.netrc"},
	} {
		t.Run(name, func(t *testing.T) {
			m := capfstest.NewMemory(capfstest.MemoryOptions{})
			build(t, m, capfstest.Op{Verb: "dir", Path: "/home"}, capfstest.Op{Verb: "dir", Path: "/w"})
			fs := capfs.New(capfs.Options{Layer: m, Refresh: time.Hour})
			defer fs.Close()
			fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, []capfs.Narrowing{c.narrow})
			build(t, m, capfstest.Op{Verb: "file", Path: c.secret, Arg: "x"}, capfstest.Op{Verb: "hard", Path: "/w/notes.txt", Arg: c.secret})
			h, err := capfstest.Resolve(t.Context(), fs, "/w", true)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			folder, err := h.Folder(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			e, err := folder.Lookup(t.Context(), "notes.txt")
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if n := len(e.Place().Marks); n != 1 {
				t.Errorf("met in a walk: %d marks", n)
			}
			if n := len(marksOf(t, fs, "/w/notes.txt")); n != 1 {
				t.Errorf("asked for by path: %d marks", n)
			}
		})
	}
}

// Most of what is protected does not exist, and looking again costs a look at
// the few folders where it does not.
func TestLookingAgainIsCheapAndMissesNothing(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{Now: slowClock()})
	build(t, m, capfstest.Op{Verb: "dir", Path: "/home/.config"}, capfstest.Op{Verb: "file", Path: "/w/f", Arg: "x"},
		capfstest.Op{Verb: "link", Path: "/home/.dangling", Arg: "/w/later"}, capfstest.Op{Verb: "dir", Path: "/w/dots/gh"})
	var narrow []capfs.Narrowing
	add := func(path string) {
		narrow = append(narrow, capfs.Narrowing{Path: path, Kind: reeve.MarkProtected, Rule: path, Folder: true})
	}
	for i := range 100 {
		add(fmt.Sprintf("/home/.secret%d", i))
		add(fmt.Sprintf("/home/.config/app%d/keys", i))
	}
	add("/home/.dangling")
	add("/home/.config/gh")
	fs := capfs.New(capfs.Options{Layer: m, Refresh: -1})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, narrow)
	before := m.Count("stat")
	if got := rulesOf(t, fs, "/w/f"); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if n := m.Count("stat") - before; n > 10 {
		t.Errorf("looking again took %d looks", n)
	}
	check := func(what, path, rule string) {
		t.Helper()
		if got := rulesOf(t, fs, path); len(got) != 1 || got[0] != rule {
			t.Errorf("%s: %v", what, got)
		}
	}
	build(t, m, capfstest.Op{Verb: "dir", Path: "/w/later"})
	check("a link that led nowhere", "/w/later", "/home/.dangling")
	build(t, m, capfstest.Op{Verb: "link", Path: "/home/.secret7", Arg: "/w/dots"})
	check("a new link", "/w/dots", "/home/.secret7")
	build(t, m, capfstest.Op{Verb: "remove", Path: "/home/.secret7"})
	if got := rulesOf(t, fs, "/w/dots"); len(got) != 0 {
		t.Errorf("gone again: %v", got)
	}
	build(t, m, capfstest.Op{Verb: "move", Path: "/home/.config", Arg: "/home/old"}, capfstest.Op{Verb: "link", Path: "/home/.config", Arg: "/w/dots"})
	check("a folder on the way that became a link", "/w/dots/gh", "/home/.config/gh")
}

// One thing that cannot be asked about is unsure, also when it is no mount.
func TestANarrowingThatMayNotBeLookedAt(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "dir", Path: "/home/.safe"}, capfstest.Op{Verb: "file", Path: "/w/two", Arg: "x"},
		capfstest.Op{Verb: "hard", Path: "/w/twin", Arg: "/w/two"})
	if err := m.Fail("stat", "/home/.safe", errors.New("damaged")); err != nil {
		t.Fatal(err)
	}
	fs := capfs.New(capfs.Options{Layer: m})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, safe())
	if n := len(marksOf(t, fs, "/w/twin")); n != 1 {
		t.Errorf("%d marks", n)
	}
	m.Fail("stat", "/home/.safe", nil)
	if n := len(marksOf(t, fs, "/w/twin")); n != 0 {
		t.Errorf("after it could be looked at: %d marks", n)
	}
}
