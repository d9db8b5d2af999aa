package ops

import (
	"context"

	"reeve"
	"reeve/internal/guard"
)

// movePath gives the thing itself another name, a link too, and never one
// that something has already.
type movePath struct{}

// Plan implements guard.Verb.
func (movePath) Plan(call reeve.Call, s reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.MovePath](call)
	if err != nil {
		return nil, err
	}
	if err := named(reeve.VerbMovePath, "from", c.From); err != nil {
		return nil, err
	}
	if err := named(reeve.VerbMovePath, "to", c.To); err != nil {
		return nil, err
	}
	return []reeve.Intent{{Kind: reeve.IntentMove, Path: c.From, To: c.To, Parents: s.CreateParents || c.CreateParents}}, nil
}

// Work implements guard.Verb.
func (movePath) Work(_ context.Context, _ reeve.Call, v *guard.View, _ *guard.Reply) (guard.Work, error) {
	s := v.At(0)
	from, to := s.Place(), *s.Effects[len(s.Effects)-1].To
	if inside(to, from) {
		return guard.Work{}, &reeve.Error{Op: string(reeve.VerbMovePath), Path: s.Shown(), Kind: reeve.Input, Code: reeve.Invalid,
			What: "cannot be moved into itself (" + to.Display() + ")", Not: "Nothing was moved.", Instead: "Choose a place outside of it."}
	}
	if err := newNames(reeve.VerbMovePath, to.Display(), to); err != nil {
		return guard.Work{}, err
	}
	return guard.Work{
		Changes: []reeve.Change{{Kind: reeve.Move, Place: from, To: &to, Expect: asSeen(from)}},
		After: func(made receipt, r *guard.Reply) reeve.Answer {
			f := told(r, from, reeve.DidMove)
			f.To = r.Path(to)
			if from.Kind == reeve.File {
				f.Now = &reeve.Extent{Size: from.Size}
			}
			finish(&f, doneFor(made, 0), r)
			return &reeve.Changes{Files: []reeve.ChangedFile{f}}
		},
	}, nil
}

// inside reports whether a place is below another one.
func inside(p, folder reeve.Place) bool {
	if p.Root != folder.Root || p.RootPath != folder.RootPath || len(p.Components) <= len(folder.Components) {
		return false
	}
	for i, c := range folder.Components {
		if p.Components[i] != c {
			return false
		}
	}
	return folder.Kind == reeve.Directory
}
