package capfs

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"reeve"
)

// On a disk that takes seconds for what was written, less is written until it
// is waited for again; on a quick one, more.
func TestNextPart(t *testing.T) {
	for _, c := range []struct {
		part int64
		took time.Duration
		want int64
	}{
		{syncFirst, time.Millisecond, 2 * syncFirst},
		{syncMost, time.Millisecond, syncMost},
		{16 << 20, 500 * time.Millisecond, 16 << 20},
		{16 << 20, 3 * time.Second, 8 << 20},
		{syncFirst, 9 * time.Second, syncFirst},
	} {
		if got := nextPart(c.part, c.took); got != c.want {
			t.Errorf("%d after %s: %d, want %d", c.part, c.took, got, c.want)
		}
	}
}

// Who is cancelled while he waits for his turn is told that, and not that
// other programs are in the way.
func TestCancelledWhileWaitingForATurn(t *testing.T) {
	l := NewCommitter(New(Options{Refresh: -1}), CommitOptions{Journal: filepath.Join(t.TempDir(), "j")})
	end, err := l.turn(context.Background(), reeve.Place{})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.turn(ctx, reeve.Place{}); !errors.Is(err, reeve.Cancelled) {
		t.Errorf("%v", err)
	}
}
