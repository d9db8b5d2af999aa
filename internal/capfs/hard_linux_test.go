package capfs_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// child runs this test again in a process of its own: with its own mounts, or
// as a user without rights. What a laptop cannot give is skipped there, and
// is a failure where CI is set.
func child(t *testing.T, attr syscall.SysProcAttr, root string) (inside bool) {
	t.Helper()
	if os.Getenv("CAPFS_CHILD") == t.Name() {
		return true
	}
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("this test needs root")
		}
		t.Skip("this test needs root")
	}
	exe := os.Args[0]
	if attr.Credential != nil { // where it lies may be closed to that user
		b, err := os.ReadFile(exe)
		exe = filepath.Join(root, "test")
		must(t, err, os.WriteFile(exe, b, 0o755))
	}
	c := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), "CAPFS_CHILD="+t.Name(), "CAPFS_ROOT="+root)
	c.Dir = "/"
	c.SysProcAttr = &attr
	out, err := c.CombinedOutput()
	if os.Getenv("CI") != "true" && (errors.Is(err, fs.ErrPermission) || strings.Contains(string(out), "--- SKIP: "+t.Name())) {
		t.Skipf("not possible here: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}

// unable skips what this system cannot do, except where CI is set.
func unable(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skipf("not possible here: %v", err)
}

func ownMounts() syscall.SysProcAttr {
	return syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func write(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

func TestABindMountOfAProtectedFolder(t *testing.T) {
	if !child(t, ownMounts(), "") {
		return
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	base := t.TempDir()
	at := func(p string) string { return filepath.Join(base, p) }
	must(t, write(at("safe/sub/key"), "secret"), write(at("root/f"), "hello"), write(at("root/in/f"), "hello"),
		os.MkdirAll(at("root/all"), 0o755), os.MkdirAll(at("root/part"), 0o755), os.MkdirAll(at("root/nested"), 0o755),
		os.MkdirAll(at("root/home"), 0o755), write(at("root/one"), ""), os.MkdirAll(at("root/proc"), 0o755),
		os.MkdirAll(at("root/dev"), 0o755), os.MkdirAll(at("root/disk"), 0o755))
	for what, where := range map[string]string{
		"safe": "root/all", "safe/sub": "root/part", "root/in": "root/nested", "safe/sub/key": "root/one",
	} {
		must(t, unix.Mount(at(what), at(where), "", unix.MS_BIND, ""))
		t.Cleanup(func() { unix.Unmount(at(where), unix.MNT_DETACH) })
	}
	must(t, unix.Mount("proc", at("root/proc"), "proc", 0, ""), unix.Mount("tmpfs", at("root/disk"), "tmpfs", 0, ""),
		write(at("root/disk/f"), "hello"))
	dev := unix.Mount("dev", at("root/dev"), "devtmpfs", 0, "")
	defer func() {
		for _, p := range []string{"root/proc", "root/disk", "root/dev"} {
			unix.Unmount(at(p), unix.MNT_DETACH)
		}
	}()
	for name, layer := range map[string]capfs.Layer{
		"linux": capfs.NewLinux(capfs.LinuxOptions{}), "without openat2": capfs.NewLinux(capfs.LinuxOptions{NoOpenat2: true}),
	} {
		for _, narrowBelow := range []bool{false, true} { // with and without the fast path
			f := capfs.New(capfs.Options{Layer: layer, Refresh: -1})
			narrow := []capfs.Narrowing{{Path: at("safe"), Kind: reeve.MarkProtected, Rule: "safe", Folder: true}}
			grants := []capfs.Grant{{ID: "r", Path: at("root"), Access: reeve.ReadWrite}}
			if narrowBelow {
				narrow = append(narrow, capfs.Narrowing{Path: at("root/.none"), Kind: reeve.MarkOwn, Rule: "none", Folder: true})
				grants = append(grants, capfs.Grant{ID: "in", Path: at("root/in"), Access: reeve.Read})
			}
			f.SetGrants(grants, narrow)
			for path, want := range map[string]string{
				"root/all": "protected", "root/all/sub/key": "protected", "root/part": "protected", "root/part/key": "protected",
				"root/one": "protected", "root/f": "", "root/disk": "", "root/disk/f": "", "root/proc/self": "pseudo",
				"root/dev/null": "pseudo", "root/in/f": "",
			} {
				if path == "root/dev/null" && dev != nil {
					continue
				}
				h, err := capfstest.Resolve(context.Background(), f, at(path), false)
				if err != nil {
					t.Errorf("%s %s: %v", name, path, err)
					continue
				}
				got := ""
				for _, m := range h.Place().Marks {
					got += string(m.Kind)
				}
				if got != want {
					t.Errorf("%s %s is marked %q", name, path, got)
				}
				h.Close()
			}
			if narrowBelow {
				h, err := capfstest.Resolve(context.Background(), f, at("root/nested/f"), true)
				must(t, err)
				if p := h.Place(); p.Root != "in" || p.Access != reeve.Read || p.Path() != at("root/in/f") {
					t.Errorf("%s: another name of a root: %+v", name, p)
				}
				h.Close()
			}
			f.Close()
		}
	}
}

// On an overlay files may lie on another device than their folders.
func TestOnAnOverlay(t *testing.T) {
	if !child(t, ownMounts(), "") {
		return
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	base := t.TempDir()
	at := func(p string) string { return filepath.Join(base, p) }
	must(t, write(at("lower/safe/key"), "secret"), write(at("lower/f"), "hello"), os.Link(at("lower/safe/key"), at("lower/alias")),
		os.MkdirAll(at("tmp"), 0o755), os.MkdirAll(at("root"), 0o755), unix.Mount("tmpfs", at("tmp"), "tmpfs", 0, ""))
	defer unix.Unmount(at("tmp"), unix.MNT_DETACH)
	must(t, os.MkdirAll(at("tmp/upper"), 0o755), os.MkdirAll(at("tmp/work"), 0o755))
	if err := unix.Mount("overlay", at("root"), "overlay", 0,
		"lowerdir="+at("lower")+",upperdir="+at("tmp/upper")+",workdir="+at("tmp/work")); err != nil {
		unable(t, err)
	}
	defer unix.Unmount(at("root"), unix.MNT_DETACH)
	must(t, write(at("root/safe/made"), "secret"), os.Link(at("root/safe/made"), at("root/made")))
	f := capfs.New(capfs.Options{Refresh: -1})
	defer f.Close()
	f.SetGrants([]capfs.Grant{{Path: at("root"), Access: reeve.ReadWrite}},
		[]capfs.Narrowing{{Path: at("root/safe"), Kind: reeve.MarkProtected, Rule: "safe", Folder: true}})
	for path, marks := range map[string]int{"root/f": 0, "root/alias": 1, "root/made": 1, "root/safe/key": 1} {
		if got := marksOf(t, f, at(path)); len(got) != marks {
			t.Errorf("%s has marks %v", path, got)
		}
	}
	must(t, readIn(f, at("root/f")))
}

// deadFUSE mounts a file system that never answers and gives its folder and
// what ends it.
func deadFUSE(t *testing.T, at string) (abort func()) {
	t.Helper()
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		unable(t, err)
	}
	must(t, os.MkdirAll(at, 0o755))
	if err := unix.Mount("dead", at, "fuse", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd)); err != nil {
		unable(t, err)
	}
	closed := false
	abort = func() {
		if !closed {
			closed = true
			unix.Close(fd)
		}
	}
	t.Cleanup(func() {
		abort()
		unix.Unmount(at, unix.MNT_DETACH)
	})
	return abort
}

func TestADeadFUSEMount(t *testing.T) {
	if !child(t, ownMounts(), "") {
		return
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	base := t.TempDir()
	abort := deadFUSE(t, filepath.Join(base, "far"))
	deadFUSE(t, filepath.Join(base, "ungranted"))
	deadFUSE(t, filepath.Join(base, "near/mounted"))
	must(t, write(filepath.Join(base, "near/f"), "hello"))
	f := capfs.New(capfs.Options{Timeout: 250 * time.Millisecond})
	defer f.Close()
	got := f.SetGrants([]capfs.Grant{
		{ID: "far", Path: filepath.Join(base, "far"), Access: reeve.Read},
		{ID: "near", Path: filepath.Join(base, "near"), Access: reeve.Read},
	}, nil)
	for _, s := range got {
		if s.State != reeve.StateOpen {
			t.Fatalf("%+v", s)
		}
	}
	read := func(path string) error { return readIn(f, filepath.Join(base, path)) }
	hanging := make(chan error, 2)
	for range 2 {
		go func() { hanging <- read("far/x/y") }()
	}
	for pending := 2; pending > 0; {
		select {
		case err := <-hanging:
			if pending--; !errors.Is(err, reeve.Timeout) {
				t.Errorf("a hanging call: %v", err)
			}
		default:
			if err := read("near/f"); err != nil {
				t.Errorf("another mount: %v", err)
			}
			if err := read("ungranted/x"); !errors.Is(err, reeve.OutsideRoots) {
				t.Errorf("outside every root: %v", err)
			}
		}
	}
	for range 3 {
		if err := read("far/x/y"); !errors.Is(err, reeve.MountDead) {
			t.Errorf("after two: %v", err)
		}
	}
	if err := read("near/mounted/x"); !errors.Is(err, reeve.Timeout) {
		t.Errorf("a dead mount inside another root: %v", err)
	}
	if err := read("near/f"); err != nil {
		t.Errorf("beside it: %v", err)
	}
	abort()
	for {
		if err := read("far/x/y"); !errors.Is(err, reeve.MountDead) {
			if err == nil || errors.Is(err, reeve.Timeout) {
				t.Errorf("after it went: %v", err)
			}
			break
		}
	}
}

func TestWithoutRights(t *testing.T) {
	base := os.Getenv("CAPFS_ROOT")
	if base == "" {
		var err error
		base, err = os.MkdirTemp("", "capfs")
		must(t, err)
		defer os.RemoveAll(base)
		at := func(p string) string { return filepath.Join(base, p) }
		must(t, os.Chmod(base, 0o755), write(at("root/ok"), "hello"), write(at("root/locked/f"), "secret"),
			write(at("root/passable/f"), "hello"), write(at("root/listable/f"), "secret"), write(at("root/unreadable"), "secret"),
			os.Symlink("locked/f", at("root/link")),
			os.Chmod(at("root/locked"), 0), os.Chmod(at("root/passable"), 0o711), os.Chmod(at("root/listable"), 0o744),
			os.Chmod(at("root/unreadable"), 0o600))
	}
	if !child(t, syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}, base) {
		return
	}
	for name, layer := range map[string]capfs.Layer{
		"linux": capfs.NewLinux(capfs.LinuxOptions{}), "without openat2": capfs.NewLinux(capfs.LinuxOptions{NoOpenat2: true}),
		"without proc": capfs.NewLinux(capfs.LinuxOptions{NoProc: true}),
	} {
		f := capfs.New(capfs.Options{Layer: layer})
		f.SetGrants([]capfs.Grant{{Path: filepath.Join(base, "root"), Access: reeve.ReadWrite}}, nil)
		for path, allowed := range map[string]bool{
			"ok": true, "locked/f": false, "locked/none": false, "passable/f": true, "listable/f": false, "unreadable": false, "link": false,
		} {
			err := readIn(f, filepath.Join(base, "root", path))
			if allowed && err != nil || !allowed && !errors.Is(err, reeve.Permission) {
				t.Errorf("%s: %s: %v", name, path, err)
			}
			if !allowed && !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("%s: %s: the system's word is missing: %v", name, path, err)
			}
		}
		for path, allowed := range map[string]bool{"locked": false, "passable": false, "": true} {
			h, err := capfstest.Resolve(context.Background(), f, filepath.Join(base, "root", path), true)
			must(t, err)
			if _, err := capfstest.ListHeld(h); allowed && err != nil || !allowed && !errors.Is(err, reeve.Permission) {
				t.Errorf("%s: list %s: %v", name, path, err)
			}
			h.Close()
		}
		if name == "linux" { // a folder that may be read but not searched is still listed
			h, err := capfstest.Resolve(context.Background(), f, filepath.Join(base, "root/listable"), true)
			must(t, err)
			if names, err := capfstest.ListHeld(h); err != nil || len(names) != 1 {
				t.Errorf("listable: %v, %v", names, err)
			}
			h.Close()
		}
		f.Close()
	}
}
