//go:build unix

package approval

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reeve"
)

func TestFoldersThatAreNotReevesOwnAreRefused(t *testing.T) {
	ctx := context.Background()
	for name, spoil := range map[string]func(dir string) error{
		"a link":            func(dir string) error { return os.Symlink(os.TempDir(), dir) },
		"a file":            func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"writable by all":   func(dir string) error { os.Mkdir(dir, 0o700); return os.Chmod(dir, 0o777) },
		"writable by group": func(dir string) error { os.Mkdir(dir, 0o700); return os.Chmod(dir, 0o770) },
	} {
		d := newDesk(t)
		os.Mkdir(d.dir, 0o700)
		if err := spoil(filepath.Join(d.dir, tableDir)); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Ask(ctx, digest(1), reeve.Question{}, agent("")); err == nil {
			t.Errorf("%s: asked", name)
		}
		if _, _, err := d.Take(ctx, digest(1)); err == nil {
			t.Errorf("%s: taken from", name)
		}
	}
}

func TestAnswersOthersCouldHaveWrittenAreIgnored(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"writable by all": func(f string) error { return os.Chmod(f, 0o666) },
		"another user's": func(f string) error {
			if os.Geteuid() != 0 {
				return os.Chmod(f, 0o622)
			}
			return os.Chown(f, 65534, 65534)
		},
		"a link": func(f string) error { os.Rename(f, f+".x"); return os.Symlink(f+".x", f) },
		"a FIFO": func(f string) error { os.Remove(f); return syscall.Mkfifo(f, 0o600) },
	} {
		d := newDesk(t)
		p := d.ask(t, 1)
		d.yes(t, p.ID)
		if err := spoil(filepath.Join(d.dir, tableDir, p.ID+".answer")); err != nil {
			t.Fatal(err)
		}
		if _, ok := d.take(t, 1); ok || len(d.reports) == 0 || strings.Contains(d.reports[0], "another card") {
			t.Errorf("%s: used %v, reported %v", name, ok, d.reports)
		}
	}
}
