package capfs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"reeve"
)

const (
	// grace is how long a worker may take to notice that its call ended: a
	// search then still hands over what it found.
	grace = 20 * time.Millisecond
	// patience is how long a mount may stay silent after a call was cancelled
	// before that counts as not answering.
	patience = time.Second
)

// Call runs fn in a worker of its own and returns when fn does. When ctx ends
// first (reeve.Cancelled) or the time of one call is over (reeve.Timeout), the
// worker's context ends; if it does not come back at once, it is abandoned and
// Call returns without it. An abandoned worker can ask the file system nothing
// more and holds no lock, and what it returns is dropped: fn must therefore
// close in the worker what it opened. A mount that a worker hangs in twice is
// refused at once (reeve.MountDead) until one of the waiting workers comes
// back from it.
//
// A panic in fn is raised again in the caller, unless the caller has gone.
// Fn may use the context from several goroutines.
func Call[T any](ctx context.Context, fs *FS, fn func(context.Context) (T, error)) (T, error) {
	return CallFor(ctx, fs, fs.o.Timeout, fn)
}

// CallFor is Call with a time of its own; 0 is that of the options.
func CallFor[T any](ctx context.Context, fs *FS, limit time.Duration, fn func(context.Context) (T, error)) (T, error) {
	return call(ctx, fs, limit, false, fn)
}

// CallWhile is CallFor for work that may rightly take long, such as staging
// the content of a large file: the time begins anew with each step forward
// (each part of a file that was read, written or synced), so that only what
// stands still is given up.
func CallWhile[T any](ctx context.Context, fs *FS, limit time.Duration, fn func(context.Context) (T, error)) (T, error) {
	return call(ctx, fs, limit, true, fn)
}

func call[T any](ctx context.Context, fs *FS, limit time.Duration, renewed bool, fn func(context.Context) (T, error)) (T, error) {
	var zero T
	if limit <= 0 {
		limit = fs.o.Timeout
	}
	if ctx.Err() != nil {
		return zero, ended(context.Cause(ctx), limit)
	}
	if fs.hanging.Load() >= int32(fs.o.MaxAbandoned) {
		return zero, tooManyHanging()
	}
	c := &task{limit: limit, renewed: renewed}
	inner, cancel := c.clock(ctx)
	defer cancel()
	wctx := &taskContext{inner, c}
	done := make(chan outcome[T], 1)
	go func() {
		widen(int(limit))
		var out outcome[T]
		out.panicked = true
		defer func() {
			if out.panicked {
				if out.reason = recover(); out.reason == nil {
					out.reason = "the worker ended without returning"
				}
				out.stack = debug.Stack()
			}
			done <- out
			c.back(fs)
		}()
		out.value, out.err = fn(wctx)
		out.panicked = false
	}()
	var out outcome[T]
	select {
	case out = <-done:
		return out.get()
	case <-inner.Done():
	}
	cause := context.Cause(inner)
	c.end(cause)
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case out = <-done:
		if bareEnd(out.err) {
			out.err = c.ended(cause)
		}
		return out.get()
	case <-late.C:
	}
	c.abandon(fs, ctx.Err() == nil)
	return zero, c.ended(cause)
}

// widen makes a worker's stack large enough at once, while next to nothing is
// on it: growing in steps copies what is on it, each time.
//
//go:noinline
func widen(n int) byte {
	var room [12 << 10]byte
	n &= 0xfff
	room[n] = 1 // or it would not be there
	return room[n/2]
}

type outcome[T any] struct {
	value    T
	err      error
	panicked bool
	reason   any
	stack    []byte
}

func (o *outcome[T]) get() (T, error) {
	if o.panicked {
		panic(fmt.Sprintf("%v\n\nworker's stack:\n%s", o.reason, o.stack))
	}
	return o.value, o.err
}

// bareEnd reports whether a worker only says that its context ended; why, the
// call knows better.
func bareEnd(err error) bool {
	_, told := reeve.AsError(err)
	return !told && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled))
}

