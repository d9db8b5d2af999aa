package capfs

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/zeebo/blake3"

	"reeve"
)

// chunk is how much is read or written between two looks at the deadline.
const chunk = 128 << 10

// fill writes a change's content and gives its hash.
func (s *staged) fill(ctx context.Context, e *end, to io.WriterAt) (sum [32]byte, err error) {
	h := blake3.New()
	at := int64(0)
	put := func(b []byte) error {
		for len(b) > 0 {
			part := b[:min(len(b), chunk)]
			n := 0
			err := s.ask(ctx, e, "write", func() (err error) { n, err = to.WriteAt(part, at); return err })
			if err != nil {
				return err
			}
			h.Write(part)
			at, b = at+int64(n), b[len(part):]
		}
		return nil
	}
	if s.change.Kind == reeve.Move { // across file systems
		err = s.copyOld(ctx, put)
		h.Sum(sum[:0])
		return sum, err
	}
	switch c := s.change.Content.(type) {
	case reeve.Bytes:
		err = put(c)
	case reeve.Stream:
		err = s.stream(ctx, c, put)
	case reeve.FromPlace:
		err = s.copyFrom(ctx, c, h, put)
	default:
		err = refuse(e.place, reeve.Invalid, "has no content to be given", "")
	}
	h.Sum(sum[:0])
	return sum, err
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
func (s *staged) copyFrom(ctx context.Context, c reeve.FromPlace, sum *blake3.Hasher, put func([]byte) error) error {
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
	buf := make([]byte, min(chunk, f.Size()+1))
	for at := int64(0); ; {
		n, err := f.ReadAt(buf, at)
		if perr := put(buf[:n]); perr != nil {
			return perr
		}
		at += int64(n)
		reeve.ReportProgress(ctx, reeve.Progress{Done: at, Total: f.Size()})
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	var got [32]byte
	sum.Sum(got[:0])
	now, err := f.Fresh()
	if err != nil {
		return err
	}
	if now.Stamp != f.Info().Stamp || c.Version.Compare(f.Version(&got)) != reeve.Same {
		return changedSince(c.Place, "was changed while it was being copied")
	}
	return nil
}

// copyOld writes the content of the opened old file.
func (s *staged) copyOld(ctx context.Context, put func([]byte) error) error {
	buf := make([]byte, min(chunk, s.was.Size+1))
	for at := int64(0); ; {
		n := 0
		err := s.ask(ctx, &s.from, "read", func() (err error) { n, err = s.old.ReadAt(buf, at); return err })
		if perr := put(buf[:n]); perr != nil {
			return perr
		}
		at += int64(n)
		reeve.ReportProgress(ctx, reeve.Progress{Done: at, Total: s.was.Size})
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
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
	h := blake3.New()
	var after Info
	err = s.ask(ctx, e, "look", func() (err error) { was, err = e.facts(f); return err })
	buf := make([]byte, min(chunk, was.Size+1))
	for at := int64(0); err == nil; {
		n := 0
		err = s.ask(ctx, e, "read", func() (err error) { n, err = f.ReadAt(buf, at); return err })
		h.Write(buf[:n])
		at += int64(n)
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
