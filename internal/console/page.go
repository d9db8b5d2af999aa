package console

import (
	"context"
	"sync"
	"time"

	"reeve"
)

// PageOptions are what a Page needs. Console.Questions,
// Console.Changes and Opening are required.
type PageOptions struct {
	Console Options
	// Allowed says whether the owner's rules let a question open a page, and
	// whether there is a desktop to open it on. It is quick.
	Allowed func(context.Context) bool
	// Opening gives the right to open a page, which one process at a time
	// has; nil, and no error, while another one has it.
	Opening func() (func(), error)
	// Browse opens an address in the owner's browser; nil means Browse.
	Browse func(address string) error
	// Patience is how long a browser may take to load the page. Zero means
	// 20 s.
	Patience time.Duration
}

// Page is a channel of last resort: the process that asks serves the page
// itself and opens it in the owner's browser, once for each question. A
// browser that did not come is not tried again.
type Page struct {
	o PageOptions

	mu     sync.Mutex
	server *Server
	opened map[string]bool // by question
	broken bool
	closed bool
}

// NewPage makes the channel. Nothing runs before it is asked.
func NewPage(o PageOptions) *Page {
	if o.Browse == nil {
		o.Browse = Browse
	}
	if o.Patience <= 0 {
		o.Patience = 20 * time.Second
	}
	return &Page{o: o, opened: map[string]bool{}}
}

// There reports whether a page could be opened.
func (p *Page) There(ctx context.Context) bool {
	p.mu.Lock()
	out := p.broken || p.closed
	p.mu.Unlock()
	return !out && p.o.Allowed(ctx)
}

// Ask opens the page and returns when ctx is done, or when no page is open
// any more.
func (p *Page) Ask(ctx context.Context, q reeve.Pending) {
	s, fresh := p.serve(q.ID)
	if s == nil || s.Pages() == 0 && (!fresh || !p.open(ctx, s)) {
		return
	}
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for s.sign.recent() {
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
			return
		case <-t.C:
		}
	}
}

// serve starts the server, if none runs yet, and notes the question; fresh
// says that no page was opened for it before.
func (p *Page) serve(id string) (s *Server, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.broken {
		return nil, false
	}
	fresh = !p.opened[id]
	if len(p.opened) > 1000 {
		clear(p.opened)
	}
	p.opened[id] = true
	if p.server != nil {
		return p.server, fresh
	}
	s = New(p.o.Console)
	if s.Start() != nil {
		p.broken = true
		return nil, false
	}
	p.server = s
	return s, fresh
}

// open opens the page and waits until it is there.
func (p *Page) open(ctx context.Context, s *Server) bool {
	right, err := p.o.Opening()
	if err != nil || right == nil {
		return false // another process opens one: it will be seen
	}
	defer right()
	defer s.sign.hold()() // others should know while the browser still starts
	if err := p.o.Browse(s.Link()); err != nil {
		p.giveUp()
		return false
	}
	late := time.NewTimer(p.o.Patience)
	defer late.Stop()
	t := time.NewTicker(50 * time.Millisecond)
	defer t.Stop()
	for s.Pages() == 0 {
		select {
		case <-ctx.Done():
			return false
		case <-late.C:
			p.giveUp()
			return false
		case <-t.C:
		}
	}
	return true
}

func (p *Page) giveUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
}

// Close ends the page's server.
func (p *Page) Close() error {
	p.mu.Lock()
	s := p.server
	p.closed = true
	p.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.Close()
}
