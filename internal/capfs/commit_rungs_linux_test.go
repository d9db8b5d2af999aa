package capfs_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// commitsAt makes changes below base/root.
func commitsAt(t *testing.T, base string, o capfs.CommitOptions) (*capfstest.Commits, *capfs.Ladder) {
	t.Helper()
	layer := capfs.NewLinux(capfs.LinuxOptions{})
	fs := capfs.New(capfs.Options{Layer: layer, Refresh: -1})
	t.Cleanup(func() { fs.Close() })
	must(t, os.MkdirAll(filepath.Join(base, "root"), 0o755))
	got := fs.SetGrants([]capfs.Grant{{ID: "r", Path: filepath.Join(base, "root"), Access: reeve.ReadWrite}}, nil)
	if got[0].State != reeve.StateOpen {
		t.Fatalf("%+v", got)
	}
	if o.Journal == "" {
		o.Journal = filepath.Join(base, "journal")
	}
	l := capfs.NewCommitter(fs, o)
	t.Cleanup(func() { l.Close() })
	return &capfstest.Commits{T: t, W: capfstest.World{Layer: layer, Base: base}, FS: fs, C: l}, l
}

type forced struct {
	path string
	rung string     // how it must have been replaced
	code reeve.Code // or why not
	// foreseen: the way can be told before anything is tried.
	foreseen bool
}

// replaceAll replaces files, and looks how, and that nothing but the bytes
// has changed.
func replaceAll(t *testing.T, c *capfstest.Commits, list []forced) {
	t.Helper()
	for _, x := range list {
		path := filepath.Join(c.W.Base, x.path)
		var was, now unix.Stat_t
		must(t, unix.Stat(path, &was))
		at, ch := c.Change(reeve.Put, "/"+x.path, "new")
		if said := c.C.(*capfs.Ladder).Foresee(context.Background(), at, ch); x.code == "" && x.foreseen && (said != "") != (x.rung == "in_place") {
			t.Errorf("%s: foreseen was %q", x.path, said)
		}
		d, err := c.Do(reeve.Put, "/"+x.path, "new "+x.path)
		must(t, unix.Stat(path, &now))
		if was.Uid != now.Uid || was.Gid != now.Gid || was.Mode != now.Mode {
			t.Errorf("%s: owner or mode changed: %d:%d %o is %d:%d %o", x.path, was.Uid, was.Gid, was.Mode, now.Uid, now.Gid, now.Mode)
		}
		if (was.Ino == now.Ino) != (x.rung != "exchange" && x.rung != "link") {
			t.Errorf("%s: another file than it should be", x.path)
		}
		b, rerr := os.ReadFile(path)
		must(t, rerr)
		if x.code != "" {
			if !errors.Is(err, x.code) || strings.HasPrefix(string(b), "new") {
				t.Errorf("%s: %v, and the file holds %q", x.path, err, b)
			}
			continue
		}
		if err != nil || string(b) != "new "+x.path || d.Rung != x.rung {
			t.Errorf("%s: by %q, not %q: %v, and the file holds %q", x.path, d.Rung, x.rung, err, b)
		}
		if said := strings.Contains(strings.Join(d.Notes, " "), "written in place"); said != (x.rung == "in_place") {
			t.Errorf("%s: the notes are %q", x.path, d.Notes)
		}
	}
	for _, e := range c.Tree("/root") {
		if strings.Contains(e, "/.reeve-") {
			t.Errorf("left behind: %s", e)
		}
	}
}

