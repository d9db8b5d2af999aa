package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/capfs"
	"reeve/internal/guard"
	"reeve/internal/ops"
	"reeve/internal/record"
)

// dying is a history that a process does not live to write: its disk is as
// after a kill from the moment on at which the first entry would be made.
type dying struct {
	guard.History
	at chan struct{}
}

func (d dying) Keep(context.Context, guard.Made, func()) ([]guard.Kept, error) {
	close(d.at)
	select {} // whoever waits for it is as dead as the process
}

// copying lives to write the entry, with a copy, and dies before it lets go of
// what was displaced.
type copying struct{ dying }

func (c copying) Keep(ctx context.Context, m guard.Made, _ func()) ([]guard.Kept, error) {
	for i := range m.Done {
		m.Done[i].Displaced = struct{ capfs.Displaced }{m.Done[i].Displaced} // not to be taken
	}
	whys, err := c.History.Keep(ctx, m, nil)
	if err != nil {
		return whys, err
	}
	return c.dying.Keep(ctx, m, nil)
}

type cutYard struct {
	t         *testing.T
	base, dir string
}

func newCutYard(t *testing.T) *cutYard {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	y := &cutYard{t: t, base: base, dir: filepath.Join(base, "yard")}
	if err := os.Mkdir(y.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return y
}

func (y *cutYard) path(p string) string { return filepath.Join(y.dir, p) }

func (y *cutYard) write(p, text string) {
	y.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(y.path(p)), 0o755), os.WriteFile(y.path(p), []byte(text), 0o644)); err != nil {
		y.t.Fatal(err)
	}
}

func (y *cutYard) start() *Node {
	y.t.Helper()
	n, err := New(context.Background(), Config{ConfigFile: filepath.Join(y.base, "config.toml"), StateDir: filepath.Join(y.base, "state"),
		Home: filepath.Join(y.base, "home"), Profile: "lam", Approve: "allow", Folders: []Folder{{Path: y.dir, Access: reeve.ReadWrite}}})
	if err != nil {
		y.t.Fatal(err)
	}
	return n
}

// kill makes a call in a process that ends when the change is on disk and
// history has nothing of it.
func (y *cutYard) kill(c reeve.Call) {
	y.t.Helper()
	y.killIn(c, func(d dying) guard.History { return d })
}

func (y *cutYard) killIn(c reeve.Call, as func(dying) guard.History) {
	y.t.Helper()
	n := y.start()
	d := dying{n.changes.keeper, make(chan struct{})}
	gate, err := guard.New(guard.Options{Files: n.files, Policies: n.source, Record: recorder{n.record},
		Verbs: ops.Verbs(ops.Options{Key: n.cursorKey, Kept: n.changes.history}), Ledger: approval.NewLedger(approval.LedgerOptions{}),
		Changes: n.changes.ladder, History: as(d)})
	if err != nil {
		y.t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := gate.Do(context.Background(), reeve.Request{ID: "call 1", Subject: reeve.Subject{Agent: "a", Door: "mcp"}, Call: c})
		failed <- errors.Join(err, errors.New("it came to an end"))
	}()
	select {
	case <-d.at:
	case err := <-failed:
		y.t.Fatal(err)
	}
	n.changes.close() // its locks are free, as those of a dead process
	if err := n.record.Close(); err != nil {
		y.t.Fatal(err)
	}
}

// next is the next start.
func (y *cutYard) next() *Node {
	n := y.start()
	y.t.Cleanup(func() { n.Shutdown(context.Background()) })
	return n
}

