package node_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/node"
)

// yard is one granted folder in which an agent may do what it likes, and an
// owner who takes it back.
type yard struct {
	t   *testing.T
	dir string
	n   *node.Node
}

func newYard(t *testing.T) *yard {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "yard")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return &yard{t, dir, open(t, node.Config{Home: filepath.Join(base, "home"), Profile: "lam", Approve: "allow",
		StateDir: filepath.Join(base, "state"), Folders: []node.Folder{{Path: dir, Access: reeve.ReadWrite}}})}
}

func (y *yard) path(rel string) string { return filepath.Join(y.dir, filepath.FromSlash(rel)) }

func (y *yard) write(rel, body string, mode fs.FileMode) {
	y.t.Helper()
	p := y.path(rel)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		y.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(body), mode); err != nil {
		y.t.Fatal(err)
	}
	if err := os.Chmod(p, mode); err != nil {
		y.t.Fatal(err)
	}
	when := time.Date(2020, 2, 3, 4, 5, 6, 789, time.UTC)
	if err := os.Chtimes(p, when, when); err != nil {
		y.t.Fatal(err)
	}
}

// agent makes a call that must be done.
func (y *yard) agent(c reeve.Call) *reeve.Result {
	y.t.Helper()
	out, err := y.n.Do(context.Background(), reeve.Request{Subject: agent, Call: c})
	if err != nil || out.Result == nil {
		y.t.Fatalf("%T: %+v %v", c, out.Pending, err)
	}
	for _, n := range out.Result.Notes {
		if strings.Contains(n.String(), "No copy") {
			y.t.Fatalf("%T: %s", c, n)
		}
	}
	return out.Result
}

func (y *yard) undo(id string) node.Undone {
	y.t.Helper()
	u, err := y.n.Undo(context.Background(), node.UndoOptions{ID: id})
	if err != nil {
		y.t.Fatal(err)
	}
	for _, s := range u.Steps {
		if s.State != reeve.StepDone {
			y.t.Errorf("%s %s: %s %s", s.Kind, s.Path, s.State, s.Why)
		}
	}
	return u
}

func (y *yard) refused(id string, code reeve.Code) string {
	y.t.Helper()
	before := y.tree()
	_, err := y.n.Undo(context.Background(), node.UndoOptions{ID: id})
	if !errors.Is(err, code) {
		y.t.Fatalf("undo %q: %v, want %s", id, err, code)
	}
	y.same("after a refused undo", before)
	return err.Error()
}

