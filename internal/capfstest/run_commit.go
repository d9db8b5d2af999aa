package capfstest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/capfs"
)

// CommitWorld is what RunCommitter asks of a committer's test.
type CommitWorld struct {
	World
	Committer func(*capfs.FS) capfs.Committer
}

// RunCommitter holds a committer to what the gate builds on: changes of every
// kind, compare-and-swap, all of them or none, nothing left behind.
func RunCommitter(t *testing.T, newWorld func(t *testing.T) CommitWorld) {
	for name, test := range map[string]func(*testing.T, *Commits){
		"every kind of change":                         commitKinds,
		"what was replaced is handed over":             commitDisplaced,
		"nothing where a file was expected":            commitGone,
		"another content than was seen":                commitChanged,
		"a file came where none was":                   commitExists,
		"a folder came where one was to be made":       commitFolderCame,
		"all or none":                                  commitAllOrNone,
		"a change is made once":                        commitOnce,
		"a change that was dropped leaves nothing":     commitDropped,
		"a folder that is not empty stays":             commitNotEmpty,
		"a folder goes with all that is in it":         commitTree,
		"a move onto something":                        commitMoveOnto,
		"a copy of what was judged":                    commitCopy,
		"a stream of another length than was said":     commitStream,
		"links are moved and removed, not followed":    commitLinks,
		"several files in one folder that is made":     commitSharedParents,
		"a link is made where nothing is":              commitMakeLink,
		"a granted folder itself is not to be changed": commitRoot,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test(t, NewCommits(t, w.World, w.Committer))
		})
	}
}

// swap makes changes together.
func (c *Commits) swap(staged ...capfs.Staged) (capfs.Receipt, error) {
	return c.C.Swap(context.Background(), staged)
}

func (c *Commits) file(path, text string) { c.T.Helper(); c.W.make(c.T, "file", path, text) }

func (c *Commits) refused(err error, code reeve.Code, what string) {
	c.T.Helper()
	if !errors.Is(err, code) {
		c.T.Errorf("%s: got %v, not %s", what, err, code)
	}
	if e, ok := reeve.AsError(err); err != nil && (!ok || e.What == "" || e.Not == "") {
		c.T.Errorf("%s: the refusal says too little: %v", what, err)
	}
}

