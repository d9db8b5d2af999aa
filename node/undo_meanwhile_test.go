package node_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/node"
)

// A file that somebody edited after an agent had moved it does not go back as
// if nothing had happened.
func TestAMovedFileThatWasEditedSinceStays(t *testing.T) {
	for name, edit := range map[string]func(y *yard){
		"appended to":        func(y *yard) { appendTo(y.t, y.path("b.txt"), "mine\n") },
		"written over":       func(y *yard) { y.write("b.txt", "mine\n", 0o644) },
		"saved with as many": func(y *yard) { y.write("b.txt", "A\n", 0o644); touchNow(y.t, y.path("b.txt")) },
		"replaced": func(y *yard) {
			os.Remove(y.path("b.txt"))
			y.write("b.txt", "a\n", 0o644)
			touchNow(y.t, y.path("b.txt"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.write("a.txt", "a\n", 0o644)
			y.agent(&reeve.MovePath{From: y.path("a.txt"), To: y.path("b.txt")})
			edit(y)
			text := y.refused("", reeve.Changed)
			if !strings.Contains(text, "b.txt") || !strings.Contains(text, "since") || !strings.Contains(text, "by hand") {
				t.Error(text)
			}
			dry, err := y.n.Undo(context.Background(), node.UndoOptions{DryRun: true})
			if err != nil || dry.Ready() {
				t.Error("it is shown as if it could be done", err)
			}
		})
	}
	// What only changed beside the content does not keep it.
	y := newYard(t)
	y.write("a.txt", "a\n", 0o644)
	y.agent(&reeve.MovePath{From: y.path("a.txt"), To: y.path("b.txt")})
	if err := os.Chmod(y.path("b.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	y.undo("")
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func touchNow(t *testing.T, path string) {
	t.Helper()
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
}

// A folder was deleted, and somebody made it again: what was in it comes back
// into it, unless there is something else in it.
func TestADeletedFolderComesBackIntoAnEmptyOne(t *testing.T) {
	setup := func(t *testing.T) (*yard, []string) {
		y := newYard(t)
		y.write("d/f.txt", "f\n", 0o644)
		y.write("d/sub/g.txt", "g\n", 0o644)
		before := names(y.tree())
		y.agent(&reeve.DeletePath{Path: y.path("d"), Recursive: true})
		return y, before
	}
	for name, dirs := range map[string][]string{"empty": {"d"}, "with an empty one in it": {"d", "d/sub"}} {
		t.Run(name, func(t *testing.T) {
			y, before := setup(t)
			for _, d := range dirs {
				if err := os.Mkdir(y.path(d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			dry, err := y.n.Undo(context.Background(), node.UndoOptions{DryRun: true})
			if err != nil || !dry.Ready() || !strings.Contains(dry.Steps[0].Why.String(), "comes back into it") {
				t.Fatalf("%+v %v", dry, err)
			}
			u := y.undo("")
			if got := names(y.tree()); !slices.Equal(got, before) {
				t.Errorf("%q\nwant %q", got, before)
			}
			y.undo(u.As)
		})
	}
	y, _ := setup(t)
	y.write("d/mine.txt", "mine\n", 0o644)
	text := y.refused("", reeve.Exists)
	if !strings.Contains(text, "mine.txt") || !strings.Contains(text, "another name") {
		t.Error(text)
	}
	y, _ = setup(t)
	y.write("d/f.txt", "mine\n", 0o644)
	if text := y.refused("", reeve.Exists); !strings.Contains(text, "f.txt") {
		t.Error(text)
	}
	// Nothing was in it: nothing is left to do, and that is said.
	y = newYard(t)
	if err := os.Mkdir(y.path("e"), 0o755); err != nil {
		t.Fatal(err)
	}
	y.agent(&reeve.DeletePath{Path: y.path("e")})
	if err := os.Mkdir(y.path("e"), 0o755); err != nil {
		t.Fatal(err)
	}
	if text := y.refused("", reeve.Exists); !strings.Contains(text, "nothing is left to bring back") {
		t.Error(text)
	}
}

// The list names every change, and how it stands.
func TestTheListOfChanges(t *testing.T) {
	y := newYard(t)
	if list, err := y.n.Past(context.Background(), 0); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	y.write("a.txt", "a\n", 0o644)
	y.agent(&reeve.WriteFile{Path: y.path("a.txt"), Content: "b\n"})
	u := y.undo("")
	for i := range 3 {
		y.agent(&reeve.WriteFile{Path: y.path(fmt.Sprint(i)), Content: "x"})
	}
	list, err := y.n.Past(context.Background(), 0)
	if err != nil || len(list) != 5 {
		t.Fatal(list, err)
	}
	if p := list[3]; p.Change != u.As || p.Undoes != u.Change || p.State != node.PastStands || !p.Who.IsOwner() {
		t.Errorf("%+v", p)
	}
	if p := list[4]; p.Change != u.Change || p.State != node.PastUndone || p.Paths[0] != y.path("a.txt") || p.Verb != reeve.VerbWriteFile {
		t.Errorf("%+v", p)
	}
	if short, err := y.n.Past(context.Background(), 2); err != nil || len(short) != 2 || short[0].Change != list[0].Change {
		t.Errorf("%+v %v", short, err)
	}
}
