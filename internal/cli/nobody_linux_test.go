package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asNobody runs the program as a user without any rights, where the tests run
// as root; elsewhere as whoever runs them, who has none on a folder that is
// closed to its owner.
func asNobody(t *testing.T, env []string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Env, cmd.Dir = env, "/"
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	code := 0
	if err != nil {
		code = exitCode(err)
	}
	return string(out), code
}

// Where the record cannot be written nothing is read, and the message names
// the place and the variable.
func TestStateThatCannotBeWritten(t *testing.T) {
	home, env := place(t)
	open(t, home)
	state := filepath.Join(home, "state")
	if err := os.Mkdir(state, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"call", "read_file", "path=" + filepath.Join(home, "notes", "plan.txt"), "--read", filepath.Join(home, "notes")},
		{"mcp", "--read", filepath.Join(home, "notes")},
		{"doctor", "--read", filepath.Join(home, "notes")},
	} {
		out, code := asNobody(t, env, args...)
		if code != 1 || !strings.Contains(out, state) || !strings.Contains(out, "REEVE_STATE") {
			t.Errorf("%s exited with %d and said %s", args[0], code, out)
		}
		if strings.Contains(out, "first line") {
			t.Errorf("%s showed the file without a record: %s", args[0], out)
		}
		if args[0] != "doctor" && strings.Count(strings.TrimSpace(out), "\n") != 0 {
			t.Errorf("%s said more than a line: %s", args[0], out)
		}
	}
}

// A configuration that cannot be read grants nothing.
func TestConfigurationThatCannotBeRead(t *testing.T) {
	home, env := place(t)
	open(t, home)
	write(t, filepath.Join(home, "cfg", "config.toml"), "enabled = true\n[[root]]\npath = \""+filepath.Join(home, "notes")+"\"\naccess = \"read\"\n")
	if err := os.Chmod(filepath.Join(home, "cfg", "config.toml"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "state"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(home, "state"), 0o777); err != nil {
		t.Fatal(err)
	}
	out, code := asNobody(t, env, "call", "read_file", "path="+filepath.Join(home, "notes", "plan.txt"))
	if code != 1 || strings.Contains(out, "first line") || !strings.Contains(out, "config.toml") {
		t.Errorf("reading exited with %d and said %s", code, out)
	}
	// With a folder on the command line too: rules that cannot be read might
	// have protected something in it.
	out, code = asNobody(t, env, "call", "read_file", "path="+filepath.Join(home, "notes", "plan.txt"), "--read", filepath.Join(home, "notes"))
	if code != 1 || strings.Contains(out, "first line") {
		t.Errorf("reading a folder of the command line exited with %d and said %s", code, out)
	}
}

// A file that permissions close says so, in the system's own word.
func TestFileThatCannotBeRead(t *testing.T) {
	home, env := place(t)
	write(t, filepath.Join(home, "notes", "closed.txt"), "closed\n")
	open(t, home)
	for path, mode := range map[string]os.FileMode{"notes/closed.txt": 0, "state": 0o777} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(path, 0o777); err != nil && mode != 0 {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	out, code := asNobody(t, env, "call", "read_file", "path="+filepath.Join(home, "notes", "closed.txt"), "--read", filepath.Join(home, "notes"))
	if code != 1 || !strings.Contains(out, "io: permission") {
		t.Errorf("a closed file exited with %d and said %s", code, out)
	}
}

// open lets everybody through to what place made, the program included.
func open(t *testing.T, home string) {
	t.Helper()
	for _, top := range []string{home, filepath.Dir(program(t))} {
		for dir := top; len(dir) > 1; dir = filepath.Dir(dir) {
			if st, err := os.Stat(dir); err == nil && st.Mode().Perm()&0o055 != 0o055 && strings.HasPrefix(dir, os.TempDir()+"/") {
				if err := os.Chmod(dir, st.Mode().Perm()|0o055); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, 0o755)
	}); err != nil {
		t.Fatal(err)
	}
}
