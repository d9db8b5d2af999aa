package capfs

import (
	"errors"
	"os"

	"reeve"
)

// replaceByLink keeps the old file by a second name and renames the new one
// over it. Between the last look and the rename another program's rename
// could be lost; that moment is as short as two calls can make it.
func (w *swap) replaceByLink(s *staged) error {
	e, kept := &s.from, s.temp+aside
	err := s.do(w.ctx, e, "link the old", func() error { return e.link(e.name, e.site, kept) })
	if err != nil {
		return unable(e.place, "be replaced", err)
	}
	unlink := func() { _ = w.l.discard(e.site, kept, s.was) }
	check := func(name string) error {
		info, err := e.look(name)
		if err == nil && !same(info, s.was) {
			err = changedSince(e.place, "was saved by another program in the same moment")
		}
		return err
	}
	err = s.do(w.ctx, e, "look at the old", func() error { return errors.Join(check(kept), check(e.name)) })
	if err == nil {
		err = w.unread(s)
	}
	if err == nil {
		err = s.do(w.ctx, e, "rename over", func() error { return e.shift(s.temp, e.site, e.name, over) })
	}
	if err != nil {
		if info, lerr := e.look(kept); lerr == nil && info.SameFile(s.was.Identity) {
			unlink()
		} else if lerr == nil {
			_ = w.l.discard(e.site, kept, info) // another's file, which has its own name
		}
		if joined, ok := reeve.AsError(err); ok {
			return joined
		}
		return unable(e.place, "be replaced", err)
	}
	s.named = false
	w.undo = append(w.undo, func() ([]reeve.Place, error) { return w.relink(s, e, kept) })
	var out Info
	err = s.do(w.ctx, e, "look at what was displaced", func() (err error) { out, err = e.look(kept); return err })
	if err == nil && !same(out, s.was) {
		err = changedSince(e.place, "was saved by another program in the same moment")
	}
	if err == nil {
		err = w.unread(s)
	}
	if err != nil {
		return unable(e.place, "be replaced", err)
	}
	s.displaced = &displaced{name: kept, info: out}
	return nil
}

// relink puts the old file back under its name, if the name still leads to
// the new one.
func (w *swap) relink(s *staged, e *end, kept string) ([]reeve.Place, error) {
	now, err := e.look(e.name)
	if err != nil && !missing(err) {
		return []reeve.Place{e.place}, err
	}
	if err != nil || !same(now, s.fresh) {
		w.aside(s, e, kept)
		return []reeve.Place{e.place}, nil
	}
	if err := w.l.fault("rename back"); err != nil {
		return []reeve.Place{e.place}, err
	}
	if err := e.shift(kept, e.site, e.name, over); err != nil {
		return []reeve.Place{e.place}, err
	}
	return nil, nil
}

// create puts something where nothing is.
func (w *swap) create(s *staged, d *Done) error {
	e := &s.from
	if err := w.parents(s, e, d); err != nil {
		return err
	}
	if text, ok := s.change.Content.(reeve.LinkTo); ok {
		err := s.do(w.ctx, e, "make link", func() error { return e.symlink(string(text), e.name) })
		if err != nil {
			return unable(e.place, "be made", err)
		}
		return w.made1(s, e)
	}
	return w.show(s, e)
}

// made1 looks at what was just made, and how to take it back.
func (w *swap) made1(s *staged, e *end) error {
	err := s.do(w.ctx, e, "look", func() (err error) { s.fresh, err = e.look(e.name); return err })
	if err != nil {
		// Which thing it is was not learned: an empty folder, or a link that
		// was not there a moment ago, is taken away by its name.
		w.undo = append(w.undo, func() ([]reeve.Place, error) {
			if s.change.Kind == reeve.Mkdir {
				return w.undoFolder(e.site, e.name, e.place)
			}
			now, err := e.look(e.name)
			if err != nil || now.Kind != reeve.Symlink {
				return nil, ignoreMissing(err)
			}
			return nil, e.remove(e.name, false)
		})
		return unable(e.place, "be made", err)
	}
	w.undoMade(s, e)
	return nil
}

func (w *swap) undoMade(s *staged, e *end) {
	ours := s.fresh
	w.undo = append(w.undo, func() ([]reeve.Place, error) { return w.unmake(s, e, ours) })
}

