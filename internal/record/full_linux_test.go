package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reeve"
)

// A real full disk: a small tmpfs in a mount namespace of the child's own.
func TestARealFullDisk(t *testing.T) {
	needsRoot(t)
	cmd, out := start(t, "full", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if err := cmd.Run(); err != nil {
		if errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true" {
			t.Skip("mount namespaces are not allowed here")
		}
		t.Fatalf("%v\n%s", err, out)
	}
}

func childSystem(what, dir string) int {
	if what != "full" {
		return 2
	}
	if err := fullDisk(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func fullDisk(dir string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		return err
	}
	s, err := Open(Options{Dir: filepath.Join(dir, "state")})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := s.Append(ctx, row(0)); err != nil {
		return err
	}
	ballast, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		return err
	}
	for err == nil {
		_, err = ballast.Write(make([]byte, 4096))
	}
	n := 0
	for err = nil; err == nil; n++ {
		err = s.Append(ctx, row(n))
	}
	if !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, reeve.RecordFailed) || !strings.Contains(err.Error(), "full") {
		return fmt.Errorf("after %d rows: %w", n, err)
	}
	for i := range 100 {
		if err := s.Append(ctx, refused(i)); err != nil {
			return fmt.Errorf("refusal %d: %w", i, err)
		}
		if err := s.Append(ctx, row(i)); err == nil {
			return errors.New("an ordinary row took from the reserve")
		}
	}
	if _, err := s.AppendSync(ctx, row(0)); err == nil {
		return errors.New("a change was promised a row")
	}
	// A row too long for a line, with no room for its detail, is cut and says so.
	long := refused(0)
	long.Note, long.Code = strings.Repeat("n", 9000), reeve.TooLarge
	if err := s.Append(ctx, long); err != nil {
		return err
	}
	for e := range Rows(filepath.Join(dir, "state"), Filter{Code: reeve.TooLarge}) {
		if !strings.Contains(e.Damage, "only a part of the row was kept") || !strings.HasSuffix(e.Row.Note, "…") {
			return fmt.Errorf("%+v", e)
		}
	}
	// Another process finds no room for a segment, and is refused.
	other, err := Open(Options{Dir: filepath.Join(dir, "state")})
	if err != nil {
		return err
	}
	if err := other.Append(ctx, row(0)); err == nil {
		return errors.New("a call went on without a record")
	}
	if err := errors.Join(ballast.Truncate(0), s.Append(ctx, row(-2)), other.Append(ctx, row(-3))); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	rep, err := Verify(filepath.Join(dir, "state"))
	if err != nil || !rep.OK() {
		return fmt.Errorf("%v %v", err, rep.Problems)
	}
	refusals := 0
	for e, err := range Rows(filepath.Join(dir, "state"), Filter{Code: reeve.Protected}) {
		if err != nil {
			return err
		}
		if e.Row.Code == reeve.Protected { // damaged rows are always told
			refusals++
		}
	}
	if refusals != 100 {
		return fmt.Errorf("%d refusals are there", refusals)
	}
	return s.Close()
}