func commitKinds(t *testing.T, c *Commits) {
	c.file("/root/a", "old a")
	c.file("/root/b", "old b")
	c.W.make(t, "dir", "/root/d", "")
	r, err := c.swap(c.MustStage(reeve.Put, "/root/a", "new a"), c.MustStage(reeve.Put, "/root/x/y/z", "made"),
		c.MustStage(reeve.Remove, "/root/b", ""), c.MustStage(reeve.Mkdir, "/root/e/f", ""), c.MustStage(reeve.Move, "/root/d", "/root/d2"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.End(r); err != nil {
		t.Error(err)
	}
	c.Want("/root/a new a", "/root/x/", "/root/x/y/", "/root/x/y/z made", "/root/e/", "/root/e/f/", "/root/d2/")
	if len(r.Done) != 5 || len(r.Done[1].Made) != 2 || r.Done[1].Made[1].Path() != c.W.Base+"/root/x/y" || len(r.Done[3].Made) != 1 {
		t.Fatalf("the receipt is %+v", r)
	}
	for i, path := range map[int]string{0: "/root/a", 1: "/root/x/y/z"} {
		h := c.W.hold(t, c.FS, path, false)
		if got := c.Version(h); got.Compare(r.Done[i].Version) != reeve.Same {
			t.Errorf("%s is not the version that was told", path)
		}
	}
	if !r.Done[2].Version.IsZero() {
		t.Error("a removal has a version")
	}
}

func commitDisplaced(t *testing.T, c *Commits) {
	c.file("/root/a", "old")
	r, err := c.swap(c.MustStage(reeve.Put, "/root/a", "new"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Done[0].Displaced.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(io.NewSectionReader(f, 0, 100)); string(b) != "old" {
		t.Errorf("displaced was %q", b)
	}
	f.Close()
	if i := r.Done[0].Displaced.Info(); i.Kind != reeve.File || i.Size != 3 {
		t.Errorf("displaced was %+v", i)
	}
	if err := errors.Join(c.End(r), r.Done[0].Displaced.Release()); err != nil {
		t.Error(err)
	}
	c.Want("/root/a new")
}

func commitGone(t *testing.T, c *Commits) {
	c.file("/root/a", "old")
	for _, kind := range []reeve.ChangeKind{reeve.Put, reeve.Remove, reeve.Move} {
		c.file("/root/a", "old")
		s := c.MustStage(kind, "/root/a", map[reeve.ChangeKind]string{reeve.Put: "new", reeve.Move: "/root/b"}[kind])
		c.W.make(t, "remove", "/root/a", "")
		_, err := c.swap(s)
		c.refused(err, reeve.Changed, string(kind))
		s.Cleanup()
		c.Want()
	}
}

func commitChanged(t *testing.T, c *Commits) {
	for _, kind := range []reeve.ChangeKind{reeve.Put, reeve.Remove, reeve.Move} {
		c.file("/root/a", "old")
		arg := map[reeve.ChangeKind]string{reeve.Put: "new", reeve.Move: "/root/b"}[kind]
		s := c.MustStage(kind, "/root/a", arg)
		c.file("/root/a", "thy") // as long, and in the same tick
		_, err := c.swap(s)
		c.refused(err, reeve.Changed, string(kind)+" after it was staged")
		s.Cleanup()
		at, ch := c.Change(kind, "/root/a", arg)
		c.file("/root/a", "his")
		if s, err = c.StageChange(at, ch); err == nil {
			_, err = c.swap(s)
			s.Cleanup()
		}
		c.refused(err, reeve.Changed, string(kind)+" before it was staged")
		c.Want("/root/a his")
	}
}

func commitExists(t *testing.T, c *Commits) {
	for _, kind := range []reeve.ChangeKind{reeve.Put, reeve.Mkdir} {
		s := c.MustStage(kind, "/root/n", "new")
		c.file("/root/n", "theirs")
		_, err := c.swap(s)
		c.refused(err, reeve.Exists, string(kind))
		s.Cleanup()
		c.Want("/root/n theirs")
		c.W.make(t, "remove", "/root/n", "")
	}
}

func commitFolderCame(t *testing.T, c *Commits) {
	s := c.MustStage(reeve.Put, "/root/n/m/o", "new")
	c.file("/root/n", "theirs")
	_, err := c.swap(s)
	c.refused(err, reeve.Changed, "a file in the place of a folder")
	s.Cleanup()
	c.Want("/root/n theirs")
	if c.W.has("link") {
		c.W.make(t, "remove", "/root/n", "")
		c.W.make(t, "dir", "/elsewhere", "")
		s = c.MustStage(reeve.Put, "/root/n/m/o", "new")
		c.W.make(t, "link", "/root/n", c.W.Base+"/elsewhere")
		_, err = c.swap(s)
		c.refused(err, reeve.Changed, "a link in the place of a folder")
		s.Cleanup()
		c.Want("/root/n -> " + c.W.Base + "/elsewhere")
	}
}

func commitAllOrNone(t *testing.T, c *Commits) {
	for k := range 6 {
		for _, p := range []string{"/root/a", "/root/b", "/root/c"} {
			c.file(p, "old "+p)
		}
		c.W.make(t, "dir", "/root/d", "")
		before := c.Tree("/root")
		steps := []capfs.Staged{
			c.MustStage(reeve.Put, "/root/a", "new"), c.MustStage(reeve.Remove, "/root/b", ""), c.MustStage(reeve.Move, "/root/d", "/root/d2"),
			c.MustStage(reeve.Put, "/root/m/n", "new"), c.MustStage(reeve.Mkdir, "/root/k/l", ""),
		}
		bad := c.MustStage(reeve.Put, "/root/c", "new")
		steps = append(steps[:k], append([]capfs.Staged{bad}, steps[k:]...)...)
		c.file("/root/c", "theirs!!")
		r, err := c.swap(steps...)
		c.refused(err, reeve.Changed, "one of several")
		if len(r.Left) > 0 {
			t.Errorf("left: %v", r.Left)
		}
		for _, s := range steps {
			s.Cleanup()
		}
		for i := range before {
			before[i] = strings.Replace(before[i], "old /root/c", "theirs!!", 1)
		}
		c.Want(before...)
		for _, p := range []string{"/root/a", "/root/b", "/root/c", "/root/d"} {
			c.W.make(t, "remove", p, "")
		}
	}
}

func commitOnce(t *testing.T, c *Commits) {
	c.file("/root/a", "old")
	s := c.MustStage(reeve.Put, "/root/a", "new")
	r, err := c.swap(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.swap(s); err == nil {
		t.Error("a change was made twice")
	}
	if err := c.End(r); err != nil {
		t.Error(err)
	}
	if err := errors.Join(s.Cleanup(), s.Cleanup()); err != nil {
		t.Error(err)
	}
	c.Want("/root/a new")
}

func commitDropped(t *testing.T, c *Commits) {
	c.file("/root/a", "old")
	before := c.Tree("/root")
	for _, s := range []capfs.Staged{c.MustStage(reeve.Put, "/root/a", "new"), c.MustStage(reeve.Put, "/root/x/y", "new"),
		c.MustStage(reeve.Remove, "/root/a", ""), c.MustStage(reeve.Mkdir, "/root/k", ""), c.MustStage(reeve.Move, "/root/a", "/root/b")} {
		if err := errors.Join(s.Cleanup(), s.Cleanup()); err != nil {
			t.Error(err)
		}
		if _, err := c.swap(s); err == nil {
			t.Errorf("%s was made after it was dropped", s.Change().Kind)
		}
	}
	c.Want(before...)
}

func commitNotEmpty(t *testing.T, c *Commits) {
	c.file("/root/d/f", "x")
	if s, err := c.Stage(reeve.Remove, "/root/d", ""); err == nil {
		_, err = c.swap(s)
		c.refused(err, reeve.NotEmpty, "a full folder")
		s.Cleanup()
	} else {
		c.refused(err, reeve.NotEmpty, "a full folder")
	}
	c.W.make(t, "dir", "/root/e", "")
	s := c.MustStage(reeve.Remove, "/root/e", "")
	c.file("/root/e/late", "x")
	_, err := c.swap(s)
	c.refused(err, reeve.NotEmpty, "a folder that was filled meanwhile")
	s.Cleanup()
	c.Want("/root/d/", "/root/d/f x", "/root/e/", "/root/e/late x")
}

func commitTree(t *testing.T, c *Commits) {
	c.file("/root/d/f", "x")
	c.file("/root/d/e/g", "y")
	at, ch := c.Change(reeve.Remove, "/root/d", "")
	ch.Tree = true
	s, err := c.StageChange(at, ch)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.swap(s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Done[0].Displaced == nil || r.Done[0].Displaced.Info().Kind != reeve.Directory {
		t.Errorf("the receipt is %+v", r)
	}
	if err := c.End(r); err != nil {
		t.Error(err)
	}
	c.Want()
}

func commitMoveOnto(t *testing.T, c *Commits) {
	c.file("/root/a", "a")
	c.W.make(t, "dir", "/root/d", "")
	for from, kind := range map[string]string{"/root/a": "file", "/root/d": "dir"} {
		s := c.MustStage(reeve.Move, from, "/root/n")
		c.W.make(t, kind, "/root/n", "")
		_, err := c.swap(s)
		c.refused(err, reeve.Exists, from)
		s.Cleanup()
		c.W.make(t, "remove", "/root/n", "")
	}
	c.Want("/root/a a", "/root/d/")
}

func commitCopy(t *testing.T, c *Commits) {
	c.file("/root/a", "content")
	src := c.W.hold(t, c.FS, "/root/a", false)
	v := c.Version(src)
	at, ch := c.Change(reeve.Put, "/root/b", "")
	ch.Content = reeve.FromPlace{Place: src.Place(), Version: v}
	s, err := c.StageChange(at, ch)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.swap(s)
	if err = errors.Join(err, c.End(r)); err != nil {
		t.Fatal(err)
	}
	c.Want("/root/a content", "/root/b content")
	at, ch = c.Change(reeve.Put, "/root/c", "")
	ch.Content = reeve.FromPlace{Place: src.Place(), Version: v}
	c.file("/root/a", "changed")
	if s, err = c.StageChange(at, ch); err == nil {
		s.Cleanup()
	}
	c.refused(err, reeve.Changed, "a source that changed")
	c.Want("/root/a changed", "/root/b content")
}

func commitStream(t *testing.T, c *Commits) {
	for size, ok := range map[int64]bool{4: false, 5: true, 6: false} {
		at, ch := c.Change(reeve.Put, "/root/s", "")
		ch.Content = reeve.Stream{Size: size, Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("12345")), nil
		}}
		s, err := c.StageChange(at, ch)
		if (err == nil) != ok {
			t.Errorf("five bytes where %d were said: %v", size, err)
		}
		if err == nil {
			s.Cleanup()
		}
	}
	c.Want()
}

func commitLinks(t *testing.T, c *Commits) {
	if !c.W.has("link") {
		t.Skip("no links here")
	}
	c.file("/root/f", "x")
	c.W.make(t, "link", "/root/l", "f")
	c.W.make(t, "link", "/root/m", "nowhere")
	if _, err := c.Do(reeve.Move, "/root/l", "/root/l2"); err != nil {
		t.Error(err)
	}
	if _, err := c.Do(reeve.Remove, "/root/m", ""); err != nil {
		t.Error(err)
	}
	c.Want("/root/f x", "/root/l2 -> f")
}

func commitSharedParents(t *testing.T, c *Commits) {
	r, err := c.swap(c.MustStage(reeve.Put, "/root/n/m/a", "a"), c.MustStage(reeve.Put, "/root/n/m/b", "b"), c.MustStage(reeve.Put, "/root/n/c", "c"))
	if err = errors.Join(err, c.End(r)); err != nil {
		t.Fatal(err)
	}
	c.Want("/root/n/", "/root/n/m/", "/root/n/m/a a", "/root/n/m/b b", "/root/n/c c")
}

func commitMakeLink(t *testing.T, c *Commits) {
	if !c.W.has("link") {
		t.Skip("no links here")
	}
	at, ch := c.Change(reeve.Put, "/root/l", "")
	ch.Content = reeve.LinkTo("some/where")
	s, err := c.StageChange(at, ch)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.swap(s)
	if err = errors.Join(err, c.End(r)); err != nil {
		t.Fatal(err)
	}
	c.Want("/root/l -> some/where")
}

func commitRoot(t *testing.T, c *Commits) {
	h := c.W.hold(t, c.FS, "/root", false)
	s, err := c.StageChange(capfs.At{Parent: h}, reeve.Change{Kind: reeve.Remove, Place: h.Place()})
	if err == nil {
		s.Cleanup()
		t.Error("a granted folder would have been removed")
	}
}
