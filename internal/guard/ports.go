package guard

import (
	"context"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// Verb is one operation. A verb answers or proposes; it never writes.
type Verb interface {
	// Plan names what the call wants, from the request alone: no disk is
	// touched. An error is the caller's mistake in the arguments.
	Plan(call reeve.Call, s reeve.Settings) ([]reeve.Intent, error)
	// Work answers from what the View shows, or proposes changes to the
	// places of its intents. All that it says goes through the Reply.
	Work(ctx context.Context, call reeve.Call, v *View, r *Reply) (Work, error)
}

// Work is what a verb came to: an Answer, or Changes and how to answer once
// they are made.
type Work struct {
	Answer  reeve.Answer
	Changes []reeve.Change
	// After makes the answer when the changes are on disk.
	After func(capfs.Receipt, *Reply) reeve.Answer
}

// Rules are the policy in force. Both methods are pure.
type Rules interface {
	Decide(reeve.Subject, reeve.Effect) reeve.Decision
	// Folder compiles the rules for the entries of one folder: what may be
	// read or listed there, by name.
	Folder(reeve.Place) func(name string, kind reeve.FileKind) reeve.Decision
}

// Current is everything policy says, as of one moment. A call keeps the one
// that it was admitted with.
type Current struct {
	Rules    Rules
	Settings reeve.Settings
	Paths    pathname.Context
	// Enabled is false when nothing is served: every call is refused then,
	// and Off says why.
	Enabled bool
	Off     string
	// Generation differs whenever the policy does.
	Generation uint64
}

// Policies gives the policy in force, reading it again when it has changed.
type Policies interface {
	Current(context.Context) (Current, error)
}

// Recorder keeps the record. If it fails, the call is refused.
type Recorder interface {
	// Append writes a row that need not survive a power cut (reads).
	Append(context.Context, reeve.Row) error
	// AppendSync returns when the row is on disk (changes).
	AppendSync(context.Context, reeve.Row) error
}

// Ledger remembers what was approved for a turn.
type Ledger interface {
	Covers(reeve.Subject, reeve.Effect) bool
	Remember(reeve.Subject, reeve.Effect, time.Duration)
}

// Reply to a question, as the approvals table holds it.
type Approval struct {
	Yes bool
	// Channel is where the owner answered: console, terminal, approve, …
	Channel string
	// For is how long the same file may be changed again without asking.
	For time.Duration
}

// Approvals is the table of questions and answers.
type Approvals interface {
	// Ask makes the card for a digest, or finds the one there is.
	Ask(context.Context, reeve.Proposal, reeve.Question) (reeve.Pending, error)
	// Take consumes the answer to a digest: at most one caller gets it.
	Take(context.Context, reeve.Digest) (Approval, bool, error)
}

// ReadState knows what each session has seen.
type ReadState interface {
	// Fresh refuses a change that rests on what the subject has not seen.
	Fresh(reeve.Subject, reeve.Change) error
	// Wrote notes the subject's own change.
	Wrote(reeve.Subject, reeve.Change, reeve.Version)
}
