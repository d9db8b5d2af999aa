package node

import (
	"context"
	"sync"
)

// calls counts the calls that run, so that an end can wait for them.
type calls struct {
	mu     sync.Mutex
	n      int
	ending bool
	idle   chan struct{} // closed when ending and none runs
}

func (c *calls) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return false
	}
	c.n++
	return true
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	c.settle()
}

// settle closes idle when it is time. The caller holds the lock.
func (c *calls) settle() {
	if !c.ending || c.n > 0 {
		return
	}
	select {
	case <-c.idle:
	default:
		close(c.idle)
	}
}

// end refuses further calls and waits for those that run.
func (c *calls) end(ctx context.Context) {
	c.mu.Lock()
	c.ending = true
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	c.settle()
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

func (c *calls) wait(ctx context.Context) error {
	c.mu.Lock()
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
