package ops

import (
	"context"
	"errors"

	"reeve"
	"reeve/internal/guard"
)

// createDirectory makes a folder and those missing above it. A folder that is
// there already is no error: what was asked for is so.
type createDirectory struct{}

// Plan implements guard.Verb.
func (createDirectory) Plan(call reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.CreateDirectory](call)
	if err != nil {
		return nil, err
	}
	if err := named(reeve.VerbCreateDirectory, "path", c.Path); err != nil {
		return nil, err
	}
	return []reeve.Intent{
		{Kind: reeve.IntentMkdir, Path: c.Path, Parents: true, Optional: true},
		{Kind: reeve.IntentList, Path: c.Path, Optional: true},
	}, nil
}

// Work implements guard.Verb.
func (createDirectory) Work(_ context.Context, _ reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	want, there := v.At(0), v.At(1)
	if there.Err == nil {
		f := told(r, there.Place(), reeve.DidNothing)
		return guard.Work{Answer: &reeve.Changes{Files: []reeve.ChangedFile{f}}}, nil
	}
	if want.Err != nil {
		e := *want.Err
		if errors.Is(&e, reeve.Exists) {
			e.What, e.Instead = "exists already and is no folder", "Choose another name."
		}
		return guard.Work{}, &e
	}
	place := want.Place()
	if err := newNames(reeve.VerbCreateDirectory, want.Shown(), place); err != nil {
		return guard.Work{}, err
	}
	return guard.Work{
		Changes: []reeve.Change{{Kind: reeve.Mkdir, Place: place}},
		After: func(made receipt, r *guard.Reply) reeve.Answer {
			f := told(r, place, reeve.DidMkdir)
			f.Kind = reeve.Directory
			finish(&f, doneFor(made, 0), r)
			return &reeve.Changes{Files: []reeve.ChangedFile{f}}
		},
	}, nil
}
