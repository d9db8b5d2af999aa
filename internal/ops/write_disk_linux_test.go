package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"reeve"
	"reeve/internal/attack"
	"reeve/internal/capfs"
	"reeve/internal/guard"
)

// newDisk is a world whose files are really changed, by the real committer.
func newDisk(t *testing.T) *world {
	t.Helper()
	mask := syscall.Umask(0o022) // modes of new files are compared
	t.Cleanup(func() { syscall.Umask(mask) })
	w := newWorld(t, "elowen", func(s *reeve.Settings) { s.ReadState = "off" })
	w.gate = onDisk(t, w)
	return w
}

// onDisk is one more gate over the folder of a world, as another process has
// it.
func onDisk(t *testing.T, w *world) *guard.Gate { return onSlowDisk(t, w, nil) }

// onSlowDisk calls step before every step of a change.
func onSlowDisk(t *testing.T, w *world, step func(string) error) *guard.Gate {
	t.Helper()
	files := capfs.New(capfs.Options{})
	t.Cleanup(func() { files.Close() })
	files.SetGrants([]capfs.Grant{{ID: capfs.RootID(w.dir), Path: w.dir, Access: reeve.ReadWrite}}, nil)
	ladder := capfs.NewCommitter(files, capfs.CommitOptions{Journal: t.TempDir(), Machine: "test", Fault: step})
	t.Cleanup(func() { ladder.Close() })
	g, err := guard.New(guard.Options{Files: files, Policies: fixed{w.cur}, Record: rows{}, Verbs: Verbs(Options{}),
		Approvals: &cards{yes: true}, Changes: ladder})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// tree is everything below the granted folder: names, modes and contents.
func (w *world) tree() string {
	w.t.Helper()
	var out []string
	err := filepath.WalkDir(w.dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == w.dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		line := strings.TrimPrefix(p, w.dir+"/") + " " + info.Mode().String()
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			text, _ := os.Readlink(p)
			line = strings.TrimPrefix(p, w.dir+"/") + " -> " + text
		case e.Type().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += " " + string(b)
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

// All the verbs one after the other, on a disk: each leaves exactly what it
// says, with the modes that were there, and nothing beside it.
func TestTheVerbsOnADisk(t *testing.T) {
	w := newDisk(t)
	w.write("a.txt", "alpha\r\nbeta\r\n")
	w.write("b.txt", "gamma\n")
	for rel, mode := range map[string]fs.FileMode{"a.txt": 0o600, "b.txt": 0o755} {
		if err := os.Chmod(w.path(rel), mode); err != nil {
			t.Fatal(err)
		}
	}
	w.link("b.txt", "l")
	for _, step := range []struct {
		what string
		call reeve.Call
		want string
	}{
		{"an edit keeps mode and line ends", &reeve.EditFile{Path: w.path("a.txt"), Edits: []reeve.Edit{{Old: "beta", New: "two\nlines"}}},
			"a.txt -rw------- alpha\r\ntwo\r\nlines\r\n\nb.txt -rwxr-xr-x gamma\n\nl -> b.txt"},
		{"a write through a link changes the file", &reeve.WriteFile{Path: w.path("l"), Content: "delta\n"},
			"a.txt -rw------- alpha\r\ntwo\r\nlines\r\n\nb.txt -rwxr-xr-x delta\n\nl -> b.txt"},
		{"edits of two files", &reeve.EditFile{Edits: []reeve.Edit{{Path: w.path("a.txt"), Old: "\ntwo\nlines\n", New: ""}, {Path: w.path("l"), Old: "delta", New: "d"}}},
			"a.txt -rw------- alpha\nb.txt -rwxr-xr-x d\n\nl -> b.txt"},
		{"a new file in new folders", &reeve.WriteFile{Path: w.path("n/m/c"), Content: "c"},
			"a.txt -rw------- alpha\nb.txt -rwxr-xr-x d\n\nl -> b.txt\nn drwxr-xr-x\nn/m drwxr-xr-x\nn/m/c -rw-r--r-- c"},
		{"a link moves as a link", &reeve.MovePath{From: w.path("l"), To: w.path("n/l")},
			"a.txt -rw------- alpha\nb.txt -rwxr-xr-x d\n\nn drwxr-xr-x\nn/l -> b.txt\nn/m drwxr-xr-x\nn/m/c -rw-r--r-- c"},
		{"a file is copied with its mode", &reeve.CopyPath{From: w.path("b.txt"), To: w.path("n/b")},
			"a.txt -rw------- alpha\nb.txt -rwxr-xr-x d\n\nn drwxr-xr-x\nn/b -rwxr-xr-x d\n\nn/l -> b.txt\nn/m drwxr-xr-x\nn/m/c -rw-r--r-- c"},
		{"a folder is copied with what is in it", &reeve.CopyPath{From: w.path("n"), To: w.path("z")},
			"a.txt -rw------- alpha\nb.txt -rwxr-xr-x d\n\nn drwxr-xr-x\nn/b -rwxr-xr-x d\n\nn/l -> b.txt\nn/m drwxr-xr-x\nn/m/c -rw-r--r-- c\nz drwxr-xr-x\nz/b -rwxr-xr-x d\n\nz/l -> b.txt\nz/m drwxr-xr-x\nz/m/c -rw-r--r-- c"},
		{"a folder is deleted", &reeve.DeletePath{Path: w.path("n"), Recursive: true},
			"a.txt -rw------- alpha\nb.txt -rwxr-xr-x d\n\nz drwxr-xr-x\nz/b -rwxr-xr-x d\n\nz/l -> b.txt\nz/m drwxr-xr-x\nz/m/c -rw-r--r-- c"},
		{"a folder moves", &reeve.MovePath{From: w.path("z/m"), To: w.path("m")},
			"a.txt -rw------- alpha\nb.txt -rwxr-xr-x d\n\nm drwxr-xr-x\nm/c -rw-r--r-- c\nz drwxr-xr-x\nz/b -rwxr-xr-x d\n\nz/l -> b.txt"},
		{"a link is deleted, not what it leads to", &reeve.DeletePath{Path: w.path("z/l")},
			"a.txt -rw------- alpha\nb.txt -rwxr-xr-x d\n\nm drwxr-xr-x\nm/c -rw-r--r-- c\nz drwxr-xr-x\nz/b -rwxr-xr-x d\n"},
		{"a file is deleted", &reeve.DeletePath{Path: w.path("a.txt")},
			"b.txt -rwxr-xr-x d\n\nm drwxr-xr-x\nm/c -rw-r--r-- c\nz drwxr-xr-x\nz/b -rwxr-xr-x d\n"},
		{"folders are made", &reeve.CreateDirectory{Path: w.path("p/q")},
			"b.txt -rwxr-xr-x d\n\nm drwxr-xr-x\nm/c -rw-r--r-- c\np drwxr-xr-x\np/q drwxr-xr-x\nz drwxr-xr-x\nz/b -rwxr-xr-x d\n"},
	} {
		if _, err := w.try(context.Background(), step.call); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		if got := w.tree(); got != step.want {
			t.Fatalf("%s:\n%s\nwant\n%s", step.what, got, step.want)
		}
	}
}

// Refusals on a disk leave nothing behind either.
func TestRefusedOnADisk(t *testing.T) {
	w := newDisk(t)
	w.write("a.txt", "alpha\n")
	w.write("full/x", "x")
	before := w.tree()
	for what, c := range map[string]struct {
		call reeve.Call
		code reeve.Code
	}{
		"a move onto a file":       {&reeve.MovePath{From: w.path("full/x"), To: w.path("a.txt")}, reeve.Exists},
		"a full folder":            {&reeve.DeletePath{Path: w.path("full")}, reeve.NotEmpty},
		"one edit of two fails":    {&reeve.EditFile{Path: w.path("a.txt"), Edits: []reeve.Edit{{Old: "alpha", New: "x"}, {Path: w.path("full/x"), Old: "nothing", New: "y"}}}, reeve.NoMatch},
		"a copy onto a file":       {&reeve.CopyPath{From: w.path("full/x"), To: w.path("a.txt")}, reeve.Exists},
		"a folder where a file is": {&reeve.CreateDirectory{Path: w.path("a.txt")}, reeve.Exists},
	} {
		w.refusedWith(c.call, c.code)
		if after := w.tree(); after != before {
			t.Fatalf("%s left\n%s", what, after)
		}
	}
}

// Several sessions in two processes edit one file at once: no edit that was
// reported as done is lost, and who lost the race is told.
func TestEditsOfOneFileAtOnce(t *testing.T) {
	w := newDisk(t)
	gates := []*guard.Gate{w.gate, onDisk(t, w)}
	const writers, rounds = 4, 12
	var lines strings.Builder
	for i := range writers {
		fmt.Fprintf(&lines, "writer %d wrote 0\n", i)
	}
	w.write("shared", lines.String())
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := 0; n < rounds; {
				c := &reeve.EditFile{Path: w.path("shared"), Edits: []reeve.Edit{{
					Old: fmt.Sprintf("writer %d wrote %d\n", i, n), New: fmt.Sprintf("writer %d wrote %d\n", i, n+1)}}}
				switch _, err := gates[i%2].Do(context.Background(), reeve.Request{Call: c}); {
				case err == nil:
					n++
				case !errors.Is(err, reeve.Changed):
					t.Errorf("writer %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got, want := w.tree(), "shared -rw-r--r-- "+strings.ReplaceAll(lines.String(), "wrote 0", fmt.Sprint("wrote ", rounds)); got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
}

// While a folder becomes a link out of the granted folder and back, nothing
// outside is made, changed, removed or shown.
func TestNothingLandsBehindASwappedFolder(t *testing.T) {
	w := newDisk(t)
	outside := t.TempDir()
	for _, f := range []string{"x", "y"} {
		if err := os.WriteFile(filepath.Join(outside, f), []byte("CANARY\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(outside, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("d/x", "inside\n")
	w.write("d/y", "inside\n")
	w.write("d/sub/z", "inside\n")
	w.write("far", "far\n")
	w.link(outside, "link")
	s, err := attack.StartSwapper(w.path("d"), w.path("link"))
	if err != nil {
		t.Skip("cannot swap here: ", err)
	}
	defer s.Stop()
	done := 0
	for i := range 60 {
		name := fmt.Sprintf("d/new%d", i)
		for _, c := range []reeve.Call{
			&reeve.WriteFile{Path: w.path("d/x"), Content: fmt.Sprintf("written %d\n", i)},
			&reeve.WriteFile{Path: w.path(name), Content: "new\n"},
			&reeve.WriteFile{Path: w.path(name + "/deep/er"), Content: "new\n"},
			&reeve.EditFile{Path: w.path("d/y"), Edits: []reeve.Edit{{Old: "inside", New: "changed"}}},
			&reeve.EditFile{Path: w.path("d/y"), Edits: []reeve.Edit{{Old: "CANARY", New: "changed"}}},
			&reeve.CreateDirectory{Path: w.path(name + "dir/e")},
			&reeve.CopyPath{From: w.path("d/x"), To: w.path(fmt.Sprintf("copy%d", i))},
			&reeve.CopyPath{From: w.path("far"), To: w.path(name + "copy")},
			&reeve.CopyPath{From: w.path("d"), To: w.path(fmt.Sprintf("folder%d", i))},
			&reeve.MovePath{From: w.path("d/sub"), To: w.path("d/bus")},
			&reeve.MovePath{From: w.path("d/bus"), To: w.path("d/sub")},
			&reeve.DeletePath{Path: w.path(name)},
			&reeve.DeletePath{Path: w.path(name + "dir"), Recursive: true},
		} {
			res, err := w.try(context.Background(), c)
			if err == nil {
				done++
			}
			b, _ := json.Marshal(res)
			if strings.Contains(string(b), "CANARY") || err != nil && strings.Contains(err.Error(), "CANARY\n") {
				t.Fatalf("%+v shows what is outside: %s %v", c, b, err)
			}
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if done == 0 || s.Swaps() == 0 {
		t.Errorf("%d calls came through, %d swaps", done, s.Swaps())
	}
	left := &world{t: t, dir: outside}
	if got := left.tree(); got != "sub drwxr-xr-x\nx -rw-r--r-- CANARY\n\ny -rw-r--r-- CANARY\n" {
		t.Errorf("outside there is now\n%s", got)
	}
	if tree := w.tree(); strings.Contains(tree, "CANARY") {
		t.Errorf("what is outside was brought in:\n%s", tree)
	}
}
