package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"reeve"
)

// withProgress shows how far a call has come, on a terminal only and only
// when it takes over a second. The function that it returns wipes the line.
func withProgress(ctx context.Context, w io.Writer) (context.Context, func()) {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) {
		return ctx, func() {}
	}
	p := &progress{w: w, since: time.Now()}
	return reeve.WithProgress(ctx, p.tell), p.end
}

type progress struct {
	mu     sync.Mutex
	w      io.Writer
	since  time.Time
	last   time.Time
	shown  bool
	closed bool
}

func (p *progress) tell(at reeve.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.closed || now.Sub(p.since) < time.Second || now.Sub(p.last) < 200*time.Millisecond {
		return
	}
	p.last, p.shown = now, true
	line := oneLine(at.Message)
	switch {
	case at.Total > 0:
		line = fmt.Sprintf("%s %s of %s", line, count(at.Done), count(at.Total))
	case at.Done > 0:
		line = fmt.Sprintf("%s %s", line, count(at.Done))
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", clip(line, 78))
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
