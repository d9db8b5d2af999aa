package node_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/internal/attack"
	"reeve/node"
)

// changesThrough are calls of every writing verb through a folder, from it to
// another one and back.
func changesThrough(a, other string, i int) []reeve.Call {
	in := func(p ...string) string { return filepath.Join(append([]string{a}, p...)...) }
	out := func(p ...string) string { return filepath.Join(append([]string{other}, p...)...) }
	n := fmt.Sprint(i)
	return []reeve.Call{
		&reeve.WriteFile{Path: in("new" + n), Content: "new\n"},
		&reeve.WriteFile{Path: in("deep"+n, "er", "new"), Content: "new\n"},
		&reeve.WriteFile{Path: in("f.txt"), Content: "one line\n"},
		&reeve.EditFile{Path: in("f.txt"), Edits: []reeve.Edit{{Old: "one", New: "another"}}},
		&reeve.EditFile{Edits: []reeve.Edit{{Path: in("f.txt"), Old: "line", New: "row"}, {Path: in("sub", "g.txt"), Old: "g", New: "gg"}}},
		&reeve.WriteFile{Path: in("sub", "g.txt"), Content: "g\n"},
		&reeve.CreateDirectory{Path: in("dir" + n)},
		&reeve.CopyPath{From: in("f.txt"), To: in("copy" + n)},
		&reeve.CopyPath{From: in("sub"), To: in("copies" + n)},
		&reeve.CopyPath{From: in("f.txt"), To: out("copy" + n)},
		&reeve.CopyPath{From: out("h.txt"), To: in("back" + n)},
		&reeve.MovePath{From: in("new" + n), To: in("moved" + n)},
		&reeve.MovePath{From: in("moved" + n), To: out("moved" + n)},
		&reeve.MovePath{From: out("moved" + n), To: in("sub", "moved"+n)},
		&reeve.MovePath{From: in("deep" + n), To: out("deep" + n)},
		&reeve.DeletePath{Path: in("sub", "moved"+n)},
		&reeve.DeletePath{Path: in("copy" + n)},
		&reeve.DeletePath{Path: in("dir" + n)},
		&reeve.DeletePath{Path: in("copies" + n), Recursive: true},
		&reeve.DeletePath{Path: in("back" + n)},
		&reeve.DeletePath{Path: out("deep" + n), Recursive: true},
		&reeve.DeletePath{Path: out("copy" + n)},
	}
}

// A folder inside the root changes places with a link as fast as the system
// can: with one to a folder outside, and with one to a folder inside that is
// granted for reading alone. Every writing verb runs through that name; what
// the link leads to is as it was, times included.
func TestSwapperAgainstChanges(t *testing.T) {
	for _, to := range []string{"outside", "read only"} {
		t.Run(to, func(t *testing.T) {
			base, root := newBase(t)
			other, aim := filepath.Join(root, "other"), filepath.Join(base, "outside")
			folders := []node.Folder{{Path: root, Access: reeve.ReadWrite}}
			if to == "read only" {
				aim = filepath.Join(root, "fixed")
				folders = append(folders, node.Folder{Path: aim, Access: reeve.Read})
			}
			a := filepath.Join(root, "a")
			for p, text := range map[string]string{a + "/f.txt": "one line\n", a + "/sub/g.txt": "g\n", other + "/h.txt": "h\n",
				aim + "/f.txt": "one line, theirs\n", aim + "/sub/g.txt": "g, theirs\n", aim + "/new0": "theirs"} {
				if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			link := filepath.Join(root, "b")
			if err := os.Symlink(aim, link); err != nil {
				t.Skip("no links here: ", err)
			}
			before, times := look(t, aim)
			n := open(t, node.Config{Home: filepath.Join(base, "home"), Profile: "lam", Approve: "allow", Folders: folders})
			s, err := attack.StartSwapper(a, link)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Stop()
			rounds := 25
			if k := number("REEVE_SWAP_ROUNDS"); k > 0 {
				rounds = k
			}
			done, refused := map[string]int{}, 0
			for i := range rounds {
				for _, c := range changesThrough(a, other, i) {
					// A call that met the link may be made again, and a verb that
					// was never done is tried for longer: each gets its chance
					// on a busy computer too.
					tries := 12
					if done[kind(c)] == 0 {
						tries = 300
					}
					for range tries {
						out, err := n.Do(context.Background(), reeve.Request{Subject: agent, Call: c})
						if err == nil && out.Result != nil {
							done[kind(c)]++
							break
						}
						refused++
					}
				}
			}
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
			after, now := look(t, aim)
			if diff := before.Differs(after); len(diff) > 0 {
				t.Errorf("what the link leads to was changed:\n%s", strings.Join(diff, "\n"))
			}
			for p, when := range times {
				if !now[p].Equal(when) {
					t.Errorf("%q was changed at %v, and changed back", p, now[p])
				}
			}
			for _, c := range changesThrough("a", "other", 0) {
				if done[kind(c)] == 0 {
					t.Errorf("never done: %s", kind(c))
				}
			}
			for _, p := range leftovers(root) {
				t.Errorf("left over: %s", p)
			}
			t.Logf("%d swaps, %v done, %d refused", s.Swaps(), done, refused)
		})
	}
}

// kind tells the ways of changing something apart.
func kind(c reeve.Call) string {
	switch c := c.(type) {
	case *reeve.WriteFile:
		if filepath.Base(c.Path) == "new" {
			return "write in a new folder"
		}
		if filepath.Ext(c.Path) == ".txt" {
			return "replace"
		}
	case *reeve.DeletePath:
		if c.Recursive {
			return "delete a folder"
		}
	}
	return string(c.Verb())
}

// look is what a folder holds, and when each folder in it was changed.
func look(t *testing.T, dir string) (attack.Tree, map[string]time.Time) {
	t.Helper()
	tree, err := attack.ScanTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]time.Time{}
	for p, x := range tree {
		if x.Mode.IsDir() {
			times[p] = time.Time{}
		}
	}
	times["."] = time.Time{}
	for p := range times {
		st, err := os.Stat(filepath.Join(dir, p))
		if err != nil {
			t.Fatal(err)
		}
		times[p] = st.ModTime()
	}
	return tree, times
}
