package ops

import (
	"context"
	"fmt"

	"reeve"
	"reeve/internal/edit"
	"reeve/internal/guard"
)

// editFile replaces exact text, in one file or in several at once: all of it
// or none.
type editFile struct{}

const editVerb = reeve.VerbEditFile

// Bounds of one call.
const (
	maxEdits     = 1000
	maxEditFiles = 50
)

// Plan implements guard.Verb: an intent to write for each path, then one to
// read for each.
func (editFile) Plan(call reeve.Call, s reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.EditFile](call)
	if err != nil {
		return nil, err
	}
	if _, err := statedVersion(editVerb, c.IfVersion); err != nil {
		return nil, err
	}
	paths, _, err := editPaths(c)
	if err != nil {
		return nil, err
	}
	if c.IfVersion != "" && len(paths) > 1 {
		return nil, refuseArgument(editVerb, "if_version", "only goes with a single file", "Edit that file in a call of its own.")
	}
	var intents []reeve.Intent
	for _, p := range paths {
		intents = append(intents, reeve.Intent{Kind: reeve.IntentWrite, Path: p, Parents: c.Create && s.CreateParents})
	}
	for _, p := range paths {
		intents = append(intents, reeve.Intent{Kind: reeve.IntentRead, Path: p, Optional: true})
	}
	return intents, nil
}

// editPaths are the paths as they were written, each once, and for each edit
// which of them is its own.
func editPaths(c *reeve.EditFile) (paths []string, which []int, err error) {
	switch n := len(c.Edits); {
	case n == 0:
		return nil, nil, refuseArgument(editVerb, "edits", "is empty", "Give old_string and new_string, or a list of edits.")
	case n > maxEdits:
		return nil, nil, refuseArgument(editVerb, "edits", fmt.Sprintf("has %d entries; at most %d go into one call", n, maxEdits), "Make several calls.")
	}
	at := map[string]int{}
	for i, e := range c.Edits {
		p := e.Path
		if p == "" {
			p = c.Path
		}
		if p == "" {
			return nil, nil, refuseArgument(editVerb, "path", fmt.Sprintf("is missing for edit %d of %d", i+1, len(c.Edits)), "Give path for all edits, or one in each.")
		}
		k, ok := at[p]
		if !ok {
			k = len(paths)
			at[p] = k
			paths = append(paths, p)
		}
		which = append(which, k)
	}
	if len(paths) > maxEditFiles {
		return nil, nil, refuseArgument(editVerb, "edits", fmt.Sprintf("names %d files; at most %d go into one call", len(paths), maxEditFiles), "Make several calls.")
	}
	return paths, which, nil
}

// editGroup are the edits of one file, whichever ways it was spelled.
type editGroup struct {
	at    int // the intent to write
	edits []edit.Edit
}

// Work implements guard.Verb.
func (editFile) Work(ctx context.Context, call reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	c, err := callOf[reeve.EditFile](call)
	if err != nil {
		return guard.Work{}, err
	}
	stated, err := statedVersion(editVerb, c.IfVersion)
	if err != nil {
		return guard.Work{}, err
	}
	groups, err := editGroups(c, v)
	if err != nil {
		return guard.Work{}, err
	}
	b := &editBatch{call: c, stated: stated}
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return guard.Work{}, err
		}
		if err := b.add(ctx, v, g); err != nil {
			return guard.Work{}, err
		}
	}
	return b.work(r), nil
}

// editGroups puts the edits of each real file together, in the order in which
// the files come first.
func editGroups(c *reeve.EditFile, v *guard.View) ([]*editGroup, error) {
	_, which, err := editPaths(c)
	if err != nil {
		return nil, err
	}
	var groups []*editGroup
	by := map[string]*editGroup{}
	for i, e := range c.Edits {
		key := v.At(which[i]).Place().Key()
		g := by[key]
		if g == nil {
			g = &editGroup{at: which[i]}
			by[key] = g
			groups = append(groups, g)
		}
		g.edits = append(g.edits, edit.Edit{Old: e.Old, New: e.New, All: e.All})
	}
	return groups, nil
}

// editBatch collects the files of a call.
type editBatch struct {
	call    *reeve.EditFile
	stated  reeve.Version
	files   []editedFile
	changes []reeve.Change
	shown   []guard.Shown
	basis   []guard.Basis
	total   int64 // bytes of new content
}

// editedFile is one of them: an existing file, or one that is made.
type editedFile struct {
	*rewritten
	text  []byte // of one that is made
	place reeve.Place
	at    int // its change, -1 for none
}

