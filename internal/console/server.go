package console

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"reeve/internal/approval"
)

// Questions are what waits for the owner. Implementations are safe for
// concurrent use.
type Questions interface {
	// Waiting lists what nobody has answered, the oldest first.
	Waiting(context.Context) ([]approval.Card, error)
	// Look tells what has become of one question.
	Look(ctx context.Context, id string) (approval.Card, approval.State, *approval.Answer, error)
	// Answer answers one, once; the error of a later answer tells the first.
	Answer(ctx context.Context, id string, a approval.Answer) error
}

// Changes gives the whole change of a question, of which its card may show a
// part. Implementations are safe for concurrent use.
type Changes interface {
	Change(ctx context.Context, id string) (string, error)
}

// Options of a Server. Questions and Changes are required; the rest may be
// zero.
type Options struct {
	Questions Questions
	Changes   Changes
	// Mark differs whenever the questions do, and is cheap; nil means that
	// they are read at every look.
	Mark func(context.Context) string
	// Port on this computer; 0 is any that is free.
	Port int
	// Announce says to other processes that a page is open here, until the
	// function it returns is called. Nil says nothing.
	Announce func() (func(), error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Every is how often the questions are looked at while a page is open.
	// Zero means 400 ms.
	Every time.Duration
	// Grace is how long a page that is loading again still counts as open.
	// Zero means 3 s.
	Grace time.Duration
}

// Server is a console. It is safe for concurrent use.
type Server struct {
	o    Options
	gate *sessions
	news *news
	sign *sign

	mu     sync.Mutex
	http   *http.Server
	addr   string
	ended  chan struct{} // closed when the server is closed
	served sync.WaitGroup
}

// New makes a console. Nothing runs before Start.
func New(o Options) *Server {
	if o.Questions == nil || o.Changes == nil {
		panic("console: Questions and Changes are required")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every <= 0 {
		o.Every = 400 * time.Millisecond
	}
	if o.Grace <= 0 {
		o.Grace = 3 * time.Second
	}
	s := &Server{o: o, gate: newSessions(o.Now), ended: make(chan struct{})}
	s.sign = &sign{announce: o.Announce, grace: o.Grace}
	s.news = newNews(o, s.sign)
	return s
}

// Start listens and serves in the background, until Close.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http != nil {
		return errors.New("the console runs already")
	}
	select {
	case <-s.ended:
		return errors.New("the console was closed")
	default:
	}
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.o.Port)))
	if err != nil {
		return err
	}
	s.addr = l.Addr().String()
	s.http = &http.Server{
		Handler:           s.fence(s.routes()),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second, // of a request, not of the event stream it asks for
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		// Addresses hold codes: nothing of a request is ever logged.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	h := s.http
	s.served.Go(func() { _ = h.Serve(ownOnly{l}) })
	return nil
}

// Addr is where the console listens, "" before Start.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Link makes an address that lets one browser in, once, within a minute. The
// links before it stop working.
func (s *Server) Link() string {
	return "http://" + s.Addr() + "/enter?code=" + s.gate.code()
}

// Pages is how many pages are open.
func (s *Server) Pages() int { return s.news.open() }

// Close ends everything: pages see that the console is gone. It may be called
// again, and before Start.
func (s *Server) Close() error {
	s.mu.Lock()
	h := s.http
	select {
	case <-s.ended:
	default:
		close(s.ended)
	}
	s.mu.Unlock()
	var err error
	if h != nil {
		err = h.Close()
	}
	s.news.close()
	s.served.Wait()
	s.sign.end()
	return err
}

// ownOnly closes connections that come from another user's program, where the
// system tells whose they are.
type ownOnly struct{ net.Listener }

// Accept implements net.Listener.
func (l ownOnly) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || !stranger(c) {
			return c, err
		}
		c.Close()
	}
}
