package capfs

import (
	"bytes"
	"context"
	"errors"
	"io"

	"reeve"
)

// origin is an opened file whose content is copied.
type origin struct {
	size int64
	read func(b []byte, at int64) (int, error) // asks by itself
	ask  func(func() error) error
	lend func(func(fd uintptr) error) error
}

// segment is a stretch of a file with bytes in it; around it are holes.
type segment struct{ start, end int64 }

// layout is what is known of a file's holes.
type layout int

const (
	dense  layout = iota // it has none
	hollow               // it has some, and the system tells where
	vague                // it has some, and nobody says where for certain
)

// take copies all of a file, holes as holes. Bare says that the content need
// not pass through memory: its version is proved by its stamp.
func (k *sink) take(from origin, bare bool) error {
	bare = bare && from.size > wholeHash
	if bare {
		if done, err := k.direct(from); done || err != nil {
			return err
		}
	}
	holes := dense
	err := from.ask(func() error {
		return from.lend(func(fd uintptr) error { holes = layoutOf(int(fd)); return nil })
	})
	if err != nil && !errors.Is(err, errUnable) {
		return err
	}
	for buf := make([]byte, min(chunk, from.size+1)); k.at <= from.size; {
		part := segment{k.at, from.size + 1} // one more: it may have grown
		if holes == hollow {
			if part, err = from.next(k.at); err != nil {
				return err
			}
			if n := part.start - k.at; n > 0 {
				if bare && n > syncMost {
					k.h = nil // hashing nothing for minutes helps nobody
				}
				if err := k.hole(n); err != nil {
					return err
				}
			}
		}
		for k.at < part.end {
			n, err := from.read(buf[:min(int64(len(buf)), part.end-k.at)], k.at)
			if perr := k.copied(buf[:n], holes != dense); perr != nil {
				return perr
			}
			reeve.ReportProgress(k.ctx, reeve.Progress{Done: k.at, Total: from.size})
			if err == io.EOF {
				return k.end()
			}
			if err != nil {
				return err
			}
		}
	}
	return k.end() // it has grown: the last look at it will tell
}

// next is the next segment from an offset on; after the last one it is the end
// of the file, where reading finds whether it has grown.
func (from origin) next(at int64) (part segment, err error) {
	err = from.ask(func() error {
		return from.lend(func(fd uintptr) error { part = segmentOf(int(fd), at, from.size); return nil })
	})
	if part.end >= from.size {
		part.end = from.size + 1
	}
	return part, err
}

// copied writes what was read; in a file with holes, zeros become one.
func (k *sink) copied(b []byte, sparse bool) error {
	if !sparse || len(b) < chunk || len(bytes.TrimLeft(b, "\x00")) > 0 {
		return k.write(b)
	}
	forward(k.ctx)
	return k.hole(int64(len(b)))
}

// direct lets the file system copy by itself, if it can share the blocks or
// lies on another computer. Not done, nothing has been written.
func (k *sink) direct(from origin) (done bool, err error) {
	err = k.s.ask(k.ctx, k.e, "clone", func() error {
		return from.lend(func(src uintptr) error { return clone(int(src), k.to) })
	})
	if err == nil {
		if fi, serr := k.to.Stat(); serr == nil && fi.Size() == from.size {
			k.at, k.h = from.size, nil
			reeve.ReportProgress(k.ctx, reeve.Progress{Done: k.at, Total: from.size})
			return true, nil
		}
		err = k.to.Truncate(0)
		return false, err
	}
	if ctxErr := k.ctx.Err(); ctxErr != nil {
		return false, ended(context.Cause(k.ctx), k.s.l.fs.o.Timeout)
	}
	if !k.e.coarse {
		return false, nil
	}
	for k.at < from.size {
		n := 0
		err := k.s.ask(k.ctx, k.e, "copy range", func() error {
			return from.lend(func(src uintptr) (err error) {
				n, err = copyRange(int(src), k.to, k.at, int(min(remoteStep, from.size-k.at)))
				return err
			})
		})
		if err != nil || n == 0 {
			if k.ctx.Err() != nil {
				return false, ended(context.Cause(k.ctx), k.s.l.fs.o.Timeout)
			}
			k.at = 0 // read and written from the beginning
			return false, k.to.Truncate(0)
		}
		k.at += int64(n)
		if err := k.wrote(int64(n)); err != nil {
			return false, err
		}
		reeve.ReportProgress(k.ctx, reeve.Progress{Done: k.at, Total: from.size})
	}
	k.h = nil
	return true, nil
}

// remoteStep is how many bytes another computer is asked to copy at a time.
const remoteStep = 4 << 20
