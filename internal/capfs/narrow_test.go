package capfs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

func build(t *testing.T, m *capfstest.Memory, ops ...capfstest.Op) {
	t.Helper()
	for _, op := range ops {
		if err := m.Make(op); err != nil {
			t.Fatalf("%+v: %v", op, err)
		}
	}
}

func marksOf(t *testing.T, fs *capfs.FS, path string) []reeve.Mark {
	t.Helper()
	h, err := capfstest.Resolve(context.Background(), fs, path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	return h.Place().Marks
}

func safe() []capfs.Narrowing {
	return []capfs.Narrowing{{Path: "/home/.safe", Kind: reeve.MarkProtected, Rule: "~/.safe", Folder: true}}
}

func TestAFileMadeInAProtectedFolderLater(t *testing.T) {
	clock := time.Unix(1_700_000_000, 5)
	m := capfstest.NewMemory(capfstest.MemoryOptions{Now: func() time.Time { clock = clock.Add(time.Second); return clock }})
	build(t, m, capfstest.Op{Verb: "file", Path: "/home/.safe/sub/old", Arg: "x"}, capfstest.Op{Verb: "dir", Path: "/w"},
		capfstest.Op{Verb: "hard", Path: "/w/old", Arg: "/home/.safe/sub/old"})
	fs := capfs.New(capfs.Options{Layer: m, Refresh: -1})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, safe())
	if len(marksOf(t, fs, "/w/old")) != 1 {
		t.Error("an old file is not known")
	}
	listed := m.Count("list")
	if len(marksOf(t, fs, "/w/old")) != 1 || m.Count("list") != listed {
		t.Error("what did not change was read again")
	}
	build(t, m, capfstest.Op{Verb: "file", Path: "/home/.safe/sub/new", Arg: "x"}, capfstest.Op{Verb: "hard", Path: "/w/new", Arg: "/home/.safe/sub/new"})
	if len(marksOf(t, fs, "/w/new")) != 1 {
		t.Error("a new file is not known")
	}
}

// Another name of a protected folder, granted by that name.
func TestAGrantedFolderThatIsAnotherNameOfAProtectedOne(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "file", Path: "/home/.safe/sub/key", Arg: "x"}, capfstest.Op{Verb: "bind", Path: "/w", Arg: "/home/.safe"})
	fs := capfs.New(capfs.Options{Layer: m, Refresh: -1})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, safe())
	for _, path := range []string{"/w", "/w/sub", "/w/sub/key", "/w/none"} {
		if n := len(marksOf(t, fs, path)); n != 1 {
			t.Errorf("%s has %d marks, want 1", path, n)
		}
	}
}

// Where a protected folder holds more than can be compared, a file with
// several names may be one of them, and counts as one.
func TestTooMuchToCompare(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	for i := range 10_050 {
		build(t, m, capfstest.Op{Verb: "file", Path: fmt.Sprintf("/home/.safe/f%d", i)})
	}
	build(t, m, capfstest.Op{Verb: "file", Path: "/w/one"}, capfstest.Op{Verb: "file", Path: "/w/two"},
		capfstest.Op{Verb: "hard", Path: "/w/twin", Arg: "/w/two"})
	fs := capfs.New(capfs.Options{Layer: m})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, safe())
	if n := len(marksOf(t, fs, "/w/twin")); n != 1 {
		t.Errorf("a file with two names has %d marks", n)
	}
	if n := len(marksOf(t, fs, "/w/one")); n != 0 {
		t.Errorf("a file with one name has %d marks", n)
	}
}

// A protected folder that cannot be read may hold anything.
func TestAProtectedFolderThatCannotBeRead(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "file", Path: "/home/.safe/key"}, capfstest.Op{Verb: "dir", Path: "/w"},
		capfstest.Op{Verb: "hard", Path: "/w/alias", Arg: "/home/.safe/key"})
	if err := m.Fail("list", "/home/.safe", errors.New("damaged")); err != nil {
		t.Fatal(err)
	}
	fs := capfs.New(capfs.Options{Layer: m})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, safe())
	if n := len(marksOf(t, fs, "/w/alias")); n != 1 {
		t.Errorf("%d marks", n)
	}
}

// A path outside every root costs the file system nothing.
func TestOutsideIsNotLookedUp(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "file", Path: "/w/f"}, capfstest.Op{Verb: "file", Path: "/out/f"})
	fs := capfs.New(capfs.Options{Layer: m, Refresh: -1})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, safe())
	total := func() (n int) {
		for _, op := range []string{"child", "info", "stat", "real", "readlink", "open", "read", "openfolder", "list"} {
			n += m.Count(op)
		}
		return n
	}
	before := total()
	var said []string
	for _, path := range []string{"/out/f", "/out/none", "/home/.safe", "/", "/w-evil/f", "/w/../out/f"} {
		_, err := capfstest.Resolve(context.Background(), fs, path, true)
		e, ok := reeve.AsError(err)
		if !ok || e.Code != reeve.OutsideRoots {
			t.Errorf("%s: %v", path, err)
			continue
		}
		said = append(said, e.What+e.Not+e.Instead)
	}
	if n := total() - before; n != 0 {
		t.Errorf("%d questions were asked", n)
	}
	for _, s := range said {
		if s != said[0] {
			t.Errorf("refusals differ: %q, %q", s, said[0])
		}
	}
}
