package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func full(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must run this as root")
		}
		t.Skip("needs root")
	}
	cmd, out := start(t, "full", t.TempDir(), 0)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	runIn(cmd, out, t)
}

func childFull(dir string) int {
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
	s := New(Options{Dir: filepath.Join(dir, "state")})
	first, _, err := s.Keep(ctx, agent(""), replaced("/r/first", file("first")))
	if err != nil {
		return err
	}
	// A copy that does not fit, while an entry does, is told in the entry.
	es, ds, err := s.Keep(ctx, agent(""), replaced("/r/big", file(strings.Repeat("x", 2<<20))), replaced("/r/small", file("small")))
	if err != nil {
		return err
	}
	if ds[0].Kept || !strings.Contains(ds[0].NotKept, "no space") || !ds[1].Kept || !there(s, es[1]) {
		return fmt.Errorf("%+v", ds)
	}
	// With nothing left, not even for an entry, it is an error.
	ballast, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		return err
	}
	for err == nil {
		_, err = ballast.Write(make([]byte, 512))
	}
	for i := 0; ; i++ {
		_, ds, err := s.Keep(ctx, agent(""), replaced("/r/more", file("more")))
		if errors.Is(err, syscall.ENOSPC) {
			break
		}
		if err != nil || i > 1000 {
			return fmt.Errorf("%d: %v %+v", i, err, ds)
		}
	}
	n := 0
	for e, err := range s.Entries(ctx, Filter{}) {
		if err != nil {
			return err
		}
		n++
		_ = e
	}
	if err := ballast.Truncate(0); err != nil {
		return err
	}
	last, ds, err := s.Keep(ctx, agent(""), replaced("/r/last", file("last")))
	if err != nil || !ds[0].Kept || !there(s, last[0]) || !there(s, first[0]) {
		return fmt.Errorf("with room again: %v %+v", err, ds)
	}
	bad := ""
	s.o.Report = func(file, what string) { bad = file + " " + what }
	again := 0
	for range s.Entries(ctx, Filter{}) {
		again++
	}
	if again != n+1 || bad != "" {
		return fmt.Errorf("%d entries, then %d; %s", n, again, bad)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "state/history/tmp/*")); len(left) > 0 {
		return fmt.Errorf("left over: %v", left)
	}
	return s.Close()
}
