package capfs

import (
	"context"
	"errors"
	"os"
	"strconv"

	"reeve"
)

// absent demands that nothing is under the name yet.
func (s *staged) absent(ctx context.Context, e *end) error {
	if s.change.Kind != reeve.Move && !s.change.Expect.IsZero() {
		return changedSince(e.place, "is not there any more")
	}
	if len(e.missing) > 0 {
		return nil // looked at when the folders are made
	}
	err := s.ask(ctx, e, "look", func() error { _, err := e.look(e.name); return err })
	if missing(err) {
		return nil
	}
	if err == nil {
		return existsAlready(e.place)
	}
	return unable(e.place, "be looked at", err)
}

// stagePut prepares new bytes.
func (s *staged) stagePut(ctx context.Context) error {
	if s.change.Expect.IsZero() {
		if err := s.absent(ctx, &s.from); err != nil {
			return err
		}
		s.rung = rungLink
		return s.stageFile(ctx)
	}
	if err := s.hold(ctx); err != nil {
		return err
	}
	if s.was.Seal != Unsealed {
		return sealed(s.from.place, s.was.Seal)
	}
	names := ""
	if s.was.Links > 1 {
		names = "The file had " + strconv.FormatUint(s.was.Links, 10) + " names; "
	}
	why, err := s.standIn(ctx)
	if err != nil {
		return err
	}
	if why == "" {
		err = s.stageFile(ctx)
		var u *uncarried
		if !errors.As(err, &u) {
			if err == nil && names != "" {
				s.notes = append(s.notes, names+"the others still lead to the old content.")
			}
			return err
		}
		why = u.what + " cannot be given to a new file"
	}
	if names != "" {
		s.notes = append(s.notes, names+"all of them lead to the new content.")
	}
	return s.stageInPlace(ctx, why)
}

// hold opens what is to be replaced and makes sure of its content.
func (s *staged) hold(ctx context.Context) error {
	e := &s.from
	err := s.ask(ctx, e, "open", func() (err error) { s.old, s.was, err = e.open(e.name, false); return err })
	if err != nil {
		return unable(e.place, "be opened", err)
	}
	if id := e.place.Identity; !id.IsZero() && !s.was.SameFile(id) {
		return changedSince(e.place, "was replaced since it was looked at")
	}
	if err := s.verify(ctx); err != nil {
		return err
	}
	return s.raise(ctx)
}

// raise has a file of a lower layer copied to the one that can be written,
// outside any lock: it then is another file, with the same content.
func (s *staged) raise(ctx context.Context) error {
	e := &s.from
	if !e.layered || s.old == nil {
		return nil
	}
	var was Info
	err := s.ask(ctx, e, "raise", func() error {
		f, _, err := e.open(e.name, true)
		if err != nil {
			return nil // the change itself will tell
		}
		f.Close()
		if f, was, err = e.open(e.name, false); err == nil {
			s.old.Close()
			s.old = f
		}
		return err
	})
	if err != nil {
		return unable(e.place, "be opened", err)
	}
	if was.Kind == reeve.Absent {
		return nil
	}
	if was.Size != s.was.Size || was.MTime != s.was.MTime {
		return changedSince(e.place, "was changed since it was looked at")
	}
	s.was = was
	return nil
}

// verify compares the content of the opened old file with what the change
// expects, and sets was, hash and racy.
func (s *staged) verify(ctx context.Context) error {
	e := &s.from
	now := s.l.o.Now()
	v := reeve.NewVersion(s.was.Stamp, racy(s.was.Stamp, now, e.coarse), nil)
	s.racy = racy(s.was.Stamp, now, e.coarse)
	same := s.change.Expect.Compare(v)
	if same == reeve.Same {
		return nil
	}
	if same == reeve.Unknown && !s.change.Expect.Hashed() && s.change.Kind != reeve.Put {
		return nil // nothing of it is written over: it goes whole, and comes back whole
	}
	if !s.change.Expect.Hashed() {
		return changedSince(e.place, "was changed since it was looked at")
	}
	sum, info, err := s.read(ctx, e, s.old)
	if err != nil {
		return unable(e.place, "be read", err)
	}
	s.was, s.hash = info, &sum
	if s.change.Expect.Compare(reeve.NewVersion(info.Stamp, s.racy, &sum)) != reeve.Same {
		return changedSince(e.place, "was changed since it was looked at")
	}
	return nil
}

