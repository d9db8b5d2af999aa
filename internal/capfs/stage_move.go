package capfs

import (
	"context"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"reeve"
	"reeve/internal/pathname"
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
	if err := s.unsealed(ctx); err != nil {
		return err
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
	if !s.change.Expect.IsZero() {
		if err := s.verify(ctx); err != nil {
			return err
		}
	}
	return s.raise(ctx)
}

// unsealed demands that nothing forbids to take the name away.
func (s *staged) unsealed(ctx context.Context) error {
	if s.was.Seal != Unsealed {
		return sealed(s.from.place, s.was.Seal)
	}
	var dir Info
	err := s.ask(ctx, &s.from, "folder", func() (err error) { dir, err = s.from.self(); return err })
	if err == nil && dir.Seal != Unsealed {
		err = refuse(s.from.place, reeve.Permission, "is in a folder that is marked "+dir.Seal.word()+", so no name can be taken out of it",
			"The owner can take the mark away.")
	}
	return unable(s.from.place, "be looked at", err)
}

// sealed refuses what a mark forbids.
func sealed(p reeve.Place, mark Seal) error {
	return refuse(p, reeve.Permission, "is marked "+mark.word()+", so it cannot be changed", "The owner can take the mark away.")
}

// stageRemove looks at what is to go.
func (s *staged) stageRemove(ctx context.Context) error {
	if err := s.look(ctx); err != nil {
		return err
	}
	if s.was.Kind != reeve.Directory {
		return nil
	}
	if !s.change.Tree {
		return s.askEmpty(ctx, s.from.name)
	}
	if !mayBeClosed() {
		return nil
	}
	return s.askOpen(ctx, s.from.site, nil)
}

// askOpen demands that this process may empty every folder of a tree: the
// name of the whole can be changed without, but what is in it would stay.
func (s *staged) askOpen(ctx context.Context, at site, below []string) error {
	e := &s.from
	name := e.name
	if len(below) > 0 {
		name = below[len(below)-1]
	}
	var in site
	var entries []DirEntry
	closed := false
	err := s.ask(ctx, e, "look into", func() (err error) {
		if in, err = at.enter(name); err != nil {
			return err
		}
		if entries, err = in.list(math.MaxInt); err == nil {
			closed, err = shut(in, entries)
		}
		if err != nil {
			in.close()
		}
		return err
	})
	switch {
	case len(below) > 0 && missing(err):
		return nil
	case errors.Is(err, os.ErrPermission):
		closed = true
	case err != nil:
		return unable(e.place, "be removed", err)
	default:
		defer in.close()
	}
	if closed {
		which := "is a folder that"
		if len(below) > 0 {
			which = "holds the folder " + pathname.EscapePath(strings.Join(below, "/")) + ", which"
		}
		return refuse(e.place, reeve.Permission, which+" Reeve's user may not empty, so it cannot be deleted whole",
			"The owner can change the permissions, or delete it by hand.")
	}
	forward(ctx)
	for _, d := range entries {
		if d.Kind == reeve.Directory {
			if err := s.askOpen(ctx, in, append(below[:len(below):len(below)], d.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// shut reports that names in a folder cannot be taken away, though it has
// some.
func shut(in site, entries []DirEntry) (bool, error) {
	if len(entries) == 0 {
		return false, nil
	}
	if !in.writable() {
		return true, nil
	}
	dir, err := in.self()
	if err != nil || dir.Mode&0o1000 == 0 {
		return false, err
	}
	for _, d := range entries {
		if info, err := in.look(d.Name); err == nil && stickyForbids(dir, info) {
			return true, nil
		}
	}
	return false, nil
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
	if to.Seal != Unsealed {
		return refuse(s.to.place, reeve.Permission, "is in a folder that is marked "+to.Seal.word()+", so nothing can be moved into it and back",
			"The owner can take the mark away.")
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
