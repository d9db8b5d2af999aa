package capfs

import (
	"errors"
	"os"
	"syscall"

	"reeve"
)

// hide puts what is to go under its hidden name, and demands that it is what
// was judged.
func (w *swap) hide(s *staged) error {
	e := &s.from
	var now Info
	if err := s.ask(w.ctx, e, "verify", func() (err error) { now, err = e.look(e.name); return err }); err != nil {
		return unable(e.place, "be looked at", err)
	}
	if !now.SameFile(s.was.Identity) || now.Kind != s.was.Kind || now.Kind == reeve.File && !exact(now, s.was) {
		return changedSince(e.place, "was changed since it was looked at")
	}
	if err := w.unread(s); err != nil {
		return err
	}
	err := s.do(w.ctx, e, "hide", func() error { return e.shift(e.name, e.site, s.temp, over) })
	if errors.Is(err, syscall.EXDEV) && now.Kind == reeve.Directory {
		return w.removeLower(s)
	}
	if err != nil {
		return unable(e.place, "be removed", err)
	}
	w.undo = append(w.undo, func() ([]reeve.Place, error) { return w.unhide(s) })
	var out Info
	err = s.do(w.ctx, e, "look at the old", func() (err error) { out, err = e.look(s.temp); return err })
	if err == nil && (!out.SameFile(s.was.Identity) || out.Kind == reeve.File && !same(out, s.was)) {
		err = changedSince(e.place, "was saved by another program in the same moment")
	}
	if err == nil {
		err = w.unread(s)
	}
	if err == nil && out.Kind == reeve.Directory && !s.change.Tree {
		err = s.askEmpty(w.ctx, s.temp)
	}
	return unable(e.place, "be removed", err)
}

// removeLower removes an empty folder of a lower layer, which cannot be
// renamed.
func (w *swap) removeLower(s *staged) error {
	e := &s.from
	if s.change.Tree {
		return refuse(e.place, reeve.Failed, "is a folder of a lower layer of its file system, which cannot be taken away as a whole",
			"Remove what is in it first.")
	}
	if err := s.do(w.ctx, e, "remove", func() error { return e.remove(e.name, true) }); err != nil {
		return unable(e.place, "be removed", err)
	}
	w.undo = append(w.undo, func() ([]reeve.Place, error) {
		if err := e.mkdir(e.name); err != nil {
			return []reeve.Place{e.place}, err
		}
		return nil, nil
	})
	s.flat = true
	return nil
}

// unhide gives back the name, if nobody has taken it meanwhile.
func (w *swap) unhide(s *staged) ([]reeve.Place, error) {
	e := &s.from
	if err := w.l.fault("give back"); err != nil {
		return []reeve.Place{e.place}, err
	}
	info, err := e.look(s.temp)
	if err == nil {
		err = w.place(s, e.site, s.temp, e.site, e.name, info.Kind)
	}
	switch {
	case err == nil || missing(err):
		return nil, nil
	case isNotEmpty(err) || errors.Is(err, os.ErrExist):
		w.aside(s, e, s.temp)
		return []reeve.Place{e.place}, nil
	}
	return []reeve.Place{e.place}, err
}

// remove takes a name away; what it named becomes history's.
func (w *swap) remove(s *staged) error {
	if err := w.hide(s); err != nil {
		return err
	}
	if !s.flat {
		s.displaced = &displaced{name: s.temp, info: s.was}
	}
	return nil
}

// move renames within a file system.
func (w *swap) move(s *staged, d *Done) error {
	a, b := &s.from, &s.to
	if err := w.parents(s, b, d); err != nil {
		return err
	}
	var now Info
	if err := s.ask(w.ctx, a, "verify", func() (err error) { now, err = a.look(a.name); return err }); err != nil {
		return unable(a.place, "be looked at", err)
	}
	if !now.SameFile(s.was.Identity) || now.Kind == reeve.File && !exact(now, s.was) {
		return changedSince(a.place, "was changed since it was looked at")
	}
	if err := w.unread(s); err != nil {
		return err
	}
	err := s.do(w.ctx, a, "move", func() error { return w.place(s, a.site, a.name, b.site, b.name, s.was.Kind) })
	switch {
	case err == nil:
	case errors.Is(err, os.ErrExist):
		return existsAlready(b.place)
	case errors.Is(err, syscall.EINVAL):
		return refuse(a.place, reeve.Invalid, "cannot be moved into itself", "Choose a place outside this folder.")
	default:
		return unable(a.place, "be moved", err)
	}
	w.undo = append(w.undo, func() ([]reeve.Place, error) { return w.moveBack(s) })
	err = s.do(w.ctx, b, "look at the moved", func() (err error) { s.fresh, err = b.look(b.name); return err })
	if err == nil && (!s.fresh.SameFile(s.was.Identity) || s.fresh.Kind == reeve.File && !same(s.fresh, s.was)) {
		err = changedSince(a.place, "was replaced by another program in the same moment")
	}
	return unable(a.place, "be moved", err)
}

// moveBack undoes a rename, whatever it was that was moved.
func (w *swap) moveBack(s *staged) ([]reeve.Place, error) {
	a, b := &s.from, &s.to
	if err := w.l.fault("move back"); err != nil {
		return []reeve.Place{b.place}, err
	}
	now, err := b.look(b.name)
	if missing(err) {
		return nil, nil // taken away by somebody: that stands
	}
	if err == nil && s.fresh.Kind != reeve.Absent && !now.SameFile(s.fresh.Identity) {
		return []reeve.Place{b.place}, nil
	}
	if err == nil {
		err = w.place(s, b.site, b.name, a.site, a.name, now.Kind)
	}
	if err == nil {
		return nil, nil
	}
	if errors.Is(err, os.ErrExist) {
		return []reeve.Place{b.place}, nil // the old name is taken: it stays whole at the new one
	}
	return []reeve.Place{b.place}, err
}

// moveCopied shows the copy on the other file system, then takes the
// original away, which is removed for good once the copy is durable.
func (w *swap) moveCopied(s *staged, d *Done) error {
	b := &s.to
	if err := w.parents(s, b, d); err != nil {
		return err
	}
	if s.was.Kind == reeve.Symlink {
		var text string
		err := s.do(w.ctx, &s.from, "read link", func() (err error) { text, err = s.from.text(s.from.name); return err })
		if err == nil {
			err = s.do(w.ctx, b, "make link", func() error { return b.symlink(text, b.name) })
		}
		if err != nil {
			return unable(s.from.place, "be moved", err)
		}
		if err := w.made1(s, b); err != nil {
			return err
		}
	} else {
		if err := w.still(s); err != nil {
			return err
		}
		if err := w.show(s, b); err != nil {
			return err
		}
	}
	if err := w.hide(s); err != nil {
		return err
	}
	at, temp, was := s.from.site, s.temp, s.was
	again, err := at.enter(".")
	if err != nil {
		return unable(s.from.place, "be moved", err)
	}
	w.late = append(w.late, func(durable bool) {
		if durable {
			_ = w.l.discard(again, temp, was)
		}
		again.close()
	})
	return nil
}