func TestRungsWithoutRights(t *testing.T) {
	base := os.Getenv("CAPFS_ROOT")
	if base == "" {
		var err error
		base, err = os.MkdirTemp("", "capfs")
		must(t, err)
		defer os.RemoveAll(base)
		at := func(p string) string { return filepath.Join(base, p) }
		must(t, os.Chmod(base, 0o755), os.Mkdir(at("journal"), 0o777), os.Chmod(at("journal"), 0o777))
		for p, owner := range map[string]int{"closed/mine": 65534, "sticky/theirs": 1000, "sticky/mine": 65534, "group/theirs": 1000,
			"group/readonly": 1000, "open/mine": 65534} {
			must(t, write(at("root/"+p), "old"), os.Chmod(at("root/"+p), 0o666), os.Chown(at("root/"+p), owner, owner))
		}
		must(t, os.Chmod(at("root/group/readonly"), 0o644), os.Chmod(at("root/closed"), 0o755), os.Chmod(at("root/sticky"), 0o777|os.ModeSticky),
			os.Chmod(at("root/group"), 0o777), os.Chown(at("root/open"), 65534, 65534))
	}
	if !child(t, syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}, base) {
		return
	}
	c, _ := commitsAt(t, base, capfs.CommitOptions{})
	replaceAll(t, c, []forced{
		{"root/open/mine", "exchange", "", true},
		{"root/closed/mine", "in_place", "", true},
		{"root/sticky/theirs", "in_place", "", true},
		{"root/sticky/mine", "exchange", "", true},
		{"root/group/theirs", "in_place", "", true},
		{"root/group/readonly", "", reeve.Permission, false},
	})
	for what, try := range map[string]func() error{
		"a new file in a closed folder": func() error { _, err := c.Do(reeve.Put, "/root/closed/n", "x"); return err },
		"a folder in a closed folder":   func() error { _, err := c.Do(reeve.Mkdir, "/root/closed/n/m", ""); return err },
		"removing from a closed folder": func() error { _, err := c.Do(reeve.Remove, "/root/closed/mine", ""); return err },
		"moving out of a closed folder": func() error { _, err := c.Do(reeve.Move, "/root/closed/mine", "/root/open/n"); return err },
		"moving into a closed folder":   func() error { _, err := c.Do(reeve.Move, "/root/open/mine", "/root/closed/n"); return err },
		"removing theirs when sticky":   func() error { _, err := c.Do(reeve.Remove, "/root/sticky/theirs", ""); return err },
	} {
		if err := try(); !errors.Is(err, reeve.Permission) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func mounted(t *testing.T, source, at, kind string, flags uintptr, data string) bool {
	t.Helper()
	err := unix.Mount(source, at, kind, flags, data)
	if err == nil {
		t.Cleanup(func() { unix.Unmount(at, unix.MNT_DETACH) })
	}
	return err == nil
}

func TestRungsOfMounts(t *testing.T) {
	if !child(t, ownMounts(), "") {
		return
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	base := t.TempDir()
	at := func(p string) string { return filepath.Join(base, p) }
	must(t, write(at("root/bound"), "old"), write(at("elsewhere/conf"), "old"), write(at("root/ro/f"), "old"),
		os.MkdirAll(at("root/mem"), 0o755), os.MkdirAll(at("root/over"), 0o755), os.MkdirAll(at("root/small"), 0o755), os.MkdirAll(at("ovl"), 0o755))
	if !mounted(t, at("elsewhere/conf"), at("root/bound"), "", unix.MS_BIND, "") || !mounted(t, "tmpfs", at("root/mem"), "tmpfs", 0, "") ||
		!mounted(t, "tmpfs", at("root/small"), "tmpfs", 0, "size=1m") || !mounted(t, "tmpfs", at("ovl"), "tmpfs", 0, "") ||
		!mounted(t, at("root/ro"), at("root/ro"), "", unix.MS_BIND, "") {
		t.Fatal("nothing can be mounted here")
	}
	must(t, unix.Mount("", at("root/ro"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""), write(at("root/mem/f"), "old"), write(at("root/small/f"), "old"))
	list := []forced{{"root/bound", "in_place", "", true}, {"root/mem/f", "exchange", "", true}, {"root/ro/f", "", reeve.Permission, false}, {"root/small/f", "exchange", "", true}}
	must(t, write(at("ovl/lower/f"), "old"), write(at("ovl/lower/dir/f"), "old"), os.MkdirAll(at("ovl/upper"), 0o755), os.MkdirAll(at("ovl/work"), 0o755))
	overlay := mounted(t, "overlay", at("root/over"), "overlay", 0, "lowerdir="+at("ovl/lower")+",upperdir="+at("ovl/upper")+",workdir="+at("ovl/work"))
	if overlay {
		list = append(list, forced{"root/over/f", "exchange", "", true}, forced{"root/over/dir/f", "exchange", "", true})
	} else if os.Getenv("CI") == "true" {
		t.Error("no overlay could be mounted")
	}
	c, _ := commitsAt(t, base, capfs.CommitOptions{})
	replaceAll(t, c, list)
	if b, _ := os.ReadFile(at("elsewhere/conf")); string(b) != "new root/bound" {
		t.Errorf("behind the mount is %q", b)
	}
	if overlay {
		if _, err := c.Do(reeve.Remove, "/root/over/dir/f", ""); err != nil {
			t.Error(err)
		}
		if _, err := c.Do(reeve.Remove, "/root/over/dir", ""); err != nil {
			t.Error(err)
		}
		if got := c.Tree("/root/over"); len(got) != 1 {
			t.Errorf("on the overlay is %q", got)
		}
	}
	t.Run("disk full", func(t *testing.T) {
		before := strings.Join(c.Tree("/root/small"), "\n")
		for _, path := range []string{"/root/small/f", "/root/small/n", "/root/small/x/y"} {
			if _, err := c.Do(reeve.Put, path, strings.Repeat("x", 4<<20)); !errors.Is(err, reeve.NoSpace) {
				t.Errorf("%s: %v", path, err)
			}
		}
		if now := strings.Join(c.Tree("/root/small"), "\n"); now != before {
			t.Errorf("left behind: %s", now)
		}
		must(t, unix.Mount(at("root/small/f"), at("root/bound"), "", unix.MS_BIND, ""))
		defer unix.Unmount(at("root/bound"), unix.MNT_DETACH)
		if _, err := c.Do(reeve.Put, "/root/bound", strings.Repeat("x", 4<<20)); !errors.Is(err, reeve.NoSpace) {
			t.Errorf("in place: %v", err)
		}
		if got := c.Read("/root/bound"); got != "new root/small/f" {
			t.Errorf("in place left %d bytes", len(got))
		}
	})
	t.Run("moves between file systems", func(t *testing.T) {
		must(t, dressed(at("root/dressed"), "content"), os.Symlink("nowhere", at("root/link")), write(at("root/dir/a/b"), "x"))
		if _, err := c.Do(reeve.Move, "/root/dressed", "/root/mem/n/dressed"); err != nil {
			t.Error(err)
		}
		if _, err := c.Do(reeve.Move, "/root/link", "/root/mem/link"); err != nil {
			t.Error(err)
		}
		fi, err := os.Stat(at("root/mem/n/dressed"))
		must(t, err)
		v := make([]byte, 8)
		n, err := unix.Getxattr(at("root/mem/n/dressed"), "user.kept", v)
		if fi.Mode().Perm() != 0o640 || err != nil || string(v[:n]) != "yes" || c.Read("/root/mem/n/dressed") != "content" {
			t.Errorf("moved as %v, %q, %v", fi.Mode(), v, err)
		}
		if text, err := os.Readlink(at("root/mem/link")); text != "nowhere" {
			t.Errorf("the link is %q, %v", text, err)
		}
		for _, gone := range []string{"root/dressed", "root/link"} {
			if _, err := os.Lstat(at(gone)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there", gone)
			}
		}
		if _, err := c.Do(reeve.Move, "/root/dir", "/root/mem/dir"); err == nil || !strings.Contains(err.Error(), "2 entries") {
			t.Errorf("a folder: %v", err)
		}
		if _, err := c.Do(reeve.Move, "/root/mem", "/root/memory"); err == nil {
			t.Error("a mount was moved")
		}
		for _, e := range c.Tree("/root") {
			if strings.Contains(e, "/.reeve-") {
				t.Errorf("left behind: %s", e)
			}
		}
	})
}

// TestRungsOfOtherFileSystems imitates what there is elsewhere: no flags at
// all, no second names, and those that say yes and do something else.
func TestRungsOfOtherFileSystems(t *testing.T) {
	for name, x := range map[string]struct {
		i    capfs.Imitation
		rung string
	}{
		"no flags":                  {capfs.Imitation{Exchange: "none", Keep: "none", Unnamed: "none"}, "link"},
		"exchange destroys":         {capfs.Imitation{Exchange: "lies"}, "in_place"},
		"keeping destroys":          {capfs.Imitation{Exchange: "none", Keep: "lies"}, "in_place"},
		"neither flags nor links":   {capfs.Imitation{Exchange: "none", Keep: "none", Link: "none", Unnamed: "none"}, "in_place"},
		"exchange but no links":     {capfs.Imitation{Keep: "none", Link: "none", Unnamed: "none"}, "exchange"},
		"everything but names only": {capfs.Imitation{Unnamed: "none"}, "exchange"},
	} {
		t.Run(name, func(t *testing.T) {
			base := quickDir(t)
			c, l := commitsAt(t, base, capfs.CommitOptions{})
			l.Imitate(x.i)
			must(t, write(filepath.Join(base, "root/f"), "old"), write(filepath.Join(base, "root/g"), "old"))
			replaceAll(t, c, []forced{{"root/f", x.rung, "", false}})
			for path, change := range map[string]func() (capfs.Done, error){
				"/root/n":   func() (capfs.Done, error) { return c.Do(reeve.Put, "/root/n", "made") },
				"/root/d/n": func() (capfs.Done, error) { return c.Do(reeve.Put, "/root/d/n", "made") },
				"/root/m":   func() (capfs.Done, error) { return c.Do(reeve.Move, "/root/g", "/root/m") },
			} {
				if _, err := change(); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			if _, err := c.Do(reeve.Move, "/root/d", "/root/e"); err != nil {
				t.Error(err)
			}
			c.Want("/root/f new root/f", "/root/n made", "/root/e/", "/root/e/n made", "/root/m old")
			// What came meanwhile is never replaced.
			for _, kind := range []reeve.ChangeKind{reeve.Put, reeve.Move} {
				from, path := "/root/late", "/root/late"
				if kind == reeve.Move {
					from = "/root/m"
				}
				s := c.MustStage(kind, from, path)
				must(t, write(filepath.Join(base, "root/late"), "theirs"))
				if _, err := c.C.Swap(context.Background(), []capfs.Staged{s}); !errors.Is(err, reeve.Exists) {
					t.Errorf("%s: %v", kind, err)
				}
				s.Cleanup()
				if got := c.Read("/root/late"); got != "theirs" {
					t.Errorf("%s replaced it: %q", kind, got)
				}
				must(t, os.Remove(filepath.Join(base, "root/late")))
			}
			c.Want("/root/f new root/f", "/root/n made", "/root/e/", "/root/e/n made", "/root/m old")
		})
	}
}

func TestSealedFiles(t *testing.T) {
	base := t.TempDir()
	c, _ := commitsAt(t, base, capfs.CommitOptions{})
	path := filepath.Join(base, "root/f")
	must(t, write(path, "old"))
	for _, flag := range []string{"i", "a"} {
		if out, err := exec.Command("chattr", "+"+flag, path).CombinedOutput(); err != nil {
			t.Skipf("no such flags here: %v %s", err, out)
		}
		for _, kind := range []reeve.ChangeKind{reeve.Put, reeve.Remove, reeve.Move} {
			_, err := c.Do(kind, "/root/f", "/root/n")
			if !errors.Is(err, reeve.Permission) || !strings.Contains(err.Error(), "chattr +"+flag) {
				t.Errorf("%s: %v", kind, err)
			}
		}
		must(t, exec.Command("chattr", "-"+flag, path).Run())
	}
	c.Want("/root/f old")
}

// In place needs a journal; without one it is refused, and so is what must be
// undone together.
func TestWithoutAJournal(t *testing.T) {
	base := quickDir(t)
	fs := capfs.New(capfs.Options{Refresh: -1})
	defer fs.Close()
	must(t, write(filepath.Join(base, "root/f"), "old"), write(filepath.Join(base, "root/g"), "old"))
	fs.SetGrants([]capfs.Grant{{ID: "r", Path: filepath.Join(base, "root"), Access: reeve.ReadWrite}}, nil)
	l := capfs.NewCommitter(fs, capfs.CommitOptions{})
	defer l.Close()
	c := &capfstest.Commits{T: t, W: capfstest.World{Base: base}, FS: fs, C: l}
	if _, err := c.Do(reeve.Put, "/root/f", "new"); err != nil {
		t.Error(err)
	}
	a, b := c.MustStage(reeve.Put, "/root/f", "x"), c.MustStage(reeve.Put, "/root/g", "x")
	if _, err := c.C.Swap(context.Background(), []capfs.Staged{a, b}); err == nil {
		t.Error("several were changed without a journal")
	}
	a.Cleanup()
	b.Cleanup()
	l.Imitate(capfs.Imitation{Exchange: "lies"})
	c.Want("/root/f new", "/root/g old")
}
