package capfs

import (
	"context"
	"errors"
	"os"
	"sync/atomic"

	"reeve"
)

// swap is one Swap under way.
type swap struct {
	l    *Ladder
	ctx  context.Context
	made map[fileID]bool // folders made by this swap
	// undo takes back one change each; it names what it could not put back,
	// since somebody else has changed it by then.
	undo    []func() ([]reeve.Place, error)
	kept    []Displaced
	sites   []site // entered on the way, closed at the end
	folders map[string]*os.File
	files   []*os.File           // to be synced, not closed
	late    []func(durable bool) // what is done at the end of Sync
	tally   *tally
}

// tally ends a note when nothing of its changes lies about any more.
type tally struct {
	open atomic.Int32
	end  func()
	// unsettled: the next start takes the changes back, so that what they
	// displaced must stay where it is.
	unsettled atomic.Bool
}

func (t *tally) add() {
	if t != nil {
		t.open.Add(1)
	}
}

func (t *tally) done() {
	if t != nil && t.open.Add(-1) == 0 {
		t.end()
	}
}

// Swap implements Committer.
func (l *Ladder) Swap(ctx context.Context, list []Staged) (r Receipt, err error) {
	mine := make([]*staged, len(list))
	for i, x := range list {
		s, ok := x.(*staged)
		if !ok || s.l != l || s.dropped || s.swapped {
			return Receipt{}, refuse(x.Change().Place, reeve.Invalid, "was not prepared here, or is used up already", "")
		}
		mine[i] = s
	}
	if len(mine) == 0 {
		return Receipt{}, nil
	}
	if err := ctx.Err(); err != nil {
		return Receipt{}, ended(context.Cause(ctx), l.fs.o.Timeout)
	}
	w := &swap{l: l, ctx: ctx, made: map[fileID]bool{}, folders: map[string]*os.File{}}
	ids, err := w.note(mine)
	if err != nil {
		return Receipt{}, err
	}
	w.tally = &tally{end: func() {
		for _, id := range ids {
			l.journal.end(id)
		}
	}}
	w.tally.add()
	settled := false
	defer func() {
		if !settled { // a panic on the way
			w.back()
		}
		for _, s := range w.sites {
			s.close()
		}
	}()
	fail := func(err error) (Receipt, error) {
		settled = true
		left := w.back()
		return Receipt{Left: left, Kept: w.kept}, err
	}
	end, err := l.turn(ctx, mine[0].change.Place)
	if err != nil {
		return fail(err)
	}
	defer end()
	for _, s := range mine {
		done, err := w.one(s)
		if err != nil {
			return fail(err)
		}
		r.Done = append(r.Done, done)
	}
	for _, s := range mine {
		if err := w.readBack(s); err != nil {
			return fail(err)
		}
	}
	settled = true
	w.finish(mine, r.Done)
	r.Kept = w.kept
	r.sync, r.tally = func(context.Context) error { return w.sync(mine, ids) }, w.tally
	return r, nil
}

// back takes everything back, last first.
func (w *swap) back() (left []reeve.Place) {
	complete := true
	for i := len(w.undo) - 1; i >= 0; i-- {
		l, err := w.undo[i]()
		left = append(left, l...)
		if err != nil {
			complete = false
		}
	}
	for _, f := range w.folders {
		f.Close()
	}
	if complete && len(w.kept) == 0 {
		w.tally.done() // else the note stays, for the next start
	}
	return left
}

// one makes one change.
func (w *swap) one(s *staged) (Done, error) {
	d := Done{Change: s.change, Rung: s.rung, Notes: s.notes}
	var err error
	switch c := s.change; {
	case c.Kind == reeve.Put && s.inPlace != nil:
		err = w.putInPlace(s)
	case c.Kind == reeve.Put && !c.Expect.IsZero():
		err = w.replace(s)
	case c.Kind == reeve.Put:
		err = w.create(s, &d)
	case c.Kind == reeve.Mkdir:
		err = w.mkdir(s, &d)
	case c.Kind == reeve.Remove:
		err = w.remove(s)
	case s.copied:
		err = w.moveCopied(s, &d)
	default:
		err = w.move(s, &d)
	}
	d.Rung = s.rung
	return d, err
}

// parents makes the folders that are still missing, one by one, none through
// a link, and gives the last. The end's site is that folder from then on.
func (w *swap) parents(s *staged, e *end, d *Done) error {
	path := ""
	if len(e.missing) > 0 {
		path = pathOf(e)
	}
	for i, name := range e.missing {
		at := e.site
		err := s.do(w.ctx, e, "make folder", func() error { return at.mkdir(name) })
		there := errors.Is(err, os.ErrExist)
		if err != nil && !there {
			return unable(e.place, "be made", err)
		}
		if !there {
			w.undo = append(w.undo, func() ([]reeve.Place, error) {
				return w.undoFolder(at, name, parentPlace(e.place, len(e.missing)-i))
			})
		}
		var in site
		var info Info
		err = s.do(w.ctx, e, "enter folder", func() (err error) {
			if in, err = at.enter(name); err == nil {
				info, err = in.self()
			}
			return err
		})
		if err == nil && there && !w.made[idOf(info.Identity)] {
			in.close()
			return changedSince(e.place, "has something in the place of a folder that was to be made")
		}
		if err != nil {
			return changedSince(e.place, "has something else in the place of its folder")
		}
		w.sites = append(w.sites, in)
		w.made[idOf(info.Identity)] = true
		if !there {
			p := parentPlace(e.place, len(e.missing)-i)
			p.Kind, p.Stamp, p.Mode = reeve.Directory, info.Stamp, info.Mode
			d.Made = append(d.Made, p)
		}
		w.touched(path, at)
		path = join(path, name)
		e.swapSite(in)
	}
	return nil
}

