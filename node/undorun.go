package node

import (
	"context"
	"errors"
	"slices"
	"strings"

	"reeve"
	"reeve/internal/history"
)

// restorer puts the steps of an undo through the gate.
type restorer struct {
	gate             reeve.Doer
	store            *history.Store
	door, change, as string
}

const (
	// partMost is how many steps the gate is given at a time: each holds some
	// files open until all of them are done.
	partMost = 500
	// partDeep bounds the folders that the steps of a part go through which
	// come back in the same part: each step holds all of those above it.
	partDeep = 1500
)

// call makes one call of some steps, all of them or none.
func (r *restorer) call(ctx context.Context, steps []reeve.RestoreStep, dry bool) (*reeve.Restored, []reeve.Text, error) {
	out, err := r.gate.Do(ctx, reeve.Request{ID: undoCall(r.change, r.as), Subject: reeve.Subject{Kind: reeve.Owner, Door: r.door},
		Call: &reeve.Restore{Change: r.change, Steps: steps, DryRun: dry}})
	if err != nil {
		return nil, nil, err
	}
	if out.Result == nil {
		return nil, nil, notUndone(r.change, reeve.Approval, reeve.Waiting, "could not be taken back: the gate asks about what the owner does himself", "")
	}
	told, ok := out.Result.Answer.(*reeve.Restored)
	if !ok {
		return nil, nil, notUndone(r.change, reeve.IO, reeve.Failed, "could not be taken back: the gate answered something else", "")
	}
	return told, out.Result.Notes, nil
}

// all does the steps of a plan, or tells of them. A folder that comes back may
// be there again: then it is used, if nothing is in its way.
func (r *restorer) all(ctx context.Context, p *undoPlan, dry bool) (told *reeve.Restored, notes []reeve.Text, err error) {
	for {
		told, notes, err = r.parts(ctx, p, dry)
		look := told
		switch {
		case err == nil && !dry, err != nil && !errors.Is(err, reeve.Exists):
			return told, notes, err
		case err != nil:
			var lookErr error
			if look, _, lookErr = r.parts(ctx, p, true); lookErr != nil {
				return told, notes, err
			}
		}
		if !p.there(look.Steps) {
			return told, notes, err
		}
	}
}

// parts does the steps part by part, when all of them were looked at. A look
// makes nothing, so that its parts may be deeper.
func (r *restorer) parts(ctx context.Context, p *undoPlan, dry bool) (*reeve.Restored, []reeve.Text, error) {
	parts, looks := p.parts(partDeep), p.parts(0)
	switch {
	case dry && len(looks) == 1:
		return r.call(ctx, looks[0], true)
	case !dry && len(parts) == 1:
		return r.call(ctx, parts[0], false)
	}
	all := &reeve.Restored{}
	for _, look := range looks {
		told, _, err := r.call(ctx, look, true)
		if err == nil && !dry && !allReady(told) {
			if _, _, err = r.call(ctx, look, false); err == nil { // it says what is in the way
				err = r.back(ctx, notUndone(r.change, reeve.IO, reeve.Changed, "could not be taken back at once: something was in the way, and went meanwhile", "Undo it again."))
			}
		}
		if err != nil {
			return nil, nil, err
		}
		add(all, told)
	}
	if dry {
		return all, nil, nil
	}
	*all = reeve.Restored{}
	var notes []reeve.Text
	for i, part := range parts {
		told, more, err := r.call(ctx, part, false)
		if err != nil {
			if i > 0 {
				err = r.back(ctx, err)
			}
			return nil, nil, err
		}
		add(all, told)
		notes = append(notes, more...)
	}
	return all, notes, nil
}

// back takes away what came back before a part failed. It is done whether or
// not somebody still waits.
func (r *restorer) back(ctx context.Context, why error) error {
	ctx = context.WithoutCancel(ctx)
	e := reeve.Error{Op: "undo", Kind: reeve.IO, Code: reeve.Failed, What: "a part of the undo failed: " + why.Error()}
	if cause, ok := reeve.AsError(why); ok {
		e = *cause
	}
	p, err := planUndo(ctx, r.store, r.as)
	if err == nil {
		again := restorer{gate: r.gate, store: r.store, door: r.door, change: r.as, as: history.NewID()}
		for _, part := range p.parts(partDeep) {
			if _, _, err = again.call(ctx, part, false); err != nil {
				break
			}
		}
		if err == nil {
			again.folders(ctx, p)
		}
	}
	e.Not = "Nothing was brought back: what had come back already was taken away again."
	if err != nil {
		e.Not = "Only a part was brought back."
		e.Instead = "`reeve undo " + r.as + "` takes that part away again."
	}
	return &e
}

// folders removes those that a change made, one by one: what is not empty
// stays, and keeps none of the others. It gives those that stayed.
func (r *restorer) folders(ctx context.Context, p *undoPlan) (stayed []string) {
	for i, f := range p.folders {
		if _, _, err := r.call(ctx, []reeve.RestoreStep{f}, false); err != nil {
			stayed = append(stayed, f.Path)
			if e, ok := reeve.AsError(err); !ok || e.Code != reeve.NotEmpty && e.Code != reeve.NotFound {
				for _, rest := range p.folders[i+1:] {
					stayed = append(stayed, rest.Path)
				}
				break
			}
		}
	}
	return stayed
}

// parts are the steps in parts that the gate takes at once. Folders that are
// there already come first, all together: each is looked into for others.
// Deep bounds what the steps of a part go through; 0 is no bound.
func (p *undoPlan) parts(deep int) (list [][]reeve.RestoreStep) {
	var first, part []reeve.RestoreStep
	below := map[string]int{} // the folders of this part, and how many of them are above
	through := 0
	for _, s := range p.steps {
		if s.There {
			first = append(first, s)
			continue
		}
		n := 0
		if up, ok := below[folderOf(s.Path)]; ok {
			n = up + 1
		}
		if len(part) == partMost || deep > 0 && through+n > deep {
			list, part = append(list, part), nil
			clear(below)
			through, n = 0, 0
		}
		if s.Kind == reeve.RestoreFolder {
			below[s.Path] = n
		}
		through += n
		part = append(part, s)
	}
	if len(part) > 0 {
		list = append(list, part)
	}
	switch {
	case len(list) == 0:
		return [][]reeve.RestoreStep{first}
	case len(first) > 0:
		list[0] = slices.Concat(first, list[0])
	}
	return list
}

// folderOf is the path of the folder that a path in shown form is in.
func folderOf(path string) string { return path[:max(0, strings.LastIndex(path, separatorOf(path)))] }

func allReady(r *reeve.Restored) bool {
	return r.Blocked == 0 && !slices.ContainsFunc(r.Steps, func(s reeve.RestoredStep) bool { return s.State != reeve.StepReady })
}

func add(all, one *reeve.Restored) {
	all.Change, all.DryRun = one.Change, one.DryRun
	all.Steps = append(all.Steps, one.Steps...)
	all.More += one.More
	all.Blocked += one.Blocked
}
