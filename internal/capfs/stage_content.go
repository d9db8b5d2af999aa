package capfs

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
)

const (
	// chunk is how much is read or written between two looks at the deadline.
	chunk = 128 << 10
	// syncFirst and syncMost are how much is written between two waits for the
	// disk: the last one would else stand for minutes without a sign of life.
	// On a slow disk it is less, so that no wait is long.
	syncFirst, syncMost = 4 << 20, 64 << 20
	syncLong            = time.Second
	// wholeHash is the size in bytes up to which content is always hashed.
	wholeHash = 1 << 20
)

// sink is where a change's content goes.
type sink struct {
	s    *staged
	ctx  context.Context
	e    *end
	to   *os.File
	h    *blake3.Hasher // nil: the version rests on the stamp alone
	at   int64
	tail bool  // what came last is a hole
	late int64 // written since the last wait for the disk
	part int64 // how much is written until the next; 0 is syncFirst
}

// write appends bytes.
func (k *sink) write(b []byte) error {
	for len(b) > 0 {
		if k.ctx.Err() != nil {
			return ended(context.Cause(k.ctx), k.s.l.fs.o.Timeout)
		}
		part := b[:min(len(b), chunk)]
		n := 0
		err := k.s.ask(k.ctx, k.e, "write", func() (err error) { n, err = k.to.WriteAt(part, k.at); return err })
		if err != nil {
			return err
		}
		if k.h != nil {
			k.h.Write(part)
		}
		k.at, k.tail, b = k.at+int64(n), false, b[len(part):]
		if err := k.wrote(int64(n)); err != nil {
			return err
		}
	}
	return nil
}

// wrote notes progress, and waits for the disk now and then.
func (k *sink) wrote(n int64) error {
	forward(k.ctx)
	if k.late += n; k.late < max(k.part, syncFirst) {
		return nil
	}
	k.late = 0
	began := time.Now()
	err := k.s.ask(k.ctx, k.e, "sync part", k.to.Sync)
	k.part = nextPart(max(k.part, syncFirst), time.Since(began))
	forward(k.ctx)
	return err
}

// nextPart is how much is written until the next wait for the disk, after one
// for so much took so long.
func nextPart(part int64, took time.Duration) int64 {
	switch {
	case took < syncLong/4:
		return min(2*part, syncMost)
	case took > syncLong:
		return max(part/2, syncFirst)
	}
	return part
}

// hole leaves n bytes out, which then read as zeros.
func (k *sink) hole(n int64) error {
	k.at, k.tail = k.at+n, true
	if k.h == nil {
		return nil
	}
	zeros := make([]byte, min(n, chunk))
	for n > 0 {
		if err := k.ctx.Err(); err != nil {
			return ended(context.Cause(k.ctx), k.s.l.fs.o.Timeout)
		}
		part := zeros[:min(n, chunk)]
		k.h.Write(part)
		n -= int64(len(part))
		forward(k.ctx)
	}
	return nil
}

// end gives the file its length where it ends in a hole.
func (k *sink) end() error {
	if !k.tail {
		return nil
	}
	return k.s.ask(k.ctx, k.e, "length", func() error { return k.to.Truncate(k.at) })
}

// fill writes a change's content and gives its hash, nil where it was not
// computed: only whole demands it for large content.
func (s *staged) fill(ctx context.Context, e *end, to *os.File, whole bool) (*[32]byte, error) {
	h := s.l.hasher()
	defer s.l.hashers.Put(h)
	k := &sink{s: s, ctx: ctx, e: e, to: to, h: h}
	var err error
	if s.change.Kind == reeve.Move { // across file systems
		err = s.copyOld(ctx, k, whole)
	} else {
		switch c := s.change.Content.(type) {
		case reeve.Bytes:
			err = k.write(c)
		case reeve.Stream:
			err = s.stream(ctx, c, k.write)
		case reeve.FromPlace:
			err = s.copyFrom(ctx, c, k, whole)
		default:
			err = refuse(e.place, reeve.Invalid, "has no content to be given", "")
		}
	}
	if err != nil || k.h == nil {
		return nil, err
	}
	sum := new([32]byte)
	k.h.Sum(sum[:0])
	return sum, nil
}

