package attack

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// ToolCall is one call of a tool.
type ToolCall struct {
	Name string
	Args map[string]any
}

// Asker is a server that asks before it changes anything, and the means to
// lie to it. All calls of one Asker ask a question whenever they are made
// while nobody has answered them.
type Asker struct {
	// Dial opens a new connection: another session.
	Dial func(LineOptions) (*LineClient, error)
	// First is asked, and a client may answer it. Path is asked for another
	// path, Content for the same path with other content. Human may be
	// answered by the owner alone.
	First, Path, Content, Human ToolCall
	// Done counts how often a call's change was made.
	Done func(ToolCall) int
}

// Lie is one way in which a client pretends that its user said yes. Tell
// returns an error when it was believed, or was met with anything but a
// refusal in text.
type Lie struct {
	Name string
	// Generation is the protocol it is told in; empty is both.
	Generation Generation
	Tell       func(context.Context, *Asker, Generation) error
}

// inputKey names the answer in a call that is made again.
const inputKey = "approve"

func elicitation() json.RawMessage { return json.RawMessage(`{"elicitation":{}}`) }

// accepts is a client that says yes by itself, at once.
func accepts(string, json.RawMessage) (any, error) {
	return map[string]any{"action": "accept", "content": map[string]any{}}, nil
}

// Lies are all lies there are.
func Lies() []Lie {
	signed := func(name string, tell func(*liar) error) Lie {
		return Lie{name, Gen2026, func(ctx context.Context, a *Asker, g Generation) error {
			l, err := a.dial(ctx, g, elicitation())
			if err != nil {
				return err
			}
			defer l.c.Close()
			return tell(l)
		}}
	}
	// withTicket begins with a real question and its real ticket.
	withTicket := func(name string, tell func(l *liar, ticket string) error) Lie {
		return signed(name, func(l *liar) error {
			ticket, err := l.ticket(l.a.First)
			if err != nil {
				return err
			}
			return tell(l, ticket)
		})
	}
	list := []Lie{
		{"the client answers by itself what only the owner may answer", "", func(ctx context.Context, a *Asker, g Generation) error {
			l, err := a.dial(ctx, g, elicitation())
			if err != nil {
				return err
			}
			defer l.c.Close()
			return l.refused(a.Human, nil)
		}},
		{"an answer without a question", Gen2026, func(ctx context.Context, a *Asker, g Generation) error {
			l, err := a.dial(ctx, g, elicitation())
			if err != nil {
				return err
			}
			defer l.c.Close()
			return l.refused(a.First, yes(""))
		}},
		signed("a ticket of the client's own making", func(l *liar) error {
			return l.refused(l.a.First, yes(base64.RawURLEncoding.EncodeToString(make([]byte, 57))))
		}),
		signed("a ticket that is a megabyte long", func(l *liar) error {
			return l.refused(l.a.First, yes(strings.Repeat("A", 1<<20)))
		}),
		withTicket("a real ticket for what only the owner may answer", func(l *liar, ticket string) error {
			return l.refused(l.a.Human, yes(ticket))
		}),
		withTicket("a real ticket for another path", func(l *liar, ticket string) error {
			return l.refused(l.a.Path, yes(ticket))
		}),
		withTicket("a real ticket for other content", func(l *liar, ticket string) error {
			return l.refused(l.a.Content, yes(ticket))
		}),
		withTicket("a real ticket on another connection", func(l *liar, ticket string) error {
			other, err := l.a.dial(l.ctx, Gen2026, elicitation())
			if err != nil {
				return err
			}
			defer other.c.Close()
			return other.refused(l.a.First, yes(ticket))
		}),
		withTicket("a real ticket in another told session", func(l *liar, ticket string) error {
			p := yes(ticket)
			p["_meta"] = map[string]any{"reeve/session": "another"}
			return l.refused(l.a.First, p)
		}),
		withTicket("a real ticket by a client that now says it can't ask", func(l *liar, ticket string) error {
			p := yes(ticket)
			p["_meta"] = map[string]any{"io.modelcontextprotocol/clientCapabilities": map[string]any{}}
			return l.refused(l.a.First, p)
		}),
		withTicket("a real ticket with one bit changed", func(l *liar, ticket string) error {
			raw, err := base64.RawURLEncoding.DecodeString(ticket)
			if err != nil {
				return fmt.Errorf("the ticket is in another form than expected: %w", err)
			}
			for i := range raw {
				bad := append([]byte(nil), raw...)
				bad[i] ^= 1 << (i % 8)
				if err := l.refused(l.a.First, yes(base64.RawURLEncoding.EncodeToString(bad))); err != nil {
					return fmt.Errorf("bit %d of byte %d: %w", i%8, i, err)
				}
			}
			return nil
		}),
		withTicket("a real ticket with more behind it", func(l *liar, ticket string) error {
			for _, more := range []string{"A", "\n", "=", "."} {
				if err := l.refused(l.a.First, yes(ticket+more)); err != nil {
					return err
				}
			}
			return nil
		}),
		withTicket("dismissed, and then accepted with the same ticket", func(l *liar, ticket string) error {
			if err := l.refused(l.a.First, said(ticket, "cancel")); err != nil {
				return err
			}
			return l.refused(l.a.First, yes(ticket))
		}),
		withTicket("an answer that says nothing", func(l *liar, ticket string) error {
			return l.refused(l.a.First, said(ticket, "maybe"))
		}),
		withTicket("two answers at once", func(l *liar, ticket string) error {
			p := yes(ticket)
			p["inputResponses"].(map[string]any)["other"] = map[string]any{"action": "accept"}
			return l.refused(l.a.First, p)
		}),
		withTicket("declined, and then accepted with the same ticket", func(l *liar, ticket string) error {
			if err := l.refused(l.a.First, said(ticket, "decline")); err != nil {
				return err
			}
			return l.refused(l.a.First, yes(ticket))
		}),
		withTicket("one yes for two changes", func(l *liar, ticket string) error {
			if _, err := l.call(l.a.First, yes(ticket)); err != nil {
				return err
			}
			before := l.a.Done(l.a.First)
			if before == 0 {
				return fmt.Errorf("an honest answer was not believed")
			}
			if _, err := l.call(l.a.First, yes(ticket)); err != nil {
				return err
			}
			if l.a.Done(l.a.First) != before {
				return fmt.Errorf("it was made twice")
			}
			return nil
		}),
	}
	return list
}