// tree is everything in the yard: names, kinds, modes, times and content.
func (y *yard) tree() []string {
	y.t.Helper()
	var out []string
	err := filepath.WalkDir(y.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == y.dir {
			return err
		}
		st, err := os.Lstat(p)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(y.dir, p)
		line := fmt.Sprintf("%s %v", rel, st.Mode())
		switch {
		case st.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %q", st.ModTime().UnixNano(), b)
		case st.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			line += " -> " + to
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return out
}

func (y *yard) same(what string, want []string) {
	y.t.Helper()
	if got := y.tree(); !slices.Equal(got, want) {
		y.t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestEachKindOfChangeIsTakenBackWithModesAndTimes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not kept there")
	}
	for name, c := range map[string]struct {
		call func(y *yard) reeve.Call
		ids  int
	}{
		"create": {call: func(y *yard) reeve.Call { return &reeve.WriteFile{Path: y.path("new.txt"), Content: "new\n"} }},
		"create in new folders": {call: func(y *yard) reeve.Call {
			return &reeve.WriteFile{Path: y.path("x/y/z/new.txt"), Content: "new\n"}
		}},
		"replace": {call: func(y *yard) reeve.Call { return &reeve.WriteFile{Path: y.path("a.sh"), Content: "gone\n"} }},
		"edit": {call: func(y *yard) reeve.Call {
			return &reeve.EditFile{Path: y.path("a.sh"), Edits: []reeve.Edit{{Old: "two", New: "2"}}}
		}},
		"delete a file": {call: func(y *yard) reeve.Call { return &reeve.DeletePath{Path: y.path("a.sh")} }},
		"delete a link": {call: func(y *yard) reeve.Call { return &reeve.DeletePath{Path: y.path("link")} }},
		"delete a folder": {call: func(y *yard) reeve.Call {
			return &reeve.DeletePath{Path: y.path("d"), Recursive: true}
		}},
		"delete an empty folder": {call: func(y *yard) reeve.Call { return &reeve.DeletePath{Path: y.path("empty")} }},
		"move a file":            {call: func(y *yard) reeve.Call { return &reeve.MovePath{From: y.path("a.sh"), To: y.path("d/b.sh")} }},
		"move into a new folder": {call: func(y *yard) reeve.Call {
			return &reeve.MovePath{From: y.path("a.sh"), To: y.path("n/m/b.sh")}
		}},
		"move a folder": {call: func(y *yard) reeve.Call { return &reeve.MovePath{From: y.path("d"), To: y.path("e")} }},
		"make a folder": {call: func(y *yard) reeve.Call { return &reeve.CreateDirectory{Path: y.path("p/q")} }},
		"copy a file":   {call: func(y *yard) reeve.Call { return &reeve.CopyPath{From: y.path("a.sh"), To: y.path("c.sh")} }},
		"three files": {call: func(y *yard) reeve.Call {
			return &reeve.EditFile{Edits: []reeve.Edit{{Path: y.path("a.sh"), Old: "one", New: "1"}, {Path: y.path("d/f.txt"), Old: "eff", New: "F"},
				{Path: y.path("d/sub/g.txt"), Old: "gee", New: "G"}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.write("a.sh", "one\ntwo\n", 0o751)
			y.write("d/f.txt", "eff\n", 0o640)
			y.write("d/sub/g.txt", "gee\n", 0o600)
			y.write("d/sub/caf\xe9 \n.txt", "", 0o444)
			if err := os.Symlink("a.sh", y.path("link")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../a.sh", y.path("d/up")); err != nil {
				t.Fatal(err)
			}
			for _, p := range []string{"empty", "d/void"} {
				if err := os.Mkdir(y.path(p), 0o710); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(y.path("d/sub"), 0o2750); err != nil {
				t.Fatal(err)
			}
			before := y.tree()
			y.agent(c.call(y))
			after := y.tree()
			if slices.Equal(before, after) {
				t.Fatal("nothing was changed")
			}
			dry, err := y.n.Undo(context.Background(), node.UndoOptions{DryRun: true})
			if err != nil || !dry.Ready() {
				t.Fatalf("%v %+v", err, dry)
			}
			y.same("a dry run", after)
			u := y.undo("")
			y.same("the undo", before)
			// Once only, and not by itself.
			y.refused("", reeve.NotFound)
			y.refused(u.Change, reeve.Exists)
			// The undo is a change like any other, taken back by its own ID.
			again := y.undo(u.As)
			if got := names(y.tree()); !slices.Equal(got, names(after)) {
				t.Errorf("the undo of the undo:\n got %q\nwant %q", got, names(after))
			}
			y.refused(u.As, reeve.Exists)
			// And the change of the agent stands again.
			third := y.undo("")
			if third.Change != u.Change || again.Undoes != u.Change {
				t.Errorf("%+v %+v", third, again)
			}
			y.same("the third undo", before)
		})
	}
}

// names leaves times out.
func names(tree []string) []string {
	out := slices.Clone(tree)
	for i, l := range out {
		f := strings.SplitN(l, " ", 4)
		if len(f) == 4 {
			f[2] = ""
		}
		out[i] = strings.Join(f, " ")
	}
	return out
}

func TestAnUndoIsRefusedWhereSomebodyChangedTheFileSince(t *testing.T) {
	y := newYard(t)
	y.write("a.txt", "old one\nsame\n", 0o644)
	y.write("b.txt", "old b\n", 0o644)
	y.agent(&reeve.EditFile{Edits: []reeve.Edit{{Path: y.path("a.txt"), Old: "old one", New: "new one"}, {Path: y.path("b.txt"), Old: "old", New: "new"}}})
	y.write("a.txt", "mine\nsame\n", 0o644)
	dry, err := y.n.Undo(context.Background(), node.UndoOptions{DryRun: true})
	if err != nil || dry.Ready() {
		t.Fatal(err)
	}
	byPath := map[string]reeve.RestoredStep{}
	for _, s := range dry.Steps {
		byPath[filepath.Base(s.Path.String())] = s
	}
	a, b := byPath["a.txt"], byPath["b.txt"]
	if a.State != reeve.StepChanged || b.State != reeve.StepReady || len(a.Diff) != 2 || a.Diff[0].String() != "- mine" || a.Diff[1].String() != "+ old one" {
		t.Errorf("%+v", dry.Steps)
	}
	text := y.refused("", reeve.Changed)
	if !strings.Contains(text, "a.txt") || !strings.Contains(text, "Nothing was brought back") {
		t.Error(text)
	}
	// With the agent's content there again, it goes, whatever the file's times
	// and inode are.
	if err := os.Remove(y.path("a.txt")); err != nil {
		t.Fatal(err)
	}
	y.refused("", reeve.NotFound)
	y.write("a.txt", "new one\nsame\n", 0o600)
	y.undo("")
}

func TestWhatWasPutThereMeanwhileIsNotTouched(t *testing.T) {
	y := newYard(t)
	y.write("a.txt", "a\n", 0o644)
	y.agent(&reeve.DeletePath{Path: y.path("a.txt")})
	y.write("a.txt", "mine\n", 0o644)
	y.refused("", reeve.Exists)

	y = newYard(t)
	y.write("a.txt", "a\n", 0o644)
	y.agent(&reeve.MovePath{From: y.path("a.txt"), To: y.path("b.txt")})
	y.write("a.txt", "mine\n", 0o644)
	y.refused("", reeve.Exists)
	os.Remove(y.path("a.txt"))
	os.Remove(y.path("b.txt"))
	y.write("b.txt", "another file\n", 0o644)
	y.refused("", reeve.Changed)

	y = newYard(t)
	y.agent(&reeve.CreateDirectory{Path: y.path("d")})
	y.write("d/mine.txt", "mine\n", 0o644)
	y.refused("", reeve.NotEmpty)

	// A folder made on the way stays when something else is in it by now.
	y = newYard(t)
	y.agent(&reeve.WriteFile{Path: y.path("d/e/new.txt"), Content: "x"})
	y.write("d/mine.txt", "mine\n", 0o644)
	u := y.undo("")
	if got := names(y.tree()); len(got) != 2 || len(u.Folders) != 1 || filepath.Base(u.Folders[0]) != "d" {
		t.Errorf("%q %+v", got, u.Folders)
	}

	// A link where the file was is not written through.
	y = newYard(t)
	y.write("a.txt", "a\n", 0o644)
	y.write("other.txt", "b\n", 0o644)
	y.agent(&reeve.WriteFile{Path: y.path("a.txt"), Content: "b\n"})
	os.Remove(y.path("a.txt"))
	if err := os.Symlink("other.txt", y.path("a.txt")); err != nil {
		t.Skip(err)
	}
	y.refused("", reeve.Changed)
}

func TestTheLastChangeThatStandsIsTheOneTakenBack(t *testing.T) {
	y := newYard(t)
	y.write("a.txt", "0\n", 0o644)
	start := y.tree()
	for i := range 4 {
		y.agent(&reeve.WriteFile{Path: y.path("a.txt"), Content: fmt.Sprint(i+1, "\n")})
	}
	y.agent(&reeve.MovePath{From: y.path("a.txt"), To: y.path("b.txt")})
	y.agent(&reeve.WriteFile{Path: y.path("b.txt"), Content: "5\n"})
	for range 6 {
		y.undo("")
	}
	y.same("six undos", start)
	y.refused("", reeve.NotFound)
}

func TestTheSameChangeMadeTwiceIsTwoChanges(t *testing.T) {
	y := newYard(t)
	for range 2 {
		y.agent(&reeve.WriteFile{Path: y.path("a.txt"), Content: "x\n"})
		y.agent(&reeve.DeletePath{Path: y.path("a.txt")})
	}
	for range 4 {
		y.undo("")
	}
	y.refused("", reeve.NotFound)
	if got := y.tree(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestOlderChangesAreTakenBackByID(t *testing.T) {
	y := newYard(t)
	y.write("a.txt", "a\n", 0o644)
	y.agent(&reeve.WriteFile{Path: y.path("a.txt"), Content: "A\n"})
	dry, err := y.n.Undo(context.Background(), node.UndoOptions{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	y.agent(&reeve.WriteFile{Path: y.path("b.txt"), Content: "B\n"})
	y.undo(strings.ToLower(dry.Change[:4] + "-" + dry.Change[4:]))
	if got := names(y.tree()); len(got) != 2 || !strings.Contains(got[0], `"a\n"`) {
		t.Errorf("%q", got)
	}
	for id, code := range map[string]reeve.Code{"ZZZZZZZZ": reeve.NotFound, "../../x": reeve.Invalid, "K7": reeve.Invalid} {
		y.refused(id, code)
	}
}

// An agent that asks for what history keeps gets nothing, whoever's words it
// uses.
func TestNoAgentBringsAnythingBack(t *testing.T) {
	y := newYard(t)
	y.write("a.txt", "secret\n", 0o644)
	y.agent(&reeve.DeletePath{Path: y.path("a.txt")})
	dry, err := y.n.Undo(context.Background(), node.UndoOptions{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	before := y.tree()
	for _, run := range []bool{true, false} {
		call := &reeve.Restore{Change: dry.Change, DryRun: run, Steps: []reeve.RestoreStep{{Kind: reeve.RestoreFile, Path: y.path("a.txt"),
			Blob: blobOf(t, y), Size: 7}}}
		out, err := y.n.Do(context.Background(), reeve.Request{ID: "undo " + dry.Change + " as ZZZZZZZZ", Subject: agent, Call: call})
		if !errors.Is(err, reeve.ReeveOwn) || out.Result != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v %v", out, err)
		}
	}
	y.same("afterwards", before)
}

func blobOf(t *testing.T, y *yard) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(y.n.Places().State, "history", "blobs", "*"))
	if err != nil || len(list) != 1 {
		t.Fatal(err, list)
	}
	return filepath.Base(list[0])
}

func TestADamagedCopyIsToldAndNothingIsChanged(t *testing.T) {
	y := newYard(t)
	y.write("a.txt", "good\n", 0o644)
	y.agent(&reeve.WriteFile{Path: y.path("a.txt"), Content: "new\n"})
	blob := blobOf(t, y)
	p := filepath.Join(y.n.Places().State, "history", "blobs", blob)
	for _, body := range []string{"evil\n", "goo", ""} {
		if err := os.WriteFile(p, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		text := y.refused("", reeve.Damaged)
		if !strings.Contains(text, "damaged") || !strings.Contains(text, "a.txt") {
			t.Error(text)
		}
	}
	if err := os.Remove(p); err != nil {
		t.Fatal(err)
	}
	y.refused("", reeve.Damaged)
}

// What is no longer granted is not reached by an undo either, and every undo
// is on record.
func TestAnUndoPassesTheGate(t *testing.T) {
	y := newYard(t)
	y.write("a.txt", "a\n", 0o644)
	y.agent(&reeve.WriteFile{Path: y.path("a.txt"), Content: "b\n"})
	other := open(t, node.Config{Profile: "lam", StateDir: y.n.Places().State, ConfigFile: y.n.Places().Config,
		Folders: []node.Folder{{Path: t.TempDir(), Access: reeve.ReadWrite}}})
	_, err := other.Undo(context.Background(), node.UndoOptions{})
	if !errors.Is(err, reeve.OutsideRoots) {
		t.Fatal(err)
	}
	readOnly := open(t, node.Config{Profile: "lam", StateDir: y.n.Places().State, ConfigFile: y.n.Places().Config,
		Folders: []node.Folder{{Path: y.dir, Access: reeve.Read}}})
	if _, err := readOnly.Undo(context.Background(), node.UndoOptions{}); !errors.Is(err, reeve.ReadOnlyRoot) {
		t.Fatal(err)
	}
	u := y.undo("")
	var rows string
	files, _ := filepath.Glob(filepath.Join(y.n.Places().State, "record", "*", "*.jsonl"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		rows += string(b)
	}
	if want := fmt.Sprintf("undo %s as %s", u.Change, u.As); strings.Count(rows, want) < 2 || !strings.Contains(rows, `"restore"`) {
		t.Error("the undo is not on record as intent and outcome")
	}
}
