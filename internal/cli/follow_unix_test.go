//go:build unix

package cli

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// `log --follow` shows what comes while it runs, once each, and ends in order.
func TestFollow(t *testing.T) {
	home, env := place(t)
	read := func(name string) {
		t.Helper()
		write(t, filepath.Join(home, "notes", name), name+"\n")
		command(t, env, 0, "call", "read_file", "path="+filepath.Join(home, "notes", name), "--read", filepath.Join(home, "notes"))
	}
	read("before.txt")
	cmd := exec.Command(program(t), "log", "--follow", "--json")
	cmd.Env = env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill() }()
	sc := bufio.NewScanner(out)
	var got []string
	until := func(name string) {
		t.Helper()
		for sc.Scan() {
			got = append(got, sc.Text())
			if strings.Contains(sc.Text(), name) {
				return
			}
		}
		t.Fatalf("%s never came; got:\n%s", name, strings.Join(got, "\n"))
	}
	until("before.txt")
	read("during.txt")
	until("during.txt")
	read("later.txt")
	until("later.txt")
	for _, name := range []string{"before.txt", "during.txt", "later.txt"} {
		if n := strings.Count(strings.Join(got, "\n"), name); n != 1 {
			t.Errorf("%s was shown %d times:\n%s", name, n, strings.Join(got, "\n"))
		}
	}
	cmd.Process.Signal(syscall.SIGTERM)
	for sc.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// Bytes that are no text come from a shell as they are.
func TestNamesThatAreNoText(t *testing.T) {
	home, env := place(t)
	name := "caf\xe9.txt"
	write(t, filepath.Join(home, "notes", name), "latin name\n")
	write(t, filepath.Join(home, "dir\xff", "in.txt"), "in a latin folder\n")
	out := command(t, env, 0, "call", "read_file", "path="+filepath.Join(home, "notes", name), "--read", filepath.Join(home, "notes"))
	if !strings.Contains(out, "latin name") || !strings.Contains(out, `$'caf\xE9.txt'`) {
		t.Errorf("reading it gave %s", out)
	}
	out = command(t, env, 0, "call", "list_directory", "path="+filepath.Join(home, "dir\xff"), "--read", filepath.Join(home, "dir\xff"))
	if !strings.Contains(out, "in.txt") {
		t.Errorf("listing it gave %s", out)
	}
	command(t, env, 1, "roots", "add", filepath.Join(home, "dir\xff"))
	command(t, env, 2, "call", "search_files", "pattern="+name, "--read", filepath.Join(home, "notes"))
	out = command(t, env, 0, "log", "--path", filepath.Join(home, "notes", name))
	if strings.Count(out, "read_file") != 1 {
		t.Errorf("the record shows %s", out)
	}
}
