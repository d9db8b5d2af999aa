package asking

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reeve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cards is a table with one answer.
type cards struct {
	mu       sync.Mutex
	answered string // by which channel, once
	looks    atomic.Int32
	err      error
}

func (c *cards) Open(context.Context, string) (bool, error) {
	c.looks.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answered == "", c.err
}

// answer reports whether it was the first.
func (c *cards) answer(by string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answered != "" {
		return false
	}
	c.answered = by
	return true
}

// chair is a channel that a test answers at.
type chair struct {
	name   string
	there  atomic.Bool
	asked  atomic.Int32
	ended  atomic.Int32
	answer chan struct{} // answers when it is closed
	leave  chan struct{} // goes away without an answer
	cards  *cards
	won    atomic.Int32
}

func seat(name string, c *cards) *chair {
	ch := &chair{name: name, answer: make(chan struct{}), leave: make(chan struct{}), cards: c}
	ch.there.Store(true)
	return ch
}

func (c *chair) There(context.Context) bool { return c.there.Load() }

func (c *chair) Ask(ctx context.Context, _ reeve.Pending) {
	c.asked.Add(1)
	defer c.ended.Add(1)
	select {
	case <-ctx.Done():
	case <-c.leave:
	case <-c.answer:
		if c.cards.answer(c.name) {
			c.won.Add(1)
		}
	}
}

var soon = reeve.Pending{ID: "ABCDEFG", Expires: time.Now().Add(time.Hour)}

func asker(c *cards, resort Channel, list ...Channel) *Asker {
	return New(Options{Cards: c, Channels: list, Resort: resort, Every: time.Millisecond, Patience: 20 * time.Millisecond})
}

func TestTwoChannelsAreAskedTogetherAndOneWins(t *testing.T) {
	for range 200 {
		c := &cards{}
		a, b := seat("a", c), seat("b", c)
		close(a.answer)
		close(b.answer)
		if err := asker(c, nil, a, b).Wait(t.Context(), soon); err != nil {
			t.Fatal(err)
		}
		if a.won.Load()+b.won.Load() != 1 {
			t.Fatalf("%d and %d won", a.won.Load(), b.won.Load())
		}
		if a.asked.Load() != a.ended.Load() || b.asked.Load() != b.ended.Load() {
			t.Fatal("a channel still asks")
		}
	}
}

func TestAnAnswerElsewhereEndsTheWait(t *testing.T) {
	c := &cards{}
	a := seat("a", c)
	done := make(chan error, 1)
	go func() { done <- asker(c, nil, a).Wait(t.Context(), soon) }()
	for a.asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	c.answer("another shell")
	if err := <-done; err != nil || a.ended.Load() != 1 {
		t.Fatal(err, a.ended.Load())
	}
}

func TestNobodyToAsk(t *testing.T) {
	c := &cards{}
	away := seat("a", c)
	away.there.Store(false)
	for name, a := range map[string]*Asker{"no channels": asker(c, nil), "none there": asker(c, away, away)} {
		if a.There(t.Context()) {
			t.Errorf("%s: somebody is there", name)
		}
		if err := a.Wait(t.Context(), soon); !errors.Is(err, reeve.NoChannel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.answer("before") // an answer counts although nobody is there
	if err := asker(c, nil).Wait(t.Context(), soon); err != nil {
		t.Error(err)
	}
	c.err = errors.New("disk")
	if err := asker(c, nil, seat("a", c)).Wait(t.Context(), soon); !errors.Is(err, c.err) {
		t.Error(err)
	}
}

func TestTheResortIsForQuestionsThatFindNobody(t *testing.T) {
	c := &cards{}
	a, last := seat("a", c), seat("last", c)
	close(last.answer)
	a.there.Store(false)
	if err := asker(c, last, a).Wait(t.Context(), soon); err != nil || last.won.Load() != 1 {
		t.Fatal(err)
	}
	// The owner closes the page: nothing opens another one.
	c = &cards{}
	a, last = seat("a", c), seat("last", c)
	close(a.leave)
	if err := asker(c, last, a).Wait(t.Context(), soon); !errors.Is(err, reeve.NoChannel) || last.asked.Load() != 0 || a.asked.Load() != 1 {
		t.Fatal(err, last.asked.Load(), a.asked.Load())
	}
}

func TestAChannelThatComesLaterIsAskedToo(t *testing.T) {
	c := &cards{}
	a, b := seat("a", c), seat("b", c)
	b.there.Store(false)
	done := make(chan error, 1)
	go func() { done <- asker(c, nil, a, b).Wait(t.Context(), soon) }()
	for a.asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	b.there.Store(true)
	close(b.answer)
	if err := <-done; err != nil || b.won.Load() != 1 {
		t.Fatal(err)
	}
}

func TestTheWaitEnds(t *testing.T) {
	c := &cards{}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := asker(c, nil, seat("a", c)).Wait(ctx, soon); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, stop = context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer stop()
	if err := asker(c, nil, seat("a", c)).Wait(ctx, soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	past := reeve.Pending{ID: "ABCDEFG", Expires: time.Now().Add(-time.Second)}
	if err := asker(c, nil, seat("a", c)).Wait(t.Context(), past); err != nil {
		t.Error(err)
	}
}
