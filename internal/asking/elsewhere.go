package asking

import (
	"context"
	"time"

	"reeve"
)

// Elsewhere is the channel of the pages that other processes show: they look
// at the same table, so there is nothing to send. It is a pointer, because a
// channel must be comparable.
type Elsewhere struct {
	Presence *Presence
	// Every is how often it is looked whether a page is still open; zero
	// means 1 s.
	Every time.Duration
}

// There implements Channel.
func (e *Elsewhere) There(context.Context) bool { return e.Presence.Anybody() }

// Ask implements Channel.
func (e *Elsewhere) Ask(ctx context.Context, _ reeve.Pending) {
	every := e.Every
	if every <= 0 {
		every = time.Second
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for e.Presence.Anybody() {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
