package capfs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// copies copies a file of base/root, bound to its content or to its stamp.
func copies(t *testing.T, c *capfstest.Commits, from, to string, hashed bool) (capfs.Done, error) {
	t.Helper()
	h, err := capfstest.Resolve(context.Background(), c.FS, filepath.Join(c.W.Base, "root", from), false)
	must(t, err)
	defer h.Close()
	f, err := h.File(context.Background())
	must(t, err)
	v := f.Version(nil)
	f.Close()
	if hashed {
		v = c.Version(h)
	}
	at, ch := c.Change(reeve.Put, "/root/"+to, "")
	ch.Content = reeve.FromPlace{Place: h.Place(), Version: v}
	ch.Meta = &reeve.Meta{Mode: 0o640}
	s, err := c.StageChange(at, ch)
	if err != nil {
		return capfs.Done{}, err
	}
	r, err := c.C.Swap(context.Background(), []capfs.Staged{s})
	if err != nil {
		return capfs.Done{}, err
	}
	return r.Done[0], c.End(r)
}

// aged gives a file times that no later write could have.
func aged(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(path, old, old))
	var st, probe unix.Stat_t
	must(t, unix.Stat(path, &st))
	// The clock of the file system has to leave the moment of that behind.
	for beside := path + ".clock"; ; {
		must(t, os.WriteFile(beside, nil, 0o600), unix.Stat(beside, &probe))
		if probe.Ctim.Nano()-st.Ctim.Nano() > int64(40*time.Millisecond) {
			must(t, os.Remove(beside))
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func room(t *testing.T, path string) int64 {
	t.Helper()
	var st unix.Stat_t
	must(t, unix.Stat(path, &st))
	return st.Blocks * 512
}

// An image of a disk, nearly all of which is holes, takes no more room when it
// is copied, and every byte is where it was.
func TestACopyKeepsHoles(t *testing.T) {
	c, _ := commitsAt(t, t.TempDir(), capfs.CommitOptions{})
	at := func(name string) string { return filepath.Join(c.W.Base, "root", name) }
	const mb = 1 << 20
	for name, x := range map[string]struct {
		size  int64
		bytes []int64 // where 5,000 bytes are
	}{
		"in the middle":     {150 * mb, []int64{75*mb + 17}},
		"at both ends":      {60 * mb, []int64{0, 60*mb - 5000}},
		"nothing but holes": {20 * mb, nil},
		"ends in a hole":    {9*mb + 3, []int64{5}},
		"small":             {200_000, []int64{100_000}},
	} {
		f, err := os.Create(at(name))
		must(t, err, f.Truncate(x.size))
		if room(t, at(name)) > 0 {
			unable(t, errors.New("this file system makes no holes"))
		}
		for _, off := range x.bytes {
			_, err := f.WriteAt(bytes.Repeat([]byte("content "), 625), off)
			must(t, err)
		}
		must(t, f.Sync(), f.Close())
		aged(t, at(name))
		for _, hashed := range []bool{false, true} {
			if hashed && x.size > 80*mb {
				continue
			}
			to := name + strconv.FormatBool(hashed)
			d, err := copies(t, c, name, to, hashed)
			must(t, err)
			if a, b := room(t, at(name)), room(t, at(to)); b > a+256<<10 {
				t.Errorf("%s: %d bytes on the disk, its copy %d", name, a, b)
			}
			if !sameContent(t, at(name), at(to)) {
				t.Errorf("%s: the copy is another", name)
			}
			if !d.Version.Hashed() && (hashed || x.size < 64*mb) {
				t.Errorf("%s: its copy has a version without content", name)
			}
			must(t, os.Remove(at(to)))
		}
		must(t, os.Remove(at(name)))
	}
}

func sameContent(t *testing.T, a, b string) bool {
	t.Helper()
	fa, err := os.Open(a)
	must(t, err)
	defer fa.Close()
	fb, err := os.Open(b)
	must(t, err)
	defer fb.Close()
	x, y := make([]byte, 1<<20), make([]byte, 1<<20)
	for {
		n, err1 := io.ReadFull(fa, x)
		m, err2 := io.ReadFull(fb, y)
		if n != m || !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if err1 != nil || err2 != nil {
			return errors.Is(err1, io.EOF) == errors.Is(err2, io.EOF)
		}
	}
}

// A copy has what users noted at the file, and says what it could not have.
func TestACopyKeepsAttributes(t *testing.T) {
	c, _ := commitsAt(t, t.TempDir(), capfs.CommitOptions{})
	at := func(name string) string { return filepath.Join(c.W.Base, "root", name) }
	must(t, write(at("a"), "content"))
	if err := unix.Setxattr(at("a"), "user.note", []byte("mine"), 0); err != nil {
		unable(t, err)
	}
	d, err := copies(t, c, "a", "b", true)
	must(t, err)
	got := make([]byte, 10)
	n, err := unix.Getxattr(at("b"), "user.note", got)
	if err != nil || string(got[:n]) != "mine" {
		t.Errorf("the copy has %q: %v", got[:max(n, 0)], err)
	}
	if fi, err := os.Stat(at("b")); err != nil || fi.Mode() != 0o640 || len(d.Notes) != 0 {
		t.Errorf("%v, %v, notes %q", fi.Mode(), err, d.Notes)
	}
}

// What chattr has set is still set after a replacement.
func TestFlagsAreKept(t *testing.T) {
	c, _ := commitsAt(t, t.TempDir(), capfs.CommitOptions{})
	path := filepath.Join(c.W.Base, "root", "a")
	must(t, write(path, "old"))
	const immutable, noDump, noAccessTime, ours = 0x10, 0x40, 0x80, 0xc0
	flags := func(set int) (uint32, error) {
		f, err := os.Open(path)
		must(t, err)
		defer f.Close()
		if set >= 0 {
			if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, set); err != nil {
				return 0, err
			}
		}
		return unix.IoctlGetUint32(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	}
	was, err := flags(-1)
	if err == nil {
		was, err = flags(int(was | noDump | noAccessTime))
	}
	if err != nil || was&ours != ours {
		t.Skipf("no such flags here: %v", err)
	}
	d, err := c.Do(reeve.Put, "/root/a", "new")
	must(t, err)
	if now, err := flags(-1); err != nil || now&ours != ours || len(d.Notes) != 0 {
		t.Errorf("flags %x, were %x: %v; notes %q", now, was, err, d.Notes)
	}
	// One that forbids changes is told before anything is made.
	if _, err := flags(int(was | immutable)); err != nil {
		unable(t, err)
	}
	defer flags(int(was))
	var steps []string
	c2, _ := commitsAt(t, c.W.Base, capfs.CommitOptions{Fault: func(step string) error { steps = append(steps, step); return nil }})
	for _, kind := range []reeve.ChangeKind{reeve.Put, reeve.Remove} {
		steps = nil
		_, err = c2.Do(kind, "/root/a", "newer")
		if e, ok := reeve.AsError(err); !ok || e.Code != reeve.Permission || !strings.Contains(e.What, "immutable (chattr +i)") {
			t.Errorf("%s: %v", kind, err)
		}
		if slices.Contains(steps, "new file") || slices.Contains(steps, "probe") {
			t.Errorf("%s: made something first: %q", kind, steps)
		}
	}
}

// In a folder that only takes new names nothing is begun that could not be
// tidied away.
func TestFoldersThatOnlyGrow(t *testing.T) {
	c, _ := commitsAt(t, t.TempDir(), capfs.CommitOptions{})
	dir := filepath.Join(c.W.Base, "root", "d")
	must(t, write(filepath.Join(dir, "f"), "old"), write(filepath.Join(c.W.Base, "root", "g"), "other"))
	if _, err := c.Do(reeve.Put, "/root/g", "the mount is known"); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	must(t, err)
	defer f.Close()
	const appendOnly = 0x20
	was, err := unix.IoctlGetUint32(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, int(was|appendOnly))
	}
	if err != nil {
		unable(t, err)
	}
	defer func() { must(t, unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, int(was))) }()
	if d, err := c.Do(reeve.Put, "/root/d/f", "new"); err != nil || d.Rung != "in_place" || !strings.Contains(strings.Join(d.Notes, " "), "append-only (chattr +a)") {
		t.Errorf("replaced by %q: %v, notes %q", d.Rung, err, d.Notes)
	}
	if _, err := c.Do(reeve.Put, "/root/d/n", "fresh"); err != nil {
		t.Error(err)
	}
	for what, try := range map[string]func() error{
		"removing":   func() error { _, err := c.Do(reeve.Remove, "/root/d/f", ""); return err },
		"moving out": func() error { _, err := c.Do(reeve.Move, "/root/d/f", "/root/h"); return err },
		"moving in":  func() error { _, err := c.Do(reeve.Move, "/root/g", "/root/d/g"); return err },
		"the folder": func() error { _, err := c.Do(reeve.Move, "/root/d", "/root/e"); return err },
		"the whole": func() error {
			at, ch := c.Change(reeve.Remove, "/root/d", "")
			ch.Tree = true
			_, err := c.StageChange(at, ch)
			return err
		},
	} {
		if err := try(); !errors.Is(err, reeve.Permission) || !strings.Contains(err.Error(), "marked append-only (chattr +a)") {
			t.Errorf("%s: %v", what, err)
		}
	}
	c.Want("/root/d/", "/root/d/f new", "/root/d/n fresh", "/root/g the mount is known")
}

