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
// process. close ends that page.
func channels(n *node.Node, own ...asking.Channel) (a *asking.Asker, closePage func()) {
	questions := n.Questions()
	presence := asking.NewPresence(n.Places().State)
	page := console.NewPage(console.PageOptions{
		Console: console.Options{Questions: questions, Mark: questions.Mark, Announce: presence.Announce},
		Opening: presence.Opening,
		Allowed: func(ctx context.Context) bool {
			how, err := n.Asking(ctx)
			return err == nil && how.OpenConsole && console.Desktop()
		},
	})
	return asking.New(asking.Options{Cards: questions, Resort: page,
		Channels: append(own, &asking.Elsewhere{Presence: presence})}), func() { page.Close() }
}

// doAsking does a request and waits for the owner where he has to be asked.
// What it returns is pending only when nobody could be asked.
func doAsking(ctx context.Context, n *node.Node, r reeve.Request) (reeve.Outcome, error) {
	out, err := n.Do(ctx, r)
	if err != nil || out.Pending == nil {
		return out, err
	}
	asker, closePage := channels(n, newTerminal(n.Answer))
	defer closePage()
	for err == nil && out.Pending != nil {
		if werr := asker.Wait(ctx, *out.Pending); werr != nil {
			if errors.Is(werr, reeve.NoChannel) {
				// Once more: an answer may have come in the last moment.
				return n.Do(ctx, r)
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
func (c clientAnswers) Answer(ctx context.Context, p reeve.Pending, _ reeve.Subject, yes bool) error {
	return c.q.Answer(ctx, p.ID, approval.Answer{Yes: yes, Channel: node.Elicited})
}

// Unanswered implements mcpserver.Answers.
func (c clientAnswers) Unanswered(ctx context.Context, p reeve.Pending, s reeve.Subject, how string) {
	c.q.Unanswered(ctx, p, s, how)
}

// Open implements mcpserver.Answers.
func (c clientAnswers) Open(ctx context.Context, id string) (bool, error) { return c.q.Open(ctx, id) }