// add works out one file.
func (b *editBatch) add(ctx context.Context, v *guard.View, g *editGroup) error {
	s := v.At(g.at)
	place := s.Place()
	if !place.Exists() {
		return b.make(ctx, v, g, place)
	}
	old, err := load(ctx, v, v.Len()/2+g.at, place, editVerb)
	if err != nil {
		return err
	}
	p, err := edit.Apply(old.bytes, g.edits, edit.Options{Binary: v.Settings().Binary, MaxBytes: maxEdited, Ended: ctx.Err})
	if err != nil || !p.Changed || b.call.DryRun { // what is proposed is held against the version by the gate
		if err := holds(editVerb, s.Shown(), b.stated, old.version); err != nil {
			return err
		}
	}
	if err != nil {
		return planRefusal(editVerb, s.Shown(), err)
	}
	w := &rewritten{place: place, plan: p, version: old.version, did: reeve.DidEdit, edits: len(g.edits), first: g.edits[0]}
	for _, n := range p.Counts {
		w.count += n
	}
	f := editedFile{rewritten: w, place: place, at: -1}
	if p.Changed {
		f.at = len(b.changes)
		b.changes = append(b.changes, w.change())
		b.shown = append(b.shown, w.shown())
		b.basis = append(b.basis, w.basis(b.stated))
	}
	b.files = append(b.files, f)
	return b.grow(s.Shown(), int64(len(p.New)))
}

// grow keeps the new contents of one call within the bound of one file.
func (b *editBatch) grow(shown string, n int64) error {
	if b.total += n; b.total > maxEdited {
		return tooLarge(editVerb, shown, fmt.Sprintf("and the files before it come to more than %s bytes, the most that one call changes", grouped(maxEdited)), "Make several calls.")
	}
	return nil
}

// make is a file that does not exist yet: an empty old text makes it, where
// the caller may.
func (b *editBatch) make(ctx context.Context, v *guard.View, g *editGroup, place reeve.Place) error {
	s := v.At(g.at)
	if !b.call.Create || g.edits[0].Old != "" {
		e := v.At(v.Len()/2 + g.at).Err
		if e == nil {
			return ledElsewhere(editVerb, s.Shown())
		}
		err := *e
		err.Not = notChanged
		if err.Code == reeve.NotFound {
			err.Instead += " To make a new file, use write_file."
		}
		return &err
	}
	if !b.stated.IsZero() {
		return goneVersion(editVerb, s.Shown())
	}
	if err := newNames(editVerb, s.Shown(), place); err != nil {
		return err
	}
	f := editedFile{text: []byte(g.edits[0].New), place: place, at: len(b.changes)}
	if rest := g.edits[1:]; len(rest) > 0 {
		p, err := edit.Apply(f.text, rest, edit.Options{Binary: v.Settings().Binary, MaxBytes: maxEdited, Ended: ctx.Err})
		if err != nil {
			return planRefusal(editVerb, s.Shown(), err)
		}
		f.text = p.New
	}
	b.files = append(b.files, f)
	b.changes = append(b.changes, reeve.Change{Kind: reeve.Put, Place: place, Content: reeve.Bytes(f.text)})
	b.shown = append(b.shown, fresh(f.text))
	b.basis = append(b.basis, guard.Basis{})
	return b.grow(s.Shown(), int64(len(f.text)))
}

// work proposes what was collected, or shows it.
func (b *editBatch) work(r *guard.Reply) guard.Work {
	if b.call.DryRun || len(b.changes) == 0 {
		a := &reeve.Changes{DryRun: b.call.DryRun}
		for _, f := range b.files {
			a.Files = append(a.Files, f.would(r))
		}
		return guard.Work{Answer: a}
	}
	return guard.Work{Changes: b.changes, Shown: b.shown, Basis: b.basis, After: func(made receipt, r *guard.Reply) reeve.Answer {
		a := &reeve.Changes{}
		for _, f := range b.files {
			switch {
			case f.rewritten == nil:
				a.Files = append(a.Files, created(r, f.place, f.text, doneFor(made, f.at)))
			case f.at < 0:
				a.Files = append(a.Files, f.same(r))
			default:
				a.Files = append(a.Files, f.told(r, doneFor(made, f.at)))
			}
		}
		return a
	}}
}

// would is the account of what is not done.
func (f editedFile) would(r *guard.Reply) reeve.ChangedFile {
	switch {
	case f.rewritten == nil:
		t := told(r, f.place, reeve.DidCreate)
		t.Kind, t.Now = reeve.File, extentOf(f.text)
		return t
	case f.at < 0:
		return f.same(r)
	}
	return f.rewritten.would(r)
}