// A copy that goes on and on is let; one that stands still is given up.
func TestLongStagingIsGivenUpOnlyWhenItStandsStill(t *testing.T) {
	pause := time.Duration(0)
	stall, released := make(chan struct{}), make(chan struct{})
	step := func(step string) error {
		if step != "write" {
			return nil
		}
		if pause == 0 {
			<-stall
			defer close(released)
			return syscall.EIO
		}
		time.Sleep(pause)
		return nil
	}
	c, l := commitsAt(t, t.TempDir(), capfs.CommitOptions{Fault: step})
	must(t, write(filepath.Join(c.W.Base, "root/a"), strings.Repeat("x", 20*128<<10)))
	stage := func(limit time.Duration) error {
		at, ch := c.Change(reeve.Put, "/root/b", "")
		h, err := capfstest.Resolve(context.Background(), c.FS, filepath.Join(c.W.Base, "root/a"), false)
		must(t, err)
		defer h.Close()
		ch.Content = reeve.FromPlace{Place: h.Place(), Version: c.Version(h)}
		_, err = capfs.CallWhile(context.Background(), c.FS, limit, func(ctx context.Context) (capfs.Staged, error) {
			s, err := l.Stage(ctx, at, ch)
			if err == nil {
				err = s.Cleanup()
			}
			return s, err
		})
		return err
	}
	pause = 40 * time.Millisecond // 20 of them: twice the limit in all
	if err := stage(400 * time.Millisecond); err != nil {
		t.Errorf("a copy that came forward: %v", err)
	}
	pause = 0
	err := stage(50 * time.Millisecond)
	if e, ok := reeve.AsError(err); !ok || e.Code != reeve.Timeout || e.What != "the file system came no further for 50ms" {
		t.Errorf("a copy that stood still: %v", err)
	}
	close(stall)
	<-released
}

