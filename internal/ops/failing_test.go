package ops

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"reeve"
	"reeve/internal/capfstest"
)

// newMemory grants /base/granted of a file system that fails on demand.
func newMemory(t *testing.T, make ...capfstest.Op) (*world, *capfstest.Memory) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the paths of the file system in memory have slashes")
	}
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	for _, op := range append([]capfstest.Op{{Verb: "dir", Path: "/base/granted"}, {Verb: "dir", Path: "/base/home"}}, make...) {
		op.Path = strings.Replace(op.Path, "~", "/base/granted", 1)
		if err := m.Make(op); err != nil {
			t.Fatalf("%+v: %v", op, err)
		}
	}
	return grantOn(t, m, "default", nil, "/base/home", "/base/granted"), m
}

func fail(t *testing.T, m *capfstest.Memory, op, path string, err error) {
	t.Helper()
	if err := m.Fail(op, "/base/granted/"+path, err); err != nil {
		t.Fatal(err)
	}
}

func threeFolders() []capfstest.Op {
	var ops []capfstest.Op
	for _, d := range []string{"a", "b", "c"} {
		ops = append(ops, capfstest.Op{Verb: "file", Path: "~/" + d + "/f.txt", Arg: "needle"})
	}
	return ops
}

func TestAFolderThatMayNotBeReadIsNamedAndTheRestGiven(t *testing.T) {
	w, m := newMemory(t, threeFolders()...)
	fail(t, m, "openfolder", "b", syscall.EACCES)
	f, _ := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*.txt"})
	same(t, "found", entryNames(f.Entries), []string{"a/f.txt", "c/f.txt"})
	if !slices.Equal(f.Incomplete, []string{"unreadable"}) || len(f.Skipped) != 1 || f.Skipped[0].Paths[0].String() != "b" {
		t.Errorf("%+v", f)
	}
	l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true})
	same(t, "listed", entryNames(l.Entries), []string{"a/", "a/f.txt", "b/", "c/", "c/f.txt"})
}

func TestAFaultOfTheDiskIsNoAnswer(t *testing.T) {
	for _, op := range []string{"openfolder", "list"} {
		w, m := newMemory(t, threeFolders()...)
		fail(t, m, op, "b", syscall.EIO)
		w.refusedWith(&reeve.SearchFiles{Pattern: "*.txt"}, reeve.Failed)
		w.refusedWith(&reeve.ListDirectory{Path: ".", Recursive: true}, reeve.Failed)
	}
	w, m := newMemory(t, threeFolders()...)
	fail(t, m, "read", "b/f.txt", syscall.EIO)
	w.refusedWith(&reeve.SearchFiles{Pattern: "*.txt", Contains: "needle"}, reeve.Failed)
	w.refusedWith(&reeve.ReadFile{Paths: []string{"b/f.txt"}}, reeve.Failed)
	p, _ := do[*reeve.Pages](w, &reeve.ReadFile{Paths: []string{"a/f.txt", "b/f.txt"}})
	if p.Pages[0].Err != nil || p.Pages[1].Err == nil || p.Pages[1].Err.Code != reeve.Failed {
		t.Errorf("%+v", p.Pages)
	}
}

// What goes away between being listed and being looked at was not there.
func TestWhatGoesAwayMeanwhileIsLeftOut(t *testing.T) {
	for _, path := range []string{"/base/granted/b", "/base/granted/b/f.txt"} {
		w, m := newMemory(t, threeFolders()...)
		var once sync.Once
		var lists atomic.Int32
		m.Before(func(op string) {
			if op == "list" {
				lists.Add(1)
			}
			if lists.Load() > 2 && op != "list" { // the names are known by now
				once.Do(func() {
					if err := m.Make(capfstest.Op{Verb: "remove", Path: path}); err != nil {
						t.Error(err)
					}
				})
			}
		})
		f, _ := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*.txt", Contains: "needle"})
		if got := entryNames(f.Entries); len(got) > 3 || !slices.Contains(got, "a/f.txt") || !slices.Contains(got, "c/f.txt") {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestNamesAreToldWithoutOpeningAFile(t *testing.T) {
	w, m := newMemory(t, append(threeFolders(), capfstest.Op{Verb: "fifo", Path: "~/pipe"},
		capfstest.Op{Verb: "link", Path: "~/link", Arg: "a"})...)
	for _, c := range []reeve.Call{
		&reeve.ListRoots{}, &reeve.ListDirectory{Path: "."}, &reeve.ListDirectory{Path: ".", Recursive: true, Hidden: true},
		&reeve.Stat{Path: "a/f.txt"}, &reeve.Stat{Path: "pipe"}, &reeve.Stat{Path: "link"},
		&reeve.SearchFiles{Pattern: "**"}, &reeve.SearchFiles{Pattern: "*", Sort: "newest", LargerThan: ptr(int64(1))},
	} {
		if _, err := w.try(context.Background(), c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if n := m.Count("open"); n != 0 {
		t.Errorf("%d files were opened", n)
	}
	if n := m.Count("openfolder"); n == 0 {
		t.Error("the count counts nothing")
	}
}

func TestListRootsAsksNoDisk(t *testing.T) {
	w, m := newMemory(t, threeFolders()...)
	var asked atomic.Int32
	m.Before(func(string) { asked.Add(1) })
	do[*reeve.Roots](w, &reeve.ListRoots{})
	if n := asked.Load(); n != 0 {
		t.Errorf("%d questions", n)
	}
}
