package capfs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// crash is one kind of change that a process is killed in the middle of.
type crash struct {
	portable bool
	imitate  capfs.Imitation
	inPlace  bool
	setup    func(root string) error
	run      func(c *capfstest.Commits) ([]capfs.Staged, error)
	old, new []string // trees
	kept     []string // content that must be in the tree or in history
}

func crashes() map[string]crash {
	type step struct {
		kind       reeve.ChangeKind
		path, text string
	}
	stage := func(steps ...step) func(*capfstest.Commits) ([]capfs.Staged, error) {
		return func(c *capfstest.Commits) (all []capfs.Staged, err error) {
			for _, x := range steps {
				at, ch := c.Change(x.kind, x.path, x.text)
				ch.Tree = ch.Kind == reeve.Remove
				s, err := c.StageChange(at, ch)
				if err != nil {
					return all, err
				}
				all = append(all, s)
			}
			return all, nil
		}
	}
	one := func(kind reeve.ChangeKind, path, text string) func(*capfstest.Commits) ([]capfs.Staged, error) {
		return stage(step{kind, path, text})
	}
	file := func(root string) error { return dressed(filepath.Join(root, "a"), "old a") }
	several := crash{
		setup: func(root string) error {
			return errors.Join(file(root), dressed(filepath.Join(root, "b"), "old b"), os.Mkdir(filepath.Join(root, "d"), 0o755))
		},
		run: stage(step{reeve.Put, "/root/a", "new a"}, step{reeve.Remove, "/root/b", ""}, step{reeve.Move, "/root/d", "/root/e"},
			step{reeve.Put, "/root/n/m", "made"}, step{reeve.Mkdir, "/root/k", ""}),
		old:  []string{"/root/a old a", "/root/b old b", "/root/d/"},
		new:  []string{"/root/a new a", "/root/e/", "/root/k/", "/root/n/", "/root/n/m made"},
		kept: []string{"old a", "old b"},
	}
	replace := crash{setup: file, run: one(reeve.Put, "/root/a", "new a"), old: []string{"/root/a old a"},
		new: []string{"/root/a new a"}, kept: []string{"old a"}}
	all := map[string]crash{
		"create":              {run: one(reeve.Put, "/root/n", "made"), new: []string{"/root/n made"}},
		"create with folders": {run: one(reeve.Put, "/root/x/y/n", "made"), new: []string{"/root/x/", "/root/x/y/", "/root/x/y/n made"}},
		"replace":             replace,
		"several":             several,
		"remove":              {setup: file, run: one(reeve.Remove, "/root/a", ""), old: []string{"/root/a old a"}, kept: []string{"old a"}},
		"remove a tree": {
			setup: func(root string) error {
				return errors.Join(os.MkdirAll(filepath.Join(root, "t/u"), 0o755), dressed(filepath.Join(root, "t/u/f"), "old f"))
			},
			run: one(reeve.Remove, "/root/t", ""),
			old: []string{"/root/t/", "/root/t/u/", "/root/t/u/f old f"},
		},
		"move": {setup: file, run: one(reeve.Move, "/root/a", "/root/z/b"), old: []string{"/root/a old a"},
			new: []string{"/root/z/", "/root/z/b old a"}, kept: []string{"old a"}},
		"mkdir": {run: one(reeve.Mkdir, "/root/k/l", ""), new: []string{"/root/k/", "/root/k/l/"}},
	}
	with := func(name string, c crash, fn func(*crash)) { fn(&c); all[name] = c }
	with("replace by link and rename", replace, func(c *crash) { c.imitate = capfs.Imitation{Exchange: "none", Keep: "none"} })
	with("replace by a file that has a name", replace, func(c *crash) { c.imitate.Unnamed = "none" })
	with("replace in place", replace, func(c *crash) { c.inPlace = true })
	with("replace on another system", replace, func(c *crash) { c.portable = true })
	with("several, one in place", several, func(c *crash) { c.inPlace = true })
	with("several on another system", several, func(c *crash) { c.portable = true })
	with("create where files need names", all["create with folders"], func(c *crash) { c.imitate = capfs.Imitation{Unnamed: "none", Keep: "none", Exchange: "none"} })
	with("move by link", all["move"], func(c *crash) { c.imitate = capfs.Imitation{Keep: "none", Exchange: "none"} })
	return all
}

