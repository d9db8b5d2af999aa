package mcpserver

import (
	"context"
	"sync"

	"reeve"
)

// mostClients bounds what is remembered of clients, and mostAsked of the
// questions that were handed to them.
const (
	mostClients = 1000
	mostAsked   = 1000
)

// clients is what is known of how agents' clients deal with questions. Some
// declare that they show them and never do: those are not asked again in the
// same session, or each call would wait for nothing.
type clients struct {
	mu     sync.Mutex
	quiet  map[session]bool
	handed map[handed]bool
}

type session struct{ connection, session string }

type handed struct {
	session
	card string
}

func sessionOf(s reeve.Subject) session { return session{s.Connection, s.Session} }

func (c *clients) silent(s reeve.Subject) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.quiet[sessionOf(s)]
}

// note remembers a client as one that brings no answers; it reports whether
// that is news.
func (c *clients) note(s reeve.Subject) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := sessionOf(s)
	if c.quiet[k] {
		return false
	}
	if c.quiet == nil || len(c.quiet) >= mostClients {
		c.quiet = map[session]bool{}
	}
	c.quiet[k] = true
	return true
}

// issued notes that a question was handed to a client, which should come back
// with its answer.
func (c *clients) issued(s reeve.Subject, card string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handed == nil || len(c.handed) >= mostAsked {
		c.handed = map[handed]bool{}
	}
	c.handed[handed{sessionOf(s), card}] = true
}

// cameBack forgets that; it reports whether the question had been handed out.
func (c *clients) cameBack(s reeve.Subject, card string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := handed{sessionOf(s), card}
	was := c.handed[k]
	delete(c.handed, k)
	return was
}

// wentSilent notes what a client did instead of answering.
func (s *Server) wentSilent(ctx context.Context, a *asked, p reeve.Pending, how string) {
	if s.clients.note(a.r.Subject) {
		s.log("the client " + how + "; it is not asked again in this session")
	}
	s.o.Answers.Unanswered(context.WithoutCancel(ctx), p, a.r.Subject, "the client "+how)
}

// givenUp notes that the call behind a question was cancelled.
func (s *Server) givenUp(ctx context.Context, p reeve.Pending) {
	if s.o.GivenUp != nil {
		s.o.GivenUp(context.WithoutCancel(ctx), p.ID)
	}
}

// neverCameBack notices a client that was handed a question and now makes the
// same call as if it had not been.
func (s *Server) neverCameBack(ctx context.Context, a *asked, p reeve.Pending) {
	if s.o.Answers != nil && s.clients.cameBack(a.r.Subject, p.ID) {
		s.wentSilent(ctx, a, p, "took the question and made the call again without an answer")
	}
}
