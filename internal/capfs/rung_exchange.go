package capfs

import (
	"errors"

	"reeve"
)

// exchangeMax bounds how often a name is exchanged back while another program
// keeps saving into it.
const exchangeMax = 64

// still demands that what is to be replaced is as it was when it was staged.
func (w *swap) still(s *staged) error {
	e := &s.from
	var now Info
	if err := s.ask(w.ctx, e, "verify", func() (err error) { now, err = e.look(e.name); return err }); err != nil {
		return unable(e.place, "be looked at", err)
	}
	if !exact(now, s.was) {
		return changedSince(e.place, "was changed since it was looked at")
	}
	if s.rung == rungExchange {
		return nil // the content is compared once it is out of reach
	}
	return w.unread(s)
}

// unread compares the content once more where the stamp alone could hide a
// change.
func (w *swap) unread(s *staged) error {
	if !s.racy || s.hash == nil || s.old == nil {
		return nil
	}
	sum, _, err := s.read(w.ctx, &s.from, s.old)
	if err == nil && sum != *s.hash {
		err = changedSince(s.from.place, "was changed since it was looked at")
	}
	return unable(s.from.place, "be read", err)
}

// named gives the new file its hidden name.
func (w *swap) named(s *staged) error {
	if s.named {
		return nil
	}
	e := &s.from
	err := s.do(w.ctx, e, "name", func() error { return e.publish(s.file, s.temp) })
	if err == nil {
		s.named = true
	}
	return unable(e.place, "be replaced", err)
}

// replace puts the new file in the old one's place.
func (w *swap) replace(s *staged) error {
	e := &s.from
	if err := w.still(s); err != nil {
		return err
	}
	if err := w.named(s); err != nil {
		return err
	}
	if s.rung == rungLink {
		return w.replaceByLink(s)
	}
	// The order of the names matters: the other way round, the last that
	// watchers of the folder hear of the file is that it went away.
	err := s.do(w.ctx, e, "exchange", func() error { return e.shift(e.name, e.site, s.temp, exchange) })
	if errors.Is(err, errUnable) {
		s.rung = rungLink
		return w.replaceByLink(s)
	}
	if err != nil {
		return unable(e.place, "be replaced", err)
	}
	ours := s.fresh
	w.undo = append(w.undo, func() ([]reeve.Place, error) { return w.exchangeBack(s, e, ours) })
	var out Info
	err = s.do(w.ctx, e, "look at the old", func() (err error) { out, err = e.look(s.temp); return err })
	if err == nil && !same(out, s.was) {
		err = changedSince(e.place, "was saved by another program in the same moment")
	}
	if err == nil {
		err = w.unread(s)
	}
	if err != nil {
		return unable(e.place, "be replaced", err)
	}
	s.displaced = &displaced{name: s.temp, info: out}
	return nil
}

// exchangeBack takes an exchange back as a compare-and-swap: the name gets
// back what was displaced, unless something newer has come, which then gets
// it. It ends when the hidden name holds what was at the name just before.
// What is not ours is kept aside.
func (w *swap) exchangeBack(s *staged, e *end, ours Info) ([]reeve.Place, error) {
	now, err := e.look(e.name)
	if err == nil && now.SameFile(ours.Identity) && !same(now, ours) {
		// Somebody wrote into the new file. That is theirs: it stays, and so
		// does what was there before.
		w.aside(s, e, s.temp)
		return []reeve.Place{e.place}, nil
	}
	if missing(err) {
		// Removed by somebody: that stands.
		w.aside(s, e, s.temp)
		return []reeve.Place{e.place}, nil
	}
	if err != nil {
		return []reeve.Place{e.place}, err
	}
	prev := ours
	for range exchangeMax {
		put, err := e.look(s.temp) // what the name is to get
		if err != nil {
			return []reeve.Place{e.place}, err
		}
		if err := w.l.fault("exchange back"); err != nil {
			return []reeve.Place{e.place}, err
		}
		if err := e.shift(e.name, e.site, s.temp, exchange); err != nil {
			w.aside(s, e, s.temp)
			return []reeve.Place{e.place}, err
		}
		got, err := e.look(s.temp)
		if err != nil {
			return []reeve.Place{e.place}, err
		}
		if got.SameFile(prev.Identity) {
			if got.SameFile(ours.Identity) {
				if !same(got, ours) { // written into after the last look
					w.aside(s, e, s.temp)
					return []reeve.Place{e.place}, nil
				}
				return nil, nil // Cleanup removes it
			}
			w.aside(s, e, s.temp)
			return nil, nil
		}
		prev = put
	}
	w.aside(s, e, s.temp)
	return []reeve.Place{e.place}, nil
}

// aside keeps what is not ours under its hidden name, for history.
func (w *swap) aside(s *staged, e *end, name string) {
	info, err := e.look(name)
	if err != nil {
		return
	}
	at, err := e.enter(".")
	if err != nil {
		return
	}
	s.named = s.named && name != s.temp
	d := &displaced{l: w.l, at: at, name: name, info: info, stranger: true, tally: w.tally, m: e.m, path: pathOf(e), was: e.name}
	if f, _, err := e.open(name, false); err == nil {
		d.file = f
	}
	w.tally.add()
	w.kept = append(w.kept, d)
}
