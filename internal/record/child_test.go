package record

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reeve"
)

// child is what this binary does when a test starts it again.
func child(what string) int {
	dir := os.Getenv("RECORD_TEST_DIR")
	switch what {
	case "write":
		return childWrite(dir)
	case "forever":
		return childForever(dir)
	case "open":
		_, err := Open(Options{Dir: dir})
		fmt.Print(err)
		return 0
	}
	return childSystem(what, dir)
}

func childWrite(dir string) int {
	s, err := Open(Options{Dir: dir, Process: Process{Name: "child"}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	base, _ := strconv.Atoi(os.Getenv("RECORD_TEST_BASE"))
	for i := range 600 {
		r := row(base + i)
		if i%20 == 0 {
			r = long(base + i)
		}
		if i%100 == 0 {
			_, err = s.AppendSync(context.Background(), r)
		} else {
			err = s.Append(context.Background(), r)
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}

// childForever tells each row that it was promised, until it is killed.
func childForever(dir string) int {
	s, err := Open(Options{Dir: dir})
	if err != nil {
		return 1
	}
	for i := 0; ; i++ {
		ref, err := s.AppendSync(context.Background(), row(i))
		if err != nil {
			return 1
		}
		fmt.Println(ref.N, ref.Sum)
		for range 20 {
			s.Append(context.Background(), row(-1))
		}
		s.Append(context.Background(), long(-1))
	}
}

func start(t *testing.T, what, dir string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), append(env, "RECORD_TEST_CHILD="+what, "RECORD_TEST_DIR="+dir)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

func TestProcessesWriteAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	var cmds []*exec.Cmd
	for i := range 3 {
		cmd, out := start(t, "write", dir, fmt.Sprintf("RECORD_TEST_BASE=%d", 10000*(i+1)))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(out)
			}
		})
		cmds = append(cmds, cmd)
	}
	for range 5 { // readers meanwhile see whole rows, or a last one that is not finished yet
		for e, err := range Rows(dir, Filter{}) {
			if err != nil || e.Damage != "" && !e.Torn {
				t.Fatal(err, e.Damage)
			}
		}
		if r := verify(t, dir); !r.OK() {
			t.Fatal(r.Problems)
		}
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for e, err := range Rows(dir, Filter{}) {
		if err != nil || e.Damage != "" || seen[e.Row.Call] {
			t.Fatal(err, e.Damage, e.Row.Call)
		}
		seen[e.Row.Call] = true
	}
	if r := verify(t, dir); len(seen) != 1800 || !r.OK() || r.Segments != 3 {
		t.Errorf("%d rows, %v", len(seen), r)
	}
}

func TestAKilledProcessKeepsWhatItPromised(t *testing.T) {
	for range 2 {
		dir := t.TempDir()
		cmd, out := start(t, "forever", dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for len(files(t, dir)) == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(30 * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		there := map[string]bool{}
		for e, err := range Rows(dir, Filter{}) {
			if err != nil || e.Damage != "" && !e.Torn {
				t.Fatal(err, e.Damage)
			}
			there[fmt.Sprint(e.N, " ", e.Sum)] = true
		}
		promised := strings.Split(out.String(), "\n")
		for _, p := range promised[:len(promised)-1] {
			if !there[p] {
				t.Fatalf("row %s was promised and is not there", p)
			}
		}
		if r := verify(t, dir); !r.OK() {
			t.Fatal(r.Problems)
		}
		s := open(t, Options{Dir: dir})
		add(t, s, 0, 1)
		if r := verify(t, dir); !r.OK() || r.Segments != 2 {
			t.Fatal(r.Problems)
		}
	}
}

// needsRoot skips on computers of people, and never in the automatic run.
func needsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("this test needs root")
		}
		t.Skip("needs root")
	}
}

func refused(i int) reeve.Row {
	r := row(i)
	r.Verdict, r.Code = reeve.Refuse, reeve.Protected
	return r
}

// The disk here is the hook: it gives no room after some point.
func TestAFullDiskStopsCallsAndKeepsRefusals(t *testing.T) {
	dir := t.TempDir()
	full := false
	var limit int64
	s := open(t, Options{Dir: dir, Reserve: 8 << 10, hooks: hooks{
		allocate: func(_ *os.File, from, size int64) error {
			if full {
				return errFull
			}
			limit = from + size
			return nil
		},
		write: func(f *os.File, b []byte, at int64) (int, error) {
			if full && at+int64(len(b)) > limit {
				return 0, errFull
			}
			return f.WriteAt(b, at)
		}}})
	ctx := context.Background()
	add(t, s, 0, 50)
	full = true
	allowed := 0
	for s.Append(ctx, row(1)) == nil {
		allowed++
	}
	refusals := 0
	for s.Append(ctx, refused(2)) == nil {
		refusals++
		if err := s.Append(ctx, row(3)); err == nil {
			t.Fatal("an ordinary row took from the reserve")
		} else if !strings.Contains(err.Error(), "full") {
			t.Fatal(err)
		}
	}
	if refusals < 15 {
		t.Errorf("%d refusals fitted into 8 KiB, after %d allowed calls", refusals, allowed)
	}
	full = false
	add(t, s, 50, 60)
	if r := verify(t, dir); !r.OK() || len(r.Notes) > 0 {
		t.Errorf("%v", r)
	}
	if got := calls(t, dir, Filter{Code: reeve.Protected}); len(got) != refusals {
		t.Errorf("%d of %d refusals are there", len(got), refusals)
	}
	if got := calls(t, dir, Filter{}); len(slices.DeleteFunc(got, func(s string) bool { return s != "1" })) < allowed {
		t.Errorf("%v", got)
	}
}

func TestWithoutAReserveRowsAreStillWritten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir, hooks: hooks{allocate: func(*os.File, int64, int64) error { return errNoSuchThing }}})
	add(t, s, 0, 20)
	if got := calls(t, dir, Filter{}); len(got) != 20 {
		t.Error(got)
	}
}
