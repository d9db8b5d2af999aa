package capfs

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/zeebo/blake3"

	"reeve"
)

// inPlace is what writing into an existing file needs: a handle for writing,
// and old and new bytes in the journal's folder, both durable.
type inPlace struct {
	l        *Ladder
	to       *os.File
	old, new string // names in the journal's folder
	oldSum   [32]byte
	size     int64 // of the new content
	begun    bool  // the file's bytes may be other than the old ones
}

// drop removes what was prepared.
func (p *inPlace) drop() {
	p.to.Close()
	if p.begun {
		return // the next start finishes or undoes it
	}
	p.l.journal.discard(p.old)
	p.l.journal.discard(p.new)
}

// stageInPlace prepares the write into the old file, for reasons that forbid
// a new one. Nothing of the content has been read when it is called.
func (s *staged) stageInPlace(ctx context.Context, why string) error {
	e := &s.from
	if s.l.journal.dir == "" {
		return refuse(e.place, reeve.Failed, "could only be written in place ("+why+"), and there is no journal that would save it from a crash",
			"The owner can look with `reeve doctor`.")
	}
	if s.change.Meta != nil {
		why += "; its mode and owner stay as they are"
	}
	p := &inPlace{l: s.l}
	var info Info
	err := s.ask(ctx, e, "open for writing", func() (err error) { p.to, info, err = e.open(e.name, true); return err })
	if err != nil {
		return unable(e.place, "be written in place ("+why+")", err)
	}
	s.inPlace = p
	if info, err = e.facts(p.to); err == nil && !exact(info, s.was) {
		err = changedSince(e.place, "was changed since it was looked at")
	}
	if err != nil {
		return unable(e.place, "be written", err)
	}
	if p.new, err = s.l.journal.blob(func(f *os.File) (err error) {
		if s.sum, err = s.fill(ctx, e, f, true); err == nil {
			p.size, err = f.Seek(0, io.SeekEnd)
		}
		return err
	}); err != nil {
		return unable(e.place, "be written", err)
	}
	if p.old, err = s.l.journal.blob(func(f *os.File) error {
		k := &sink{s: s, ctx: ctx, e: e, to: f, h: blake3.New()}
		err := s.copyOld(ctx, k, true)
		k.h.Sum(p.oldSum[:0])
		return err
	}); err != nil {
		return unable(e.place, "be kept before it is written", err)
	}
	if s.hash != nil && *s.hash != p.oldSum {
		return changedSince(e.place, "was changed since it was looked at")
	}
	s.rung = rungInPlace
	s.notes = append(s.notes, "It was written in place, because "+why+"; another program may have seen it half written.")
	return s.durableNote(stepOf(s))
}

// putInPlace writes the new bytes into the old file. No byte is written
// before old and new ones are durable in the journal.
func (w *swap) putInPlace(s *staged) error {
	e, p := &s.from, s.inPlace
	if err := w.still(s); err != nil {
		return err
	}
	if s.old != nil {
		s.old.Close()
		s.old = nil
	}
	// While the lease holds, nobody else can open the file.
	l, who := alone(p.to)
	defer l.end()
	var now Info
	err := s.ask(w.ctx, e, "verify", func() (err error) { now, err = e.facts(p.to); return err })
	if err == nil && !exact(now, s.was) {
		err = changedSince(e.place, "was changed since it was looked at")
	}
	if err != nil {
		return unable(e.place, "be written", err)
	}
	w.undo = append(w.undo, func() ([]reeve.Place, error) { return w.undoInPlace(s) })
	p.begun = true
	if err := w.pour(s, p.new, p.size); err != nil {
		return unable(e.place, "be written", err)
	}
	if who != nobody {
		// Others may have written at the same time.
		sum, _, err := s.read(w.ctx, e, p.to)
		if err == nil && sum != *s.sum {
			err = changedSince(e.place, "was written by another program in the same moment")
		}
		if err != nil {
			return unable(e.place, "be written", err)
		}
	}
	err = s.do(w.ctx, e, "look", func() (err error) {
		if s.fresh, err = e.facts(p.to); err == nil {
			now, err = e.look(e.name)
		}
		return err
	})
	if err == nil && (!now.SameFile(s.was.Identity) || s.fresh.Size != p.size) {
		err = changedSince(e.place, "was replaced by another program in the same moment")
	}
	if err != nil {
		return unable(e.place, "be written", err)
	}
	d, err := w.l.journal.displaced(p.old, s.was)
	if err != nil {
		return unable(e.place, "be kept", err)
	}
	s.displaced = d
	w.files = append(w.files, p.to)
	w.late = append(w.late, func(durable bool) {
		p.to.Close()
		if durable {
			w.l.journal.discard(p.new)
		}
	})
	return nil
}

