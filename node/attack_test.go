package node_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/internal/attack"
	"reeve/node"
)

// open assembles a node with its own configuration and state, and fails the
// test when it cannot.
func open(t testing.TB, c node.Config) *node.Node {
	t.Helper()
	own := t.TempDir()
	if c.ConfigFile == "" {
		c.ConfigFile = filepath.Join(own, "config", "config.toml")
	}
	if c.StateDir == "" {
		c.StateDir = filepath.Join(own, "state")
	}
	n, err := node.New(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return n
}

var agent = reeve.Subject{Kind: reeve.Agent, Agent: "attack", Door: "library", Session: "s"}

// In every profile, with the widest grant there is, no option of any verb
// gives a byte of a protected file or of one outside; nor does the record.
func TestCanary(t *testing.T) {
	for _, profile := range []string{"default", "lam", "arinova", "elowen", "llm-chat-file"} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			canary := attack.NewCanary(profile)
			home, err := attack.BuildHome(t.TempDir(), canary, attack.HomeOptions{Narrow: profile == "lam"})
			if err != nil {
				t.Fatal(err)
			}
			state := home.State
			n := open(t, node.Config{Home: home.Home, ConfigFile: filepath.Join(home.Config, "config.toml"), StateDir: state,
				Folders: []node.Folder{{Path: home.Home, Access: reeve.ReadWrite}}, Profile: profile})
			paths := slices.Concat(home.Secrets, home.Nasty, home.Readable, []string{home.Home, home.Project, home.Outside, "."})
			// What is asked for by its own name is echoed: that is no leak.
			paths = slices.DeleteFunc(paths, func(p string) bool { return canary.Check([]byte(p)) != nil })
			axes := attack.DefaultAxes(canary.Probe())
			if testing.Short() {
				paths = paths[:10]
			}
			until := time.Now().Add(15 * time.Second)
			done, err := attack.Storm{Check: canary.Check, Probe: canary.Probe(), Workers: 2}.Run(context.Background(), attack.OnDoer(n, agent),
				func(yield func(reeve.Call) bool) {
					for call := range attack.Calls(paths, axes) {
						if testing.Short() && time.Now().After(until) {
							return
						}
						if !yield(call) {
							return
						}
					}
				})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d calls", done)
			// The guard works on real input: what is readable is read.
			for _, p := range home.Readable {
				out, err := n.Do(context.Background(), reeve.Request{Subject: agent, Call: &reeve.ReadFile{Paths: []string{p}}})
				if profile == "arinova" && errors.Is(err, reeve.Binary) {
					continue // reads UTF-8 only
				}
				if err != nil || !strings.Contains(text(out), home.Visible) {
					t.Errorf("%s is not readable: %v", p, err)
				}
			}
			checkRecord(t, state, home.Secrets, canary)
		})
	}
}

