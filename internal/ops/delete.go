package ops

import (
	"context"
	"fmt"
	"strings"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/pathname"
)

// deletePath removes the thing itself: a file, a link, an empty folder, or,
// when it is asked to, a folder with all that is in it as one change.
type deletePath struct{}

const deleteVerb = reeve.VerbDeletePath

// deleteNames are the names told of a folder that is not empty.
const deleteNames = 5

// Plan implements guard.Verb. The second intent is the look into a folder:
// a stat does not follow a link either.
func (deletePath) Plan(call reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.DeletePath](call)
	if err != nil {
		return nil, err
	}
	if err := named(deleteVerb, "path", c.Path); err != nil {
		return nil, err
	}
	return []reeve.Intent{
		{Kind: reeve.IntentRemove, Path: c.Path},
		{Kind: reeve.IntentStat, Path: c.Path, Optional: true},
	}, nil
}

// Work implements guard.Verb.
func (deletePath) Work(ctx context.Context, call reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	c, err := callOf[reeve.DeletePath](call)
	if err != nil {
		return guard.Work{}, err
	}
	s := v.At(0)
	place := s.Place()
	was, in := &reeve.Extent{}, &measure{}
	switch place.Kind {
	case reeve.Directory:
		if in, err = folderToDelete(ctx, v, c.Recursive); err != nil {
			return guard.Work{}, err
		}
		was = &in.Extent
	case reeve.File:
		was.Size = place.Size
	}
	link := s.Info().Link
	var shown []guard.Shown
	if place.Kind == reeve.Directory {
		shown = []guard.Shown{{Holds: in.holdsText(), Bytes: was.Size, Largest: in.largest}}
	}
	return guard.Work{
		Shown:   shown,
		Changes: []reeve.Change{{Kind: reeve.Remove, Place: place, Expect: asSeen(place), Tree: c.Recursive && place.Kind == reeve.Directory}},
		After: func(made receipt, r *guard.Reply) reeve.Answer {
			f := told(r, place, reeve.DidDelete)
			f.Was = was
			if place.Kind == reeve.Symlink && link != "" {
				f.To = r.Text(pathname.EscapePath(link))
			}
			finish(&f, doneFor(made, 0), r)
			f.Version = reeve.Version{}
			return &reeve.Changes{Files: []reeve.ChangedFile{f}}
		},
	}, nil
}

// folderToDelete looks into a folder: it must be empty, or small enough to be
// removed whole.
func folderToDelete(ctx context.Context, v *guard.View, recursive bool) (*measure, error) {
	s := v.At(0)
	look := v.At(1)
	if look.Err != nil {
		return nil, unchanged(look.Err)
	}
	if look.Place().Key() != s.Place().Key() {
		return nil, ledElsewhere(deleteVerb, s.Shown())
	}
	top, err := v.Folder(ctx, 1)
	if err != nil {
		return nil, unchanged(err)
	}
	defer top.Close()
	if recursive {
		m := &measure{most: maxBelow}
		if err := m.folder(ctx, top); err != nil {
			return nil, unchanged(err)
		}
		if m.over {
			return nil, tooLarge(deleteVerb, s.Shown(), "holds more than "+grouped(maxBelow)+" entries",
				"Delete what is in it first, one folder at a time; where the files lie in it directly, the owner can delete it by hand.")
		}
		return m, nil
	}
	n := 0
	var first []string
	err = top.Each(ctx, func(e guard.Entry) error {
		if n++; len(first) < deleteNames {
			first = append(first, shownEntry(e))
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, unchanged(err)
	}
	if n == 0 {
		return &measure{}, nil
	}
	names := strings.Join(first, ", ")
	if n > len(first) {
		names += ", …"
	}
	return nil, &reeve.Error{Op: string(deleteVerb), Path: s.Shown(), Kind: reeve.IO, Code: reeve.NotEmpty,
		What: fmt.Sprintf("is a folder with %s in it: %s", counted(int64(n), "entry", "entries"), names),
		Not:  "Nothing was deleted.",
		Instead: "List it and delete what is not needed, or, if all of it has to go, call again with recursive: true; " +
			"that is one change, and the owner sees how much it is."}
}

// shownEntry is a name as a listing shows it.
func shownEntry(e guard.Entry) string {
	name := pathname.Escape(e.Name)
	if e.Kind == reeve.Directory {
		name += "/"
	}
	if e.Protected {
		name += " (protected)"
	}
	return name
}
