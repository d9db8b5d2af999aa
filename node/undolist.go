package node

import (
	"context"
	"slices"
	"time"

	"reeve"
	"reeve/internal/history"
)

// Past is one change that history knows.
type Past struct {
	Change string        `json:"change"` // the ID that Undo takes
	At     time.Time     `json:"at"`
	Who    reeve.Subject `json:"who"`
	Verb   reeve.Verb    `json:"verb"`
	// Undoes is what it took back itself, if it is an undo.
	Undoes string `json:"undoes,omitempty"`
	// State is what an undo would find; files may have been changed since.
	State PastState `json:"state"`
	// Why says of what is not kept why that is.
	Why string `json:"why,omitempty"`
	// Paths are what it changed, in shown form, one for each change, in order.
	Paths []string `json:"paths"`
}

// PastState says whether a change can be taken back.
type PastState string

const (
	PastStands  PastState = "stands"
	PastUndone  PastState = "undone"   // it was taken back
	PastFound   PastState = "found"    // bytes that no change of its own put away: its ID brings them back
	PastNotKept PastState = "not_kept" // no copy was kept of what it put out of the way
)

// Past gives the changes that history knows, the latest first, at most so
// many; 0 wants all. Nothing but the history is looked at.
func (n *Node) Past(ctx context.Context, most int) ([]Past, error) {
	return past(ctx, n.changes.history, most)
}

func past(ctx context.Context, store *history.Store, most int) ([]Past, error) {
	var all []history.Entry
	for e, err := range store.Entries(ctx, history.Filter{}) {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	stands := standing(all)
	var list []Past
	at := map[string]int{}
	for _, e := range all {
		i, known := at[e.Change]
		if !known {
			if most > 0 && len(list) == most {
				continue
			}
			i = len(list)
			at[e.Change] = i
			list = append(list, Past{Change: e.Change, Undoes: e.Undoes, State: PastStands})
		}
		list[i].add(e)
	}
	for i := range list {
		p := &list[i]
		slices.Reverse(p.Paths)
		if !stands(p.Change) {
			p.State, p.Why = PastUndone, ""
		}
	}
	return list, nil
}

// add takes in one entry of the change, the last one first.
func (p *Past) add(e history.Entry) {
	d, err := e.Detail()
	if err != nil {
		p.State, p.Why = PastNotKept, "its entry is damaged"
		p.Paths = append(p.Paths, e.Path)
		return
	}
	if d.Later {
		return
	}
	p.At, p.Who, p.Verb = e.At, d.Subject, d.Verb
	path := e.Path
	if e.To != "" {
		path += " → " + e.To
	}
	p.Paths = append(p.Paths, path)
	switch {
	case !d.Kept && e.Kind == reeve.Directory && e.Blob != "":
		p.Why = d.NotKept // the rest of it comes back
	case !d.Kept:
		p.State, p.Why = PastNotKept, d.NotKept
	case d.Verb == Found && p.State == PastStands:
		p.State = PastFound
	}
}