// standIn says why a new file cannot take the old one's place, and chooses
// the rung where it can.
func (s *staged) standIn(ctx context.Context) (why string, err error) {
	e := &s.from
	var dir Info
	if err := s.ask(ctx, e, "folder", func() (err error) { dir, err = e.self(); return err }); err != nil {
		return "", unable(e.place, "be looked at", err)
	}
	switch {
	case mountOf(dir) != mountOf(s.was) && dir.Mount != 0:
		return whyMounted, nil
	case stickyForbids(dir, s.was):
		return whySticky, nil
	case dir.Seal != Unsealed:
		return "its folder is marked " + dir.Seal.word(), nil
	}
	can, err := s.l.probe(ctx, s, e, dir)
	if err != nil {
		return "", unable(e.place, "be replaced", err)
	}
	s.can = can
	switch {
	case can.denied:
		return whyClosed, nil
	case can.exchange:
		s.rung = rungExchange
	case can.link:
		s.rung = rungLink
	default:
		return whyNoNames, nil
	}
	return "", nil
}

// target is the end that gets the new bytes.
func (s *staged) target() *end {
	if s.change.Kind == reeve.Move {
		return &s.to
	}
	return &s.from
}

// stageFile writes the new bytes into a file without a name, or with a hidden
// one, and syncs it. Nothing of the content is read before it is known that
// the new file may stand for the old one.
func (s *staged) stageFile(ctx context.Context) error {
	e := s.target()
	mode := uint32(0o600)
	if s.old == nil {
		mode = 0o666
		if f, ok := s.change.Content.(reeve.FromPlace); ok {
			mode = f.Place.Mode & 0o777
		}
	}
	err := s.ask(ctx, e, "new file", func() (err error) { s.file, err = e.fresh("", mode); return err })
	if errors.Is(err, errUnable) {
		err = s.freshNamed(ctx, mode)
	}
	if err != nil {
		if s.old != nil && errors.Is(err, os.ErrPermission) {
			return &uncarried{"the folder", err}
		}
		return unable(e.place, "be written", err)
	}
	if s.old != nil {
		err = s.ask(ctx, e, "carry", func() error {
			notes, err := carry(s.old, s.was, s.file)
			s.notes = append(s.notes, notes...)
			return err
		})
		var u *uncarried
		if errors.As(err, &u) {
			s.dropFile()
			return err
		}
		if err != nil {
			return unable(e.place, "be written", err)
		}
	}
	if s.sum, err = s.fill(ctx, e, s.file, false); err != nil {
		return unable(e.place, "be written", err)
	}
	err = s.ask(ctx, e, "dress", func() error {
		if s.change.Kind == reeve.Move {
			return stamp(s.file, s.was.MTime) // as it was on the other file system
		}
		if s.change.Meta == nil {
			return nil
		}
		if s.old != nil {
			// What the file has beside its bytes was carried over by every
			// change so far: what differs now is its owner's own doing.
			return stamp(s.file, s.change.Meta.MTime)
		}
		notes, err := dress(s.file, *s.change.Meta)
		s.notes = append(s.notes, notes...)
		return err
	})
	if err == nil {
		err = s.ask(ctx, e, "sync file", s.file.Sync)
	}
	if err == nil {
		err = s.ask(ctx, e, "look", func() (err error) { s.fresh, err = e.facts(s.file); return err })
	}
	if err == nil && s.named { // some systems rename no open file
		err = s.file.Close()
		s.file = nil
	}
	return unable(e.place, "be written", err)
}

// freshNamed makes a file under a hidden name, for systems that know no files
// without one.
func (s *staged) freshNamed(ctx context.Context, mode uint32) error {
	e := s.target()
	if err := s.note(stepOf(s)); err != nil {
		return err
	}
	err := s.ask(ctx, e, "new hidden file", func() (err error) {
		if s.file, err = e.fresh(s.temp, mode&0o600); err == nil {
			s.named = true
			s.fresh, err = e.facts(s.file)
		}
		return err
	})
	if err != nil || s.old != nil {
		return err
	}
	// What mode a new file gets here is for the system to say: it knows the
	// process's mask and the folder's default access list.
	return s.ask(ctx, e, "mode", func() error {
		f, err := e.fresh(s.temp+aside, mode)
		if err != nil {
			return err
		}
		defer e.remove(s.temp+aside, false)
		defer f.Close()
		info, err := e.facts(f)
		if err == nil {
			err = s.file.Chmod(os.FileMode(info.Mode & 0o777))
		}
		return err
	})
}

// dropFile lets go of a new file that is not to be.
func (s *staged) dropFile() {
	if s.named && s.l.discard(s.target().top(), s.temp, s.fresh) == nil {
		s.named = false
	}
	s.file.Close()
	s.file, s.fresh = nil, Info{}
}

// stageLink prepares a symbolic link.
func (s *staged) stageLink(ctx context.Context, text string) error {
	s.rung = rungLink
	if text == "" {
		return refuse(s.from.place, reeve.Invalid, "was to be a link without a text", "")
	}
	if !s.change.Expect.IsZero() {
		return refuse(s.from.place, reeve.Invalid, "is not replaced by a link", "Remove it first.")
	}
	return s.absent(ctx, &s.from)
}