func yes(ticket string) map[string]any { return said(ticket, "accept") }

func said(ticket, action string) map[string]any {
	p := map[string]any{"inputResponses": map[string]any{inputKey: map[string]any{"action": action}}}
	if ticket != "" {
		p["requestState"] = ticket
	}
	return p
}

// liar is a client in the middle of lying.
type liar struct {
	ctx context.Context
	a   *Asker
	c   *LineClient
}

func (a *Asker) dial(ctx context.Context, g Generation, capabilities json.RawMessage) (*liar, error) {
	c, err := a.Dial(LineOptions{Generation: g, Name: "liar", Capabilities: capabilities, Answer: accepts})
	if err != nil {
		return nil, err
	}
	if _, err := c.Open(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return &liar{ctx, a, c}, nil
}

// reply is what a call came to.
type reply struct {
	IsError       bool                       `json:"isError"`
	InputRequests map[string]json.RawMessage `json:"inputRequests"`
	RequestState  string                     `json:"requestState"`
	Content       []struct {
		Text string `json:"text"`
	} `json:"content"`
}

func (l *liar) call(t ToolCall, more map[string]any) (reply, error) {
	p := map[string]any{"name": t.Name, "arguments": t.Args}
	for k, v := range more {
		p[k] = v
	}
	var r reply
	raw, err := l.c.Call(l.ctx, "tools/call", p)
	if err != nil {
		return r, fmt.Errorf("not a result: %w", err)
	}
	return r, json.Unmarshal(raw, &r)
}

// ticket makes a call that is asked, and gives what the server wants back.
func (l *liar) ticket(t ToolCall) (string, error) {
	r, err := l.call(t, nil)
	if err != nil {
		return "", err
	}
	if r.RequestState == "" || len(r.InputRequests) != 1 {
		return "", fmt.Errorf("the client was not asked: %+v", r)
	}
	return r.RequestState, nil
}

// refused makes a call that must not be done.
func (l *liar) refused(t ToolCall, more map[string]any) error {
	before := l.a.Done(t)
	r, err := l.call(t, more)
	switch {
	case err != nil:
		return err
	case l.a.Done(t) != before:
		return fmt.Errorf("it was believed: %+v", r)
	case !r.IsError || len(r.Content) != 1 || r.Content[0].Text == "":
		return fmt.Errorf("not refused in words: %+v", r)
	}
	return nil
}
