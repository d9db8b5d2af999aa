package cli

import (
	"context"
	"errors"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/asking"
	"reeve/internal/console"
	"reeve/internal/mcpserver"
	"reeve/node"
)

// channels are the owner's ways to answer what this process asks: pages that
// other processes show, the given ones, and where nobody is, a page of this
// process. A notice on the desktop tells of what waits on a page. close ends
// the page.
func channels(n *node.Node, own ...asking.Channel) (a *asking.Asker, closePage func()) {
	questions := n.Questions()
	presence := asking.NewPresence(n.Places().State)
	allowed := func(ctx context.Context) bool {
		how, err := n.Asking(ctx)
		return err == nil && how.OpenConsole && console.Desktop()
	}
	page := console.NewPage(console.PageOptions{
		Console: console.Options{Questions: questions, Changes: questions, Mark: questions.Mark, Announce: presence.Announce},
		Opening: presence.Opening,
		Allowed: allowed,
	})
	notices := asking.NewNotices(asking.NoticesOptions{Presence: presence, Allowed: allowed,
		Send: func(_ context.Context, n asking.Notice) error { return console.Notify(n.Title, n.Body) }})
	var elsewhere asking.Channel = &asking.Elsewhere{Presence: presence}
	if len(own) == 0 { // nobody sits before this process: a page may be behind other windows
		elsewhere = notices.On(elsewhere)
	}
	return asking.New(asking.Options{Cards: questions, Resort: notices.On(page),
		Channels: append(own, elsewhere)}), func() { page.Close() }
}

// doAsking does a request and waits for the owner where he has to be asked.
// What it returns is pending only when nobody could be asked.
func doAsking(ctx context.Context, n *node.Node, r reeve.Request) (reeve.Outcome, error) {
	out, err := n.Do(ctx, r)
	if err != nil || out.Pending == nil {
		return out, err
	}
	asker, closePage := channels(n, newTerminal(n))
	defer closePage()
	for err == nil && out.Pending != nil {
		if werr := asker.Wait(ctx, *out.Pending); werr != nil {
			if errors.Is(werr, reeve.NoChannel) {
				if open, err := n.Questions().Open(ctx, out.Pending.ID); err == nil && open {
					return out, nil
				}
				// Once more: an answer may have come in the last moment.
				return n.Do(ctx, r)
			}
			if ctx.Err() != nil {
				_ = n.Questions().GivenUp(context.WithoutCancel(ctx), out.Pending.ID)
				return out, &stopped{"Nothing was changed. The question waits on: answer it with `reeve approve " + out.Pending.ID + "`, then call again with the same arguments."}
			}
			return out, werr
		}
		out, err = n.Do(ctx, r)
	}
	return out, err
}

// clientAnswers is where answers go that agents' clients bring.
type clientAnswers struct{ q *node.Questions }

var _ mcpserver.Answers = clientAnswers{}

// Answer implements mcpserver.Answers.
func (c clientAnswers) Answer(ctx context.Context, p reeve.Pending, _ reeve.Subject, yes bool, left string) error {
	return c.q.AnswerInPart(ctx, p.ID, approval.Answer{Yes: yes, Channel: node.Elicited}, left)
}

// Unanswered implements mcpserver.Answers.
func (c clientAnswers) Unanswered(ctx context.Context, p reeve.Pending, s reeve.Subject, how string) {
	c.q.Unanswered(ctx, p, s, how)
}

// givenUp notes that a call was cancelled. What fails costs room for a later
// question, which then says so.
func (c clientAnswers) givenUp(ctx context.Context, id string) { _ = c.q.GivenUp(ctx, id) }

// Open implements mcpserver.Answers.
func (c clientAnswers) Open(ctx context.Context, id string) (bool, error) { return c.q.Open(ctx, id) }
