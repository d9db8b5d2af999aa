package capfs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"reeve"
)

func TestJournalOfADeadProcess(t *testing.T) {
	open, committed := parseJournal([]byte(`{"id":"1","t":"begin","steps":[{"kind":"put","name":"a"}]}
not a note
{"id":"2","t":"begin","multi":true,"steps":[{"kind":"put"},{"kind":"move"}]}
{"id":"1","t":"end"}
{"id":"2","t":"commit"}
{"id":"9","t":"end"}
{"id":"3","t":"begin","steps":[{"kind":"remove"}]}
{"id":"3","t":"end"`))
	if len(open) != 2 || open[0].ID != "2" || len(open[0].Steps) != 2 || open[1].ID != "3" || !committed["2"] || committed["3"] {
		t.Errorf("%+v %v", open, committed)
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"id":"1","t":"begin","steps":[{"kind":"put","folder":"/","name":"a","temp":".reeve-aaaaaaaaaaaaaaaa"}]}` + "\n"))
	f.Add([]byte("{\"id\":\"1\",\"t\":\"end\"}\n"))
	f.Add([]byte("{\n\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		open, _ := parseJournal(b)
		for _, n := range open {
			if n.T != "begin" || n.ID == "" {
				t.Errorf("%+v", n)
			}
		}
	})
}

// A forged or damaged journal removes nothing that is not, by its identity and
// its name, what a change left.
func TestForgedJournal(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "journal")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(base, "precious")
	if err := os.WriteFile(precious, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	fs := New(Options{})
	defer fs.Close()
	l := NewCommitter(fs, CommitOptions{Journal: dir})
	defer l.Close()
	node, info, err := fs.walkPlain(base)
	if err != nil {
		t.Fatal(err)
	}
	node.Close()
	for _, kind := range []stepKind{stepScratch, stepLate, stepInPlace, "put", "remove", "move", "mkdir", "nonsense"} {
		for _, folder := range []reeve.Identity{info.Identity, {}, {Device: 1, Inode: 2}} {
			for _, temp := range []reeve.Name{"precious", ".reeve-aaaaaaaaaaaaaaaa", "../precious", ""} {
				n := note{ID: "1", T: "begin", Multi: true, Steps: []noteStep{{Kind: kind, Folder: reeve.Name(base), FolderID: folder,
					Name: "precious", Temp: temp, OldBlob: "x", NewBlob: "y", To: &noteEnd{Folder: reeve.Name(base), FolderID: folder, Name: "precious"}}}}
				if err := l.journal.start(); err != nil {
					t.Fatal(err)
				}
				if err := l.journal.append(n); err != nil {
					t.Fatal(err)
				}
				name := filepath.Join(dir, "local-forged"+journalEnd)
				b, err := os.ReadFile(l.journal.f.Name())
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, b, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := l.Recover(t.Context(), RecoverOptions{}); err != nil {
					t.Logf("%s: %v", kind, err)
				}
				if b, err := os.ReadFile(precious); err != nil || !bytes.Equal(b, []byte("keep")) {
					t.Fatalf("%s with %q: %q, %v", kind, temp, b, err)
				}
				l.journal.f.Truncate(0)
			}
		}
	}
}
