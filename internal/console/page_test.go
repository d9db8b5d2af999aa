package console

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// opener is a browser that opens pages by itself when it is told to.
type opener struct {
	t     *testing.T
	mu    sync.Mutex
	links []string
	comes bool
	fails error
	leave []func()
}

func (o *opener) browse(link string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.links = append(o.links, link)
	if o.fails != nil || !o.comes {
		return o.fails
	}
	addr, _, _ := strings.Cut(strings.TrimPrefix(link, "http://"), "/")
	b := newBrowser(o.t, &Server{addr: addr})
	if res, _ := b.do("GET", link, ""); res.StatusCode != 200 {
		return errors.New(res.Status)
	}
	next, stop := b.stream()
	next()
	o.leave = append(o.leave, stop)
	return nil
}

func (o *opener) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.links)
}

func page(t *testing.T, d *desk, o *opener, change func(*PageOptions)) *Page {
	p := PageOptions{Console: Options{Questions: d, Changes: d, Now: d.clock, Every: time.Millisecond, Grace: time.Millisecond},
		Allowed: func(context.Context) bool { return true }, Opening: func() (func(), error) { return func() {}, nil },
		Browse: o.browse, Patience: 30 * time.Millisecond}
	if change != nil {
		change(&p)
	}
	out := NewPage(p)
	t.Cleanup(func() { out.Close() })
	return out
}

func TestAQuestionOpensAPageOnce(t *testing.T) {
	d := newDesk(t)
	o := &opener{t: t, comes: true}
	p := page(t, d, o, func(o *PageOptions) { o.Patience = time.Minute })
	q := d.ask(t, write())
	if !p.There(t.Context()) {
		t.Fatal("not there")
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.Ask(ctx, q); close(done) }()
	for o.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-done
	// The page stays; another question appears on it.
	ctx, stop = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	p.Ask(ctx, d.ask(t, write()))
	if o.count() != 1 {
		t.Fatalf("opened %d times", o.count())
	}
	o.leave[0]()
	for p.server.Pages() > 0 {
		time.Sleep(time.Millisecond)
	}
	p.Ask(t.Context(), q) // closed by the owner: not opened again for the same
	if o.count() != 1 {
		t.Fatal("a page that was closed came back")
	}
	go p.Ask(t.Context(), d.ask(t, write()))
	for o.count() != 2 {
		time.Sleep(time.Millisecond)
	}
	p.Close()
	if p.There(t.Context()) {
		t.Error("closed, and there")
	}
	p.Ask(t.Context(), q)
}

func TestABrowserThatDoesNotComeIsNotTriedAgain(t *testing.T) {
	for name, o := range map[string]*opener{"none": {fails: errors.New("no browser")}, "one that shows nothing": {}} {
		d := newDesk(t)
		p := page(t, d, o, nil)
		p.Ask(t.Context(), d.ask(t, write()))
		if p.There(t.Context()) || o.count() != 1 {
			t.Errorf("%s: there after %d tries", name, o.count())
		}
		p.Ask(t.Context(), d.ask(t, write()))
		if o.count() != 1 {
			t.Errorf("%s: tried again", name)
		}
	}
}

func TestOneProcessOpensAndTheRulesDecide(t *testing.T) {
	d := newDesk(t)
	o := &opener{t: t, comes: true}
	p := page(t, d, o, func(p *PageOptions) { p.Opening = func() (func(), error) { return nil, nil } })
	p.Ask(t.Context(), d.ask(t, write()))
	if o.count() != 0 || !p.There(t.Context()) {
		t.Error("two processes open a page")
	}
	var allowed atomic.Bool
	p = page(t, d, o, func(p *PageOptions) { p.Allowed = func(context.Context) bool { return allowed.Load() } })
	if p.There(t.Context()) {
		t.Error("there against the rules")
	}
	allowed.Store(true)
	if !p.There(t.Context()) {
		t.Error("not there")
	}
}
