package guard

import (
	"context"
	"iter"
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
	// Shown says for each change, in the same order, what the owner is shown
	// of it beyond what the gate sees by itself. It may be shorter.
	Shown []Shown
	// Basis says, likewise, what each change is based on.
	Basis []Basis
	// After makes the answer when the changes are on disk.
	After func(capfs.Receipt, *Reply) reeve.Answer
}

// Shown is what a question says about one change.
type Shown struct {
	// Was and Now are lines before and after; 0 leaves them out.
	Was, Now int64
	// Holds tells what a folder holds, in words: "42 entries, 1,240 bytes";
	// Bytes is the sum of it, Largest the size of its largest file.
	Holds          string
	Bytes, Largest int64
	// Edit is the change in short, "old → new", in place of sizes.
	Edit string
	// Diff, where the change is text, gives it as a unified diff. It is called
	// when somebody is asked and for the record, perhaps several times, and
	// must need nothing of the View.
	Diff func(DiffBounds) Diff
}

// DiffBounds are the most that a Diff shows. A width below 0 leaves lines as
// long as they are, so many Lines below 0 all of them.
type DiffBounds struct{ Lines, Width, Bytes int }

// Diff is one change as a unified diff.
type Diff struct {
	Text string
	// Lines and Bytes are those that it would have with nothing left out, the
	// bytes roughly.
	Lines, Bytes int64
	Left         reeve.Left
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

// Approval is the owner's answer to a question, as the table holds it.
type Approval struct {
	Yes bool
	// Channel is where the owner answered: console, terminal, approve, …
	Channel string
	// For is how long the same file may be changed again without asking.
	For time.Duration
}

// Approvals is the table of questions and answers.
type Approvals interface {
	// Ask makes the card for a digest, or finds the one there is. Whole, if it
	// is not nil, gives the change of which the question shows a part; it is
	// called where a card is made, to be kept beside it, and not afterwards.
	Ask(ctx context.Context, p reeve.Proposal, q reeve.Question, whole func() string) (reeve.Pending, error)
	// Take consumes the answer to a digest: at most one caller gets it.
	Take(context.Context, reeve.Digest) (Approval, bool, error)
}

// ReadState knows what each session has seen.
type ReadState interface {
	// Read notes a page that was shown, when its row is on record.
	Read(reeve.Subject, reeve.Place, reeve.Page)
	// Fresh tells what a change rests on, in a word of its own, or refuses
	// one that rests on what the subject has not seen.
	Fresh(reeve.Subject, reeve.Settings, Based) (ground string, err error)
	// Wrote notes the subject's own change, with the ground that Fresh gave.
	Wrote(reeve.Subject, Based, string, reeve.Version)
}

// Based is a change and what it is based on.
type Based struct {
	Change reeve.Change
	Basis
}

// Basis is what a verb tells of the ground of one change.
type Basis struct {
	// Edit: text was found where it stands and replaced. False is a whole new
	// content.
	Edit bool
	// Stated is the version that the caller named (if_version).
	Stated reeve.Version
	// Lines are the file's lines as a read would show them, nil if they are
	// not at hand.
	Lines iter.Seq[string]
	// Touched are the lines that an edit replaces, Written those it makes.
	Touched, Written []LineRange
}

// LineRange is lines From to To, both included, from 1.
type LineRange struct{ From, To int64 }

// Foreseer is a committer that can tell, before anyone is asked, what is
// unusual about the way in which a change would be made: a sentence, or
// nothing.
type Foreseer interface {
	Foresee(context.Context, capfs.At, reeve.Change) string
}

// History keeps what changes put out of the way, for the owner to bring back.
type History interface {
	// Would tells, before anyone is asked, for how long a copy would be kept
	// of files of which the largest and all together have so many bytes. Zero
	// means not at all; why says the bound.
	Would(largest, all int64) (kept time.Duration, why string)
	// Keep takes the changes of one call, with what they displaced. Whatever
	// it answers, they stand; it says of each, in their order, what became of
	// that. Beside, if it is not nil, is called at most once, and not at
	// all where Keep has nothing to write: at the same time as what Keep
	// itself has to bring to disk, so that the disk is waited for once.
	Keep(ctx context.Context, made Made, beside func()) ([]Kept, error)
}

// Kept is what became of what one change displaced.
type Kept struct {
	// Why says, as a clause, why no copy was kept; with Part, why it is one of
	// a part only.
	Why  string
	Part bool
	// Failed: it should have been kept and could not be. What was displaced
	// stays where it is, and the next start tries again.
	Failed bool
}

// Made is what one call did, as history keeps it.
type Made struct {
	Call    string // the door's name for the call
	Verb    reeve.Verb
	Subject reeve.Subject
	Digest  reeve.Digest
	At      time.Time
	Done    []capfs.Done
	// Other: it is no change of the call, but what another program saved in its
	// moment.
	Other bool
}

// The words of the file layer that a verb meets, so that it need not know the
// layer itself.
type (
	// File is an open file of a View or a Folder.
	File = capfs.File
	// Receipt and Done tell what a commit did.
	Receipt = capfs.Receipt
	Done    = capfs.Done
)