// dressed makes a file with a mode and an attribute that must not get lost.
// Its time lies ahead, so that its content is compared at every step, however
// long the test takes.
func dressed(path, text string) error {
	ahead := time.Now().Add(time.Hour)
	err := errors.Join(os.WriteFile(path, []byte(text), 0o640), os.Chmod(path, 0o640), os.Chtimes(path, ahead, ahead))
	return errors.Join(err, unix.Setxattr(path, "user.kept", []byte("yes"), 0))
}

func (c crash) commits(t *testing.T, base, journal string, fault func(string) error) (*capfstest.Commits, *capfs.Ladder) {
	layer := capfs.NewLinux(capfs.LinuxOptions{})
	if c.portable {
		layer = capfs.NewPortable()
	}
	fs := capfs.New(capfs.Options{Layer: layer, Refresh: -1})
	t.Cleanup(func() {
		fs.Close()
		if l, ok := layer.(io.Closer); ok {
			l.Close()
		}
	})
	fs.SetGrants([]capfs.Grant{{ID: "r", Path: filepath.Join(base, "root"), Access: reeve.ReadWrite}}, nil)
	l := capfs.NewCommitter(fs, capfs.CommitOptions{Journal: journal, Machine: "m", Fault: fault})
	l.Imitate(c.imitate)
	return &capfstest.Commits{T: t, W: capfstest.World{Layer: layer, Base: base}, FS: fs, C: l}, l
}

// quickDir is a folder in memory, where there is one that keeps attributes.
func quickDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "capfs")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if unix.Setxattr(dir, "user.kept", []byte("yes"), 0) != nil {
		return t.TempDir()
	}
	return dir
}

// TestCrash kills a process at every step of every kind of change. After the
// next start everything is as before or as after, whole, with mode and
// attributes, nothing lies about, and what was displaced was handed over.
func TestCrash(t *testing.T) {
	if os.Getenv("CAPFS_CRASH") != "" {
		crashHere(t)
		return
	}
	for name, c := range crashes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := quickDir(t)
			outcomes := map[string]int{}
			for step := 1; ; step++ {
				dir := filepath.Join(base, strconv.Itoa(step))
				root := filepath.Join(dir, "root")
				must(t, os.MkdirAll(root, 0o755))
				if c.setup != nil {
					must(t, c.setup(root))
				}
				cmd := exec.Command(os.Args[0], "-test.run=^TestCrash$")
				cmd.Env = append(os.Environ(), "CAPFS_CRASH="+name, "CAPFS_ROOT="+dir, "CAPFS_STEP="+strconv.Itoa(step))
				out, err := cmd.CombinedOutput()
				killed := false
				if x := (*exec.ExitError)(nil); errors.As(err, &x) {
					ws := x.Sys().(syscall.WaitStatus)
					killed = ws.Signaled() && ws.Signal() == syscall.SIGKILL
				}
				if err != nil && !killed {
					t.Fatalf("%v\n%s", err, out)
				}
				outcomes[c.recovered(t, dir, step, killed)]++
				if !killed {
					break
				}
				if step > 200 {
					t.Fatal("it never ends")
				}
			}
			if outcomes["old"]+outcomes["same"] == 0 || outcomes["new"]+outcomes["same"] < 2 {
				t.Errorf("the outcomes were %v: it was not killed on both sides of the change", outcomes)
			}
		})
	}
}

