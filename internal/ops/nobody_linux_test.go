package ops

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"reeve"
)

// asNobody runs the test again as an ordinary user where this one may read
// everything, and reports whether the caller is that user.
func asNobody(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	dir, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	tmp, exe := filepath.Join(dir, "tmp"), filepath.Join(dir, "test")
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Chmod(dir, 0o755), os.WriteFile(exe, b, 0o755), os.Mkdir(tmp, 0o777), os.Chown(tmp, 65534, 65534)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(exe, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = tmp, []string{"TMPDIR=" + tmp}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
	return false
}

func TestWhatMayNotBeReadIsCountedAndNamed(t *testing.T) {
	if !asNobody(t) {
		return
	}
	w := newWorld(t, "default", nil)
	w.write("ok.txt", "needle")
	w.write("shut.txt", "needle")
	w.write("locked/inner.txt", "needle")
	w.write("open/x.txt", "needle")
	for _, p := range []string{"shut.txt", "locked"} {
		if err := os.Chmod(w.path(p), 0); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(w.path("locked"), 0o755)

	l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true})
	same(t, "the tree", entryNames(l.Entries), []string{"locked/", "open/", "open/x.txt", "ok.txt", "shut.txt"})
	named := func(list []reeve.Skipped) (out []string) {
		for _, s := range list {
			if s.Reason == "unreadable" {
				for _, p := range s.Paths {
					out = append(out, p.String())
				}
			}
		}
		return out
	}
	same(t, "unreadable in the tree", named(l.Skipped), []string{"locked"})

	f, _ := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*.txt"})
	same(t, "found by name", entryNames(f.Entries), []string{"ok.txt", "open/x.txt", "shut.txt"})
	same(t, "incomplete", f.Incomplete, []string{"unreadable"})

	f, _ = do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*", Contains: "needle"})
	same(t, "found by text", entryNames(f.Entries), []string{"ok.txt", "open/x.txt"})
	same(t, "unreadable in the search", named(f.Skipped), []string{"locked", "shut.txt"})

	w.refusedWith(&reeve.ListDirectory{Path: "locked"}, reeve.Permission)
	w.refusedWith(&reeve.SearchFiles{Path: "locked", Pattern: "*"}, reeve.Permission)
	w.refusedWith(&reeve.ReadFile{Paths: []string{"shut.txt"}}, reeve.Permission)
	p, _ := do[*reeve.Pages](w, &reeve.ReadFile{Paths: []string{"shut.txt", "ok.txt"}})
	if e := p.Pages[0].Err; e == nil || e.Code != reeve.Permission || p.Pages[1].Err != nil {
		t.Errorf("%+v", p.Pages)
	}
	if s, _ := do[*reeve.Facts](w, &reeve.Stat{Path: "shut.txt"}); s.Permissions != "----------" {
		t.Errorf("%+v", s)
	}
}

func TestAPipeIsNeverOpened(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.write("a.txt", "needle")
	if err := syscall.Mkfifo(w.path("pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	// A program that asks without waiting gets through exactly when somebody
	// has the other end open.
	done, stop := make(chan bool), make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				done <- false
				return
			default:
			}
			if fd, err := syscall.Open(w.path("pipe"), syscall.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				syscall.Close(fd)
				done <- true
				return
			}
		}
	}()
	for range 50 {
		l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true})
		if !slices.Contains(entryNames(l.Entries), "pipe special") {
			t.Fatalf("%q", entryNames(l.Entries))
		}
		s, _ := do[*reeve.Facts](w, &reeve.Stat{Path: "pipe"})
		if s.Kind != reeve.Special || s.Permissions[0] != '?' || !s.Version.IsZero() {
			t.Fatalf("%+v", s)
		}
		f, _ := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*", Contains: "needle"})
		if len(f.Entries) != 1 || skips(f.Skipped)["special"] != 1 {
			t.Fatalf("%+v", f)
		}
		w.refusedWith(&reeve.ReadFile{Paths: []string{"pipe"}}, reeve.SpecialFile)
	}
	close(stop)
	if <-done {
		t.Error("the pipe was opened for reading")
	}
}
