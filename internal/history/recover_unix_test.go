//go:build unix

package history

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
)

// doomed has everything that can be taken: a file, its twin, one with a second
// name, a link, and a folder with files of several modes.
func doomed(t *testing.T, base string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, body string, mode fs.FileMode) {
		p := filepath.Join(base, "src", name)
		must(os.MkdirAll(filepath.Dir(p), 0o755))
		must(os.WriteFile(p, []byte(body), 0o600))
		must(os.Chmod(p, mode))
		must(os.Chtimes(p, doomedTime, doomedTime))
	}
	put("a", "content a", 0o754)
	put("twin", "content a", 0o640)
	put("two", "content two", 0o644)
	must(os.Link(filepath.Join(base, "src/two"), filepath.Join(base, "second name")))
	must(os.Symlink("where to", filepath.Join(base, "src/link")))
	put("dir/x", "content x", 0o711)
	put("dir/sub/y", "content y", 0o604)
	put("dir/z", "content a", 0o777)
	must(os.Chmod(filepath.Join(base, "src/dir/sub"), 0o755))
	must(os.Mkdir(filepath.Join(base, "src/dir/sub/closed"), 0o555))
}

var doomedTime = time.Unix(1_600_000_000, 5000)

// killer takes by renaming, and is killed at the k-th of its own steps or of
// those at which the store looks at the clock.
type killer struct {
	takenThing
	step func()
}

func (k killer) TakeInto(dir *os.File, name string) (bool, error) {
	k.step()
	err := os.Rename(filepath.Join(k.root.Name(), k.name), filepath.Join(dir.Name(), name))
	k.step()
	return err == nil, err
}

