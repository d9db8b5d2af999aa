package capfs

import (
	"errors"
	"os"

	"reeve"
)

// step sees to one change. Undo takes it back: it belongs to several that
// were not all made.
func (r *recovery) step(n noteStep, undo bool) error {
	switch n.Kind {
	case stepScratch, stepLate, stepInPlace, stepKind(reeve.Put), stepKind(reeve.Remove), stepKind(reeve.Move), stepKind(reeve.Mkdir):
	default:
		return nil
	}
	at, there, err := r.folder(n.Folder, n.FolderID)
	if err != nil {
		return err
	}
	if !there {
		r.say(n.Folder, "", "is gone or was replaced, so nothing in it was looked at")
		return nil
	}
	defer at.close()
	switch n.Kind {
	case stepScratch:
		return r.scratch(at, n)
	case stepLate:
		return r.stepLate(at, n)
	}
	r.cut = r.judge(at, n, undo)
	defer func() { r.cut = nil }()
	switch {
	case n.Kind == stepInPlace:
		err = r.inPlace(at, n, undo)
	case n.Kind == stepKind(reeve.Move):
		err = r.move(at, n, undo)
	case n.Kind == stepKind(reeve.Remove) && undo:
		err = r.unhide(at, n)
	case n.Kind == stepKind(reeve.Remove):
		err = r.leftovers(at, n)
	default:
		err = r.put(at, n, undo)
	}
	if err == nil {
		r.ended()
	}
	return err
}

