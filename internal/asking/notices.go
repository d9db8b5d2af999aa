package asking

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"reeve"
)

// NoticesOptions are what Notices need. All but Every is required.
type NoticesOptions struct {
	Presence *Presence
	// Allowed says whether the owner's rules let a notice be sent, and whether
	// there is a desktop to show it. It is quick.
	Allowed func(context.Context) bool
	// Every is the shortest time between two notices of all processes; zero
	// means 30 s.
	Every time.Duration
	// Send shows one, and does not wait until it is there. After an error none
	// is sent any more.
	Send func(ctx context.Context, n Notice) error
}

// Notices tell an owner who looks elsewhere that a question waits, by the
// desktop's own notifications. A notice stands for all questions that wait
// when it is sent, each question is told once, and notices of all processes
// keep their distance: thirty questions at once are one notice. It is safe for
// concurrent use.
type Notices struct {
	o NoticesOptions

	mu      sync.Mutex
	waiting map[string]asked // not told yet
	told    map[string]bool
	number  int
	broken  bool // there is nothing here that shows a notice
}

type asked struct {
	p reeve.Pending
	n int // in the order in which they came
}

// NewNotices makes them. Nothing is sent before a channel asks.
func NewNotices(o NoticesOptions) *Notices {
	if o.Presence == nil || o.Allowed == nil || o.Send == nil {
		panic("asking: Presence, Allowed and Send are required")
	}
	if o.Every <= 0 {
		o.Every = 30 * time.Second
	}
	return &Notices{o: o, waiting: map[string]asked{}, told: map[string]bool{}}
}

// On makes a channel whose questions are also told by a notice. A notice
// takes no answer, so that it is no channel by itself.
func (n *Notices) On(c Channel) Channel { return &noticed{c, n} }

// noticed is a channel with notices. It is a pointer, because a channel must
// be comparable.
type noticed struct {
	Channel
	notices *Notices
}

// Ask implements Channel.
func (c *noticed) Ask(ctx context.Context, p reeve.Pending) {
	ctx, done := context.WithCancel(ctx)
	var telling sync.WaitGroup
	defer telling.Wait()
	defer done() // first this, then the wait for what it ends
	telling.Go(func() { c.notices.tell(ctx, p) })
	c.Channel.Ask(ctx, p)
}

// tell sends a notice, or waits until another one has told of the question or
// ctx is done: it was answered then.
func (n *Notices) tell(ctx context.Context, p reeve.Pending) {
	if !n.enter(p) {
		return
	}
	defer n.leave(p.ID)
	for n.open(p.ID) {
		if !n.o.Allowed(ctx) {
			return
		}
		wait, err := n.o.Presence.Notice(n.o.Every)
		if err != nil {
			return // a question is not worth less for it
		}
		if wait <= 0 {
			n.send(ctx)
			return
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}

func (n *Notices) enter(p reeve.Pending) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken || n.told[p.ID] {
		return false
	}
	n.number++
	n.waiting[p.ID] = asked{p, n.number}
	return true
}

func (n *Notices) leave(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.waiting, id)
}

func (n *Notices) open(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.broken && !n.told[id]
}

// mostTold bounds what is remembered of questions that were told.
const mostTold = 1000

// send tells of all that waits, the oldest by name.
func (n *Notices) send(ctx context.Context) {
	n.mu.Lock()
	list := slices.SortedFunc(maps.Values(n.waiting), func(a, b asked) int { return a.n - b.n })
	if len(n.told) > mostTold {
		clear(n.told)
	}
	for _, a := range list {
		n.told[a.p.ID] = true
	}
	n.mu.Unlock()
	if len(list) == 0 {
		return
	}
	notice := noticeOf(list[0].p)
	if more := len(list) - 1; more > 0 {
		notice.Title += fmt.Sprintf(" (and %d more)", more)
	}
	if n.o.Send(ctx, notice) != nil && ctx.Err() == nil {
		n.mu.Lock()
		n.broken = true
		n.mu.Unlock()
	}
}
