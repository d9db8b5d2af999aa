package asking

import (
	"context"
	"sync"
	"time"

	"reeve"
)

// Cards is the table of questions, as far as waiting needs it.
type Cards interface {
	// Open reports whether a question has no answer yet. It is called several
	// times a second.
	Open(ctx context.Context, id string) (bool, error)
}

// Channel is one way to reach the owner. Its methods may be called by several
// goroutines at once.
type Channel interface {
	// There reports whether the owner could answer here now. It is quick, and
	// shows nothing.
	There(ctx context.Context) bool
	// Ask shows one question until ctx is done, and puts an answer into the
	// table by itself. It returns early when the owner can't answer here any
	// more. The table alone decides which answer was first.
	Ask(ctx context.Context, p reeve.Pending)
}

// Options of an Asker. Cards is required.
type Options struct {
	Cards Cards
	// Channels are asked together, those of them that are there.
	Channels []Channel
	// Resort is asked when a question finds none of the others, nil for
	// nothing.
	Resort Channel
	// Every is how often the table is looked at; zero means 150 ms.
	Every time.Duration
	// Patience is how long a question may be without any channel, after it
	// had one, before the wait ends: a page may be loading again. Zero means
	// 3 s.
	Patience time.Duration
}

// Asker waits for answers. It is safe for concurrent use.
type Asker struct{ o Options }

// New makes an asker.
func New(o Options) *Asker {
	if o.Cards == nil {
		panic("asking: Cards is required")
	}
	if o.Every <= 0 {
		o.Every = 150 * time.Millisecond
	}
	if o.Patience <= 0 {
		o.Patience = 3 * time.Second
	}
	o.Channels = append([]Channel(nil), o.Channels...)
	return &Asker{o}
}

// There reports whether any channel could take an answer now.
func (a *Asker) There(ctx context.Context) bool {
	for _, c := range a.o.Channels {
		if c.There(ctx) {
			return true
		}
	}
	return a.o.Resort != nil && a.o.Resort.There(ctx)
}

// Wait asks the channels that are there and returns nil when the request
// should be made again: the question was answered, or it expired. It returns
// an error of code no_channel when nobody can be asked, and ctx's own when
// that is done first. It never answers by itself.
func (a *Asker) Wait(ctx context.Context, p reeve.Pending) error {
	asking, stop := context.WithCancel(ctx)
	w := &wait{asker: a, p: p, shown: map[Channel]bool{}}
	defer w.running.Wait()
	defer stop() // first this, then the wait for what it ends
	tick := time.NewTicker(a.o.Every)
	defer tick.Stop()
	var expired <-chan time.Time
	if !p.Expires.IsZero() {
		t := time.NewTimer(time.Until(p.Expires))
		defer t.Stop()
		expired = t.C
	}
	alone := time.Time{} // since when no channel shows the question
	for {
		open, err := a.o.Cards.Open(ctx, p.ID)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case !open:
			return nil
		}
		started := w.start(asking)
		switch {
		case w.asked() > 0:
			alone = time.Time{}
		case !started && alone.IsZero():
			return nobody(p)
		case alone.IsZero():
			alone = time.Now()
		case time.Since(alone) > a.o.Patience:
			return nobody(p)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-expired:
			return nil
		case <-w.news():
		case <-tick.C:
		}
		if w.asked() == 0 && alone.IsZero() {
			alone = time.Now()
		}
	}
}

// nobody says that there is no channel.
func nobody(p reeve.Pending) error {
	return &reeve.Error{Op: "ask", Path: p.ID, Kind: reeve.Approval, Code: reeve.NoChannel,
		What: "is a question that nobody can be asked now", Not: "Nothing was written."}
}

// wait is one question being asked.
type wait struct {
	asker *Asker
	p     reeve.Pending

	running sync.WaitGroup
	mu      sync.Mutex
	shown   map[Channel]bool // true while it asks, false when it has given up
	count   int
	ended   chan struct{} // closed when a channel ends, then made anew
}

// start asks every channel that is there and was not asked yet. It reports
// whether any was ever asked.
func (w *wait) start(ctx context.Context) bool {
	there := false
	for _, c := range w.asker.o.Channels {
		there = w.ask(ctx, c) || there
	}
	w.mu.Lock()
	never := len(w.shown) == 0
	w.mu.Unlock()
	if r := w.asker.o.Resort; r != nil && never && !there {
		w.ask(ctx, r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.shown) > 0
}

// ask starts a channel that is there and was not asked before; it reports
// whether the channel is asking.
func (w *wait) ask(ctx context.Context, c Channel) bool {
	w.mu.Lock()
	asking, known := w.shown[c]
	w.mu.Unlock()
	if known {
		return asking
	}
	if !c.There(ctx) {
		return false
	}
	w.mu.Lock()
	w.shown[c] = true
	w.count++
	w.mu.Unlock()
	w.running.Go(func() {
		c.Ask(ctx, w.p)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.shown[c] = false
		w.count--
		if w.ended != nil {
			close(w.ended)
			w.ended = nil
		}
	})
	return true
}

func (w *wait) asked() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// news is closed when a channel ends.
func (w *wait) news() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = make(chan struct{})
	}
	return w.ended
}
