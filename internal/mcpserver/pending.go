package mcpserver

import (
	"context"
	"sync"
	"time"

	"reeve"
)

// waitingEvery is how often a client hears that its call still waits: some
// take a silent call for lost.
const waitingEvery = 5 * time.Second

func tellWaiting(ctx context.Context) {
	t := time.NewTicker(waitingEvery)
	defer t.Stop()
	for {
		reeve.ReportProgress(ctx, reeve.Progress{Message: "Waiting for the owner's answer"})
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// settle does a request and turns a question into waiting, where there is
// something to wait on. A request that is made again has the same digest: it
// finds its answer, or the same question, or a new one because what it was
// about has changed. None of that prolongs the wait.
func (s *Server) settle(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
	out, err := s.o.Doer.Do(ctx, r)
	if err != nil || out.Pending == nil || s.o.Waiter == nil {
		return out, err
	}
	wait, stop := context.WithTimeout(ctx, s.o.WaitFor)
	defer stop()
	var telling sync.WaitGroup
	defer telling.Wait()
	defer stop() // first this, then the wait for what it ends
	telling.Go(func() { tellWaiting(wait) })
	for err == nil && out.Pending != nil {
		if s.o.Waiter.Wait(wait, *out.Pending) != nil || wait.Err() != nil {
			// Once more: the answer may have come in the last moment.
			if ctx.Err() != nil {
				return reeve.Outcome{}, cancelled(string(r.Call.Verb()))
			}
			return s.o.Doer.Do(ctx, r)
		}
		out, err = s.o.Doer.Do(ctx, r)
	}
	return out, err
}
