package capfs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"reeve"
	"reeve/internal/capfs"
)

// TestEverySystemCallFails lets the system refuse every single step of every
// kind of change. The change is then not made and nothing lies about, or it
// stands and only its durability is in doubt.
func TestEverySystemCallFails(t *testing.T) {
	for name, c := range crashes() {
		t.Run(name, func(t *testing.T) {
			base := quickDir(t)
			for n := 1; ; n++ {
				dir := filepath.Join(base, strconv.Itoa(n))
				must(t, os.MkdirAll(filepath.Join(dir, "root"), 0o755))
				if c.setup != nil {
					must(t, c.setup(filepath.Join(dir, "root")))
				}
				left, failed := n, ""
				cs, l := c.commits(t, dir, filepath.Join(dir, "journal"), func(step string) error {
					if left--; left == 0 {
						failed = step
						return syscall.EIO
					}
					if c.inPlace && step == "carry" {
						return capfs.Uncarried()
					}
					return nil
				})
				staged, err := c.run(cs)
				var r capfs.Receipt
				if err == nil {
					r, err = cs.C.Swap(context.Background(), staged)
				}
				swapped := err == nil && len(r.Done) > 0
				if err == nil {
					err = cs.End(r)
				}
				for _, s := range staged {
					if cerr := s.Cleanup(); cerr != nil {
						t.Errorf("%s: cleaning up: %v", failed, cerr)
					}
				}
				if failed == "" {
					must(t, err)
					break
				}
				if e, ok := reeve.AsError(err); err != nil && ok && (e.What == "" || strings.Contains(e.Error(), dir) && e.Path == "") {
					t.Errorf("%s: %v", failed, err)
				}
				got := slices.DeleteFunc(cs.Tree("/root"), func(s string) bool { return swapped && strings.Contains(s, "/.reeve-") })
				if want := c.old; !swapped && !slices.Equal(got, want) && failed != "journal end" {
					t.Errorf("%s failed: %v; the tree is %q", failed, err, got)
				} else if swapped && !slices.Equal(got, c.new) {
					t.Errorf("%s failed after the change was made: %q", failed, got)
				}
				l.Close()
				// What a failing disk left is seen to by the next start.
				cs, l = c.commits(t, dir, filepath.Join(dir, "journal"), nil)
				_, err = l.Recover(context.Background(), capfs.RecoverOptions{Keep: func(context.Context, capfs.Found) error { return nil }})
				must(t, err)
				if got := cs.Tree("/root"); !slices.Equal(got, c.old) && !slices.Equal(got, c.new) {
					t.Errorf("%s failed; after the next start the tree is %q", failed, got)
				}
				l.Close()
				if n > 300 {
					t.Fatal("it never ends")
				}
			}
		})
	}
}

// TestUndoFails lets the disk fail for good in the middle of a change: what
// cannot be put back then is put back at the next start, or named.
func TestUndoFails(t *testing.T) {
	for name, c := range crashes() {
		t.Run(name, func(t *testing.T) {
			base := quickDir(t)
			for n, more := 1, true; more; n++ {
				dir := filepath.Join(base, strconv.Itoa(n))
				must(t, os.MkdirAll(filepath.Join(dir, "root"), 0o755))
				if c.setup != nil {
					must(t, c.setup(filepath.Join(dir, "root")))
				}
				left := n
				more = false
				cs, l := c.commits(t, dir, filepath.Join(dir, "journal"), func(step string) error {
					if left--; left <= 0 {
						more = true
						return syscall.EIO
					}
					if c.inPlace && step == "carry" {
						return capfs.Uncarried()
					}
					return nil
				})
				staged, err := c.run(cs)
				if err == nil {
					var r capfs.Receipt
					if r, err = cs.C.Swap(context.Background(), staged); err == nil {
						err = cs.End(r)
					}
				}
				for _, s := range staged {
					s.Cleanup()
				}
				if more && err == nil && left < 0 {
					t.Errorf("a disk that failed at step %d was not told of", n)
				}
				l.Close()
				cs, l = c.commits(t, dir, filepath.Join(dir, "journal"), nil)
				_, err = l.Recover(context.Background(), capfs.RecoverOptions{Keep: func(context.Context, capfs.Found) error { return nil }})
				if err = errors.Join(err, l.Close()); err != nil {
					t.Error(err)
				}
				if got := cs.Tree("/root"); !slices.Equal(got, c.old) && !slices.Equal(got, c.new) {
					t.Errorf("the disk failed from step %d on; after the next start the tree is %q", n, got)
				}
				if n > 300 {
					t.Fatal("it never ends")
				}
			}
		})
	}
}

// TestDescriptorsAreGivenBack makes every kind of change, and has each fail at
// every step: nothing stays open.
func TestDescriptorsAreGivenBack(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		return len(entries)
	}
	for name, c := range crashes() {
		base := quickDir(t)
		before := open()
		for n := 1; n < 100; n++ {
			dir := filepath.Join(base, strconv.Itoa(n))
			must(t, os.MkdirAll(filepath.Join(dir, "root"), 0o755))
			if c.setup != nil {
				must(t, c.setup(filepath.Join(dir, "root")))
			}
			left := n
			t.Run(name, func(t *testing.T) {
				cs, l := c.commits(t, dir, filepath.Join(dir, "journal"), func(step string) error {
					if left--; left == 0 && step != "release" {
						return syscall.EIO
					}
					if c.inPlace && step == "carry" {
						return capfs.Uncarried()
					}
					return nil
				})
				staged, err := c.run(cs)
				if err == nil {
					var r capfs.Receipt
					r, err = cs.C.Swap(context.Background(), staged)
					for _, d := range r.Kept {
						d.Release()
					}
					if err == nil {
						cs.End(r)
					}
				}
				for _, s := range staged {
					s.Cleanup()
				}
				l.Close()
			})
			if left > 0 {
				break
			}
		}
		if after := open(); after > before {
			t.Errorf("%s: %d descriptors stay open", name, after-before)
		}
	}
}
