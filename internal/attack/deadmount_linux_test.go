package attack

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func mountDead(t *testing.T, alive bool) *DeadMount {
	t.Helper()
	dir := t.TempDir()
	m, err := MountDead(dir, alive)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("needs root and /dev/fuse:", err)
	}
	t.Cleanup(func() {
		if err := m.Abort(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// hangs starts fn and tells whether it is still there after a while. The
// channel gives its error once it returns.
func hangs(fn func() error) (chan error, bool) {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		done <- err
		return done, false
	case <-time.After(150 * time.Millisecond):
		return done, true
	}
}

func stat(path string) func() error {
	return func() error { _, err := os.Stat(path); return err }
}

func TestDeadMountHangsAndIsReleased(t *testing.T) {
	m := mountDead(t, false)
	done, hung := hangs(stat(filepath.Join(m.Dir, "x")))
	if !hung {
		t.Fatal("a stat on a dead mount returned: ", <-done)
	}
	// What asks for nothing fresh does not hang.
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, m.Dir, unix.AT_STATX_DONT_SYNC|unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO, &st); err != nil {
		t.Error(err)
	}
	if err := m.Abort(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("the waiting stat gave %v", err)
	}
	if entries, err := os.ReadDir(m.Dir); err != nil || len(entries) != 0 {
		t.Errorf("the folder below is not back: %v, %v", entries, err)
	}
	if err := m.Abort(); err != nil {
		t.Error("a second Abort:", err)
	}
}

func TestMountDiesAndComesBack(t *testing.T) {
	m := mountDead(t, true)
	file := filepath.Join(m.Dir, "file.txt")
	if b, err := os.ReadFile(file); err != nil || string(b) != "alive\n" {
		t.Fatalf("%q, %v", b, err)
	}
	entries, err := os.ReadDir(m.Dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != "file.txt" || !entries[1].IsDir() {
		t.Fatalf("%v, %v", entries, err)
	}
	if b, err := os.ReadFile(filepath.Join(m.Dir, "sub", "inner.txt")); err != nil || string(b) != "inner\n" {
		t.Fatalf("%q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(m.Dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	m.Die()
	done, hung := hangs(stat(file))
	if !hung {
		t.Fatal("a stat on a mount that died returned: ", <-done)
	}
	m.Revive()
	if err := <-done; err != nil {
		t.Errorf("after coming back: %v", err)
	}
	m.Die()
	done, hung = hangs(func() error { _, err := os.ReadFile(file); return err })
	if !hung {
		t.Fatal("a read returned: ", <-done)
	}
	if err := m.Abort(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the waiting read succeeded")
	}
}
