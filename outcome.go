package reeve

import (
	"context"
	"time"
)

// Doer does what is asked, or says why not. On the owner's computer the one
// Doer is the gate.
//
// Do may be called by many goroutines at once. It never waits for a person:
// what needs an answer comes back as Pending, and the same request made again
// finds the same question or its answer. It never retries by itself. The only
// error it returns is *Error.
type Doer interface {
	Do(ctx context.Context, r Request) (Outcome, error)
}

// Outcome is a Result or a Pending, exactly one of them.
type Outcome struct {
	Result  *Result  `json:"result,omitempty"`
	Pending *Pending `json:"pending,omitempty"`
}

// Pending says that a person has to be asked first. Nothing has happened.
type Pending struct {
	ID       string    `json:"id"` // short, for `reeve approve ID`
	Digest   Digest    `json:"digest"`
	Question Question  `json:"question"`
	Expires  time.Time `json:"expires"`
}

// Question is a sentence about effects, bound to a proposal's digest.
type Question struct {
	Title       string `json:"title"`
	Body        string `json:"body"`
	Destructive bool   `json:"destructive,omitempty"`
	// Detail is the change itself where it is text: a unified diff, bounded.
	Detail    string   `json:"detail,omitempty"`
	HumanOnly bool     `json:"human_only,omitempty"`
	Effects   []Effect `json:"effects,omitempty"`
	// Remember: a yes may also hold for some minutes on the same files. It is
	// never set for removals, moves and control files.
	Remember bool `json:"remember,omitempty"`
}

// Progress is told while a call runs, through the context (WithProgress).
type Progress struct {
	Done, Total int64 // Total is 0 while unknown
	Message     string
}

type progressKey struct{}

// WithProgress makes fn the receiver of a call's progress. It may be called
// from another goroutine, and must not block.
func WithProgress(ctx context.Context, fn func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, fn)
}

// ReportProgress tells the receiver, if there is one.
func ReportProgress(ctx context.Context, p Progress) {
	if fn, ok := ctx.Value(progressKey{}).(func(Progress)); ok && fn != nil {
		fn(p)
	}
}