func (y *cutYard) tree() (out []string) {
	err := filepath.WalkDir(y.dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || p == y.dir {
			return err
		}
		line, _ := filepath.Rel(y.dir, p)
		if d.Type().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += " " + string(b)
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return out
}

// rows are what starts have put on record of changes.
func (y *cutYard) rows() (out []string) {
	for e, err := range record.Rows(filepath.Join(y.base, "state"), record.Filter{Event: "recovered"}) {
		if err != nil {
			y.t.Fatal(err)
		}
		for _, x := range e.Row.Effects {
			p, _ := filepath.Rel(y.dir, x.Path)
			out = append(out, e.Row.Subject.Agent+" "+string(e.Row.Verb)+" "+e.Row.Call+" "+string(x.Kind)+" "+p+": "+e.Row.Note)
		}
	}
	slices.Sort(out)
	return out
}

// A process is killed after a change and before it could say so: the next
// start offers the change like any other, as one, and the log tells of it.
func TestAChangeWhoseProcessWasKilledIsTakenBack(t *testing.T) {
	for name, c := range map[string]struct {
		call func(y *cutYard) reeve.Call
		rows []string // effect and path
	}{
		"create":                {func(y *cutYard) reeve.Call { return &reeve.WriteFile{Path: y.path("new.txt"), Content: "n"} }, []string{"create new.txt"}},
		"create in new folders": {func(y *cutYard) reeve.Call { return &reeve.WriteFile{Path: y.path("x/y/new.txt"), Content: "n"} }, []string{"create x/y/new.txt"}},
		"replace":               {func(y *cutYard) reeve.Call { return &reeve.WriteFile{Path: y.path("a.txt"), Content: "new"} }, []string{"replace a.txt"}},
		"delete a file":         {func(y *cutYard) reeve.Call { return &reeve.DeletePath{Path: y.path("a.txt")} }, []string{"remove a.txt"}},
		"delete a folder":       {func(y *cutYard) reeve.Call { return &reeve.DeletePath{Path: y.path("d"), Recursive: true} }, []string{"remove d"}},
		"move a file":           {func(y *cutYard) reeve.Call { return &reeve.MovePath{From: y.path("a.txt"), To: y.path("n/b.txt")} }, []string{"move a.txt"}},
		"move a folder":         {func(y *cutYard) reeve.Call { return &reeve.MovePath{From: y.path("d"), To: y.path("e")} }, []string{"move d"}},
		"make a folder":         {func(y *cutYard) reeve.Call { return &reeve.CreateDirectory{Path: y.path("made")} }, []string{"mkdir made"}},
		"three files": {func(y *cutYard) reeve.Call {
			return &reeve.EditFile{Edits: []reeve.Edit{{Path: y.path("a.txt"), Old: "a", New: "A"}, {Path: y.path("d/b.txt"), Old: "b", New: "B"}, {Path: y.path("d/sub/c.txt"), Old: "c", New: "C"}}}
		}, []string{"replace a.txt", "replace d/b.txt", "replace d/sub/c.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			y := newCutYard(t)
			y.write("a.txt", "a\n")
			y.write("d/b.txt", "b\n")
			y.write("d/sub/c.txt", "c\n")
			before := y.tree()
			y.kill(c.call(y))
			n := y.next()
			if after := y.tree(); slices.Equal(before, after) {
				t.Fatal("nothing was changed")
			}
			list, err := n.Past(context.Background(), 0)
			if err != nil || len(list) != 1 || list[0].State != PastStands || list[0].Who.Agent != "a" || len(list[0].Paths) != len(c.rows) {
				t.Fatalf("%+v %v", list, err)
			}
			var want []string
			for _, r := range c.rows {
				want = append(want, "a "+string(c.call(y).Verb())+" call 1 "+r+": made: undo "+list[0].Change)
			}
			if got := y.rows(); !slices.Equal(got, want) {
				t.Errorf("on record: %q\nwant %q", got, want)
			}
			u, err := n.Undo(context.Background(), UndoOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := y.tree(); !slices.Equal(got, before) || u.Change != list[0].Change || len(u.Folders) > 0 {
				t.Errorf("%q\nwant %q\n%+v", got, before, u)
			}
			// Another start finds nothing more, and the undo is undone like any.
			if err := n.Shutdown(context.Background()); err != nil {
				t.Fatal(err)
			}
			n = y.next()
			if got := y.rows(); !slices.Equal(got, want) {
				t.Errorf("after another start: %q", got)
			}
			if _, err := n.Undo(context.Background(), UndoOptions{ID: u.As}); err != nil {
				t.Error(err)
			}
			if got := y.tree(); slices.Equal(got, before) {
				t.Error("the undo was not taken back")
			}
		})
	}
}

// What the owner changed between the kill and the next start is not taken for
// what the agent left.
func TestAfterAKillWhatTheOwnerChangedIsNotTakenBack(t *testing.T) {
	y := newCutYard(t)
	y.write("a.txt", "a\n")
	y.kill(&reeve.WriteFile{Path: y.path("a.txt"), Content: "agent\n"})
	f, err := os.OpenFile(y.path("a.txt"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("mine\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := y.next().Undo(context.Background(), UndoOptions{}); !errors.Is(err, reeve.Changed) {
		t.Error(err)
	}
	if got := y.tree(); !slices.Equal(got, []string{"a.txt agent\nmine\n"}) {
		t.Errorf("%q", got)
	}
}

// Without a record of whose it was, a folder that a kill left hidden is kept
// as a folder, and its ID brings it back as one; so does that of a file, over
// what is there by now.
func TestWhatAStartFindsComesBackByItsID(t *testing.T) {
	for name, c := range map[string]struct {
		call func(y *cutYard) reeve.Call
		mine string
	}{
		"folder": {func(y *cutYard) reeve.Call { return &reeve.DeletePath{Path: y.path("d"), Recursive: true} }, ""},
		"file":   {func(y *cutYard) reeve.Call { return &reeve.WriteFile{Path: y.path("d/b.txt"), Content: "agent\n"} }, "mine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newCutYard(t)
			y.write("d/b.txt", "b\n")
			y.write("d/sub/c.txt", "c\n")
			before := y.tree()
			y.kill(c.call(y))
			if err := os.RemoveAll(filepath.Join(y.base, "state", "record")); err != nil {
				t.Fatal(err)
			}
			if c.mine != "" {
				y.write("d/b.txt", c.mine)
			}
			n := y.next()
			list, err := n.Past(context.Background(), 0)
			if err != nil || len(list) != 1 || list[0].State != PastFound {
				t.Fatalf("%+v %v", list, err)
			}
			if _, err := n.Undo(context.Background(), UndoOptions{}); !errors.Is(err, reeve.NotFound) {
				t.Error("it was taken for an agent's change:", err)
			}
			u, err := n.Undo(context.Background(), UndoOptions{ID: list[0].Change})
			if err != nil {
				t.Fatal(err)
			}
			if got := y.tree(); !slices.Equal(got, before) {
				t.Errorf("%q\nwant %q", got, before)
			}
			told := false
			for e := range record.Rows(filepath.Join(y.base, "state"), record.Filter{Event: "recovered"}) {
				told = told || strings.Contains(e.Row.Note, "`reeve undo "+list[0].Change+"`")
			}
			if !told {
				t.Error("the record does not name it")
			}
			if _, err := n.Undo(context.Background(), UndoOptions{ID: u.As}); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a program writes into a file that was replaced under its hands is told
// and comes back by its ID.
func TestWhatAProgramWroteLaterComesBackByItsID(t *testing.T) {
	y := newCutYard(t)
	y.write("a.txt", "old\n")
	n := y.start()
	defer n.Shutdown(context.Background())
	f, err := os.OpenFile(y.path("a.txt"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "a"}, Call: &reeve.WriteFile{Path: y.path("a.txt"), Content: "agent\n"}}); err != nil {
		t.Fatal(err)
	}
	if !n.changes.ladder.Pending() {
		f.Close()
		t.Skip("nobody can tell here that a program has the file open")
	}
	if _, err := f.WriteString("later\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	n.recovered(context.Background(), nil)
	list, err := n.Past(context.Background(), 0)
	if err != nil || len(list) != 2 || list[0].State != PastFound || list[0].Paths[0] != y.path("a.txt") {
		t.Fatalf("%+v %v", list, err)
	}
	told := ""
	for e := range record.Rows(filepath.Join(y.base, "state"), record.Filter{Event: "recovered"}) {
		told += strings.Join(e.Row.Asked, " ") + " " + e.Row.Note
	}
	if !strings.Contains(told, y.path("a.txt")) || !strings.Contains(told, "`reeve undo "+list[0].Change+"`") {
		t.Errorf("on record: %q", told)
	}
	u, err := n.Undo(context.Background(), UndoOptions{ID: list[0].Change})
	if err != nil || u.Verb != Found {
		t.Fatal(err, u)
	}
	if got := y.tree(); !slices.Equal(got, []string{"a.txt old\nlater\n"}) {
		t.Errorf("%q", got)
	}
}

// The record has the beginning of a change and no end, and a power cut took
// the journal with it: what it made is found by when it came to be.
func TestAfterAPowerCutAChangeIsOffered(t *testing.T) {
	for name, call := range map[string]func(y *cutYard) reeve.Call{
		"create": func(y *cutYard) reeve.Call { return &reeve.WriteFile{Path: y.path("new.txt"), Content: "n"} },
		"mkdir":  func(y *cutYard) reeve.Call { return &reeve.CreateDirectory{Path: y.path("made")} },
		"move":   func(y *cutYard) reeve.Call { return &reeve.MovePath{From: y.path("a.txt"), To: y.path("b.txt")} },
		"replace": func(y *cutYard) reeve.Call {
			return &reeve.WriteFile{Path: y.path("a.txt"), Content: "new"}
		},
		"remove": func(y *cutYard) reeve.Call { return &reeve.DeletePath{Path: y.path("a.txt")} },
	} {
		t.Run(name, func(t *testing.T) {
			y := newCutYard(t)
			y.write("a.txt", "a\n")
			before := y.tree()
			y.kill(call(y))
			if err := os.RemoveAll(journals(filepath.Join(y.base, "state"))); err != nil {
				t.Fatal(err)
			}
			n := y.next()
			n.recovered(context.Background(), openIntents(t, n))
			if _, err := n.Undo(context.Background(), UndoOptions{}); err != nil {
				t.Fatal(err)
			}
			if got := y.tree(); !slices.Equal(got, before) {
				t.Errorf("%q\nwant %q", got, before)
			}
		})
	}
}

// openIntents are the intents that cutShort would find after a restart of the
// computer.
func openIntents(t *testing.T, n *Node) (list []capfs.Intent) {
	t.Helper()
	for e, err := range record.Rows(n.places.State, record.Filter{Event: "intent", Since: time.Now().Add(-time.Hour)}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, intentsOf(e.Row)...)
	}
	return list
}

// savedByOther is what another program saved in the moment of a change.
type savedByOther struct{ at, path string }

func (s savedByOther) Info() capfs.Info {
	var i capfs.Info
	i.Kind, i.Mode = reeve.File, 0o644
	if st, err := os.Stat(s.at); err == nil {
		i.Size, i.MTime = st.Size(), st.ModTime().UnixNano()
	}
	return i
}

type savedFile struct {
	*os.File
	of savedByOther
}

func (f savedFile) Info() (capfs.Info, error) { return f.of.Info(), nil }

func (s savedByOther) Open(context.Context) (capfs.OpenFile, error) {
	f, err := os.Open(s.at)
	return savedFile{f, s}, err
}
func (savedByOther) Release() error { return nil }
func (s savedByOther) Was() string  { return s.path }

// What another program saved in the moment of a change is no change of the
// agent: the next undo does not stumble over it, and its ID brings it back.
func TestWhatAnotherProgramSavedIsNoChangeOfTheAgent(t *testing.T) {
	y := newCutYard(t)
	y.write("a.txt", "a\n")
	y.write("b.txt", "b\n")
	n := y.next()
	if _, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "a"}, Call: &reeve.WriteFile{Path: y.path("b.txt"), Content: "agent\n"}}); err != nil {
		t.Fatal(err)
	}
	aside := filepath.Join(y.base, "aside")
	if err := os.WriteFile(aside, []byte("saved\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	whys, err := n.changes.keeper.Keep(context.Background(), guard.Made{Verb: reeve.VerbWriteFile, Subject: reeve.Subject{Agent: "a"}, Other: true, At: time.Now(),
		Done: []capfs.Done{{Displaced: savedByOther{aside, y.path("a.txt")}}}}, nil)
	if err != nil || whys[0].Why != "" {
		t.Fatal(whys, err)
	}
	list, err := n.Past(context.Background(), 0)
	if err != nil || len(list) != 2 || list[0].State != PastFound || list[0].Paths[0] != y.path("a.txt") {
		t.Fatalf("%+v %v", list, err)
	}
	if u, err := n.Undo(context.Background(), UndoOptions{}); err != nil || u.Change != list[1].Change {
		t.Error("the agent's own change was not the one taken back:", err)
	}
	if _, err := n.Undo(context.Background(), UndoOptions{ID: list[0].Change}); err != nil {
		t.Error(err)
	}
	if got := y.tree(); !slices.Equal(got, []string{"a.txt saved\n", "b.txt b\n"}) {
		t.Errorf("%q", got)
	}
}

// The power went when the entry was on disk and the copy was not: the only
// copy there is lies under its hidden name, and must not be let go.
func TestAnEntryWithoutItsCopyIsHealed(t *testing.T) {
	y := newCutYard(t)
	y.write("a.txt", "a\n")
	y.killIn(&reeve.WriteFile{Path: y.path("a.txt"), Content: "new"}, func(d dying) guard.History { return copying{d} })
	blobs, err := filepath.Glob(filepath.Join(y.base, "state/history/blobs/*"))
	if err != nil || len(blobs) != 1 {
		t.Fatalf("%v %v", blobs, err)
	}
	if err := os.Remove(blobs[0]); err != nil {
		t.Fatal(err)
	}
	n := y.next()
	if got := y.tree(); !slices.Equal(got, []string{"a.txt new"}) {
		t.Errorf("%q", got)
	}
	if _, err := n.Undo(context.Background(), UndoOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := y.tree(); !slices.Equal(got, []string{"a.txt a\n"}) {
		t.Errorf("%q", got)
	}
}

// What came to be after the computer started again is not the agent's, even
// where it was made soon after the power went.
func TestWhatTheOwnerMadeAfterAPowerCutIsHis(t *testing.T) {
	y := newCutYard(t)
	y.kill(&reeve.WriteFile{Path: y.path("new.txt"), Content: "n"})
	if err := errors.Join(os.RemoveAll(journals(filepath.Join(y.base, "state"))), os.Remove(y.path("new.txt"))); err != nil {
		t.Fatal(err)
	}
	restarted := time.Now()
	time.Sleep(50 * time.Millisecond) // times of files are coarse
	y.write("new.txt", "the owner's")
	n := y.next()
	list := openIntents(t, n)
	for i := range list {
		list[i].Until = restarted
	}
	n.recovered(context.Background(), list)
	if _, err := n.Undo(context.Background(), UndoOptions{}); !errors.Is(err, reeve.NotFound) {
		t.Errorf("%v", err)
	}
	if got := y.tree(); !slices.Equal(got, []string{"new.txt the owner's"}) {
		t.Errorf("%q", got)
	}
}

// A file that another program deleted before the agent could is not the
// agent's doing.
func TestWhatAnotherDeletedIsNotToldAsMade(t *testing.T) {
	y := newCutYard(t)
	y.write("a.txt", "a\n")
	y.kill(&reeve.DeletePath{Path: y.path("a.txt")})
	hidden, err := filepath.Glob(y.path(".reeve-*"))
	if err != nil || len(hidden) != 1 {
		t.Fatalf("%v %v", hidden, err)
	}
	if err := os.Remove(hidden[0]); err != nil { // as if it had never been put aside
		t.Fatal(err)
	}
	y.next()
	if got := y.rows(); len(got) != 1 || !strings.HasSuffix(got[0], ": not made: it was gone already") {
		t.Errorf("%q", got)
	}
}

// What stands in the way of an undo is named: the change that has to go
// first, and the name that is taken.
func TestAnUndoNamesWhatIsInItsWay(t *testing.T) {
	y := newCutYard(t)
	y.write("a.txt", "a\n")
	y.write("d/in.txt", "in\n")
	n := y.next()
	do := func(c reeve.Call) string {
		t.Helper()
		out, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "a", Door: "library"}, Call: c})
		if err != nil || out.Result == nil {
			t.Fatal(out, err)
		}
		list, err := n.Past(context.Background(), 1)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0].Change
	}
	first := do(&reeve.WriteFile{Path: y.path("a.txt"), Content: "b\n"})
	second := do(&reeve.WriteFile{Path: y.path("a.txt"), Content: "c\n"})
	u, err := n.Undo(context.Background(), UndoOptions{ID: first, DryRun: true})
	if err != nil || u.Ready() || !slices.Equal(u.Later, []string{second}) {
		t.Errorf("%+v %v", u, err)
	}
	if u, err = n.Undo(context.Background(), UndoOptions{ID: second, DryRun: true}); err != nil || !u.Ready() || len(u.Later) != 0 {
		t.Errorf("%+v %v", u, err)
	}
	moved := do(&reeve.MovePath{From: y.path("d"), To: y.path("e")})
	y.write("d/other.txt", "mine\n")
	u, err = n.Undo(context.Background(), UndoOptions{ID: moved, DryRun: true})
	if err != nil || u.Ready() || len(u.Steps) != 1 || u.Steps[0].Why.String() != "cannot go back, since "+y.path("d")+" exists already, as a folder" {
		t.Errorf("%+v %v", u.Steps, err)
	}
}
