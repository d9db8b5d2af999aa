package guard

import (
	"context"
	"sort"
	"sync"

	"reeve"
)

// devices are the file systems that a proposal touches, in order.
func devices(p reeve.Proposal) []uint64 {
	seen := map[uint64]bool{}
	for _, e := range p.Effects {
		seen[e.Place.Device] = true
		if e.To != nil {
			seen[e.To.Device] = true
		}
	}
	list := make([]uint64, 0, len(seen))
	for d := range seen {
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list
}

// locks is one lock for each device, so that a file system that hangs in a
// swap holds up no other. Taken in one order, given back together.
type locks struct {
	mu sync.Mutex
	by map[uint64]chan struct{}
}

func (l *locks) lock(ctx context.Context, devices []uint64) (unlock func(), err error) {
	var held []chan struct{}
	unlock = func() {
		for _, ch := range held {
			<-ch
		}
	}
	for _, d := range devices {
		l.mu.Lock()
		if l.by == nil {
			l.by = map[uint64]chan struct{}{}
		}
		ch := l.by[d]
		if ch == nil {
			ch = make(chan struct{}, 1)
			l.by[d] = ch
		}
		l.mu.Unlock()
		select {
		case ch <- struct{}{}:
			held = append(held, ch)
		case <-ctx.Done():
			unlock()
			return nil, ctx.Err()
		}
	}
	return unlock, nil
}