// checkRecord looks for markers in everything that was written to the state.
// Planted files are left out: they are what the markers stand in.
func checkRecord(t *testing.T, state string, planted []string, canary *attack.Canary) {
	t.Helper()
	rows := 0
	err := filepath.WalkDir(filepath.Join(state, "record"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() || slices.Contains(planted, path) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rows += strings.Count(string(b), "\n")
		return canary.Check(b)
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows < 100 {
		t.Fatal("the record is all but empty")
	}
}

// text is all lines of all pages.
func text(out reeve.Outcome) string {
	var b strings.Builder
	if out.Result == nil {
		return ""
	}
	if pages, ok := out.Result.Answer.(*reeve.Pages); ok {
		for _, p := range pages.Pages {
			for _, l := range p.Lines {
				b.WriteString(l.Text.String() + "\n")
			}
		}
	}
	return b.String()
}

// swaps is how many exchanges a swapper run makes: enough in a test to meet
// every window many times over, more by the environment for a long run.
func swaps() int64 {
	if n, err := strconv.ParseInt(os.Getenv("REEVE_SWAPS"), 10, 64); err == nil {
		return n
	}
	if testing.Short() {
		return 20_000
	}
	return 1_000_000
}

// A folder inside the root and a link to one outside change places as fast as
// the system can, while every reading verb runs through that name. Nothing
// that is outside is read or listed, and of names outside only the link's own
// text is said.
func TestSwapper(t *testing.T) {
	canary := attack.NewCanary("swapper")
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, outside := filepath.Join(base, "root"), filepath.Join(base, "outside")
	write := func(path, content string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"f.txt", "sub/g.txt", "sub/deep/h.txt"} {
		write(filepath.Join(root, "a", name), "inside\n")
		write(filepath.Join(outside, name), canary.Marker("content")+"\n")
	}
	write(filepath.Join(outside, canary.Marker("name")), "x")
	write(filepath.Join(outside, "sub", canary.Marker("name")), "x")
	link := filepath.Join(root, "b")
	if err := os.Symlink(outside, link); err != nil {
		t.Skip("no links here: ", err)
	}
	n := open(t, node.Config{Folders: []node.Folder{{Path: root, Access: reeve.ReadWrite}}})
	var paths []string
	for _, p := range []string{"a", "a/", "a/f.txt", "a/sub", "a/sub/g.txt", "a/sub/deep/h.txt", "b/f.txt", "b/sub/deep", ".", "a/none", "a/../a/f.txt"} {
		paths = append(paths, p)
	}
	axes := attack.Axes{Patterns: []string{"**/*", "*.txt"}, Contains: []string{"", canary.Probe()}, Offsets: []int{0, -2}, Columns: []int{0},
		Limits: []int{0}, Depths: []int{0}, Cursors: []string{""}, Times: []string{""}, Sizes: []int64{-1}}
	s, err := attack.StartSwapper(filepath.Join(root, "a"), link)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	want := swaps()
	storm := attack.Storm{Check: canary.Check, Probe: canary.Probe(), Workers: 2, Until: func(int) bool { return s.Swaps() >= want }}
	done, err := storm.Run(context.Background(), attack.OnDoer(n, agent), attack.Calls(paths, axes))
	if err != nil {
		t.Fatalf("after %d swaps: %v", s.Swaps(), err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d swaps, %d calls", s.Swaps(), done)
}

// A program that waits for a reader of its pipe is not disturbed by any verb:
// opening the pipe would wake it, and kill it at the next write.
func TestPipeIsNotDisturbed(t *testing.T) {
	canary := attack.NewCanary("pipe")
	home, err := attack.BuildHome(t.TempDir(), canary, attack.HomeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if home.FIFO == "" {
		t.Skip("no named pipes here")
	}
	woken := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(home.FIFO, os.O_WRONLY, 0) // waits for a reader
		if err == nil {
			f.Close()
		}
		woken <- err
	}()
	n := open(t, node.Config{Folders: []node.Folder{{Path: home.Home, Access: reeve.ReadWrite}}})
	paths := []string{home.FIFO, filepath.Dir(home.FIFO), home.FIFO + "/", home.Project}
	if _, err := (attack.Storm{Check: canary.Check}).Run(context.Background(), attack.OnDoer(n, agent), attack.Calls(paths, attack.DefaultAxes("fox"))); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-woken:
		t.Fatalf("the waiting writer was woken: %v", err)
	default:
	}
	f, err := os.OpenFile(home.FIFO, os.O_RDONLY, 0) // let it go
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := <-woken; err != nil {
		t.Fatal(err)
	}
}

// A mount that does not answer: named from outside every root it is not even
// looked at; inside, the call ends at its deadline, other calls go on, and
// after two of them the mount is refused at once until it answers.
func TestDeadMount(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must run this as root on Linux")
		}
		t.Skip("needs root on Linux")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(base, "root")
	for _, d := range []string{"root/net", "root/work", "far"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "work", "f.txt"), []byte("here\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var mounts []*attack.DeadMount
	for _, d := range []string{filepath.Join(root, "net"), filepath.Join(base, "far")} {
		m, err := attack.MountDead(d, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Abort() })
		mounts = append(mounts, m)
	}
	config := filepath.Join(base, "own", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[limits]\ncall_seconds = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	n := open(t, node.Config{ConfigFile: config, Folders: []node.Folder{{Path: root, Access: reeve.ReadWrite}}})
	read := func(path string) error {
		_, err := n.Do(context.Background(), reeve.Request{Subject: agent, Call: &reeve.ReadFile{Paths: []string{path}}})
		return err
	}
	if err := read(filepath.Join(base, "far", "x")); !errors.Is(err, reeve.OutsideRoots) {
		t.Fatalf("outside: %v", err)
	}
	for i := range 2 {
		stuck := make(chan error, 1)
		go func() { stuck <- read(filepath.Join(root, "net", "x")) }()
		for range 20 {
			if err := read(filepath.Join(root, "work", "f.txt")); err != nil {
				t.Fatalf("a neighbour was held up: %v", err)
			}
		}
		if err := <-stuck; !errors.Is(err, reeve.Timeout) {
			t.Fatalf("call %d on the dead mount: %v", i+1, err)
		}
	}
	if err := read(filepath.Join(root, "net", "x")); !errors.Is(err, reeve.MountDead) {
		t.Fatalf("the third call: %v", err)
	}
	if err := read(filepath.Join(root, "work", "f.txt")); err != nil {
		t.Fatalf("the neighbour afterwards: %v", err)
	}
	mounts[0].Revive()
	back := false
	for range 200 {
		if err := read(filepath.Join(root, "net", "x")); !errors.Is(err, reeve.MountDead) && !errors.Is(err, reeve.Timeout) {
			back = true
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !back {
		t.Fatal("the mount answers again, and is still refused")
	}
}
