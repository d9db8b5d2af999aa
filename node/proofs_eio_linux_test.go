package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reeve/internal/attack"
)

// failing are the system calls that are made to fail.
func failing() []string {
	return []string{"renameat2", "renameat", "linkat", "unlinkat", "mkdirat", "fsync", "fdatasync", "openat", "openat2", "write", "pwrite64",
		"ftruncate", "fchmod", "fchmodat", "fchown", "fsetxattr", "flistxattr", "flock", "fstat", "newfstatat", "statx",
		"getdents64", "readlinkat", "read", "pread64", "fallocate", "copy_file_range", "utimensat"}
}

// Each system call of a change fails in turn with an I/O error, as on a disk
// that is going bad. The change is refused in words and nothing was changed,
// or it is whole; and the next start leaves nothing lying about.
func TestEachSystemCallFails(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must have strace")
		}
		t.Skip("no strace here")
	}
	if testing.Short() {
		t.Skip("it builds the program, and starts it often")
	}
	exe := filepath.Join(t.TempDir(), "reeve")
	if out, err := exec.Command("go", "build", "-o", exe, "reeve/cmd/reeve").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	most := 6 // of each call, spread over all there are
	if n := number("REEVE_FAULTS"); n > 0 {
		most = n
	}
	for name, args := range map[string][]string{
		"replace": {"write_file", "path=a/p1.txt", "content=new\n"},
		"edits of two files": {"edit_file", `edits:=[{"path":"DIR/a/p1.txt","old_string":"planted 1 line 0","new_string":"x"},` +
			`{"path":"DIR/c/p3.txt","old_string":"planted 3 line 0","new_string":"y"}]`},
		"delete a folder": {"delete_path", "path=a", "recursive=true"},
		"move":            {"move_path", "from=a", "to=new/moved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stumbler{t: t, exe: exe, args: args}
			calls := s.straight()
			for _, call := range failing() {
				there := calls[call]
				for k := range min(most, there) {
					s.once(call, 1+k*there/min(most, there))
				}
			}
			t.Logf("%d faults: %d changes refused, %d made all the same", s.refused+s.made, s.refused, s.made)
			if s.refused == 0 {
				t.Error("nothing was ever refused")
			}
		})
	}
}

type stumbler struct {
	t             *testing.T
	exe           string
	args          []string
	old, new      attack.Tree
	refused, made int
}

func (s *stumbler) plant() (base, dir string) {
	base, err := filepath.EvalSymlinks(s.t.TempDir())
	if err != nil {
		s.t.Fatal(err)
	}
	dir = filepath.Join(base, "yard")
	if err := os.Mkdir(dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := attack.PlantMischief(dir); err != nil {
		s.t.Fatal(err)
	}
	return base, dir
}

func (s *stumbler) cmd(base, dir string, before []string, args ...string) *exec.Cmd {
	line := append(before, s.exe, "call")
	for _, a := range args {
		line = append(line, strings.ReplaceAll(a, "DIR", dir))
	}
	line = append(line, "--root", dir, "--approve", "allow", "--profile", "lam")
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+base, "REEVE_CONFIG="+filepath.Join(base, "config", "config.toml"), "REEVE_STATE="+filepath.Join(base, "state"))
	return cmd
}

// straight makes the change without a fault, and counts the system calls.
func (s *stumbler) straight() map[string]int {
	base, dir := s.plant()
	s.old = s.scan(dir)
	trace := filepath.Join(base, "trace")
	if out, err := s.cmd(base, dir, []string{"strace", "-f", "-o", trace}, s.args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	s.new = s.scan(dir)
	log, err := os.ReadFile(trace)
	if err != nil {
		s.t.Fatal(err)
	}
	calls := map[string]int{}
	for line := range strings.Lines(string(log)) {
		_, rest, _ := strings.Cut(line, " ")
		name, _, ok := strings.Cut(strings.TrimSpace(rest), "(")
		if ok {
			calls[name]++
		}
	}
	return calls
}

func (s *stumbler) scan(dir string) attack.Tree {
	tree, err := attack.ScanTree(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return tree
}

// once makes one system call fail.
func (s *stumbler) once(call string, n int) {
	base, dir := s.plant()
	defer os.RemoveAll(base)
	trace := filepath.Join(base, "trace")
	cmd := s.cmd(base, dir, []string{"strace", "-f", "-o", trace, "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:error=EIO:when=%d", call, n)}, s.args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	what := fmt.Sprintf("%s number %d fails", call, n)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	log, _ := os.ReadFile(trace)
	if !bytes.Contains(log, []byte("(INJECTED)")) {
		return // this time there were fewer
	}
	text := said.String()
	// Go's own run time ends the process when it cannot wake itself; then what
	// holds is what holds after a kill.
	runtime := strings.Contains(text, "netpollBreak") || strings.Contains(text, "fatal error: runtime:")
	if !runtime && (strings.Contains(text, "panic") || strings.Contains(text, "goroutine ")) {
		s.t.Errorf("%s: %s", what, text)
	}
	now := s.scan(dir)
	isOld, isNew := len(s.old.Differs(now)) == 0, len(s.new.Differs(now)) == 0
	switch {
	case err == nil:
		s.made++
		// What history could not take is still there, under the name that was
		// told, until the next start.
		if more := slices.DeleteFunc(s.new.Differs(now), func(d string) bool { return toldHidden(text, d) }); len(more) > 0 {
			s.t.Errorf("%s: it says that it is done, and\n%s", what, strings.Join(more, "\n"))
		}
	default:
		s.refused++
		if strings.TrimSpace(text) == "" && call != "write" { // it may be that write that failed
			s.t.Errorf("%s: it ends with %v and says nothing", what, err)
		}
		if isNew && !strings.Contains(text, "stands") && call != "write" && !runtime {
			s.t.Errorf("%s: the change is made, and what is said is %q", what, text)
		}
	}
	// The next start.
	if out, err := s.cmd(base, dir, nil, "list_roots").CombinedOutput(); err != nil {
		s.t.Errorf("%s: the next start: %v\n%s", what, err, out)
	}
	now = s.scan(dir)
	if old, new := s.old.Differs(now), s.new.Differs(now); len(old) > 0 && len(new) > 0 || isOld && len(old) > 0 || (isNew || err == nil) && len(new) > 0 {
		s.t.Errorf("%s: it said %q; after the next start, against old:\n%s\nagainst new:\n%s", what, text, strings.Join(old, "\n"), strings.Join(new, "\n"))
	}
	for _, p := range leftovers(base) {
		if filepath.Base(filepath.Dir(p)) == "tmp" && strings.Contains(filepath.Dir(p), "history") {
			continue // the only bytes of what could not be entered: history lets them go after a day
		}
		s.t.Errorf("%s: it said %q; left over: %s", what, text, strings.TrimPrefix(p, base))
	}
}

// toldHidden reports that a difference is a hidden name that was told.
func toldHidden(text, difference string) bool {
	i := strings.Index(difference, ".reeve-")
	if i < 0 {
		return false
	}
	name, _, _ := strings.Cut(difference[i:], ":")
	name, _, _ = strings.Cut(name, "/") // what is in a folder
	return strings.Contains(text, "It lies beside it as "+name)
}