// A whole that could only be taken away in name stays, and the folder that is
// in the way is named.
func TestAFolderThatCannotBeEmptiedIsNotDeleted(t *testing.T) {
	base := os.Getenv("CAPFS_ROOT")
	if base == "" {
		var err error
		base, err = os.MkdirTemp("", "capfs")
		must(t, err)
		defer os.RemoveAll(base)
		at := func(p string) string { return filepath.Join(base, p) }
		must(t, os.Chmod(base, 0o755), os.Mkdir(at("journal"), 0o777), os.Chmod(at("journal"), 0o777))
		for _, p := range []string{"shut/in/closed/file", "sticky/in/file", "free/closed-but-empty/x", "free/in/file"} {
			must(t, write(at("root/"+p), "old"))
		}
		must(t, os.Remove(at("root/free/closed-but-empty/x")), os.Chmod(at("root"), 0o777))
		for _, p := range []string{"shut", "shut/in", "sticky", "free", "free/in"} {
			must(t, os.Chown(at("root/"+p), 65534, 65534))
		}
		must(t, os.Chmod(at("root/sticky/in"), 0o777|os.ModeSticky))
	}
	if !child(t, syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}, base) {
		return
	}
	c, _ := commitsAt(t, base, capfs.CommitOptions{})
	remove := func(path string) error {
		at, ch := c.Change(reeve.Remove, path, "")
		ch.Tree = true
		s, err := c.StageChange(at, ch)
		if err != nil {
			return err
		}
		r, err := c.C.Swap(context.Background(), []capfs.Staged{s})
		return errors.Join(err, c.End(r))
	}
	for path, in := range map[string]string{"/root/shut": "in/closed", "/root/sticky": "in"} {
		err := remove(path)
		if e, ok := reeve.AsError(err); !ok || e.Code != reeve.Permission || !strings.Contains(e.What, "holds the folder "+in+", which") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := remove("/root/free"); err != nil {
		t.Error(err)
	}
	for _, e := range c.Tree("/root") {
		if strings.Contains(e, "/.reeve-") || strings.Contains(e, "/free") {
			t.Errorf("left: %s", e)
		}
	}
}
