package capfs

import (
	"io"
	"os"
)

// inPlace finishes or takes back a write into an existing file: a file that
// holds the new bytes is left, one that is half-written gets the old ones, and
// one that somebody else has written to is left too. The old bytes go to
// history unless they are in the file.
func (r *recovery) inPlace(at site, n noteStep, undo bool) error {
	j := &r.l.journal
	old, err := j.openBlob(n.OldBlob)
	if err != nil {
		return ignoreMissing(err) // handed over already
	}
	defer old.Close()
	new, err := j.openBlob(n.NewBlob)
	if err != nil {
		if err = ignoreMissing(err); err == nil {
			r.stands(at, string(n.Name)) // finished: the new bytes were let go
			return r.handBlob(n)
		}
		return err
	}
	defer new.Close()
	f, info, err := at.open(string(n.Name), true)
	if missing(err) || err == nil && !info.SameFile(n.Old.Identity) {
		r.say(n.Folder, n.Name, "was in the middle of a change and has been removed or replaced since; what was in it was given to history")
		if f != nil {
			f.Close()
		}
		return r.handBlob(n)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if equal, err := sameBytes(f, old); err != nil || equal {
		return err
	}
	if equal, err := sameBytes(f, new); err != nil {
		return err
	} else if equal && !undo {
		r.stands(at, string(n.Name))
		r.say(n.Folder, n.Name, "was written in place, whole; what was in it before was given to history")
		return r.handBlob(n)
	}
	ours, err := mixture(f, old, new)
	if err != nil {
		return err
	}
	if !ours {
		r.say(n.Folder, n.Name, "was in the middle of a change and has been written by another program since; it was left as it is, and what was in it before was given to history")
		return r.handBlob(n)
	}
	if err := pourFile(f, old); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	_ = stamp(f, n.Old.MTime)
	r.say(n.Folder, n.Name, "was in the middle of a change and has its old content again")
	return nil
}

// handBlob gives the old bytes of a write in place to history.
func (r *recovery) handBlob(n noteStep) error {
	d, err := r.l.journal.displaced(n.OldBlob, infoOf(n))
	if err != nil {
		return ignoreMissing(err)
	}
	d.l = r.l
	if r.o.Keep == nil {
		d.at.close()
		r.stay = true
		return nil
	}
	if err := r.o.Keep(r.ctx, Found{Path: join(string(n.Folder), string(n.Name)), Why: "displaced", Of: r.cut, Temp: n.Temp, Displaced: d}); err != nil {
		d.stranger, r.stay = true, true
	}
	return d.Release()
}

// pourFile makes one file's content that of another.
func pourFile(to, from *os.File) error {
	buf := make([]byte, chunk)
	at := int64(0)
	for {
		n, err := from.ReadAt(buf, at)
		if n > 0 {
			if _, werr := to.WriteAt(buf[:n], at); werr != nil {
				return werr
			}
			at += int64(n)
		}
		if err == io.EOF {
			return to.Truncate(at)
		}
		if err != nil {
			return err
		}
	}
}

// sameBytes compares two files to their ends.
func sameBytes(a, b *os.File) (bool, error) {
	x, y := make([]byte, chunk), make([]byte, chunk)
	for at := int64(0); ; {
		n, err1 := a.ReadAt(x, at)
		m, err2 := b.ReadAt(y, at)
		for _, err := range []error{err1, err2} {
			if err != nil && err != io.EOF {
				return false, err
			}
		}
		if n != m || string(x[:n]) != string(y[:m]) {
			return false, nil
		}
		if n == 0 {
			return true, nil
		}
		at += int64(n)
	}
}

var _ Taker = (*displaced)(nil)