// scratch removes the two files of a probe. They hold at most two bytes.
func (r *recovery) scratch(at site, n noteStep) error {
	for _, name := range []string{string(n.Name), string(n.Temp), string(n.Temp) + aside} {
		info, err := at.look(name)
		if err == nil && IsTemp(name) && info.Kind == reeve.File && info.Size <= 2 {
			err = at.remove(name, false)
		}
		if err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

func (r *recovery) stepLate(at site, n noteStep) error {
	info, err := at.look(string(n.Temp))
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !IsTemp(string(n.Temp)) || !info.SameFile(n.Old.Identity) {
		return nil
	}
	d := &displaced{l: r.l, at: at, name: string(n.Temp), info: infoOf(n)}
	if f, _, err := at.open(d.name, false); err == nil {
		d.file = f
		defer f.Close()
	}
	if !r.later(d, join(string(n.Folder), string(n.Name))) {
		r.stay = true
	}
	return nil
}

// infoOf is what a note tells of the old thing.
func infoOf(n noteStep) Info {
	i := Info{Kind: n.OldKind}
	i.Stamp = n.Old
	return i
}

// put sees to a created or replaced file, link or folder.
func (r *recovery) put(at site, n noteStep, undo bool) error {
	in, list, all := belowAll(at, n.Missing)
	defer closeAll(list)
	name := string(n.Name)
	if !all {
		return errors.Join(r.unmakeParents(at, list, n.Missing), r.leftovers(at, n))
	}
	now, err := in.look(name)
	if err != nil && !missing(err) {
		return err
	}
	gone := err != nil
	if undo && n.Old.IsZero() && !gone {
		if !madeBy(n, now) {
			if now.Kind != reeve.Directory { // somebody else's by now
				r.say(n.Folder, n.Name, "belongs to a change that was taken back, but was changed since and was left as it is")
			}
		} else if err := in.remove(name, now.Kind == reeve.Directory); err != nil {
			if !isNotEmpty(err) && !errors.Is(err, os.ErrExist) {
				return err
			}
		} else {
			gone = true
			r.say(n.Folder, n.Name, "was taken away again: the change that made it was not finished")
		}
	}
	if undo && !n.Old.IsZero() && !gone && now.SameFile(n.New.Identity) {
		if err := r.restore(at, n, now); err != nil {
			return err
		}
	}
	if gone {
		if err := r.unmakeParents(at, list, n.Missing); err != nil {
			return err
		}
	}
	return r.leftovers(at, n)
}

// madeBy reports that a thing is the one that a note's change made, and is
// unchanged.
func madeBy(n noteStep, now Info) bool {
	if !n.New.IsZero() {
		return now.SameFile(n.New.Identity) && now.Size == n.New.Size && now.MTime == n.New.MTime
	}
	return now.Kind != reeve.File && max(now.Birth, now.MTime) >= n.At-int64(coarseWindow)
}

// restore puts the old file back under its name, which leads to the new one.
func (r *recovery) restore(at site, n noteStep, now Info) error {
	name, temp := string(n.Name), string(n.Temp)
	if now.Size != n.New.Size || now.MTime != n.New.MTime {
		r.say(n.Folder, n.Name, "belongs to a change that was taken back, but was changed since and was left as it is")
		return nil
	}
	for _, old := range []string{temp, temp + aside} {
		info, err := at.look(old)
		if missing(err) || err == nil && !info.SameFile(n.Old.Identity) {
			continue
		}
		if err != nil {
			return err
		}
		err = at.shift(name, at, old, exchange)
		if errors.Is(err, errUnable) {
			err = at.shift(old, at, name, over)
		}
		if err == nil {
			r.say(n.Folder, n.Name, "was put back: not all changes of its call were made")
		}
		return err
	}
	r.say(n.Folder, n.Name, "belongs to a change that was taken back, but what was there before is not there any more")
	return nil
}

// leftovers removes hidden names of ours, and hands over what they displaced.
func (r *recovery) leftovers(at site, n noteStep) error {
	if !IsTemp(string(n.Temp)) {
		return nil
	}
	path := join(string(n.Folder), string(n.Name))
	for _, name := range []string{string(n.Temp), string(n.Temp) + aside} {
		info, err := at.look(name)
		if missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		current, err := at.look(string(n.Name))
		second := err == nil && current.SameFile(info.Identity)
		switch {
		case second, info.SameFile(n.New.Identity):
			err = r.l.discard(at, name, info)
		case n.New.IsZero() && !info.SameFile(n.Old.Identity):
			// Made before it could be noted what it is: nothing but this
			// process knew the name.
			err = r.l.discard(at, name, info)
		case info.SameFile(n.Old.Identity):
			err = nil
			if !r.hand(at, name, info, path, "displaced") {
				r.stay = true
			} else {
				r.say(n.Folder, n.Name, "was changed; what was there before was given to history")
			}
		default:
			err = nil
			if !r.hand(at, name, info, path, "another") {
				r.stay = true
			} else {
				r.say(n.Folder, n.Name, "was saved by another program in the middle of a change; that was given to history")
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unhide gives a removed thing its name back.
func (r *recovery) unhide(at site, n noteStep) error {
	info, err := at.look(string(n.Temp))
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.SameFile(n.Old.Identity) {
		return r.leftovers(at, n)
	}
	w := &swap{l: r.l}
	err = w.place(&staged{l: r.l}, at, string(n.Temp), at, string(n.Name), info.Kind)
	if err == nil {
		r.say(n.Folder, n.Name, "was put back: not all changes of its call were made")
		return nil
	}
	if errors.Is(err, os.ErrExist) || isNotEmpty(err) {
		return r.leftovers(at, n) // another has the name: it goes to history
	}
	return err
}

// move sees to a move. One within a file system happened or did not.
func (r *recovery) move(at site, n noteStep, undo bool) error {
	if n.To == nil {
		return nil
	}
	to, there, err := r.folder(n.To.Folder, n.To.FolderID)
	if err != nil {
		return err
	}
	if !there {
		r.say(n.To.Folder, "", "is gone or was replaced, so nothing in it was looked at")
		return r.unhide(at, n)
	}
	defer to.close()
	in, list, all := belowAll(to, n.To.Missing)
	defer closeAll(list)
	if !all {
		return errors.Join(r.unmakeParents(to, list, n.To.Missing), r.unhide(at, n))
	}
	now, err := in.look(string(n.To.Name))
	if err != nil && !missing(err) {
		return err
	}
	gone := err != nil
	if n.Copied {
		return r.moveCopied(at, in, n, now, gone, undo)
	}
	w := &swap{l: r.l}
	back := func() error {
		return w.place(&staged{l: r.l}, in, string(n.To.Name), at, string(n.Name), now.Kind)
	}
	switch source, serr := at.look(string(n.Name)); {
	case gone:
	case serr == nil && source.SameFile(now.Identity) && now.SameFile(n.Old.Identity):
		// Between link and unlink: it goes where it was.
		if err := in.remove(string(n.To.Name), false); err != nil {
			return err
		}
		gone = true
	case undo && now.SameFile(n.Old.Identity):
		if err := back(); err != nil {
			if !errors.Is(err, os.ErrExist) {
				return err
			}
			r.say(n.To.Folder, n.To.Name, "stays where it is: its old name is taken")
			break
		}
		gone = true
		r.say(n.Folder, n.Name, "was moved back: not all changes of its call were made")
	case serr == nil && source.SameFile(n.Old.Identity) && now.Kind == reeve.Directory && now.Birth >= n.At-int64(coarseWindow):
		_ = in.remove(string(n.To.Name), true) // the empty folder that claimed the name
	}
	if gone {
		return r.unmakeParents(to, list, n.To.Missing)
	}
	return nil
}

// moveCopied sees to a move between file systems: finished when the original
// was hidden already, else taken back.
func (r *recovery) moveCopied(at, in site, n noteStep, now Info, gone, undo bool) error {
	hidden, err := at.look(string(n.Temp))
	if err != nil && !missing(err) {
		return err
	}
	isHidden := err == nil && hidden.SameFile(n.Old.Identity)
	copied := !gone && (now.SameFile(n.New.Identity) || n.New.IsZero() && now.Kind == n.OldKind)
	if isHidden && copied && !undo {
		if err := in.sync(); err != nil {
			return err
		}
		return r.l.discard(at, string(n.Temp), hidden)
	}
	if isHidden {
		if err := r.unhide(at, n); err != nil {
			return err
		}
	}
	if copied {
		if source, err := at.look(string(n.Name)); err == nil && source.SameFile(n.Old.Identity) && madeBy(n, now) {
			if err := in.remove(string(n.To.Name), false); err != nil {
				return err
			}
		}
	}
	temp, err := in.look(string(n.Temp))
	if err == nil && temp.SameFile(n.New.Identity) {
		err = r.l.discard(in, string(n.Temp), temp)
	}
	if missing(err) {
		err = nil
	}
	return err
}

// unmakeParents removes folders that a change made on its way, as far as they
// are empty.
func (r *recovery) unmakeParents(at site, list []site, names []reeve.Name) error {
	for i := len(list) - 1; i >= 0; i-- {
		up := at
		if i > 0 {
			up = list[i-1]
		}
		if err := up.remove(string(names[i]), true); err != nil {
			if isNotEmpty(err) || errors.Is(err, os.ErrExist) || missing(err) {
				return nil
			}
			return err
		}
	}
	return nil
}

func closeAll(list []site) {
	for _, s := range list {
		s.close()
	}
}
