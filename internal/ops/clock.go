package ops

import (
	"context"
	"errors"
	"time"

	"reeve"
)

// tickEvery is how many entries pass between two looks at the clock.
const tickEvery = 64

// stopped is a walk that ended early, and why.
type stopped string

func (s stopped) Error() string { return "stopped: " + string(s) }

// clock ends a walk in time to say what it has found: at its own limit, or
// shortly before the whole call would be given up.
type clock struct {
	ctx      context.Context
	deadline time.Time // zero: none
	progress time.Time
	done     func() int64
	what     string
}

// newClock starts now. limit is the walk's own; 0 means that there is none.
func newClock(ctx context.Context, limit time.Duration, what string, done func() int64) *clock {
	now := time.Now()
	c := &clock{ctx: ctx, what: what, done: done, progress: now.Add(time.Second)}
	if limit > 0 {
		c.deadline = now.Add(limit)
	}
	if d, ok := ctx.Deadline(); ok {
		d = d.Add(-min(500*time.Millisecond, d.Sub(now)/5))
		if c.deadline.IsZero() || d.Before(c.deadline) {
			c.deadline = d
		}
	}
	return c
}

func (c *clock) tick() error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	now := time.Now()
	if !c.deadline.IsZero() && !now.Before(c.deadline) {
		return stopped(stopTime)
	}
	if now.After(c.progress) {
		c.progress = now.Add(time.Second)
		reeve.ReportProgress(c.ctx, reeve.Progress{Done: c.done(), Message: c.what})
	}
	return nil
}

// within gives a context that ends with the clock, for reading in a file.
func (c *clock) within() (context.Context, context.CancelFunc) {
	if c.deadline.IsZero() {
		return context.WithCancel(c.ctx)
	}
	return context.WithDeadline(c.ctx, c.deadline)
}

// ended tells an end in order from other errors of a walk: the reason, if
// the walk was not complete, or the error.
func (c *clock) ended(err error) (string, error) {
	var s stopped
	switch {
	case err == errStop:
		return "", nil
	case errors.As(err, &s):
		return string(s), nil
	case err != nil && c.ctx.Err() == nil && !c.deadline.IsZero() && !time.Now().Before(c.deadline) && deadlined(err):
		return stopTime, nil
	}
	return "", err
}

func deadlined(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, reeve.Timeout)
}
