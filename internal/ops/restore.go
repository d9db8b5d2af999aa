package ops

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"reeve"
	"reeve/internal/guard"
)

// Kept gives what history keeps, by hash, and its size in bytes. The last
// Read fails when what was read is not what was kept; the caller closes. It
// may be called by many goroutines.
type Kept interface {
	Open(ctx context.Context, hash string) (io.ReadCloser, int64, error)
	// Would tells for how long a copy of a file of so many bytes would be kept;
	// zero means not at all, and why says the bound, as a clause.
	Would(bytes int64) (kept time.Duration, why string)
}

// restore takes a change back. What is kept may be protected by now, so it
// answers the owner alone.
type restore struct{ kept Kept }

const (
	restoreVerb = reeve.VerbRestore
	// maxRestored is how many steps one undo may have.
	maxRestored = 20_000
	notRestored = "Nothing was brought back."
	// restoredReserve is how much of a reply, in bytes, is for steps that cannot
	// be done, and for one of them.
	restoredReserve, restoredOne = 8 << 10, 1 << 10
)

// Plan implements guard.Verb.
func (restore) Plan(call reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.Restore](call)
	if err != nil {
		return nil, err
	}
	if len(c.Steps) == 0 || len(c.Steps) > maxRestored {
		return nil, &reeve.Error{Op: string(restoreVerb), Kind: reeve.Input, Code: reeve.TooLarge, Not: notRestored,
			What:    fmt.Sprintf("has %d steps, and 1 to %d can be taken at once", len(c.Steps), maxRestored),
			Instead: "What was copied, moved or made can be moved away or deleted by hand; what was deleted lies in the history, which `reeve undo --list` shows."}
	}
	var list []reeve.Intent
	for _, s := range c.Steps {
		in, err := restoreIntents(s)
		if err != nil {
			return nil, err
		}
		list = append(list, in...)
	}
	return list, nil
}

// restoreIntents are what one step wants, the change first, then the look at
// what is there. They are optional, so that a dry run can tell of each.
func restoreIntents(s reeve.RestoreStep) ([]reeve.Intent, error) {
	in := reeve.Intent{Path: s.Path, Optional: true}
	switch s.Kind {
	case reeve.RestoreFile, reeve.RestoreLink:
		in.Kind, in.Parents = reeve.IntentWrite, true
	case reeve.RestoreFolder:
		if in.Kind, in.Parents = reeve.IntentMkdir, true; s.There {
			in.Kind, in.Parents = reeve.IntentList, false
		}
	case reeve.RestoreMove:
		in.Kind, in.To, in.Parents = reeve.IntentMove, s.To, true
	case reeve.RestoreRemove:
		in.Kind = reeve.IntentRemove
		look := reeve.Intent{Kind: reeve.IntentRead, Path: s.Path, Optional: true}
		switch s.LeftKind {
		case reeve.Directory:
			look.Kind = reeve.IntentList
		case reeve.Symlink:
			look.Kind = reeve.IntentStat
		}
		return []reeve.Intent{in, look}, nil
	default:
		return nil, &reeve.Error{Op: string(restoreVerb), Kind: reeve.Input, Code: reeve.Invalid, Not: notRestored,
			What: fmt.Sprintf("has a step of the unknown kind %q", s.Kind)}
	}
	return []reeve.Intent{in}, nil
}

// plannedPaths are those at which something comes back, where a folder is
// there already and that has to be known.
func plannedPaths(steps []reeve.RestoreStep) map[string]bool {
	if !slices.ContainsFunc(steps, func(s reeve.RestoreStep) bool { return s.There }) {
		return nil
	}
	list := make(map[string]bool, len(steps))
	for _, s := range steps {
		list[s.Path] = s.Kind != reeve.RestoreRemove && s.Kind != reeve.RestoreMove
	}
	return list
}

// Work implements guard.Verb.
func (w restore) Work(ctx context.Context, call reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	c, err := callOf[reeve.Restore](call)
	if err != nil {
		return guard.Work{}, err
	}
	if !v.Subject().IsOwner() {
		return guard.Work{}, &reeve.Error{Op: string(restoreVerb), Kind: reeve.Policy, Code: reeve.ReeveOwn, Not: notRestored,
			What: "brings back what history keeps, which is the owner's alone", Instead: "The owner can do it with `reeve undo`."}
	}
	answer := &reeve.Restored{Change: r.Text(c.Change), DryRun: c.DryRun}
	var changes []reeve.Change
	// Each change states the version that was compared, as a whole, with what
	// history says that the change had left.
	var basis []guard.Basis
	at := 0
	planned := plannedPaths(c.Steps)
	for _, s := range c.Steps {
		if err := ctx.Err(); err != nil {
			return guard.Work{}, err
		}
		step := &restoring{restore: w, RestoreStep: s, view: v, reply: r, at: at, planned: planned, quiet: r.Left() < restoredReserve}
		in, err := restoreIntents(s)
		if err != nil {
			return guard.Work{}, err
		}
		at += len(in)
		if err := step.look(ctx); err != nil {
			return guard.Work{}, err
		}
		if step.told.State != reeve.StepReady && !c.DryRun {
			return guard.Work{}, step.refusal()
		}
		step.tell(answer)
		if s.There {
			continue
		}
		changes = append(changes, step.change)
		basis = append(basis, guard.Basis{Stated: step.change.Expect})
	}
	if len(changes) == 0 && answer.Blocked == 0 {
		first := &answer.Steps[0]
		first.State, first.Why = reeve.StepExists, r.Text("is there already, and nothing else was in it: nothing is left to bring back")
		if !c.DryRun {
			return guard.Work{}, (&restoring{RestoreStep: c.Steps[0], told: *first}).refusal()
		}
	}
	if c.DryRun {
		return guard.Work{Answer: answer}, nil
	}
	return guard.Work{Changes: changes, Basis: basis, After: func(receipt guard.Receipt, r *guard.Reply) reeve.Answer {
		for i := range answer.Steps {
			answer.Steps[i].State = reeve.StepDone
			answer.Steps[i].Diff, answer.Steps[i].More = nil, 0
			answer.Steps[i].Why = reeve.Text{}
		}
		for _, d := range receipt.Done {
			for _, n := range d.Notes {
				r.Note("%s: %s", d.Change.Place.Display(), n)
			}
		}
		return answer
	}}, nil
}