// crashHere makes the change and dies in the middle of it.
func crashHere(t *testing.T) {
	c := crashes()[os.Getenv("CAPFS_CRASH")]
	dir := os.Getenv("CAPFS_ROOT")
	left, err := strconv.Atoi(os.Getenv("CAPFS_STEP"))
	must(t, err)
	steps, err := os.OpenFile(filepath.Join(dir, "steps"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	must(t, err)
	fault := func(step string) error {
		fmt.Fprintln(steps, step)
		if left--; left == 0 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		if c.inPlace && step == "carry" {
			return capfs.Uncarried()
		}
		return nil
	}
	cs, _ := c.commits(t, dir, filepath.Join(dir, "journal"), fault)
	staged, err := c.run(cs)
	must(t, err)
	r, err := cs.C.Swap(context.Background(), staged)
	must(t, err)
	must(t, fault("between"), r.Sync(context.Background()), fault("after"))
	var kept []string
	for _, d := range r.Done {
		if d.Displaced == nil {
			continue
		}
		if d.Displaced.Info().Kind == reeve.File {
			text, err := content(d.Displaced)
			must(t, err)
			kept = append(kept, text)
		}
		b, err := json.Marshal(kept)
		must(t, err, os.WriteFile(filepath.Join(dir, "kept"), b, 0o600), d.Displaced.Release())
	}
}

func content(d capfs.Displaced) (string, error) {
	f, err := d.Open(context.Background())
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
	return string(b), err
}

// recovered starts anew and looks at what there is.
func (c crash) recovered(t *testing.T, dir string, step int, killed bool) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "steps"))
	must(t, err)
	steps := strings.Split(strings.TrimSpace(string(b)), "\n")
	at := fmt.Sprintf("killed at step %d (%s)", step, steps[len(steps)-1])
	var history []string
	if b, err := os.ReadFile(filepath.Join(dir, "kept")); err == nil {
		must(t, json.Unmarshal(b, &history))
	}
	cs, l := c.commits(t, dir, filepath.Join(dir, "journal"), nil)
	defer l.Close()
	keep := func(_ context.Context, f capfs.Found) error {
		if f.Info().Kind != reeve.File {
			return nil
		}
		text, err := content(f.Displaced)
		history = append(history, text)
		return err
	}
	for range 2 { // a second time there is nothing to do
		said, err := l.Recover(context.Background(), capfs.RecoverOptions{Keep: keep})
		if err != nil {
			t.Errorf("%s: %v", at, err)
		}
		for _, s := range said {
			if strings.Contains(s.What, "could not") {
				t.Errorf("%s: %s %s", at, s.Path, s.What)
			}
		}
	}
	got := cs.Tree("/root")
	outcome := ""
	switch {
	case slices.Equal(got, c.old) && slices.Equal(got, c.new):
		outcome = "same"
	case slices.Equal(got, c.old):
		outcome = "old"
	case slices.Equal(got, c.new):
		outcome = "new"
	default:
		t.Errorf("%s: the tree is neither old nor new: %q", at, got)
	}
	if !killed && outcome == "old" {
		t.Errorf("nothing was done: %q", got)
	}
	for _, want := range c.kept {
		in := slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, " "+want) })
		if !in && !slices.Contains(history, want) {
			t.Errorf("%s: %q is nowhere", at, want)
		}
	}
	if path := filepath.Join(dir, "root/a"); c.setup != nil {
		if fi, err := os.Stat(path); err == nil {
			v := make([]byte, 8)
			n, err := unix.Getxattr(path, "user.kept", v)
			if fi.Mode().Perm() != 0o640 || err != nil || string(v[:n]) != "yes" {
				t.Errorf("%s: mode %v, attribute %q, %v", at, fi.Mode(), v[:max(n, 0)], err)
			}
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, "journal"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, e := range left {
		if e.Name() == "swap.lock" {
			continue // the turn of swaps, for all processes and times
		}
		t.Errorf("%s: the journal's folder still holds %s", at, e.Name())
	}
	return outcome
}