// swapSite puts the folder that was made in the place of the one above it,
// which stays open with the staged change.
func (e *end) swapSite(in site) {
	if e.above == nil {
		top := e.site
		e.above = &top
	}
	e.site = in
}

// parentPlace is the place n names above a place.
func parentPlace(p reeve.Place, n int) reeve.Place {
	up := p
	up.Components = p.Components[:max(0, len(p.Components)-n)]
	up.Missing, up.Kind, up.Stamp, up.Links, up.Mode = 0, reeve.Absent, reeve.Stamp{}, 0, 0
	return up
}

func (w *swap) undoFolder(at site, name string, p reeve.Place) ([]reeve.Place, error) {
	err := at.remove(name, true)
	if err == nil || missing(err) {
		return nil, nil
	}
	if isNotEmpty(err) || errors.Is(err, os.ErrExist) {
		return []reeve.Place{p}, nil // somebody uses it by now
	}
	return []reeve.Place{p}, err
}

// touched notes a folder whose names changed, to be synced once.
func (w *swap) touched(path string, at site) {
	if w.folders[path] == nil {
		if f, err := at.folder(); err == nil {
			w.folders[path] = f
		}
	}
}

// readBack looks where the changed folders are now: what was moved out of the
// granted folders, or to another place in them, was not judged there.
func (w *swap) readBack(s *staged) error {
	for _, e := range []*end{&s.from, &s.to} {
		if !e.here() {
			continue
		}
		if err := w.l.fault("read back"); err != nil {
			return unable(e.place, "be changed", err)
		}
		now, err := e.self()
		if err != nil {
			return unable(e.place, "be changed", err)
		}
		up := parentPlace(e.place, 1)
		h, err := w.l.fs.resolve(context.Background(), up.Path(), up.Display(), false)
		ok := err == nil && h.place.Exists() && h.place.SameFile(now.Identity) && h.place.Root == e.place.Root &&
			len(h.place.Marks) <= len(e.place.Marks)
		h.Close()
		if !ok {
			return changedSince(e.place, "was in a folder that another program moved away while it was being changed")
		}
	}
	return nil
}

// finish fills in the receipt once nothing can fail any more.
func (w *swap) finish(mine []*staged, done []Done) {
	for i, s := range mine {
		s.swapped = true
		if s.file != nil { // else the new file would look as if somebody wrote to it
			s.file.Close()
			s.file = nil
		}
		d := &done[i]
		e := s.target()
		w.touched(parentPlace(e.place, 1).Path(), e.site)
		if s.change.Kind == reeve.Move {
			w.touched(parentPlace(s.from.place, 1).Path(), s.from.site)
		}
		if s.change.Kind == reeve.Mkdir && s.change.Meta != nil {
			if in, err := e.enter(e.name); err == nil {
				if f, err := in.folder(); err == nil {
					_ = stamp(f, s.change.Meta.MTime)
					f.Close()
				}
				in.close()
			}
		}
		if s.change.Kind != reeve.Remove {
			d.Version = w.version(s, e)
		}
		if s.displaced != nil {
			d.Displaced = s.displaced.own(s, w.tally)
		}
	}
}

// version is that of what the change put there.
func (w *swap) version(s *staged, e *end) reeve.Version {
	info, err := e.look(e.name)
	if err != nil || s.fresh.Kind != reeve.Absent && !info.SameFile(s.fresh.Identity) {
		info = s.fresh // replaced again already
	}
	var sum *[32]byte
	switch {
	case s.change.Kind == reeve.Move && !s.copied:
		sum = s.hash
	case info.Kind == reeve.File:
		sum = s.sum
	}
	return reeve.NewVersion(info.Stamp, racy(info.Stamp, w.l.o.Now(), e.coarse), sum)
}

// commit says in the journal that several changes stand together. It is tried
// twice, since without it they are taken back.
func (w *swap) commit(ids []string) bool {
	for range 2 {
		ok := true
		for _, id := range ids {
			if w.l.fault("commit") != nil || w.l.journal.commit(id) != nil {
				ok = false
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// sync makes names durable, then settles the journal.
func (w *swap) sync(mine []*staged, ids []string) error {
	var first error
	try := func(err error) {
		if err != nil && first == nil {
			first = err
		}
	}
	step := func(name string, fn func() error) {
		err := w.l.fault(name)
		if err == nil {
			err = fn()
		}
		try(err)
	}
	for _, f := range w.files {
		step("sync file", f.Sync)
	}
	for _, f := range w.folders {
		step("sync folder", func() error { return syncFolder(f) })
		f.Close()
	}
	w.folders = nil
	settled := len(mine) == 1 || w.commit(ids)
	for _, fn := range w.late {
		fn(settled && first == nil)
	}
	w.late = nil
	if !settled {
		w.tally.unsettled.Store(true)
		r := refuse(mine[0].from.place, reeve.Failed, "was changed, but the journal could not be told", "Look at it after the next start.")
		r.Not = "The next start may take the change back."
		return r
	}
	if first != nil {
		// The note stays: the next start looks at what became of it.
		r := refuse(mine[0].from.place, reeve.Failed, "was changed, but could not be made durable; the system says: "+bare(first).Error(), "The owner should look at this disk.")
		r.Not, r.Cause = "A power cut may still take the change back.", bare(first)
		return r
	}
	w.tally.done()
	return nil
}
