package capfs

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// strikes is how often a mount may fail to answer before it is refused.
const strikes = 2

// mount is one device as far as answering goes. Two bind mounts of one device
// hang together, so the device is the key.
type mount struct {
	busy    atomic.Int32 // system calls inside it now
	waiting atomic.Int32
	free    chan struct{}
	hanging atomic.Int32 // abandoned workers that still wait for it
	struck  atomic.Int32 // strikes since it last answered
}

func newMount() *mount { return &mount{free: make(chan struct{}, 1)} }

// dead: it did not answer twice and somebody still waits for it.
func (m *mount) dead() bool {
	return m.struck.Load() >= strikes && m.hanging.Load() > 0
}

func (m *mount) strike() {
	m.hanging.Add(1)
	m.struck.Add(1)
}

// answered readmits: a call that had been given up came back.
func (m *mount) answered() {
	m.struck.Store(0)
	m.hanging.Add(-1)
}

// mountTable finds the mount of a device. It only grows: devices are few.
type mountTable struct {
	mu sync.RWMutex
	by map[uint64]*mount
}

func (t *mountTable) of(device uint64) *mount {
	t.mu.RLock()
	m := t.by[device]
	t.mu.RUnlock()
	if m != nil {
		return m
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if m = t.by[device]; m == nil {
		if t.by == nil {
			t.by = map[uint64]*mount{}
		}
		m = newMount()
		t.by[device] = m
	}
	return m
}

// touch runs fn, one question to the file system, which may block for ever.
// Whoever waits for the call can give it up meanwhile; the mount then takes
// the blame.
func (fs *FS) touch(ctx context.Context, m *mount, fn func() error) error {
	if m.dead() {
		return mountDead("", "")
	}
	c := taskOf(ctx)
	if m.busy.Add(1) > fs.perMount() {
		m.busy.Add(-1)
		if err := fs.queue(ctx, m); err != nil {
			return err
		}
	}
	if err := c.enter(m); err != nil {
		m.leave()
		return err
	}
	err := fn()
	c.leave(m)
	m.leave()
	return err
}

func (fs *FS) perMount() int32 { return int32(max(1, fs.o.MaxAbandoned/2)) }

func (m *mount) leave() {
	m.busy.Add(-1)
	if m.waiting.Load() > 0 {
		select {
		case m.free <- struct{}{}:
		default:
		}
	}
}

// queue waits for a turn at a busy mount, for as long as the call lasts.
func (fs *FS) queue(ctx context.Context, m *mount) error {
	m.waiting.Add(1)
	defer m.waiting.Add(-1)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if m.dead() {
			return mountDead("", "")
		}
		if m.busy.Add(1) <= fs.perMount() {
			return nil
		}
		m.busy.Add(-1)
		select {
		case <-m.free:
		case <-tick.C:
		case <-ctx.Done():
			return ended(context.Cause(ctx), fs.o.Timeout)
		}
	}
}
