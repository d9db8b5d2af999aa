package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	plain bool // ask is about no more than the kind of change
}

// kindAsked begins the rule of what is asked about because of its kind alone:
// "approvals: remove".
const kindAsked = "approvals: "

// found notes what the folder holds that is asked about. One question covers
// all of it, and is the owner's alone if any of it is. The first thing that is
// asked about for more than its kind gives the reason.
func (j *subtree) found(p reeve.Place, d reeve.Decision) {
	plain := strings.HasPrefix(d.Rule, kindAsked)
	if j.ask != nil && (plain || !j.plain) {
		j.ask.HumanOnly = j.ask.HumanOnly || d.HumanOnly
		return
	}
	switch {
	case !plain:
		d.Tell = "It holds " + p.Display() + ", which " + d.Reason + "."
	case j.own.Verdict == reeve.Ask:
		d.Tell = "" // what it holds is said already
	default:
		d.Tell = "It holds " + p.Display() + ", and what is in a folder is asked about by your rules. Decline if it should stay."
	}
	d.Reason = "holds " + p.Display() + ", which " + d.Reason
	d.HumanOnly = d.HumanOnly || j.ask != nil && j.ask.HumanOnly
	j.ask, j.plain = &d, plain
}

func (j *subtree) walk(ctx context.Context, f *capfs.Folder, rel []reeve.Name) error {
	var names []capfs.DirEntry
	err := f.Each(ctx, func(e capfs.DirEntry) error {
		if j.count++; j.count > subtreeMost {
			return j.tooMany()
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
		j.found(p, d)
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

// tooMany refuses a folder that is too large to be judged, with a way that is
// not.
func (j *subtree) tooMany() error {
	d := reeve.Decision{Verdict: reeve.Refuse, Code: reeve.TooLarge, Rule: "subtree: too large",
		Reason: fmt.Sprintf("holds more than %s entries, too many to be judged one by one", thousands(subtreeMost))}
	way := "Delete what is in it first, one folder at a time; where the files lie in it directly, the owner can delete it by hand."
	if j.top.Kind == reeve.EffectMove {
		way = "Make the new folder with create_directory, and move what is in this one there, one folder at a time; or the owner can move it by hand."
	}
	return &refused{&reeve.Error{Op: string(j.call.Call.Verb()), Path: j.top.Place.Display(), Kind: reeve.Policy, Code: d.Code,
		What: d.Reason, Not: notDone(j.top.Kind), Instead: way}, d}
}

func (j *subtree) refuse(d reeve.Decision) error {
	d.Verdict = reeve.Refuse
	return refusal(j.call.Call.Verb(), j.top.Place.Display(), j.top.Kind, d)
}

// joined is a folder's own decision with what was found in it.
func joined(own, found reeve.Decision) reeve.Decision {
	found.HumanOnly = found.HumanOnly || own.HumanOnly
	found.Remember = false
	found.Tell = strings.TrimSpace(own.Tell + " " + found.Tell)
	return found
}
