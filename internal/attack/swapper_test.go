package attack

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestSwapperReallySwaps(t *testing.T) {
	dir := t.TempDir()
	folder, link, outside := filepath.Join(dir, "folder"), filepath.Join(dir, "link"), filepath.Join(dir, "outside")
	for _, d := range []string{folder, outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, link); err != nil {
		t.Skip("this system does not let everybody make links:", err)
	}
	s, err := StartSwapper(folder, link)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	var folders, links int
	for s.Swaps() < 2000 || folders == 0 || links == 0 {
		fi, err := os.Lstat(folder)
		switch {
		case err != nil:
			if runtime.GOOS == "linux" || !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		case fi.IsDir():
			folders++
		default:
			links++
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Lstat(folder); err != nil || !fi.IsDir() {
		t.Errorf("not put back: %v, %v", fi, err)
	}
	n := s.Swaps()
	if err := s.Stop(); err != nil || s.Swaps() != n {
		t.Error("still swapping after Stop")
	}
}

func TestSwapperTellsWhyItEnded(t *testing.T) {
	dir := t.TempDir()
	if _, err := StartSwapper(filepath.Join(dir, "a"), filepath.Join(dir, "b")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("swapping nothing: %v", err)
	}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, d := range []string{a, b} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s, err := StartSwapper(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	<-s.done
	if err := s.Stop(); err == nil {
		t.Error("a swapper whose name went away said nothing")
	}
}

func TestDanceKeepsBoth(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := errors.Join(os.WriteFile(a, []byte("A"), 0o600), os.WriteFile(b, []byte("B"), 0o600)); err != nil {
		t.Fatal(err)
	}
	d, err := newDance(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"B", "A", "B"} {
		if err := d.swap(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(a); err != nil || string(got) != want {
			t.Errorf("after swap %d: %q, %v", i+1, got, err)
		}
	}
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	if err := d.swap(); err == nil {
		t.Error("swapped with nothing")
	}
	if got, err := os.ReadFile(a); err != nil || string(got) != "B" {
		t.Errorf("a failed swap left %q, %v", got, err)
	}
}
