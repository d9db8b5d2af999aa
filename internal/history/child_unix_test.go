//go:build unix

package history

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets a test start this binary again as another process.
func TestMain(m *testing.M) {
	if what := os.Getenv("HISTORY_TEST_CHILD"); what != "" {
		os.Exit(child(what))
	}
	os.Exit(m.Run())
}

const childKeeps = 60

// child keeps and prunes, or keeps until it is killed and tells what it was
// promised.
func child(what string) int {
	o := Options{Dir: os.Getenv("HISTORY_TEST_DIR")}
	base, _ := strconv.Atoi(os.Getenv("HISTORY_TEST_BASE"))
	if what == "full" {
		return childFull(o.Dir)
	}
	if what == "doomed" {
		return childDoomed(o.Dir, base)
	}
	if what == "storm" {
		o.TotalBytes = 4000 // both prune all the time
	}
	s := New(o)
	for i := 0; what == "forever" || i < childKeeps; i++ {
		// Equal content in all processes, so that they meet at the same blobs.
		body := fmt.Sprintf("%0100d", i%7)
		es, ds, err := s.Keep(ctx, agent("c"), replaced(fmt.Sprintf("/r/%d", base+i), file(body)))
		if err != nil || !ds[0].Kept {
			fmt.Println(err, ds)
			return 1
		}
		if got, err := fetch(s, es[0].Blob); err != nil || got != body {
			fmt.Printf("the copy just kept: %.10q %v\n", got, err)
			return 1
		}
		if what == "forever" {
			fmt.Println(es[0].ID(), es[0].Blob)
		} else if i%10 == 9 {
			if _, err := s.Prune(ctx); err != nil {
				fmt.Println(err)
				return 1
			}
		}
	}
	return 0
}

func start(t *testing.T, what, dir string, base int) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "HISTORY_TEST_CHILD="+what, "HISTORY_TEST_DIR="+dir, fmt.Sprint("HISTORY_TEST_BASE=", base))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// Processes that keep the same content and prune against each other lose
// nothing that is young: each finds what it has just kept.
func TestTwoProcessesKeepAndPrune(t *testing.T) {
	for _, what := range []string{"share", "storm"} {
		dir := filepath.Join(t.TempDir(), "state")
		var cmds []*exec.Cmd
		var outs []*strings.Builder
		for k := range 3 {
			cmd, out := start(t, what, dir, k*1000)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			cmds, outs = append(cmds, cmd), append(outs, out)
		}
		for k, cmd := range cmds {
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%s %d: %v\n%s", what, k, err, outs[k])
			}
		}
		s := open(t, Options{Dir: dir, Report: func(file, what string) { t.Error(file, what) }})
		got := list(t, s, Filter{})
		if len(got) != 3*childKeeps {
			t.Errorf("%s: %d entries", what, len(got))
		}
		for _, e := range got {
			if _, err := fetch(s, e.Blob); err != nil {
				t.Errorf("%s: %s: %v", what, e.Path, err)
			}
		}
		if left := files(t, s, "tmp"); len(left) > 0 {
			t.Errorf("%s: left over: %v", what, left)
		}
	}
}

// What Keep promised is there after a kill.
func TestAKilledProcessKeepsItsPromises(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	promised := map[string]string{}
	for k := range 5 {
		cmd, _ := start(t, "forever", dir, k*100_000)
		cmd.Stdout = nil
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1<<16)
		n := 0
		for strings.Count(string(b[:n]), "\n") < 3+2*k {
			m, err := out.Read(b[n:])
			if err != nil {
				t.Fatal(err, string(b[:n]))
			}
			n += m
		}
		time.Sleep(time.Duration(k) * time.Millisecond) // another moment each time
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		for _, l := range strings.SplitAfter(string(b[:n]), "\n") {
			if id, hash, ok := strings.Cut(strings.TrimSuffix(l, "\n"), " "); ok && strings.HasSuffix(l, "\n") {
				promised[id] = hash
			}
		}
	}
	s := open(t, Options{Dir: dir})
	for _, e := range list(t, s, Filter{}) {
		if hash, ok := promised[e.ID()]; ok && hash == e.Blob && there(s, e) {
			delete(promised, e.ID())
		}
	}
	if len(promised) > 0 {
		t.Errorf("%d promises are not kept", len(promised))
	}
	keep(t, s, replaced("/r/after", file("after")))
}

// A real full disk: a small tmpfs in a mount namespace of the child's own.
func TestARealFullDisk(t *testing.T) {
	full(t)
}

func runIn(cmd *exec.Cmd, out *strings.Builder, t *testing.T) {
	if err := cmd.Run(); err != nil {
		if errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true" {
			t.Skip("mount namespaces are not allowed here")
		}
		t.Fatalf("%v\n%s", err, out)
	}
}
