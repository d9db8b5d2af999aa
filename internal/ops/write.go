package ops

import (
	"context"

	"reeve"
	"reeve/internal/edit"
	"reeve/internal/guard"
)

// writeFile puts a whole text into a file. Over an existing file it keeps
// byte order mark, encoding and line endings.
type writeFile struct{}

const writeVerb = reeve.VerbWriteFile

// Plan implements guard.Verb. The second intent is the look at what is there,
// whose form is to be kept; it is refused where nothing is.
func (writeFile) Plan(call reeve.Call, s reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.WriteFile](call)
	if err != nil {
		return nil, err
	}
	if err := named(writeVerb, "path", c.Path); err != nil {
		return nil, err
	}
	if _, err := statedVersion(writeVerb, c.IfVersion); err != nil {
		return nil, err
	}
	return []reeve.Intent{
		{Kind: reeve.IntentWrite, Path: c.Path, Parents: s.CreateParents || c.CreateParents},
		{Kind: reeve.IntentRead, Path: c.Path, Optional: true},
	}, nil
}

// Work implements guard.Verb.
func (writeFile) Work(ctx context.Context, call reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	c, err := callOf[reeve.WriteFile](call)
	if err != nil {
		return guard.Work{}, err
	}
	stated, err := statedVersion(writeVerb, c.IfVersion)
	if err != nil {
		return guard.Work{}, err
	}
	s := v.At(0)
	place := s.Place()
	if !place.Exists() {
		if !stated.IsZero() {
			return guard.Work{}, goneVersion(writeVerb, s.Shown())
		}
		if err := newNames(writeVerb, s.Shown(), place); err != nil {
			return guard.Work{}, err
		}
		return create(place, []byte(c.Content)), nil
	}
	old, err := load(ctx, v, 1, place, writeVerb)
	if err != nil {
		return guard.Work{}, err
	}
	p, err := edit.Rewrite(old.bytes, c.Content, edit.Options{Binary: v.Settings().Binary, MaxBytes: maxEdited})
	if err != nil || !p.Changed { // what is proposed is held against the version by the gate
		if err := holds(writeVerb, s.Shown(), stated, old.version); err != nil {
			return guard.Work{}, err
		}
	}
	if err != nil {
		return guard.Work{}, planRefusal(writeVerb, s.Shown(), err)
	}
	w := &rewritten{place: place, plan: p, version: old.version, did: reeve.DidOverwrite}
	if !p.Changed {
		return guard.Work{Answer: &reeve.Changes{Files: []reeve.ChangedFile{w.same(r)}}}, nil
	}
	return guard.Work{Changes: []reeve.Change{w.change()}, Shown: []guard.Shown{w.shown()}, Basis: []guard.Basis{w.basis(stated)},
		After: func(made receipt, r *guard.Reply) reeve.Answer {
			return &reeve.Changes{Files: []reeve.ChangedFile{w.told(r, doneFor(made, 0))}}
		}}, nil
}

// create proposes a new file.
func create(place reeve.Place, content []byte) guard.Work {
	return guard.Work{Changes: []reeve.Change{{Kind: reeve.Put, Place: place, Content: reeve.Bytes(content)}}, Shown: []guard.Shown{fresh(content)},
		After: func(made receipt, r *guard.Reply) reeve.Answer {
			return &reeve.Changes{Files: []reeve.ChangedFile{created(r, place, content, doneFor(made, 0))}}
		}}
}

// fresh is what the owner is shown of a new file: nobody approves what is not
// shown.
func fresh(content []byte) guard.Shown {
	return guard.Shown{Now: lineCount(content), Diff: func(b guard.DiffBounds) guard.Diff { return diffOf(edit.Fresh(content), b) }}
}

// diffOf is a plan's difference in the gate's words.
func diffOf(p *edit.Plan, b guard.DiffBounds) guard.Diff {
	d := p.Difference(edit.Bounds(b))
	return guard.Diff{Text: d.Text, Lines: d.Lines, Bytes: d.Bytes, Left: d.Left}
}

// created tells of a new file.
func created(r *guard.Reply, place reeve.Place, content []byte, d done) reeve.ChangedFile {
	f := told(r, place, reeve.DidCreate)
	f.Kind = reeve.File
	f.Now = &reeve.Extent{Size: int64(len(content)), Lines: lineCount(content), Counted: true}
	finish(&f, d, r)
	r.Showed(place, 0)
	return f
}
