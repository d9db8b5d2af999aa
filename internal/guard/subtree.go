package guard

import (
	"context"
	"errors"
	"fmt"

	"reeve"
	"reeve/internal/capfs"
)

// subtreeMost bounds the entries that are judged before a folder is moved or
// removed. A larger one is refused, not judged in part.
const subtreeMost = 10_000

// below judges everything in a folder that would be moved or removed, at the
// place where it is and at the one where it would be: what policy says to a
// path must not be got round by moving a folder above it. It gives the
// decision that has to be added to the folder's own: a refusal, a question
// about a control file, or none.
func (g *Gate) below(ctx context.Context, c *call, held *capfs.Held, e reeve.Effect, own reeve.Decision) (*reeve.Decision, error) {
	top, err := held.Folder(ctx)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	j := &subtree{call: c, rules: c.policy.Rules, top: e, own: own, root: e.Place.Root}
	if err := j.walk(ctx, top, nil); err != nil {
		return nil, err
	}
	return j.ask, nil
}

type subtree struct {
	call  *call
	rules Rules
	top   reeve.Effect
	own   reeve.Decision // on the folder itself
	root  reeve.RootID
	count int
	ask   *reeve.Decision
}

func (j *subtree) walk(ctx context.Context, f *capfs.Folder, rel []reeve.Name) error {
	var names []capfs.DirEntry
	err := f.Each(ctx, func(e capfs.DirEntry) error {
		if j.count++; j.count > subtreeMost {
			return j.refuse(reeve.Decision{Code: reeve.TooLarge, Rule: "subtree: too large",
				Reason: fmt.Sprintf("holds more than %s entries, too many to be judged one by one", thousands(subtreeMost))})
		}
		names = append(names, e)
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.one(ctx, f, n, append(rel[:len(rel):len(rel)], reeve.Name(n.Name))); err != nil {
			return err
		}
	}
	return nil
}

func (j *subtree) one(ctx context.Context, f *capfs.Folder, n capfs.DirEntry, rel []reeve.Name) error {
	h, err := f.Lookup(ctx, n.Name)
	if errors.Is(err, reeve.NotFound) {
		return nil // gone since it was listed
	}
	if err != nil {
		return err
	}
	defer h.Close()
	p := h.Place()
	if p.Root != j.root {
		return j.refuse(reeve.Decision{Code: reeve.HoldsRoot, Rule: "subtree: root",
			Reason: "holds " + p.Display() + ", which was granted by itself"})
	}
	e := reeve.Effect{Kind: j.top.Kind, Place: p}
	if j.top.To != nil {
		to := *j.top.To
		to.Components = append(to.Components[:len(to.Components):len(to.Components)], rel...)
		to.Missing += len(rel)
		to.Kind = reeve.Absent
		e.To = &to
	}
	switch d := j.rules.Decide(j.call.Subject, e); {
	case d.Verdict == reeve.Ask && d.Rule != j.own.Rule:
		if j.ask == nil { // the first one names the reason; one question covers all
			d.Reason = "holds " + p.Display() + ", which " + d.Reason
			d.Tell = "It " + d.Reason + "."
			j.ask = &d
		}
	case d.Verdict == reeve.Refuse || d.Verdict == "":
		d.Reason = "holds " + p.Display() + ", which " + d.Reason
		return j.refuse(d)
	}
	if p.Kind != reeve.Directory {
		return nil
	}
	in, err := h.Folder(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	return j.walk(ctx, in, rel)
}

func (j *subtree) refuse(d reeve.Decision) error {
	d.Verdict = reeve.Refuse
	return refusal(j.call.Call.Verb(), j.top.Place.Display(), j.top.Kind, d)
}

// joined is a folder's own decision with what was found in it.
func joined(own, found reeve.Decision) reeve.Decision {
	found.HumanOnly = found.HumanOnly || own.HumanOnly
	found.Remember = false
	if own.Tell != "" {
		found.Tell = own.Tell + " " + found.Tell
	}
	return found
}
