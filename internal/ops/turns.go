package ops

import (
	"context"
	"sync/atomic"
	"time"

	"reeve"
)

const (
	// walksAtOnce is how many walks through folders run at the same time.
	// More of them end no sooner, and leave nothing for calls that only read.
	walksAtOnce = 3
	// walksWaiting is how many more may wait for their turn.
	walksWaiting = 64
)

// turns lets few walks run at once. The others wait; beyond a bound, or when
// half of a call's time was spent waiting, the call is refused.
type turns struct {
	running chan struct{}
	waiting atomic.Int64
}

func newTurns() *turns { return &turns{running: make(chan struct{}, walksAtOnce)} }

// take waits for a turn. The caller calls done when its walk has ended.
func (t *turns) take(ctx context.Context, verb reeve.Verb) (done func(), err error) {
	done = func() { <-t.running }
	select {
	case t.running <- struct{}{}:
		return done, nil
	default:
	}
	defer t.waiting.Add(-1)
	if t.waiting.Add(1) > walksWaiting {
		return nil, busy(verb)
	}
	var late <-chan time.Time
	if d, ok := ctx.Deadline(); ok {
		timer := time.NewTimer(time.Until(d) / 2)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case t.running <- struct{}{}:
		return done, nil
	case <-late:
		return nil, busy(verb)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func busy(verb reeve.Verb) error {
	return &reeve.Error{Op: string(verb), Kind: reeve.IO, Code: reeve.Busy,
		What: "too many other searches are running", Not: notLooked(verb),
		Instead: "Make this call again when some of them have ended, and make fewer at a time."}
}