// task is what one call is doing, as the one who may abandon it sees it.
type task struct {
	limit   time.Duration
	renewed bool         // the limit is for each step forward
	began   time.Time    // of a renewed call
	moved   atomic.Int64 // when it last came forward, since it began

	mu        sync.Mutex
	on        []touching // mounts being asked now; seldom more than one
	over      error      // why the context ended: no further question
	working   bool       // it was asking no mount when that was
	abandoned bool
	returned  bool
}

type touching struct {
	m      *mount
	n      int
	struck bool
}

// taskContext carries the task, cheaper to find than a value.
type taskContext struct {
	context.Context
	task *task
}

// clock is the context of the worker: it ends with ctx, or when the time is
// over. The time of a renewed call is counted from its last step forward.
func (c *task) clock(ctx context.Context) (context.Context, context.CancelFunc) {
	if !c.renewed {
		return context.WithTimeout(ctx, c.limit)
	}
	inner, cancel := context.WithCancelCause(ctx)
	c.began = time.Now()
	go func() {
		t := time.NewTimer(c.limit)
		defer t.Stop()
		for {
			select {
			case <-inner.Done():
				return
			case <-t.C:
			}
			rest := time.Duration(c.moved.Load()) + c.limit - time.Since(c.began)
			if rest <= 0 {
				cancel(context.DeadlineExceeded)
				return
			}
			t.Reset(rest)
		}
	}()
	return inner, func() { cancel(nil) }
}

// Err implements context.Context; a renewed call's time is no cancellation.
func (c *taskContext) Err() error {
	err := c.Context.Err()
	if err != nil && c.task.renewed && context.Cause(c.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// forward notes that a renewed call came a step further.
func forward(ctx context.Context) {
	if c := taskOf(ctx); c != nil && c.renewed {
		c.moved.Store(int64(time.Since(c.began)))
	}
}

type taskKey struct{}

// Value implements context.Context.
func (c *taskContext) Value(key any) any {
	if _, ok := key.(taskKey); ok {
		return c.task
	}
	return c.Context.Value(key)
}

func taskOf(ctx context.Context) *task {
	if c, ok := ctx.(*taskContext); ok {
		return c.task
	}
	t, _ := ctx.Value(taskKey{}).(*task)
	return t
}

func (c *task) enter(m *mount) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over != nil {
		return c.ended(c.over)
	}
	for i := range c.on {
		if c.on[i].m == m {
			c.on[i].n++
			return nil
		}
	}
	c.on = append(c.on, touching{m: m, n: 1})
	return nil
}

func (c *task) leave(m *mount) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.on {
		t := &c.on[i]
		if t.m != m {
			continue
		}
		if t.struck {
			t.struck = false
			m.answered()
		}
		if t.n--; t.n == 0 {
			last := len(c.on) - 1
			c.on[i] = c.on[last]
			c.on = c.on[:last]
		}
		return
	}
}

// ended is the refusal of a call whose context ended.
func (c *task) ended(cause error) error {
	err := ended(cause, c.limit)
	e, ok := reeve.AsError(err)
	switch {
	case !ok || e.Code != reeve.Timeout:
	case c.working:
		e.What = "the work was not done within " + c.limit.Round(time.Millisecond).String()
		e.Instead = "Ask for less at once: it takes as long when it is tried again."
	case c.renewed:
		e.What = "the file system came no further for " + c.limit.Round(time.Millisecond).String()
	}
	return err
}

// end stops the worker at its next question to a file system.
func (c *task) end(cause error) {
	c.mu.Lock()
	c.over, c.working = cause, len(c.on) == 0 && !c.renewed
	c.mu.Unlock()
}

// abandon counts the worker among the hanging ones and blames the mounts that
// it has been waiting for, at once when the call's own time was over.
func (c *task) abandon(fs *FS, atOnce bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.returned {
		return
	}
	c.abandoned = true
	fs.hanging.Add(1)
	if atOnce {
		c.blame()
		return
	}
	time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.blame()
	})
}

func (c *task) blame() {
	for i := range c.on {
		if t := &c.on[i]; !t.struck {
			t.struck = true
			t.m.strike()
		}
	}
}

// back notes that the worker has returned.
func (c *task) back(fs *FS) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned = true
	if c.abandoned {
		fs.hanging.Add(-1)
	}
}
