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
	// More counts further steps that can be done, or were, Blocked further ones
	// that cannot.
	More    int `json:"more,omitempty"`
	Blocked int `json:"blocked,omitempty"`
	// Folders were made with the change; each goes if it is empty then. After
	// the undo they are those that stayed.
	Folders []string `json:"folders,omitempty"`
	// Later are the IDs of changes of the same paths that were made since and
	// stand, the latest first: each has to be taken back before this one.
	Later []string `json:"later,omitempty"`
	// Missing names what of a deleted folder does not come back, since it was
	// not kept, with why; MissingMore counts further ones.
	Missing     []string `json:"missing,omitempty"`
	MissingMore int      `json:"missing_more,omitempty"`
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
	return u.Blocked == 0
}

// Undo takes a change back: as the owner, through the gate, recorded and kept
// like any other change. It is all or nothing, and refused where somebody has
// changed since what the change had left. A folder that the change made goes
// only when it is empty.
//
// A change of very many things is taken back in parts, after all of them were
// looked at; when one fails, those before it are taken back again.
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
	if o.Door == "" {
		o.Door = "library"
	}
	r := restorer{gate: gate, store: store, door: o.Door, change: p.Change, as: history.NewID()}
	told, notes, err := r.all(ctx, p, o.DryRun)
	if err != nil {
		return p.Undone, err
	}
	p.Steps, p.More, p.Blocked, p.Notes = told.Steps, told.More, told.Blocked, notes
	if o.DryRun {
		return p.Undone, nil
	}
	p.As, p.Folders = r.as, r.folders(ctx, p)
	return p.Undone, nil
}

func notUndone(id string, k reeve.Kind, c reeve.Code, what, instead string) *reeve.Error {
	e := &reeve.Error{Op: "undo", Kind: k, Code: c, What: what, Not: "Nothing was brought back.", Instead: instead}
	if id != "" {
		e.What = fmt.Sprintf("the change %s %s", id, what)
	}
	return e
}
