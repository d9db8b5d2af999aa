package dialect

import (
	"strings"

	"reeve"
)

// Refusal is an error in the words that every dialect may use: what happened,
// what was not done, what to do instead, and in the last line kind and code.
// A rule or a person refuses; a system fails.
func Refusal(e *reeve.Error) string {
	var b strings.Builder
	switch {
	case e.Code == reeve.Waiting, e.Code == reeve.NoChannel: // nobody said no
	case e.Kind == reeve.IO:
		b.WriteString("Failed: ")
	default:
		b.WriteString("Refused: ")
	}
	b.WriteString(e.Error())
	b.WriteString("\n")
	b.WriteString(Mark(e))
	return b.String()
}

// Mark is the kind and code of an error, as they stand in a text.
func Mark(e *reeve.Error) string {
	return "(" + string(e.Kind) + ": " + string(e.Code) + ")"
}

// Waiting is the refusal of a call whose question nobody has answered yet.
func Waiting(*reeve.Pending) *reeve.Error {
	return &reeve.Error{Kind: reeve.Approval, Code: reeve.Waiting,
		What:    "The owner has not answered yet.",
		Not:     "Nothing was written.",
		Instead: "Call again with the same arguments.",
	}
}

// NoChannel is the refusal of a call whose question found no way to the owner
// that is open now.
func NoChannel(p *reeve.Pending) *reeve.Error {
	return &reeve.Error{Kind: reeve.Approval, Code: reeve.NoChannel,
		What:    "No console, terminal or window of the owner's is open, so the owner was not asked yet.",
		Not:     "Nothing was written.",
		Instead: "Wait for the owner, who can answer with `reeve approve " + p.ID + "`; call again with the same arguments after a minute.",
	}
}

// Unanswered is the refusal of a call whose question the agent's client was
// given to show. Client is a sentence that says what came of it; nobody, that
// there is no other channel.
func Unanswered(p *reeve.Pending, client string, nobody bool) *reeve.Error {
	e := NoChannel(p)
	if e.What = client; !nobody {
		e.Code = reeve.Waiting
	}
	return e
}
