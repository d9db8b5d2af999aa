package node

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"reeve"
	"reeve/internal/history"
)

// undoPlan is a change turned round.
type undoPlan struct {
	Undone
	steps   []reeve.RestoreStep
	folders []reeve.RestoreStep // that go if they are empty, the innermost first
}

// planUndo finds the change and turns it round, from what history says alone.
func planUndo(ctx context.Context, store *history.Store, id string) (*undoPlan, error) {
	var all []history.Entry
	for e, err := range store.Entries(ctx, history.Filter{}) {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	stands := standing(all)
	if id == "" {
		for _, e := range all {
			if !e.Owner && e.Undoes == "" && stands(e.Change) {
				id = e.Change
				break
			}
		}
		if id == "" {
			return nil, notUndone("", reeve.Input, reeve.NotFound, "no change of an agent stands that could be taken back", "`reeve log` shows what was changed.")
		}
	} else {
		clean, ok := history.CleanID(id)
		if !ok {
			return nil, notUndone("", reeve.Input, reeve.Invalid, fmt.Sprintf("%.40q is not the ID of a change", id), "An ID has 8 letters and digits; `reeve undo --list` shows those of the last changes.")
		}
		id = clean
	}
	var own []history.Entry
	for _, e := range all {
		if e.Change == id {
			own = append(own, e)
		}
	}
	if len(own) == 0 {
		return nil, notUndone(id, reeve.Input, reeve.NotFound, "is not known", "A change is known for the days its copies are kept.")
	}
	if !stands(id) {
		return nil, notUndone(id, reeve.Input, reeve.Exists, "was taken back already", "An undo is taken back by its own ID.")
	}
	slices.SortFunc(own, func(a, b history.Entry) int { return cmp.Compare(b.N, a.N) }) // the last one first
	p := &undoPlan{Undone: Undone{Change: id}}
	for _, e := range own {
		d, err := e.Detail()
		if err != nil {
			return nil, notUndone(id, reeve.IO, reeve.Damaged, "has a damaged entry: "+err.Error(), "")
		}
		if d.Later {
			continue
		}
		p.At, p.Who, p.Verb, p.Undoes = e.At, d.Subject, d.Verb, e.Undoes
		if d.Root != "" && !slices.Contains(p.Roots, d.Root) {
			p.Roots = append(p.Roots, d.Root)
		}
		// Of a folder, what was kept comes back, and the rest is named.
		part := e.Effect == reeve.EffectRemove && e.Kind == reeve.Directory && e.Blob != ""
		if !d.Kept && !part {
			why := d.NotKept
			if why == "" {
				why = "no copy was kept"
			}
			return nil, notUndone(id, reeve.IO, reeve.NotFound, fmt.Sprintf("cannot be taken back: of %s no whole copy was kept, since %s", e.Path, why), "")
		}
		if err := p.turn(ctx, store, e, d, all); err != nil {
			return nil, err
		}
	}
	p.order()
	p.Later = later(all, own, stands)
	return p, nil
}

// later are the changes that stand and say something about a path of the
// entries, after them.
func later(all, own []history.Entry, stands func(string) bool) (ids []string) {
	paths, last := map[string]bool{}, int64(0)
	for _, e := range own {
		paths[e.Path], last = true, max(last, e.Order)
		if e.To != "" {
			paths[e.To] = true
		}
	}
	for _, e := range all { // the latest first
		if e.Order > last && (paths[e.Path] || e.To != "" && paths[e.To]) && e.Undoes == "" && !slices.Contains(ids, e.Change) && stands(e.Change) {
			ids = append(ids, e.Change)
		}
	}
	return ids
}

// standing tells whether a change stands: no undo of it does.
func standing(all []history.Entry) func(change string) bool {
	by := map[string][]string{}
	for _, e := range all {
		if e.Undoes != "" && !slices.Contains(by[e.Undoes], e.Change) {
			by[e.Undoes] = append(by[e.Undoes], e.Change)
		}
	}
	var stands func(string, int) bool
	stands = func(change string, depth int) bool {
		for _, u := range by[change] {
			if depth > 1000 || stands(u, depth+1) {
				return false
			}
		}
		return true
	}
	return func(change string) bool { return stands(change, 0) }
}

// turn adds the steps that take one entry back.
func (p *undoPlan) turn(ctx context.Context, store *history.Store, e history.Entry, d history.Detail, all []history.Entry) error {
	if d.Verb == Found {
		return p.bring(ctx, store, e, d)
	}
	switch e.Effect {
	case reeve.EffectCreate:
		p.steps = append(p.steps, reeve.RestoreStep{Kind: reeve.RestoreRemove, Path: e.Path, Left: d.After, LeftKind: e.Kind})
	case reeve.EffectReplace:
		p.steps = append(p.steps, reeve.RestoreStep{Kind: reeve.RestoreFile, Path: e.Path, Left: d.After, LeftKind: reeve.File, Blob: e.Blob, Size: e.Size, Meta: d.Meta})
	case reeve.EffectMove:
		s := reeve.RestoreStep{Kind: reeve.RestoreMove, Path: e.To, To: e.Path, Left: d.After, LeftKind: e.Kind, LeftStamp: d.Stamp}
		if e.Kind == reeve.Directory && touchedAfter(all, e) {
			// A folder that was deleted and brought back is another one.
			s.LeftStamp = reeve.Stamp{}
		}
		p.steps = append(p.steps, s)
	case reeve.EffectMkdir:
		p.folder(e.Path)
	case reeve.EffectRemove:
		return p.removed(ctx, store, e, d)
	default:
		return notUndone(p.Change, reeve.IO, reeve.Invalid, fmt.Sprintf("cannot be taken back: nothing undoes a %s", e.Effect), "")
	}
	for _, m := range d.Made {
		p.folder(m)
	}
	return nil
}

func (p *undoPlan) folder(path string) {
	for _, f := range p.folders {
		if f.Path == path {
			return
		}
	}
	p.folders = append(p.folders, reeve.RestoreStep{Kind: reeve.RestoreRemove, Path: path, LeftKind: reeve.Directory})
}

// touchedAfter reports that a later change says something about the place a
// move led to.
func touchedAfter(all []history.Entry, e history.Entry) bool {
	for _, o := range all {
		if o.Order > e.Order && (o.Path == e.To || o.To == e.To) {
			return true
		}
	}
	return false
}

// removed brings back what was deleted; a folder with all that was in it.
func (p *undoPlan) removed(ctx context.Context, store *history.Store, e history.Entry, d history.Detail) error {
	switch e.Kind {
	case reeve.File:
		p.steps = append(p.steps, reeve.RestoreStep{Kind: reeve.RestoreFile, Path: e.Path, Blob: e.Blob, Size: e.Size, Meta: d.Meta})
	case reeve.Symlink:
		p.steps = append(p.steps, reeve.RestoreStep{Kind: reeve.RestoreLink, Path: e.Path, Link: d.Link})
	case reeve.Directory:
		p.steps = append(p.steps, reeve.RestoreStep{Kind: reeve.RestoreFolder, Path: e.Path, Meta: d.Meta})
		in, err := store.Tree(ctx, e.Blob)
		if err != nil {
			code, what := reeve.Damaged, "has a kept copy that is damaged"
			if f, ok := reeve.AsError(err); ok && f.Code == reeve.NotFound {
				code, what = reeve.NotFound, "has no copy any more: copies are kept for a number of days and bytes only"
			}
			return notUndone(p.Change, reeve.IO, code, "cannot be taken back: "+e.Path+" "+what, "")
		}
		for _, n := range in {
			if n.NotKept != "" {
				p.missing(e.Path+separatorOf(e.Path)+n.Path, n.NotKept)
				continue
			}
			s := reeve.RestoreStep{Path: e.Path + separatorOf(e.Path) + n.Path, Meta: n.Meta}
			switch n.Kind {
			case reeve.File:
				s.Kind, s.Blob, s.Size = reeve.RestoreFile, n.Blob, n.Size
			case reeve.Symlink:
				s.Kind, s.Link, s.Meta = reeve.RestoreLink, n.Link, nil
			default:
				s.Kind = reeve.RestoreFolder
			}
			p.steps = append(p.steps, s)
		}
	}
	return nil
}

// missingMost is how much of what does not come back is named.
const missingMost = 20

func (p *undoPlan) missing(path, why string) {
	if len(p.Missing) < missingMost {
		p.Missing = append(p.Missing, path+": "+why)
	} else {
		p.MissingMore++
	}
}

// bring brings back what a start found lying about: over whatever file has the
// name by now, since nobody knows what the change had left there.
func (p *undoPlan) bring(ctx context.Context, store *history.Store, e history.Entry, d history.Detail) error {
	if e.Path == "" {
		return notUndone(p.Change, reeve.IO, reeve.NotFound, "cannot be brought back to its place, which was lost in a crash",
			"Its content can be copied from "+store.At(e.Blob)+".")
	}
	if e.Kind == reeve.File {
		p.steps = append(p.steps, reeve.RestoreStep{Kind: reeve.RestoreFile, Path: e.Path, Any: true, LeftKind: reeve.File, Blob: e.Blob, Size: e.Size, Meta: d.Meta})
		return nil
	}
	return p.removed(ctx, store, e, d)
}

// there marks the folders that come back and are there already; it reports
// whether it found any.
func (p *undoPlan) there(told []reeve.RestoredStep) bool {
	stands := map[string]bool{}
	for _, t := range told {
		if t.Kind == reeve.RestoreFolder && t.State == reeve.StepExists {
			stands[t.Path.String()] = true
		}
	}
	found := false
	for i := range p.steps {
		if s := &p.steps[i]; s.Kind == reeve.RestoreFolder && !s.There && stands[s.Path] {
			s.There, found = true, true
		}
	}
	return found
}

// separatorOf is the separator of a path in shown form, by the path itself.
func separatorOf(path string) string {
	if path != "" && path[0] != '/' && len(path) > 2 && (path[1] == ':' || path[:2] == `\\`) {
		return `\`
	}
	return "/"
}

// order puts folders that go behind everything that may be in them. A change
// that only made folders has nothing else to take back: the innermost is then
// the step that counts.
func (p *undoPlan) order() {
	slices.SortStableFunc(p.folders, func(a, b reeve.RestoreStep) int { return cmp.Compare(len(b.Path), len(a.Path)) })
	if len(p.steps) == 0 && len(p.folders) > 0 {
		p.steps, p.folders = p.folders[:1], p.folders[1:]
	}
	for _, f := range p.folders {
		p.Folders = append(p.Folders, f.Path)
	}
}
