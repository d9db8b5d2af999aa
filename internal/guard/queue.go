package guard

import (
	"context"
	"slices"
	"sync"

	"reeve/internal/pathname"
)

// queues hold one queue for each path that is being changed in this process,
// so that changes of one file come one after another, and those of other
// files stay free. A path is queued as it is written, cleaned: whoever comes
// by another spelling is met by the compare-and-swap instead.
type queues struct {
	mu sync.Mutex
	by map[string]*queue
}

type queue struct {
	turn chan struct{}
	in   int // who waits or works
}

// enter waits for the turn at every key, in one order for all callers.
func (q *queues) enter(ctx context.Context, keys []string) (leave func(), err error) {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	var held []string
	leave = func() {
		for _, k := range held {
			q.leave(k, true)
		}
	}
	for _, k := range keys {
		q.mu.Lock()
		if q.by == nil {
			q.by = map[string]*queue{}
		}
		one := q.by[k]
		if one == nil {
			one = &queue{turn: make(chan struct{}, 1)}
			q.by[k] = one
		}
		one.in++
		q.mu.Unlock()
		select {
		case one.turn <- struct{}{}:
			held = append(held, k)
		case <-ctx.Done():
			q.leave(k, false)
			leave()
			return nil, ctx.Err()
		}
	}
	return leave, nil
}

func (q *queues) leave(key string, had bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.by[key]
	if had {
		<-one.turn
	}
	if one.in--; one.in == 0 {
		delete(q.by, key)
	}
}

// queued are the keys of the paths that a call wants to change.
func (c *call) queued() []string {
	var keys []string
	add := func(path string) {
		if p, err := pathname.Parse(path, c.policy.Paths); err == nil {
			keys = append(keys, p.Abs())
		}
	}
	for _, in := range c.intents {
		if !in.Kind.Changes() {
			continue
		}
		add(in.Path)
		if in.To != "" {
			add(in.To)
		}
	}
	return keys
}
