package ops

import (
	"context"
	"fmt"
	"io"

	"reeve"
	"reeve/internal/guard"
)

// Kept gives what history keeps, by hash, and its size in bytes. The last
// Read fails when what was read is not what was kept; the caller closes. It
// may be called by many goroutines.
type Kept interface {
	Open(ctx context.Context, hash string) (io.ReadCloser, int64, error)
}

// restore takes a change back. What is kept may be protected by now, so it
// answers the owner alone.
type restore struct{ kept Kept }

const (
	restoreVerb = reeve.VerbRestore
	// maxRestored is how many steps one undo may have.
	maxRestored = 20_000
	notRestored = "Nothing was brought back."
)

// Plan implements guard.Verb.
func (restore) Plan(call reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.Restore](call)
	if err != nil {
		return nil, err
	}
	if len(c.Steps) == 0 || len(c.Steps) > maxRestored {
		return nil, &reeve.Error{Op: string(restoreVerb), Kind: reeve.Input, Code: reeve.TooLarge, Not: notRestored,
			What: fmt.Sprintf("has %d steps, and 1 to %d can be taken at once", len(c.Steps), maxRestored)}
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
		in.Kind, in.Parents = reeve.IntentMkdir, true
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
	for _, s := range c.Steps {
		if err := ctx.Err(); err != nil {
			return guard.Work{}, err
		}
		step := &restoring{restore: w, RestoreStep: s, view: v, reply: r, at: at}
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
		answer.Steps = append(answer.Steps, step.told)
		changes = append(changes, step.change)
		basis = append(basis, guard.Basis{Stated: step.change.Expect})
	}
	if c.DryRun {
		return guard.Work{Answer: answer}, nil
	}
	return guard.Work{Changes: changes, Basis: basis, After: func(receipt guard.Receipt, r *guard.Reply) reeve.Answer {
		for i := range answer.Steps {
			answer.Steps[i].State = reeve.StepDone
			answer.Steps[i].Diff, answer.Steps[i].More = nil, 0
		}
		for _, d := range receipt.Done {
			for _, n := range d.Notes {
				r.Note("%s: %s", d.Change.Place.Display(), n)
			}
		}
		return answer
	}}, nil
}
