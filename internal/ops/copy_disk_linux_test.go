package ops

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
)

// A copy may take longer than a call may wait for a file system, as long as
// it comes forward.
func TestALongCopyIsNotGivenUp(t *testing.T) {
	w := newDisk(t)
	w.cur.Settings.CallTime = 500 * time.Millisecond
	steps := 0
	w.gate = onSlowDisk(t, w, func(step string) error {
		if step == "write" {
			steps++
			time.Sleep(40 * time.Millisecond)
		}
		return nil
	})
	content := bytes.Repeat([]byte("0123456789abcdef"), 20*128<<10/16)
	w.write("a", string(content))
	if _, err := w.try(context.Background(), &reeve.CopyPath{From: w.path("a"), To: w.path("b")}); err != nil {
		t.Fatalf("after %d steps: %v", steps, err)
	}
	if got, err := os.ReadFile(w.path("b")); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// A copy that is cancelled leaves nothing, and nobody waits for its rest.
func TestALongCopyIsCancelled(t *testing.T) {
	w := newDisk(t)
	ctx, cancel := context.WithCancel(context.Background())
	var steps atomic.Int32
	w.gate = onSlowDisk(t, w, func(step string) error {
		if step == "write" {
			if steps.Add(1) == 3 {
				cancel()
				<-ctx.Done()
			}
		}
		return nil
	})
	w.write("a", strings.Repeat("x", 20*128<<10))
	before := w.tree()
	if _, err := w.try(ctx, &reeve.CopyPath{From: w.path("a"), To: w.path("b")}); !errors.Is(err, reeve.Cancelled) {
		t.Errorf("%v", err)
	}
	if got := w.tree(); got != before {
		t.Error("the copy left something")
	}
	if n := steps.Load(); n > 4 {
		t.Errorf("%d steps were made", n)
	}
}

// An image of a disk that was made a moment ago is not "being written".
func TestAFreshLargeFileIsCopied(t *testing.T) {
	w := newDisk(t)
	const size = maxEdited + 1
	for _, name := range []string{"disk.img", "folder/disk.img"} {
		if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.path(name), []byte("MBR"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(w.path(name), size-4096); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(w.path("disk.img"), size); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"disk.img": "copy.img", "folder": "copied"} {
		if _, err := w.try(context.Background(), &reeve.CopyPath{From: w.path(from), To: w.path(to)}); err != nil {
			t.Errorf("%s: %v", from, err)
		}
	}
	if fi, err := os.Stat(w.path("copy.img")); err != nil || fi.Size() != size {
		t.Errorf("%v, %v", fi, err)
	}
}

// Folders on the way are told in one line when they are many, and too many are
// made in two calls.
func TestManyFoldersOnTheWayAreCounted(t *testing.T) {
	w := newDisk(t)
	deep := func(n int) string { return w.path(strings.TrimSuffix(strings.Repeat("a/", n), "/")) }
	got := w.refusedWith(&reeve.CreateDirectory{Path: deep(1200)}, reeve.TooLarge)
	if !strings.Contains(got, "create_directory "+deep(maxOnTheWay)+",") || w.tree() != "" {
		t.Errorf("the way on: %q", got)
	}
	a, _ := do[*reeve.Changes](w, &reeve.CreateDirectory{Path: deep(maxOnTheWay)})
	if f := a.Files[0]; len(f.Made) != 1 || f.Made[0].String() != w.path("a") || f.MadeMore != maxOnTheWay-2 {
		t.Errorf("told %d, %d more", len(f.Made), f.MadeMore)
	}
	a, _ = do[*reeve.Changes](w, &reeve.WriteFile{Path: deep(maxOnTheWay+5) + "/f", Content: "x"})
	if f := a.Files[0]; len(f.Made) != 5 || f.MadeMore != 0 {
		t.Errorf("told %d, %d more", len(f.Made), f.MadeMore)
	}
}
