package mcpserver

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
	"reeve/internal/dialect"
)

// waitingEvery is how often a client hears that its call still waits: some
// take a silent call for lost.
const waitingEvery = 5 * time.Second

// sameAgain is the pause before a question that is still the same is waited
// for once more.
const sameAgain = 200 * time.Millisecond

func tellWaiting(ctx context.Context) {
	t := time.NewTicker(waitingEvery)
	defer t.Stop()
	for {
		reeve.ReportProgress(ctx, reeve.Progress{Message: "Waiting for the owner's answer"})
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// asked is one tools/call on its way to an end.
type asked struct {
	req   *mcp.CallToolRequest
	r     reeve.Request
	facts dialect.Facts
}

// ending is how a call ends: an error, an outcome, or a question for the
// client to show.
type ending struct {
	out reeve.Outcome
	err error
	// input asks the client to show the question and to call again.
	input *mcp.CallToolResult
	// nobody: the question that is pending found no channel.
	nobody bool
	// client is a sentence about the agent's client, which was asked to show
	// the pending question and brought no answer.
	client string
	// note is for the model, after the answer.
	note string
}

// settle does a request and turns a question into waiting on the owner's own
// channels, then, where nobody answered there, into a question that the
// agent's client shows.
func (s *Server) settle(ctx context.Context, a *asked) ending {
	out, err := s.o.Doer.Do(ctx, a.r)
	brings := a.brings()
	if err != nil || out.Pending == nil {
		return ending{out: out, err: err, note: late(brings, out, err)}
	}
	if brings != nil {
		return s.bring(ctx, a, *out.Pending, brings)
	}
	s.neverCameBack(ctx, a, *out.Pending)
	nobody := false
	if s.o.Waiter != nil {
		if out, nobody, err = s.wait(ctx, a, out); err != nil || out.Pending == nil {
			return ending{out: out, err: err}
		}
	}
	if s.elicits(a, *out.Pending) {
		return s.elicit(ctx, a, *out.Pending, nobody)
	}
	end := ending{out: out, nobody: nobody}
	if nobody && a.facts.Elicit && !out.Pending.Question.HumanOnly && declares(a.req) && s.clients.silent(a.r.Subject) {
		end.client = "The agent's client brought no answer to an earlier question, so it is not asked again in this session."
	}
	return end
}

// wait waits on the owner's channels. A request that is made again has the
// same digest: it finds its answer, or the same question, or a new one because
// what it was about has changed. None of that prolongs the wait.
func (s *Server) wait(ctx context.Context, a *asked, out reeve.Outcome) (_ reeve.Outcome, nobody bool, err error) {
	wait, stop := context.WithTimeout(ctx, s.waitFor(a))
	defer stop()
	var telling sync.WaitGroup
	defer telling.Wait()
	defer stop() // first this, then the wait for what it ends
	telling.Go(func() { tellWaiting(wait) })
	for err == nil && out.Pending != nil {
		before := out.Pending.ID
		werr := s.o.Waiter.Wait(wait, *out.Pending)
		if ctx.Err() != nil {
			s.givenUp(ctx, *out.Pending)
			return reeve.Outcome{}, false, cancelled(string(a.r.Call.Verb()))
		}
		if werr != nil || wait.Err() != nil {
			nobody := errors.Is(werr, reeve.NoChannel)
			if nobody && s.open(ctx, before) {
				return out, true, nil // asked a moment ago, and once is enough
			}
			// Once more: the answer may have come in the last moment.
			out, err = s.o.Doer.Do(ctx, a.r)
			return out, nobody, err
		}
		if out, err = s.o.Doer.Do(ctx, a.r); err == nil && out.Pending != nil && out.Pending.ID == before {
			select {
			case <-wait.Done():
			case <-time.After(sameAgain):
			}
		}
	}
	return out, false, err
}

// open reports whether a question surely has no answer yet.
func (s *Server) open(ctx context.Context, id string) bool {
	if s.o.Answers == nil {
		return false
	}
	open, err := s.o.Answers.Open(ctx, id)
	return err == nil && open
}

// waitFor is how long this call waits.
func (s *Server) waitFor(a *asked) time.Duration {
	switch w := a.facts.Wait; {
	case w > 0:
		return w
	case w < 0:
		return time.Millisecond
	}
	return s.o.WaitFor
}

// pending is the result of a call whose question has no answer.
func (s *Server) pending(p *reeve.Pending, nobody bool, client string) *mcp.CallToolResult {
	e, meta := dialect.Waiting(p), dialect.PendingMeta(p)
	switch {
	case client != "":
		e = dialect.Unanswered(p, client, nobody)
	case nobody:
		e = dialect.NoChannel(p)
	}
	meta.Error = dialect.RefusalMeta(e).Error
	return s.result(s.o.Dialect.Refusal(e), meta, true)
}