// stream writes exactly as many bytes as were said.
func (s *staged) stream(ctx context.Context, c reeve.Stream, put func([]byte) error) error {
	if c.Open == nil || c.Size < 0 {
		return refuse(s.from.place, reeve.Invalid, "has no content to be given", "")
	}
	r, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	buf := make([]byte, min(chunk, c.Size+1))
	for done := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return ended(context.Cause(ctx), s.l.fs.o.Timeout)
		}
		n, err := r.Read(buf)
		if done += int64(n); done > c.Size {
			return changedSince(s.from.place, "would get more bytes than was said")
		}
		if perr := put(buf[:n]); perr != nil {
			return perr
		}
		reeve.ReportProgress(ctx, reeve.Progress{Done: done, Total: c.Size})
		if errors.Is(err, io.EOF) {
			if done != c.Size {
				return changedSince(s.from.place, "would get fewer bytes than was said")
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// copyFrom writes the content of another place, which must be what was judged
// from the first byte to the last.
func (s *staged) copyFrom(ctx context.Context, c reeve.FromPlace, k *sink, whole bool) error {
	h := s.source
	if h == nil {
		var err error
		if h, err = s.l.fs.resolve(ctx, c.Place.Path(), c.Place.Display(), false); err != nil {
			return err
		}
		defer h.Close()
	}
	if p := h.Place(); p.Key() != c.Place.Key() || !p.SameFile(c.Place.Identity) {
		return changedSince(c.Place, "is no longer what was to be copied")
	}
	f, err := h.File(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	from := origin{size: f.Size(), read: f.ReadAt, lend: f.Lend,
		ask: func(fn func() error) error { return s.l.fs.touch(ctx, f.m, fn) }}
	same := func(sum *[32]byte) error {
		now, err := f.Fresh()
		if err == nil && (now.Stamp != f.Info().Stamp || c.Version.Compare(f.Version(sum)) != reeve.Same) {
			err = changedSince(c.Place, "was changed while it was being copied")
		}
		return err
	}
	if err := k.take(from, !whole && same(nil) == nil); err != nil {
		return err
	}
	// What is kept of a file beside its bytes comes from the same handle.
	err = from.ask(func() error {
		return f.Lend(func(fd uintptr) error {
			notes, err := likeness(int(fd), k.to)
			s.notes = append(s.notes, notes...)
			return err
		})
	})
	if err != nil && !errors.Is(err, errUnable) {
		return err
	}
	var sum *[32]byte
	if k.h != nil {
		sum = new([32]byte)
		k.h.Sum(sum[:0])
	}
	return same(sum)
}

// copyOld writes the content of the opened old file.
func (s *staged) copyOld(ctx context.Context, k *sink, whole bool) error {
	from := origin{size: s.was.Size, lend: func(fn func(uintptr) error) error {
		return lend(s.old, fn)
	}, ask: func(fn func() error) error { return s.ask(ctx, &s.from, "read", fn) }}
	from.read = func(b []byte, at int64) (n int, err error) {
		err = from.ask(func() (err error) { n, err = s.old.ReadAt(b, at); return err })
		return n, err
	}
	if err := k.take(from, !whole && !s.racy && s.hash == nil); err != nil {
		return err
	}
	return s.ask(ctx, &s.from, "look", func() error {
		now, err := s.from.facts(s.old)
		if err == nil && !exact(now, s.was) {
			err = changedSince(s.from.place, "was changed while it was being copied")
		}
		return err
	})
}

// read hashes an open file and demands that it stayed as it was meanwhile.
func (s *staged) read(ctx context.Context, e *end, f *os.File) (sum [32]byte, was Info, err error) {
	h := s.l.hasher()
	defer s.l.hashers.Put(h)
	var after Info
	err = s.ask(ctx, e, "look", func() (err error) { was, err = e.facts(f); return err })
	buf := make([]byte, min(chunk, was.Size+1))
	for at := int64(0); err == nil; {
		n := 0
		err = s.ask(ctx, e, "read", func() (err error) { n, err = f.ReadAt(buf, at); return err })
		h.Write(buf[:n])
		at += int64(n)
		forward(ctx)
	}
	if err == io.EOF {
		err = s.ask(ctx, e, "look", func() (err error) { after, err = e.facts(f); return err })
	}
	if err == nil && !exact(was, after) {
		err = changedSince(e.place, "is being written by another program")
	}
	h.Sum(sum[:0])
	return sum, was, err
}

// exact: nothing about a file has changed.
func exact(a, b Info) bool {
	return same(a, b) && a.CTime == b.CTime && a.Mode == b.Mode && a.UID == b.UID && a.GID == b.GID
}

// same: the same file with the same content, as far as its stamp tells. The
// time of the last change of its facts is no part of it, since renaming
// changes that.
func same(a, b Info) bool {
	return a.Kind == b.Kind && a.SameFile(b.Identity) && a.Size == b.Size && a.MTime == b.MTime
}
