//go:build unix

package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"reeve"
)

// One thing that no history can keep, such as a pipe, does not cost the rest
// of its folder.
func TestAFolderComesBackWithoutWhatCouldNotBeKept(t *testing.T) {
	y := newCutYard(t)
	y.write("d/a.txt", "a\n")
	y.write("d/in/b.txt", "b\n")
	before := y.tree()
	if err := syscall.Mkfifo(y.path("d/pipe"), 0o644); err != nil {
		cannot(t, "no pipes here: ", err)
	}
	n := y.next()
	asked, err := New(context.Background(), Config{ConfigFile: filepath.Join(y.base, "config.toml"), StateDir: filepath.Join(y.base, "other"),
		Home: filepath.Join(y.base, "home"), Profile: "lam", Folders: []Folder{{Path: y.dir, Access: reeve.ReadWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Shutdown(context.Background())
	out, err := asked.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "a", Door: "library"}, Call: &reeve.DeletePath{Path: y.path("d"), Recursive: true}})
	if err != nil || out.Pending == nil || !strings.Contains(out.Pending.Question.Body, "of 1 pipe, socket or device in it no copy can be kept") {
		t.Errorf("the owner is not told before: %+v %v", out.Pending, err)
	}
	out, err = n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "a", Door: "library"}, Call: &reeve.DeletePath{Path: y.path("d"), Recursive: true}})
	if err != nil || out.Result == nil {
		t.Fatal(out, err)
	}
	if _, err := os.Lstat(y.path("d")); !os.IsNotExist(err) {
		t.Fatal(err)
	}
	list, err := n.Past(context.Background(), 5)
	if err != nil || len(list) != 1 || list[0].State != PastStands || !strings.Contains(list[0].Why, "pipe") {
		t.Errorf("%+v %v", list, err)
	}
	for _, dry := range []bool{true, false} {
		u, err := n.Undo(context.Background(), UndoOptions{DryRun: dry})
		if err != nil || len(u.Missing) != 1 || !strings.HasPrefix(u.Missing[0], y.path("d/pipe")+": it is a pipe") {
			t.Fatalf("dry %v: %+v %v", dry, u.Missing, err)
		}
	}
	if got := y.tree(); !slices.Equal(got, before) {
		t.Errorf("%q\nwant %q", got, before)
	}
}

// An undo of a write brings the bytes back. The mode that the owner gave the
// file since is his.
func TestUndoKeepsTheModeThatTheOwnerGave(t *testing.T) {
	y := newCutYard(t)
	y.write("a.txt", "a\n")
	n := y.next()
	out, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "a", Door: "library"}, Call: &reeve.WriteFile{Path: y.path("a.txt"), Content: "b\n"}})
	if err != nil || out.Result == nil {
		t.Fatal(out, err)
	}
	if err := os.Chmod(y.path("a.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Undo(context.Background(), UndoOptions{}); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(y.path("a.txt"))
	if err != nil || st.Mode().Perm() != 0o600 || !slices.Equal(y.tree(), []string{"a.txt a\n"}) {
		t.Errorf("%v %v %q", st.Mode(), err, y.tree())
	}
}

// What was made without a look at all of its bytes is taken back without one.
func TestUndoOfAHugeCopyReadsNoBytes(t *testing.T) {
	y := newCutYard(t)
	y.write("huge", "")
	old := time.Now().Add(-time.Hour)
	if err := errors.Join(os.Truncate(y.path("huge"), 64<<30), os.Chtimes(y.path("huge"), old, old)); err != nil {
		cannot(t, "no such files here: ", err)
	}
	n := y.next()
	out, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "a", Door: "library"}, Call: &reeve.CopyPath{From: y.path("huge"), To: y.path("copy")}})
	if err != nil || out.Result == nil {
		t.Fatal(out, err)
	}
	if _, err := n.Undo(context.Background(), UndoOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(y.path("copy")); !os.IsNotExist(err) {
		t.Error(err)
	}
}
