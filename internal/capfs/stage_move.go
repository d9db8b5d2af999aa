package capfs

import (
	"context"
	"errors"
	"strconv"
	"syscall"

	"reeve"
)

// countMax bounds the counting of what a folder that stays holds.
const countMax = 10_000

// look holds what is to be removed or moved, and makes sure of it: a file by
// its version, anything else by its identity.
func (s *staged) look(ctx context.Context) error {
	e := &s.from
	if len(e.missing) > 0 {
		return changedSince(e.place, "is not there any more")
	}
	err := s.ask(ctx, e, "look", func() (err error) { s.was, err = e.look(e.name); return err })
	if err != nil {
		return unable(e.place, "be looked at", err)
	}
	if id := e.place.Identity; !id.IsZero() && !s.was.SameFile(id) || e.place.Exists() && e.place.Kind != s.was.Kind {
		return changedSince(e.place, "was replaced since it was looked at")
	}
	if s.was.Kind != reeve.File {
		return nil
	}
	was := s.was
	err = s.ask(ctx, e, "open", func() (err error) { s.old, s.was, err = e.open(e.name, false); return err })
	if err != nil {
		// What may not be read may be removed all the same.
		if s.old, s.was = nil, was; !s.change.Expect.IsZero() &&
			s.change.Expect.Compare(reeve.NewVersion(was.Stamp, racy(was.Stamp, s.l.o.Now(), e.coarse), nil)) != reeve.Same {
			return unable(e.place, "be compared with what was seen", err)
		}
		return nil
	}
	if !s.was.SameFile(was.Identity) {
		return changedSince(e.place, "was replaced since it was looked at")
	}
	if flag := sealed(s.old); flag != "" {
		return refuse(e.place, reeve.Permission, "is marked "+flag+", so it cannot be changed", "The owner can take the mark away.")
	}
	if !s.change.Expect.IsZero() {
		if err := s.verify(ctx); err != nil {
			return err
		}
	}
	return s.raise(ctx)
}

// stageRemove looks at what is to go.
func (s *staged) stageRemove(ctx context.Context) error {
	if err := s.look(ctx); err != nil {
		return err
	}
	if s.was.Kind == reeve.Directory && !s.change.Tree {
		return s.askEmpty(ctx, s.from.name)
	}
	return nil
}

// askEmpty demands that a folder has nothing in it.
func (s *staged) askEmpty(ctx context.Context, name string) error {
	e := &s.from
	var entries []DirEntry
	err := s.ask(ctx, e, "list", func() error {
		in, err := e.enter(name)
		if err == nil {
			defer in.close()
			entries, err = in.list(1)
		}
		return err
	})
	if err == nil && len(entries) > 0 {
		err = syscall.ENOTEMPTY
	}
	return unable(e.place, "be removed", err)
}

// stageMove finds out whether a rename will do, and copies where it will not.
func (s *staged) stageMove(ctx context.Context) error {
	s.rung = rungExchange
	if err := s.look(ctx); err != nil {
		return err
	}
	if err := s.absent(ctx, &s.to); err != nil {
		return err
	}
	var from, to Info
	err := s.ask(ctx, &s.from, "folder", func() (err error) { from, err = s.from.self(); return err })
	if err == nil {
		err = s.ask(ctx, &s.to, "folder", func() (err error) { to, err = s.to.self(); return err })
	}
	if err != nil {
		return unable(s.from.place, "be moved", err)
	}
	if mountOf(from) != mountOf(s.was) && from.Mount != 0 {
		return unable(s.from.place, "be moved", syscall.EBUSY)
	}
	if s.can, err = s.l.probe(ctx, s, &s.to, to); err != nil {
		return unable(s.to.place, "be moved here", err)
	}
	if s.can.denied {
		return unable(s.to.place, "be moved here", syscall.EACCES)
	}
	if mountOf(from) == mountOf(to) && from.Device == to.Device && !s.apart() {
		return nil
	}
	s.copied, s.rung = true, rungLink
	return s.stageCopy(ctx)
}

// apart: no call of this system renames from one held folder into another.
func (s *staged) apart() bool {
	a, ok1 := s.from.keeper.(*rootSite)
	b, ok2 := s.to.keeper.(*rootSite)
	return ok1 && ok2 && a.in != b.in && !renamesBetween
}

// stageCopy prepares a move to another file system: copy, verify, remove.
func (s *staged) stageCopy(ctx context.Context) error {
	switch s.was.Kind {
	case reeve.File:
		if s.old == nil {
			return unable(s.from.place, "be read for moving it to another file system", syscall.EACCES)
		}
		err := s.stageFile(ctx)
		var u *uncarried
		if errors.As(err, &u) {
			r := refuse(s.from.place, reeve.Failed, "would lose something on the other file system: "+u.Error(), "Copy it instead.")
			r.Cause = u.cause
			return r
		}
		return err
	case reeve.Symlink:
		return nil
	case reeve.Directory:
		n, err := s.count(ctx)
		if err != nil {
			return unable(s.from.place, "be moved", err)
		}
		many := strconv.Itoa(n)
		if n >= countMax {
			many = "at least " + many
		}
		return refuse(s.from.place, reeve.Failed, "is a folder with "+many+" entries, and its new place is on another file system",
			"Copy it there, look at the copy, then remove it here.")
	}
	return refuse(s.from.place, reeve.SpecialFile, "is a pipe, socket or device, which cannot be moved to another file system", "")
}

// count tells how many entries are below a folder, up to a bound.
func (s *staged) count(ctx context.Context) (n int, err error) {
	var walk func(at site, name string, depth int) error
	walk = func(at site, name string, depth int) error {
		var in site
		var entries []DirEntry
		err := s.ask(ctx, &s.from, "count", func() (err error) {
			if in, err = at.enter(name); err == nil {
				if entries, err = in.list(countMax); err != nil {
					in.close()
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		defer in.close()
		for _, e := range entries {
			if n++; n >= countMax {
				return nil
			}
			if e.Kind == reeve.Directory && depth < 64 {
				if err := walk(in, e.Name, depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = walk(s.from.site, s.from.name, 0)
	return n, err
}