// pour writes a blob of the journal over the file, then cuts it.
func (w *swap) pour(s *staged, blob string, size int64) error {
	e, p := &s.from, s.inPlace
	from, err := w.l.journal.openBlob(blob)
	if err != nil {
		return err
	}
	defer from.Close()
	buf := make([]byte, min(chunk, size+1))
	for at := int64(0); at < size; {
		n, err := from.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return err
		}
		if n == 0 {
			return io.ErrUnexpectedEOF
		}
		if err := s.do(w.ctx, e, "write in place", func() error { _, err := p.to.WriteAt(buf[:n], at); return err }); err != nil {
			return err
		}
		at += int64(n)
	}
	return s.do(w.ctx, e, "truncate", func() error { return p.to.Truncate(size) })
}

// undoInPlace writes the old bytes back, if the file still holds ours.
func (w *swap) undoInPlace(s *staged) ([]reeve.Place, error) {
	e, p := &s.from, s.inPlace
	here := []reeve.Place{e.place}
	if s.displaced != nil {
		s.displaced.at.close()
		s.displaced = nil
	}
	if s.fresh.Kind != reeve.Absent { // written whole: has somebody changed it since?
		now, err := e.facts(p.to)
		if err != nil {
			return here, err
		}
		if !same(now, s.fresh) {
			return w.keepBlob(s)
		}
	} else if ours, err := w.onlyOurs(s); err != nil {
		return here, err
	} else if !ours {
		return w.keepBlob(s)
	}
	if err := w.pour(s, p.old, s.was.Size); err != nil {
		return here, err
	}
	if err := p.to.Sync(); err != nil {
		return here, err
	}
	_ = stamp(p.to, s.was.MTime)
	p.begun = false
	return nil, nil
}

// keepBlob leaves a file that somebody else has written to, and hands over
// what was in it before.
func (w *swap) keepBlob(s *staged) ([]reeve.Place, error) {
	if d, err := w.l.journal.displaced(s.inPlace.old, s.was); err == nil {
		d.l, d.m, d.tally = w.l, s.from.m, w.tally
		w.tally.add()
		w.kept = append(w.kept, d)
		s.inPlace.old = ""
	}
	return []reeve.Place{s.from.place}, nil
}

// onlyOurs reports that a file holds nothing but old and new bytes, block by
// block: nobody else has written to it.
func (w *swap) onlyOurs(s *staged) (bool, error) {
	p := s.inPlace
	old, err1 := w.l.journal.openBlob(p.old)
	new, err2 := w.l.journal.openBlob(p.new)
	if err := errors.Join(err1, err2); err != nil {
		return false, err
	}
	defer old.Close()
	defer new.Close()
	return mixture(p.to, old, new)
}

// block is the smallest part of a file that a disk writes as one.
const block = 512

// mixture reports that every block of a file is that of one of two others, or
// zero beyond them: the file was half written from one to the other.
func mixture(f, old, new *os.File) (bool, error) {
	size := func(f *os.File) int64 {
		fi, err := f.Stat()
		if err != nil {
			return -1
		}
		return fi.Size()
	}
	n, a, b := size(f), size(old), size(new)
	if n < 0 || a < 0 || b < 0 {
		return false, os.ErrInvalid
	}
	if n > max(a, b) {
		return false, nil
	}
	bufs := [3][]byte{make([]byte, chunk), make([]byte, chunk), make([]byte, chunk)}
	for at := int64(0); at < n; at += chunk {
		var got [3]int
		for i, r := range []*os.File{f, old, new} {
			k, err := r.ReadAt(bufs[i], at)
			if err != nil && err != io.EOF {
				return false, err
			}
			got[i] = k
		}
		for o := 0; o < got[0]; o += block {
			end := min(o+block, got[0])
			part := bufs[0][o:end]
			if !agrees(part, bufs[1], o, got[1]) && !agrees(part, bufs[2], o, got[2]) && !zero(part) {
				return false, nil
			}
		}
	}
	return true, nil
}

// agrees compares a part of one buffer with the same part of another, as far
// as that goes; what goes beyond it must be zero.
func agrees(part, other []byte, at, have int) bool {
	n := max(0, min(len(part), have-at))
	if n == 0 {
		return false
	}
	return string(part[:n]) == string(other[at:at+n]) && zero(part[n:])
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
