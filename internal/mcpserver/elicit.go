package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
)

// Answers takes the answers that agents' clients bring. It is the table's and
// the record's side of an elicitation.
type Answers interface {
	// Answer puts the answer of a client's user to a question. Left is what
	// the client was not given to show of the change, in words, empty when it
	// was given all. An error of code exists says that somebody else was first.
	Answer(ctx context.Context, p reeve.Pending, s reeve.Subject, yes bool, left string) error
	// Unanswered notes that a client was asked and brought no answer.
	Unanswered(ctx context.Context, p reeve.Pending, s reeve.Subject, how string)
	// Open reports whether a question has no answer yet. It is called several
	// times a second.
	Open(ctx context.Context, id string) (bool, error)
}

// Tickets binds an answer that a client brings to the question it was asked.
type Tickets interface {
	Issue(reeve.Pending, reeve.Subject) (string, error)
	// Redeem refuses, with code bad_answer, what is forged, used up, expired
	// or for another question, subject or connection.
	Redeem(ticket string, p reeve.Pending, s reeve.Subject) error
}

const (
	// generation of the protocol in which a server asks by its result.
	rounds = "2026-07-28"
	// inputKey names our one question among a result's input requests.
	inputKey = "approve"
	// messageChars is the most that a client is given to show: dialogs cut
	// what is longer, and nobody reads it there.
	messageChars = 2000
	openEvery    = 300 * time.Millisecond
)

// elicits reports whether the agent's client may be asked this question: the
// owner's rules take such answers, the question is not the owner's alone, and
// this client can show it and has not shown before that it won't. Anything
// else would become a protocol error at the client.
func (s *Server) elicits(a *asked, p reeve.Pending) bool {
	return s.o.Answers != nil && s.o.Tickets != nil && a.facts.Elicit && !p.Question.HumanOnly &&
		declares(a.req) && !s.clients.silent(a.r.Subject) && s.fits(p)
}

// fits reports whether enough of a question can be shown by a client to be
// answered there.
func (s *Server) fits(p reeve.Pending) bool {
	_, ok := dialogOf(p)
	if !ok {
		s.log("question " + p.ID + " is not put to the agent's client: it is too long for a window there")
	}
	return ok
}

func declares(req *mcp.CallToolRequest) bool {
	c := req.ClientCapabilities()
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// takesRounds reports whether the client speaks a generation of the protocol
// in which a call is made again with its answer.
func takesRounds(req *mcp.CallToolRequest) bool {
	hello := req.Session.InitializeParams()
	return hello == nil || hello.ProtocolVersion >= rounds
}

// elicit has the client show the question. Nobody says that the owner has no
// channel of his own.
func (s *Server) elicit(ctx context.Context, a *asked, p reeve.Pending, nobody bool) ending {
	unanswered := ending{out: reeve.Outcome{Pending: &p}, nobody: nobody}
	d, _ := dialogOf(p)
	form := &mcp.ElicitParams{Mode: "form", Message: d.text,
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)}
	if !takesRounds(a.req) {
		return s.push(ctx, a, p, form, unanswered)
	}
	ticket, err := s.o.Tickets.Issue(p, a.r.Subject)
	if err != nil {
		s.log("the client can't be asked: " + err.Error())
		return unanswered
	}
	s.clients.issued(a.r.Subject, p.ID)
	return ending{input: &mcp.CallToolResult{RequestState: ticket,
		InputRequests: mcp.InputRequestMap{inputKey: form}}}
}

// push asks a client of an older generation in the middle of its call. The
// owner may answer elsewhere meanwhile; then the client's dialog is called
// off.
func (s *Server) push(ctx context.Context, a *asked, p reeve.Pending, form *mcp.ElicitParams, unanswered ending) ending {
	shown, stop := context.WithTimeout(ctx, max(s.waitFor(a), s.o.WaitFor))
	var telling sync.WaitGroup
	defer telling.Wait()
	defer stop()
	telling.Go(func() { tellWaiting(shown) })
	type reply struct {
		r   *mcp.ElicitResult
		err error
	}
	got := make(chan reply, 1)
	go func() {
		r, err := a.req.Session.Elicit(shown, form)
		got <- reply{r, err}
	}()
	tick := time.NewTicker(openEvery)
	defer tick.Stop()
	for {
		select {
		case r := <-got:
			switch {
			case ctx.Err() != nil:
				s.wentSilent(ctx, a, p, "gave up the call while it showed the question")
				s.givenUp(ctx, p)
				return ending{err: cancelled(string(a.r.Call.Verb()))}
			case shown.Err() != nil:
				s.wentSilent(ctx, a, p, "showed the question and brought no answer in time")
				unanswered.client = "The agent's client was given the question to show, and brought no answer in time."
			case r.err != nil:
				s.wentSilent(ctx, a, p, "did not show the question: "+short(r.err.Error()))
				unanswered.client = "The agent's client did not show the question."
			default:
				return s.answered(ctx, a, p, r.r, unanswered)
			}
			return s.lookAgain(ctx, a, unanswered)
		case <-tick.C:
			if open, err := s.o.Answers.Open(ctx, p.ID); err == nil && !open {
				stop()
				<-got
				return s.lookAgain(ctx, a, unanswered)
			}
		}
	}
}