// show gives the new file its name, which must be free.
func (w *swap) show(s *staged, e *end) error {
	var err error
	if !s.named {
		err = s.do(w.ctx, e, "show", func() error { return e.publish(s.file, e.name) })
	} else {
		top := e.top()
		err = s.do(w.ctx, e, "show", func() error { return w.place(s, top, s.temp, e.site, e.name, reeve.File) })
		if err == nil {
			s.named = false
		}
	}
	if err != nil {
		return unable(e.place, "be made", err)
	}
	w.undoMade(s, e)
	return nil
}

// unmake takes away what was made, by way of a hidden name, so that nothing
// is removed that came there meanwhile.
func (w *swap) unmake(s *staged, e *end, ours Info) ([]reeve.Place, error) {
	here := []reeve.Place{e.place}
	if err := w.l.fault("take away"); err != nil {
		return here, err
	}
	if ours.Kind == reeve.Directory {
		return w.undoFolder(e.site, e.name, e.place)
	}
	hidden := string(NewTemp())
	now, err := e.look(e.name)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return here, err
	}
	if !same(now, ours) {
		return here, nil
	}
	if err := e.shift(e.name, e.site, hidden, over); err != nil {
		return here, err
	}
	if now, err = e.look(hidden); err != nil {
		return here, err
	}
	if same(now, ours) {
		return nil, e.remove(hidden, false)
	}
	if err := w.place(s, e.site, hidden, e.site, e.name, now.Kind); err != nil {
		w.aside(s, e, hidden)
	}
	return here, nil
}

// mkdir makes a folder.
func (w *swap) mkdir(s *staged, d *Done) error {
	e := &s.from
	if err := w.parents(s, e, d); err != nil {
		return err
	}
	if err := s.do(w.ctx, e, "make folder", func() error { return e.mkdir(e.name) }); err != nil {
		return unable(e.place, "be made", err)
	}
	if err := w.made1(s, e); err != nil {
		return err
	}
	if s.fresh.Kind != reeve.Directory {
		return changedSince(e.place, "was replaced by something else as soon as it was made")
	}
	w.made[idOf(s.fresh.Identity)] = true
	if s.change.Meta == nil {
		return nil
	}
	err := s.do(w.ctx, e, "dress", func() error {
		in, err := e.enter(e.name)
		if err != nil {
			return err
		}
		defer in.close()
		f, err := in.folder()
		if err != nil {
			return err
		}
		defer f.Close()
		notes, err := dress(f, *s.change.Meta)
		d.Notes = append(d.Notes, notes...)
		return err
	})
	return unable(e.place, "be made", err)
}

// place renames without replacing anything, by whatever the file system can.
func (w *swap) place(s *staged, from site, name string, to site, as string, kind reeve.FileKind) error {
	if s.can.keep {
		err := from.shift(name, to, as, keep)
		if !errors.Is(err, errUnable) {
			return err
		}
	}
	if kind == reeve.Directory && !renamesBetween {
		if _, err := to.look(as); !missing(err) {
			return os.ErrExist
		}
		return from.shift(name, to, as, over)
	}
	if kind == reeve.Directory {
		// An empty folder of our own claims the name; a folder may be
		// renamed over it as long as it is empty.
		if err := to.mkdir(as); err != nil {
			return err
		}
		if err := from.shift(name, to, as, over); err != nil {
			_ = to.remove(as, true)
			return err
		}
		return nil
	}
	err := from.link(name, to, as)
	if err == nil {
		return w.unlinkOld(from, name, to, as)
	}
	if errors.Is(err, os.ErrExist) || missing(err) || kind != reeve.File {
		return err
	}
	// No second names here: an empty file of our own claims the name.
	f, err := to.fresh(as, 0o600)
	if err != nil {
		return err
	}
	claim, err := to.facts(f)
	f.Close()
	if err == nil {
		if now, lerr := to.look(as); lerr != nil || !same(now, claim) {
			return os.ErrExist
		}
		err = from.shift(name, to, as, over)
	}
	if err != nil {
		_ = w.l.discard(to, as, claim)
	}
	return err
}

// unlinkOld removes the old name of what has a new one, unless the old name
// leads to something else by now.
func (w *swap) unlinkOld(from site, name string, to site, as string) error {
	there, err := to.look(as)
	if err != nil {
		return err
	}
	now, err := from.look(name)
	if missing(err) || err == nil && !now.SameFile(there.Identity) {
		return nil
	}
	return from.remove(name, false)
}
