package mcpserver

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
)

// A client that sends and never reads: what it costs is bounded, and its end
// is the server's end, although nothing was read and the pipe is full.
func TestAClientThatReadsNothingIsNotReadFromForever(t *testing.T) {
	t.Parallel()
	var worked, sent atomic.Int64
	var gone atomic.Bool
	o := options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		worked.Add(1)
		return answers(ctx, r)
	})
	o.Gone = gone.Load
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- New(o).Run(ctx, inR, outW) }()
	go func() {
		for i := range 5000 {
			if _, err := fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n", i); err != nil {
				return
			}
			sent.Add(1)
		}
	}()
	for until := time.Now().Add(patience); worked.Load() < maxUnanswered && time.Now().Before(until); {
		time.Sleep(5 * time.Millisecond)
	}
	gone.Store(true)
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Run gave %v, want nothing: a client that leaves is no error", err)
		}
	case <-time.After(patience):
		t.Error("the server did not end with its client")
	}
	outR.Close()
	inW.Close()
	if n := worked.Load(); n != maxUnanswered {
		t.Errorf("%d calls were worked on unread, want %d", n, maxUnanswered)
	}
	if n := sent.Load(); n > maxUnanswered+4 {
		t.Errorf("%d calls were taken from the client, want about %d", n, maxUnanswered)
	}
}

// Back-pressure drops nothing: who reads at last gets every answer.
func TestEveryCallBeyondTheBoundIsAnsweredInTheEnd(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	var worked atomic.Int64
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		worked.Add(1)
		<-hold
		return answers(ctx, r)
	}))
	w.hello("2025-11-25")
	const calls = maxUnanswered + 100
	w.sent.Add(1)
	go func() {
		defer w.sent.Done()
		for i := range calls {
			fmt.Fprintf(w.in, `{"jsonrpc":"2.0","id":"n%d","method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}`+"\n", i)
		}
	}()
	for until := time.Now().Add(patience); worked.Load() < 256 && time.Now().Before(until); {
		time.Sleep(5 * time.Millisecond)
	}
	close(hold)
	seen := map[string]bool{}
	for len(seen) < calls {
		seen[string(w.message().ID)] = true
	}
}