// brings is the answer that came with a call, nil if none did. What is no
// answer of ours counts as one that says nothing.
func (a *asked) brings() *mcp.ElicitResult {
	p := a.req.Params
	if p.RequestState == "" && len(p.InputResponses) == 0 {
		return nil
	}
	if r, ok := p.InputResponses[inputKey].(*mcp.ElicitResult); ok && r != nil && len(p.InputResponses) == 1 {
		return r
	}
	return &mcp.ElicitResult{}
}

// bring takes an answer that came with the call, if it belongs to the
// question that this very call comes to.
func (s *Server) bring(ctx context.Context, a *asked, p reeve.Pending, r *mcp.ElicitResult) ending {
	if !s.mayBring(a, p) {
		return ending{err: &reeve.Error{Op: "ask", Kind: reeve.Approval, Code: reeve.BadAnswer,
			What:    "this question is not for the agent's client to answer",
			Not:     "Nothing was written.",
			Instead: "The owner can answer with `reeve approve " + p.ID + "`; then call again with the same arguments."}}
	}
	if err := s.o.Tickets.Redeem(a.req.Params.RequestState, p, a.r.Subject); err != nil {
		return ending{err: err}
	}
	s.clients.cameBack(a.r.Subject, p.ID)
	return s.answered(ctx, a, p, r, ending{out: reeve.Outcome{Pending: &p}})
}

func (s *Server) mayBring(a *asked, p reeve.Pending) bool {
	return s.o.Answers != nil && s.o.Tickets != nil && a.facts.Elicit && !p.Question.HumanOnly && declares(a.req) && s.fits(p)
}

// answered puts the client's answer into the table, and makes the request
// again, which finds it there.
func (s *Server) answered(ctx context.Context, a *asked, p reeve.Pending, r *mcp.ElicitResult, unanswered ending) ending {
	if r.Action != "accept" && r.Action != "decline" {
		how := "dismissed the question"
		unanswered.client = "The question was shown by the agent's client, and dismissed there without an answer."
		if r.Action != "cancel" {
			how = "came back without an answer"
			unanswered.client = "The agent's client was given the question to show, and came back without an answer."
		}
		s.wentSilent(ctx, a, p, how)
		return s.lookAgain(ctx, a, unanswered)
	}
	d, _ := dialogOf(p) // the same question has the same text
	err := s.o.Answers.Answer(ctx, p, a.r.Subject, r.Action == "accept", d.left)
	if err != nil && !errors.Is(err, reeve.Exists) {
		return ending{err: err}
	}
	end := s.lookAgain(ctx, a, unanswered)
	if err != nil {
		end.note = late(r, end.out, end.err)
	}
	return end
}

// lookAgain makes the request once more: it finds an answer, if there is one
// by now.
func (s *Server) lookAgain(ctx context.Context, a *asked, unanswered ending) ending {
	out, err := s.o.Doer.Do(ctx, a.r)
	if err == nil && out.Pending != nil {
		unanswered.out = out
		return unanswered
	}
	return ending{out: out, err: err}
}

// late tells a client's user what was decided before his answer came.
func late(brought *mcp.ElicitResult, out reeve.Outcome, err error) string {
	if brought == nil || brought.Action == "" {
		return ""
	}
	switch {
	case err == nil && out.Result != nil && brought.Action != "accept":
		return "Note: the change was made. The owner had allowed it elsewhere before the answer given here came."
	case errors.Is(err, reeve.Declined) && brought.Action == "accept":
		return "Note: the owner had declined it elsewhere before the answer given here came."
	}
	return ""
}