// childDoomed keeps all that there is in one call, and is killed in the
// middle.
func childDoomed(dir string, k int) int {
	n := 0
	step := func() {
		if n++; n == k {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	s := New(Options{Dir: filepath.Join(dir, "state"), Now: func() time.Time { step(); return time.Now() }})
	things, err := doomedThings(dir, step)
	if err == nil {
		_, _, err = s.Keep(ctx, Call{Change: "DEADBEEF", ID: "9", Verb: "delete_path", Subject: reeve.Subject{Kind: reeve.Agent}}, things...)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func doomedThings(dir string, step func()) (things []Thing, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"a", "twin", "two", "link", "dir"} {
		st, err := root.Lstat("src/" + name)
		if err != nil {
			return nil, err
		}
		t := replaced("/r/"+name, killer{takenThing{root: root, name: "src/" + name, st: st}, step})
		t.Effect = reeve.EffectRemove
		things = append(things, t)
	}
	return things, nil
}

// Wherever a process is killed that keeps something, each thing is still
// where it was, or in the history, once, under its change, with its mode and
// time; and after the next start nothing lies about.
func TestAKillInTheMiddleOfKeepingLosesNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kills := 0
	for k := 1; ; k++ {
		base := t.TempDir()
		doomed(t, base)
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "HISTORY_TEST_CHILD=doomed", "HISTORY_TEST_DIR="+base, fmt.Sprint("HISTORY_TEST_BASE=", k))
		out, err := cmd.CombinedOutput()
		var dead *exec.ExitError
		killed := errors.As(err, &dead) && !dead.Exited()
		if err != nil && !killed {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Run(strconv.Itoa(k), func(t *testing.T) { judgeDoomed(t, base, killed) })
		if !killed {
			break
		}
		kills++
	}
	if kills < 20 {
		t.Errorf("only %d moments were tried", kills)
	}
}

func judgeDoomed(t *testing.T, base string, killed bool) {
	s := open(t, Options{Dir: filepath.Join(base, "state"), Report: func(file, what string) { t.Error(file, what) }})
	if _, err := s.Recover(ctx); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Recover(ctx); err != nil || len(again) > 0 {
		t.Errorf("a second start entered %v %v", again, err)
	}
	if left := files(t, s, tmpDir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	s.Close()
	if live := files(t, s, liveDir); killed && len(live) > 0 {
		t.Errorf("left over: %v", live)
	}
	by := map[string]Entry{}
	for _, e := range list(t, s, Filter{}) {
		if _, twice := by[e.Path]; twice || e.Change != "DEADBEEF" || e.Effect != reeve.EffectRemove {
			t.Errorf("entered as %+v", e)
		}
		by[e.Path] = e
	}
	for name, body := range map[string]string{"a": "content a", "twin": "content a", "two": "content two", "link": "", "dir": ""} {
		e, entered := by["/r/"+name]
		if _, err := os.Lstat(filepath.Join(base, "src", name)); err == nil {
			continue // nobody has taken it, and it may be entered as a copy
		}
		d, err := e.Detail()
		if !entered || err != nil || !d.Kept {
			t.Errorf("%s is lost: %+v %+v %v", name, e, d, err)
			continue
		}
		mode := map[string]uint32{"a": 0o754, "twin": 0o640, "two": 0o644, "dir": 0o755}[name]
		switch {
		case name == "link" && d.Link != "where to":
			t.Errorf("the link led to %q", d.Link)
		case body != "" && content(t, s, e.Blob) != body:
			t.Errorf("%s holds %q", name, content(t, s, e.Blob))
		case mode != 0 && d.Meta.Mode != mode, body != "" && d.Meta.MTime != doomedTime.UnixNano():
			t.Errorf("%s has mode %o and time %d", name, d.Meta.Mode, d.Meta.MTime)
		case name == "dir":
			judgeDoomedFolder(t, s, e)
		}
	}
}

func judgeDoomedFolder(t *testing.T, s *Store, e Entry) {
	in, err := s.Tree(ctx, e.Blob)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, n := range in {
		got += fmt.Sprintf("%s %o", n.Path, n.Meta.Mode)
		if n.Kind == reeve.File {
			got += " " + content(t, s, n.Blob)
			if n.Meta.MTime != doomedTime.UnixNano() {
				t.Errorf("%s has time %d", n.Path, n.Meta.MTime)
			}
		}
		got += "\n"
	}
	for _, want := range []string{"x 711 content x\n", "sub 755\n", "sub/y 604 content y\n", "sub/closed 555\n", "z 777 content a\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

// dead makes a store whose process has ended, and something it had taken.
func dead(t *testing.T, o Options, name, body string) *Store {
	t.Helper()
	s := open(t, o)
	root, err := s.open(true)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p := s.tmp(root)
	if name != "" {
		p += name
	}
	overwrite(t, s.on(t, p), body)
	s.mu.Lock()
	s.own.f.Close()
	s.own = nil
	s.mu.Unlock()
	return s
}

func TestWhatWasTakenBeforeAPowerCutIsEnteredWithoutItsPath(t *testing.T) {
	s := dead(t, Options{}, takenEnd, "only here")
	first := open(t, Options{Dir: s.o.Dir})
	got, err := first.Recover(ctx)
	if err != nil || len(got) != 1 || got[0].Path != "" || !got[0].Owner || content(t, s, got[0].Blob) != "only here" {
		t.Fatalf("%+v %v", got, err)
	}
	// The same again: its entry is there.
	dead(t, Options{Dir: s.o.Dir}, takenEnd, "only here")
	if got, err := open(t, Options{Dir: s.o.Dir}).Recover(ctx); err != nil || len(got) != 0 {
		t.Errorf("%+v %v", got, err)
	}
	first.Close()
	if left := append(files(t, s, tmpDir), files(t, s, liveDir)...); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// A process ended, or its disk was full, between the blob and the entry: the
// bytes are not copied once more, for which there may be no room.
func TestABlobWithoutAnEntryIsNotCopied(t *testing.T) {
	s := dead(t, Options{}, takenEnd, "kept")
	taken := s.on(t, tmpDir+"/"+files(t, s, tmpDir)[0])
	sum := blake3.Sum256([]byte("kept"))
	hash := hex.EncodeToString(sum[:])
	if err := os.Link(taken, s.on(t, blobName(hash))); err != nil {
		t.Fatal(err)
	}
	root, err := s.open(true)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := path.Join(tmpDir, path.Base(taken))
	was, err := root.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := single(root, name, was, hash); err != nil || names(st) != 1 || !os.SameFile(was, st) {
		t.Error("it has its second name still, so that it would be copied:", err)
	}
	// A blob that is another file is left alone.
	other := blake3.Sum256([]byte("other"))
	overwrite(t, s.on(t, blobName(hex.EncodeToString(other[:]))), "other")
	if err := os.Link(taken, s.on(t, "second")); err != nil {
		t.Fatal(err)
	}
	if st, err := root.Lstat(name); err != nil {
		t.Fatal(err)
	} else if st, err = single(root, name, st, hex.EncodeToString(other[:])); err != nil || names(st) != 2 {
		t.Error(names(st), err)
	}
	if err := os.Remove(s.on(t, "second")); err != nil {
		t.Fatal(err)
	}
	next := open(t, Options{Dir: s.o.Dir})
	list, err := next.Recover(ctx)
	if err != nil || len(list) != 1 || list[0].Blob != hash {
		t.Fatalf("%+v %v", list, err)
	}
	next.Close()
	now, err := os.Lstat(s.on(t, blobName(hash)))
	if err != nil || !os.SameFile(was, now) {
		t.Error("it is another file:", err)
	}
	if left := files(t, s, tmpDir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestHalfACopyOfADeadProcessGoesAtOnce(t *testing.T) {
	s := dead(t, Options{}, "", "half")
	if got, err := s.Recover(ctx); err != nil || len(got) != 0 {
		t.Fatal(got, err)
	}
	if left := append(files(t, s, tmpDir), files(t, s, liveDir)...); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestTheLivingAndOtherComputersAreNotTouched(t *testing.T) {
	alive := open(t, Options{})
	root, err := alive.open(true)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	overwrite(t, alive.on(t, alive.tmp(root)+takenEnd), "in work")
	dead(t, Options{Dir: alive.o.Dir, Machine: "other-1"}, takenEnd, "theirs")
	c := newClock()
	c.step(300 * 24 * time.Hour) // long after
	s := open(t, Options{Dir: alive.o.Dir, Machine: "", Now: c.Now})
	got, err := s.Recover(ctx)
	if err != nil || len(got) != 0 || len(files(t, s, tmpDir)) != 2 {
		t.Errorf("%v %v, there is %v", got, err, files(t, s, tmpDir))
	}
	if _, err := s.Prune(ctx); err != nil || len(files(t, s, tmpDir)) != 2 {
		t.Errorf("%v, there is %v", err, files(t, s, tmpDir))
	}
}

// An entry that can't be written does not cost the copy either.
func TestWhatWasTakenAndNotEnteredWaitsForTheNextStart(t *testing.T) {
	base := t.TempDir()
	doomed(t, base)
	things, err := doomedThings(base, func() {})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{Dir: filepath.Join(base, "state")})
	keep(t, s, replaced("/r/first", file("first")))
	hide := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	entries := s.on(t, entriesDir)
	// The order is known by now, so that the entry is the first to fail.
	last := things[0].Displaced.(killer)
	hidden := false
	last.step = func() {
		if !hidden {
			hidden = true
			hide(entries, entries+"2")
			overwrite(t, entries, "no folder")
		}
	}
	things[0].Displaced = last
	if _, _, err := s.Keep(ctx, Call{Change: "DEADBEEF"}, things[0]); err == nil {
		t.Fatal("an entry was written")
	}
	s.Close()
	os.Remove(entries)
	hide(entries+"2", entries)
	next := open(t, Options{Dir: s.o.Dir})
	got, err := next.Recover(ctx)
	if err != nil || len(got) != 1 || got[0].Change != "DEADBEEF" || content(t, next, got[0].Blob) != "content a" {
		t.Errorf("%+v %v", got, err)
	}
	if left := append(files(t, next, tmpDir), files(t, next, liveDir)...); len(left) > 1 { // the living one's own
		t.Errorf("left over: %v", left)
	}
}

// Notes are read as whatever a power cut made of them.
func FuzzNotes(f *testing.F) {
	f.Add([]byte(`{"name":"1-A-_B.taken","mode":420,"mtime":5,"call":{"Change":"DEADBEEF"},"thing":{"Path":"/r/a","Effect":"replace"}}` + "\n"))
	f.Add([]byte("{\n\x00\x00\n"))
	f.Add([]byte(`{"name":"../../x","call":{"Change":"DEADBEEF"},"thing":{}}` + "\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := filepath.Join(t.TempDir(), "notes")
		overwrite(t, p, string(b))
		file, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		n := &notes{f: file}
		taken, err := n.read()
		if err != nil {
			t.Fatal(err)
		}
		for name, l := range taken {
			if l.Name != name || !properID(l.Call.Change) {
				t.Errorf("%q: %+v", name, l)
			}
			if _, ok := n.was[name]; !ok {
				t.Errorf("%q: how it was is not known", name)
			}
		}
	})
}

func TestNotesBeginAnewWhenNobodyNeedsThem(t *testing.T) {
	s := open(t, Options{})
	root, err := s.open(true)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	n := s.notes(root)
	size := func() int64 {
		st, err := root.Stat(path.Join(liveDir, n.token))
		if err != nil {
			t.Fatal(err)
		}
		return st.Size()
	}
	fill := func() {
		for range 2000 {
			n.write(note{Name: strings.Repeat("n", 40)})
		}
	}
	n.begin()
	n.begin()
	fill()
	if n.end(false); size() < notesMost {
		t.Error("the notes of another Keep went")
	}
	if n.end(false); size() != 0 {
		t.Errorf("%d bytes stay", size())
	}
	n.begin()
	fill()
	if n.end(true); size() < notesMost {
		t.Error("the note of what stays behind went")
	}
}

// A folder that holds something too large was said to be kept in part: the
// large file goes, and does not fill the disk in secret.
func TestATooLargeFileInATakenFolderGoes(t *testing.T) {
	base := t.TempDir()
	doomed(t, base)
	if err := os.WriteFile(filepath.Join(base, "src/dir/large"), make([]byte, 200), 0o600); err != nil {
		t.Fatal(err)
	}
	things, err := doomedThings(base, func() {})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{Dir: filepath.Join(base, "state"), FileBytes: 100})
	es, ds := keep(t, s, things[4])
	if ds[0].Kept || ds[0].Left || !strings.Contains(ds[0].NotKept, "large, since it is larger than 100 bytes") || es[0].Blob == "" {
		t.Errorf("%+v %+v", es, ds)
	}
	if left := files(t, s, tmpDir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	// Also when the process ended before it went.
	h, err := s.house()
	if err != nil {
		t.Fatal(err)
	}
	doomed(t, filepath.Join(base, "more"))
	os.Rename(filepath.Join(base, "more/src/dir"), filepath.Join(base, "src/dir"))
	name, ok := s.noteTaken(h, s.tmp(h.root), &note{Call: &Call{Change: es[0].Change}, N: es[0].N, Thing: &Thing{Path: es[0].Path}})
	if !ok || os.Rename(filepath.Join(base, "src/dir"), s.on(t, name)) != nil {
		t.Fatal("could not be taken")
	}
	s.Close()
	if got, err := open(t, Options{Dir: s.o.Dir, FileBytes: 100}).Recover(ctx); err != nil || len(got) > 0 || len(files(t, s, tmpDir)) > 0 {
		t.Errorf("%v %v, left over: %v", got, err, files(t, s, tmpDir))
	}
}
