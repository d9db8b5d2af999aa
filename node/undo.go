package node

import (
	"context"
	"fmt"
	"time"

	"reeve"
	"reeve/internal/history"
)

// UndoOptions say what is taken back.
type UndoOptions struct {
	// ID is the change; empty is the last one of an agent that still stands.
	// An undo is taken back only by its ID.
	ID string
	// DryRun tells what would happen.
	DryRun bool
	// Door is how the owner came, for the record; empty is "library".
	Door string
}

// Undone is what an undo came to, or would.
type Undone struct {
	// Change is what is taken back, and As the undo's own ID, by which it can
	// be taken back itself; As is empty while nothing was done.
	Change string    `json:"change"`
	As     string    `json:"as,omitempty"`
	At     time.Time `json:"at"` // when the change was made
	// Who made it, with which verb. Undoes is what it had taken back itself.
	Who    reeve.Subject `json:"who"`
	Verb   reeve.Verb    `json:"verb"`
	Undoes string        `json:"undoes,omitempty"`
	// Steps tell of each path how it stands, and after the undo what was done.
	Steps []reeve.RestoredStep `json:"steps"`
	// Folders were made with the change; each goes if it is empty then. After
	// the undo they are those that stayed.
	Folders []string `json:"folders,omitempty"`
	// Roots are the granted folders that the change was made in.
	Roots []string     `json:"roots,omitempty"`
	Notes []reeve.Text `json:"notes,omitempty"`
}

// Ready reports that every step can be done.
func (u Undone) Ready() bool {
	for _, s := range u.Steps {
		if s.State != reeve.StepReady {
			return false
		}
	}
	return true
}

// Undo takes a change back: as the owner, through the gate, recorded and kept
// like any other change. It is all or nothing, and refused where somebody has
// changed since what the change had left. A folder that the change made goes
// only when it is empty.
//
// With an error the result still tells which change it was and where.
//
// It belongs to the owner's tools, never behind an agent's call: what history
// keeps may be protected by now.
func (n *Node) Undo(ctx context.Context, o UndoOptions) (Undone, error) {
	return undo(ctx, n, n.changes.history, o)
}

// UndoRoots are the granted folders, in shown form, that a change was made in;
// an empty ID is that of the last one that Undo would take back. Nothing but
// the history is looked at.
func (n *Node) UndoRoots(ctx context.Context, id string) ([]string, error) {
	p, err := planUndo(ctx, n.changes.history, id)
	if err != nil {
		return nil, err
	}
	return p.Roots, nil
}

func undo(ctx context.Context, gate reeve.Doer, store *history.Store, o UndoOptions) (Undone, error) {
	p, err := planUndo(ctx, store, o.ID)
	if err != nil {
		return Undone{}, err
	}
	as := history.NewID()
	if o.Door == "" {
		o.Door = "library"
	}
	call := func(steps []reeve.RestoreStep, dry bool) (*reeve.Restored, []reeve.Text, error) {
		out, err := gate.Do(ctx, reeve.Request{ID: undoCall(p.Change, as), Subject: reeve.Subject{Kind: reeve.Owner, Door: o.Door},
			Call: &reeve.Restore{Change: p.Change, Steps: steps, DryRun: dry}})
		if err != nil {
			return nil, nil, err
		}
		if out.Result == nil {
			return nil, nil, notUndone(p.Change, reeve.Approval, reeve.Waiting, "could not be taken back: the gate asks about what the owner does himself", "")
		}
		told, ok := out.Result.Answer.(*reeve.Restored)
		if !ok {
			return nil, nil, notUndone(p.Change, reeve.IO, reeve.Failed, "could not be taken back: the gate answered something else", "")
		}
		return told, out.Result.Notes, nil
	}
	told, notes, err := call(p.steps, o.DryRun)
	if err != nil {
		return p.Undone, err
	}
	p.Steps, p.Notes = told.Steps, notes
	if o.DryRun {
		return p.Undone, nil
	}
	p.As = as
	p.Folders = nil
	for i, f := range p.folders {
		// One by one: what is not empty stays, and keeps none of the others.
		if _, _, err := call([]reeve.RestoreStep{f}, false); err != nil {
			p.Folders = append(p.Folders, f.Path)
			if e, ok := reeve.AsError(err); !ok || e.Code != reeve.NotEmpty && e.Code != reeve.NotFound {
				for _, rest := range p.folders[i+1:] {
					p.Folders = append(p.Folders, rest.Path)
				}
				break
			}
		}
	}
	return p.Undone, nil
}

func notUndone(id string, k reeve.Kind, c reeve.Code, what, instead string) *reeve.Error {
	e := &reeve.Error{Op: "undo", Kind: k, Code: c, What: what, Not: "Nothing was brought back.", Instead: instead}
	if id != "" {
		e.What = fmt.Sprintf("the change %s %s", id, what)
	}
	return e
}
