package capfs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
)

func replaced(t *testing.T, base string) (capfs.Displaced, *capfs.Ladder, func() []string) {
	c, l := commitsAt(t, base, capfs.CommitOptions{})
	s := c.MustStage(reeve.Put, "/root/f", "new")
	r, err := c.C.Swap(context.Background(), []capfs.Staged{s})
	must(t, err, r.Sync(context.Background()))
	return r.Done[0].Displaced, l, func() []string { return c.Tree("/root") }
}

// Nobody has it open: the very file becomes history's.
func TestTakeInto(t *testing.T) {
	base := quickDir(t)
	path := filepath.Join(base, "root/f")
	must(t, write(path, "old"))
	var was, now unix.Stat_t
	must(t, unix.Stat(path, &was))
	d, _, tree := replaced(t, base)
	history := newKept(t, base)
	if taken, err := d.(capfs.Taker).TakeInto(history.dir, "x"); !taken || err != nil {
		t.Fatal(taken, err)
	}
	must(t, d.Release(), unix.Stat(filepath.Join(base, "history/x"), &now))
	if was.Ino != now.Ino {
		t.Error("another file was taken")
	}
	if got := tree(); len(got) != 1 || got[0] != "/root/f new" {
		t.Errorf("%q", got)
	}
	must(t, os.WriteFile(filepath.Join(base, "history/y"), nil, 0o600))
	d, _, tree = replaced(t, base)
	if taken, err := d.(capfs.Taker).TakeInto(history.dir, "y"); taken || !errors.Is(err, os.ErrExist) {
		t.Error("a name that is taken:", taken, err)
	}
	must(t, d.Release())
	if got := tree(); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// Another program still has the old file open: it is copied, stays, and what
// is written to it later is handed over when the program is done.
func TestWrittenLater(t *testing.T) {
	for _, restart := range []bool{false, true} {
		base := quickDir(t)
		path := filepath.Join(base, "root/f")
		must(t, write(path, "old"))
		editor, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		d, l, tree := replaced(t, base)
		history := newKept(t, base)
		must(t, history.take(d))
		if got := strings.Join(history.text, ","); got != "old" {
			t.Errorf("copied was %q", got)
		}
		var late []string
		look := func() {
			_, err := l.Recover(context.Background(), capfs.RecoverOptions{Keep: func(_ context.Context, f capfs.Found) error {
				text, err := content(f.Displaced)
				late = append(late, f.Why+": "+text)
				return err
			}})
			must(t, err)
		}
		look()
		_, err = editor.WriteAt([]byte("saved late"), 0)
		must(t, err)
		look()
		if len(late) > 0 {
			t.Errorf("handed over while it is open: %q", late)
		}
		must(t, editor.Close())
		if restart {
			must(t, l.Close())
			_, l = commitsAt(t, base, capfs.CommitOptions{})
		}
		look()
		look()
		if got := strings.Join(late, ","); got != "later: saved late" {
			t.Errorf("restart %v: handed over was %q", restart, got)
		}
		if got := tree(); len(got) != 1 || got[0] != "/root/f new" {
			t.Errorf("%q", got)
		}
	}
}

// Another computer's journals, and those of processes that live, are not
// touched.
func TestOthersJournals(t *testing.T) {
	base := quickDir(t)
	journal := filepath.Join(base, "journal")
	_, theirs := commitsAt(t, base, capfs.CommitOptions{Journal: journal, Machine: "other"})
	c, living := commitsAt(t, base, capfs.CommitOptions{Journal: journal, Machine: "here"})
	c.C = theirs
	must(t, write(filepath.Join(base, "root/f"), "old"), write(filepath.Join(base, "root/g"), "old"))
	unfinished := func(l *capfs.Ladder, path string) capfs.Receipt {
		c.C = l
		s := c.MustStage(reeve.Put, path, "new")
		r, err := l.Swap(context.Background(), []capfs.Staged{s})
		must(t, err)
		return r
	}
	a, b := unfinished(theirs, "/root/f"), unfinished(living, "/root/g")
	must(t, theirs.Close()) // its note stays, as after a crash
	_, l := commitsAt(t, base, capfs.CommitOptions{Journal: journal, Machine: "here"})
	said, err := l.Recover(context.Background(), capfs.RecoverOptions{Keep: func(context.Context, capfs.Found) error { t.Error("handed over"); return nil }})
	if err != nil || len(said) > 0 {
		t.Errorf("%v, %v", said, err)
	}
	for _, r := range []capfs.Receipt{a, b} {
		if text, err := content(r.Done[0].Displaced); text != "old" {
			t.Errorf("%q, %v", text, err)
		}
	}
	must(t, b.Done[0].Displaced.Release())
}

// What a power cut kept from the journal is found by what the record tells.
func TestIntentsOfTheRecord(t *testing.T) {
	base := quickDir(t)
	c, l := commitsAt(t, base, capfs.CommitOptions{})
	must(t, write(filepath.Join(base, "root/f"), "old"), write(filepath.Join(base, "root/.reeve-note"), "the user's"))
	at, ch := c.Change(reeve.Put, "/root/f", "new")
	ch.Temp = capfs.NewTemp()
	s, err := c.StageChange(at, ch)
	must(t, err)
	r, err := c.C.Swap(context.Background(), []capfs.Staged{s})
	must(t, err, s.Cleanup())
	_ = r // never synced nor released, and no journal
	must(t, os.RemoveAll(filepath.Join(base, "journal")))
	_, l2 := commitsAt(t, base, capfs.CommitOptions{})
	var got []string
	for range 2 {
		_, err = l2.Recover(context.Background(), capfs.RecoverOptions{
			Intents: []capfs.Intent{
				{Path: filepath.Join(base, "root/f"), Temp: ch.Temp, Before: ch.Expect},
				{Path: filepath.Join(base, "root/f"), Temp: ".reeve-note"},
				{Path: filepath.Join(base, "gone/f"), Temp: ch.Temp},
			},
			Keep: func(_ context.Context, f capfs.Found) error {
				text, err := content(f.Displaced)
				got = append(got, f.Why+" "+f.Path+" "+text)
				return err
			},
		})
		must(t, err)
	}
	if want := "displaced " + filepath.Join(base, "root/f") + " old"; len(got) != 1 || got[0] != want {
		t.Errorf("handed over was %q", got)
	}
	c.Want("/root/f new", "/root/.reeve-note the user's")
	l.Close()
}

func TestOtherNamesKeepTheOldContent(t *testing.T) {
	base := quickDir(t)
	c, _ := commitsAt(t, base, capfs.CommitOptions{})
	must(t, write(filepath.Join(base, "root/f"), "old"), os.Link(filepath.Join(base, "root/f"), filepath.Join(base, "root/g")))
	d, err := c.Do(reeve.Put, "/root/f", "new")
	if err != nil || !strings.Contains(strings.Join(d.Notes, " "), "2 names") {
		t.Errorf("%v, %v", d.Notes, err)
	}
	c.Want("/root/f new", "/root/g old")
}

// The first change in a granted folder that does not exist makes it.
func TestPendingRoot(t *testing.T) {
	base := quickDir(t)
	fs := capfs.New(capfs.Options{Refresh: -1})
	defer fs.Close()
	must(t, os.Mkdir(filepath.Join(base, "there"), 0o755))
	got := fs.SetGrants([]capfs.Grant{{ID: "r", Path: filepath.Join(base, "there/not/root"), Access: reeve.ReadWrite, Create: true}}, nil)
	if got[0].State != reeve.StatePending {
		t.Fatalf("%+v", got)
	}
	c, _ := commitsAt(t, base, capfs.CommitOptions{})
	c.FS, c.C = fs, capfs.NewCommitter(fs, capfs.CommitOptions{})
	c.W.Base = filepath.Join(base, "there/not")
	if _, err := c.Do(reeve.Put, "/root/sub/f", "first"); err != nil {
		t.Fatal(err)
	}
	c.Want("/root/sub/", "/root/sub/f first")
	if fs.Roots()[0].State != reeve.StateOpen {
		t.Errorf("%+v", fs.Roots())
	}
}

// A process may end when changes stand that displaced nothing, and history
// does not know of them yet: until it does, the journal does.
func TestTheJournalWaitsForHistory(t *testing.T) {
	base := quickDir(t)
	c, _ := commitsAt(t, base, capfs.CommitOptions{Journal: filepath.Join(base, "journal"), Machine: "m"})
	journal := func() string {
		names, err := filepath.Glob(filepath.Join(base, "journal/*.journal"))
		must(t, err)
		var all strings.Builder
		for _, n := range names {
			b, err := os.ReadFile(n)
			must(t, err)
			all.Write(b)
		}
		return all.String()
	}
	list := []capfs.Staged{c.MustStage(reeve.Mkdir, "/root/d", ""), c.MustStage(reeve.Put, "/root/f", "new")}
	r, err := c.C.Swap(context.Background(), list)
	must(t, err)
	let := r.Hold()
	must(t, r.Sync(context.Background()))
	if j := journal(); !strings.Contains(j, `"begin"`) || strings.Contains(j, `"end"`) {
		t.Errorf("settled too early: %s", j)
	}
	let()
	if j := journal(); strings.Count(j, `"end"`) != strings.Count(j, `"begin"`) {
		t.Errorf("never settled: %s", j)
	}
}
