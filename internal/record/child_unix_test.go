//go:build unix

package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reeve"
)

const (
	errFull        = syscall.ENOSPC
	errNoSuchThing = syscall.EOPNOTSUPP
)

func TestAFolderThatCannotBeWrittenIsToldAtOnce(t *testing.T) {
	needsRoot(t)
	base := t.TempDir()
	for d := base; d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
		os.Chmod(d, 0o755)
	}
	state := filepath.Join(base, "state")
	os.Mkdir(state, 0o700)
	program := readable(t)
	for _, dir := range []string{state, filepath.Join(base, "new"), filepath.Join(state, "deeper", "still")} {
		cmd, out := start(t, "open", dir)
		cmd.Path = program
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if err := cmd.Run(); err != nil {
			t.Fatal(err, out)
		}
		if !strings.Contains(out.String(), "permission denied") || !strings.Contains(out.String(), "REEVE_STATE") || !strings.Contains(out.String(), dir) {
			t.Errorf("%s: %s", dir, out)
		}
	}
	// The state folder itself can be written, but not the record in it.
	locked := filepath.Join(base, "locked")
	os.MkdirAll(filepath.Join(locked, "record"), 0o755)
	os.Chmod(locked, 0o777)
	cmd, out := start(t, "open", locked)
	cmd.Path = program
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "permission denied") {
		t.Errorf("%v %s", err, out)
	}
	os.Chmod(state, 0o777)
	cmd, out = start(t, "open", filepath.Join(state, "x"))
	cmd.Path = program
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "<nil>") {
		t.Errorf("%v %s", err, out)
	}
}

// readable copies this binary to where another user can start it.
func readable(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o755)
	name := filepath.Join(dir, "record.test")
	if err := os.WriteFile(name, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// A FIFO in a segment's place must not make anybody wait.
func TestAFIFOInPlaceOfASegmentHoldsNobody(t *testing.T) {
	dir, first, _ := two(t)
	os.Remove(first)
	if err := syscall.Mkfifo(first, 0o600); err != nil {
		t.Skip(err)
	}
	if r := verify(t, dir); r.OK() {
		t.Error("not noticed")
	}
	calls(t, dir, Filter{})
	s := open(t, Options{Dir: dir})
	add(t, s, 0, 1)
}

func TestARecordThatOthersCanWriteToIsNotUsed(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "record"), 0o700)
	os.Chmod(filepath.Join(dir, "record"), 0o777)
	s := open(t, Options{Dir: dir})
	if err := s.Append(context.Background(), row(0)); !errors.Is(err, reeve.RecordFailed) || !strings.Contains(err.Error(), "other users") {
		t.Error(err)
	}
	os.Remove(filepath.Join(dir, "record"))
	os.Symlink(t.TempDir(), filepath.Join(dir, "record"))
	if err := s.Append(context.Background(), row(0)); !errors.Is(err, reeve.RecordFailed) {
		t.Error(err)
	}
	os.Remove(filepath.Join(dir, "record"))
	add(t, s, 0, 1)
}
