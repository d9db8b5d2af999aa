package capfs_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// Swaps of two processes take turns also when somebody has tidied the lock's
// file away between two of them.
func TestTurnsSurviveARemovedLock(t *testing.T) {
	base, journal := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	var inside atomic.Pointer[func()]
	w := capfstest.OnDisk(t, capfs.NewPortable())
	w.Base = base
	first := capfstest.NewCommits(t, w, ladder(t, capfs.CommitOptions{Journal: journal}))
	fs := first.FS
	second := &capfstest.Commits{T: t, W: w, FS: fs, C: ladder(t, capfs.CommitOptions{Journal: journal, Fault: func(step string) error {
		if fn := inside.Load(); fn != nil && step == "verify" {
			inside.Store(nil)
			(*fn)()
		}
		return nil
	}})(fs)}
	if _, err := first.Do(reeve.Mkdir, "/root/a", ""); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "root", "f"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(journal, "swap.lock")); err != nil {
		t.Skip(err) // an open file stays where it is on this system
	}
	other := first.MustStage(reeve.Mkdir, "/root/z", "")
	ended := make(chan error, 1)
	started := func() {
		go func() {
			r, err := first.C.Swap(context.Background(), []capfs.Staged{other})
			if err == nil {
				err = first.End(r)
			}
			ended <- err
		}()
		select {
		case <-ended:
			t.Error("both had the turn at once")
			ended <- nil
		case <-time.After(50 * time.Millisecond):
		}
	}
	inside.Store(&started)
	if _, err := second.Do(reeve.Put, "/root/f", "new"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
