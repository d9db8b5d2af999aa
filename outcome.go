package reeve

import (
	"context"
	"fmt"
	"strconv"
	"strings"
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
	// What it leaves out is said in it, by lines that begin with "…", and
	// summed up in Left, which is nil where nothing is. The whole change lies
	// beside the question then.
	Detail    string   `json:"detail,omitempty"`
	Left      *Left    `json:"left,omitempty"`
	HumanOnly bool     `json:"human_only,omitempty"`
	Effects   []Effect `json:"effects,omitempty"`
	// Remember: a yes may also hold for some minutes on the same files. It is
	// never set for removals, moves and control files.
	Remember bool `json:"remember,omitempty"`
}

// Left is what of a change is not shown.
type Left struct {
	// Gone and New are lines, of which Places whole places have their part.
	Gone   int64 `json:"gone,omitempty"`
	New    int64 `json:"new,omitempty"`
	Places int64 `json:"places,omitempty"`
	// Chars are characters inside of lines that are shown.
	Chars int64 `json:"chars,omitempty"`
	// Beyond says that the change is too large to be kept whole anywhere.
	Beyond bool `json:"beyond,omitempty"`
}

// IsZero reports that nothing is left out.
func (l Left) IsZero() bool { return l == Left{} }

// String is what is left out, in words: "1,204 lines (4 gone, 1,200 new)".
func (l Left) String() string {
	var parts []string
	if l.Gone+l.New > 0 {
		s := fmt.Sprintf("%s (%s gone, %s new)", leftOf(l.Gone+l.New, "line"), grouped(l.Gone), grouped(l.New))
		if l.Places > 0 {
			s += ", among them all of " + leftOf(l.Places, "place")
		}
		parts = append(parts, s)
	}
	if l.Chars > 0 {
		parts = append(parts, leftOf(l.Chars, "character")+" of long lines")
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", and ")
}

func leftOf(n int64, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return grouped(n) + " " + unit
}

// grouped writes a number with a comma between each three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
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
