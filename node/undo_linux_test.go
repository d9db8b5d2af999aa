package node_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/node"
)

// elsewhere is a yard whose state folder lies on another file system.
func elsewhere(t *testing.T, here bool) *yard {
	t.Helper()
	if here {
		return newYard(t)
	}
	state, err := os.MkdirTemp("/dev/shm", "reeve-undo-*")
	if err != nil {
		t.Skip("no second file system: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(state) })
	y := newYard(t)
	var a, b syscall.Stat_t
	if syscall.Stat(state, &a) != nil || syscall.Stat(y.dir, &b) != nil || a.Dev == b.Dev {
		t.Skip("no second file system")
	}
	y.n = open(t, node.Config{Profile: "lam", Approve: "allow", StateDir: filepath.Join(state, "state"), Folders: []node.Folder{{Path: y.dir, Access: reeve.ReadWrite}}})
	return y
}

// What is kept comes back with attributes, and folders with their times, also
// when history lies on another file system.
func TestAttributesAndTimesOfFoldersComeBack(t *testing.T) {
	for name, here := range map[string]bool{"same file system": true, "another file system": false} {
		t.Run(name, func(t *testing.T) {
			y := elsewhere(t, here)
			y.write("d/a.txt", "a\n", 0o640)
			y.write("d/sub/b.txt", "b\n", 0o600)
			y.write("e.txt", "e\n", 0o644)
			for _, p := range []string{"d/a.txt", "d/sub/b.txt", "e.txt", "d/sub"} {
				if err := unix.Setxattr(y.path(p), "user.note", []byte("of "+p+"\x00\xff"), 0); err != nil {
					t.Skip("no attributes here: ", err)
				}
			}
			when := time.Date(2019, 1, 2, 3, 4, 5, 600, time.UTC)
			for _, p := range []string{"d/sub", "d"} {
				if err := os.Chtimes(y.path(p), when, when); err != nil {
					t.Fatal(err)
				}
			}
			facts := func() (out []string) {
				for _, l := range y.tree() {
					p, _, _ := strings.Cut(l, " ")
					st, err := os.Lstat(y.path(p))
					if err != nil {
						t.Fatal(err)
					}
					b := make([]byte, 100)
					n, _ := unix.Getxattr(y.path(p), "user.note", b)
					out = append(out, l+" "+st.ModTime().UTC().String()+" "+string(b[:max(n, 0)]))
				}
				return out
			}
			before := facts()
			if !strings.Contains(strings.Join(before, ""), "of d/sub\x00") {
				t.Fatal("the attributes are not there to begin with")
			}
			y.agent(&reeve.DeletePath{Path: y.path("d"), Recursive: true})
			y.agent(&reeve.WriteFile{Path: y.path("e.txt"), Content: "E\n"})
			y.agent(&reeve.DeletePath{Path: y.path("e.txt")})
			for range 3 {
				y.undo("")
			}
			if got := facts(); !slices.Equal(got, before) {
				t.Errorf("\n got %q\nwant %q", got, before)
			}
			left, _ := filepath.Glob(filepath.Join(y.n.Places().State, "history", "tmp", "*"))
			if len(left) > 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

// In every profile the owner takes back what an agent did, by its path as
// history knows it.
func TestUndoInEveryProfile(t *testing.T) {
	for _, profile := range []string{"default", "lam", "arinova", "elowen", "llm-chat-file"} {
		t.Run(profile, func(t *testing.T) {
			y := newYard(t)
			y.n = open(t, node.Config{Profile: profile, Approve: "allow", StateDir: y.n.Places().State, Folders: []node.Folder{{Path: y.dir, Access: reeve.ReadWrite}}})
			y.write("a\u00a0b.txt", "one\ntwo\n", 0o644)
			before := y.tree()
			p := y.path("a\u00a0b.txt")
			y.agent(&reeve.ReadFile{Paths: []string{p}})
			y.agent(&reeve.EditFile{Path: p, Edits: []reeve.Edit{{Old: "one", New: "1"}}})
			if _, err := y.n.Undo(context.Background(), node.UndoOptions{}); err != nil {
				t.Fatal(err)
			}
			y.same("the undo", before)
		})
	}
}
