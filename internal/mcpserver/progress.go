package mcpserver

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
)

// progressEvery is the least time between two notifications of one call.
const progressEvery = 100 * time.Millisecond

// progress passes what a verb tells on to the client, if it asked for it. The
// verb never waits for the client: only the latest word is kept. The returned
// function ends it; after that no notification follows.
func (s *Server) progress(ctx context.Context, req *mcp.CallToolRequest) (context.Context, func()) {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64:
	default:
		return ctx, func() {}
	}
	var (
		mu     sync.Mutex
		latest *reeve.Progress
		news   = make(chan struct{}, 1)
		end    = make(chan struct{})
		sender sync.WaitGroup
	)
	sender.Go(func() {
		step := float64(0)
		for {
			select {
			case <-end:
				return
			case <-news:
			}
			mu.Lock()
			p := latest
			latest = nil
			mu.Unlock()
			if p == nil {
				continue
			}
			// The protocol wants a number that only grows, also where the
			// verb counts nothing.
			if done := float64(p.Done); done > step {
				step = done
			} else {
				step++
			}
			// A failure here is the connection's, and shows there.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: step, Total: float64(max(p.Total, 0)), Message: short(p.Message)})
			select {
			case <-end:
				return
			case <-time.After(progressEvery):
			}
		}
	})
	ctx = reeve.WithProgress(ctx, func(p reeve.Progress) {
		mu.Lock()
		latest = &p
		mu.Unlock()
		select {
		case news <- struct{}{}:
		default:
		}
	})
	return ctx, func() { close(end); sender.Wait() }
}

func short(s string) string {
	if len(s) > 200 {
		s = s[:200]
	}
	return strings.ToValidUTF8(s, "")
}
