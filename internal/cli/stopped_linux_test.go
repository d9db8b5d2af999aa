package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A person who presses Ctrl-C is told in words what was not done.
func TestControlC(t *testing.T) {
	home, env := place(t)
	notes := filepath.Join(home, "notes")
	stop := func(t *testing.T, until string, args ...string) string {
		t.Helper()
		var errs strings.Builder
		s := onScreenWith(t, env, "", func(c *exec.Cmd) { c.Stderr = &errs }, args...)
		s.until(until)
		s.typed("\x03")
		if code := exitCode(s.cmd.Wait()); code != 130 {
			t.Errorf("exit code %d, %s %s", code, errs.String(), s.text())
		}
		if strings.Contains(errs.String(), "context") {
			t.Errorf("says %q", errs.String())
		}
		return errs.String()
	}
	t.Run("while a call is asked for", func(t *testing.T) {
		got := stop(t, "Allow it?", "call", "write_file", "path="+filepath.Join(notes, "new.txt"), "content=x", "--root", notes)
		if !strings.Contains(got, "reeve: Stopped. Nothing was changed. The question waits on: answer it with `reeve approve "+waitingOne(t, env)+"`") {
			t.Errorf("says %q", got)
		}
		if _, err := os.Stat(filepath.Join(notes, "new.txt")); err == nil {
			t.Error("it was written")
		}
	})
	t.Run("while approve asks", func(t *testing.T) {
		id := waitingOne(t, env)
		if got := stop(t, "Allow it?", "approve", id); got != "reeve: Stopped. Nothing was answered.\n" {
			t.Errorf("says %q", got)
		}
		answerFrom(t, env, id, "--yes")
	})
	t.Run("while undo asks", func(t *testing.T) {
		c := exec.Command(program(t), "call", "write_file", "path="+filepath.Join(notes, "new.txt"), "content=x", "--root", notes)
		c.Env = env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		if got := stop(t, "Take it back?", "undo"); got != "reeve: Stopped. Nothing was taken back.\n" {
			t.Errorf("says %q", got)
		}
	})
}
