package textcode

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// sizes are how much is read at a time, in bytes. Only tests have others than
// usual, to have every border in reach of a small file.
type sizes struct {
	smallFile int64 // up to this a file is read whole
	head      int   // what Open looks at, and what one page usually reads
	scan      int   // what passing over lines reads
}

func usual() sizes { return sizes{smallFile: SmallFile, head: 64 << 10, scan: 128 << 10} }

// Source is the bytes of one version of one file. ReadAt may be called from
// the goroutine of the caller only; Size must not change.
type Source interface {
	io.ReaderAt
	Size() int64 // bytes
}

// blocks reads a source through one buffer.
type blocks struct {
	sizes
	src  Source
	size int64
	buf  []byte
	base int64 // where buf starts in the source
}

// peek gives the bytes from off on: at least want of them, fewer only where
// the source ends. They are good until the next peek.
func (b *blocks) peek(ctx context.Context, off int64, want int) ([]byte, error) {
	rest := b.size - off
	want = int(min(int64(want), rest))
	if off >= b.base && off <= b.base+int64(len(b.buf)) {
		if have := b.buf[off-b.base:]; len(have) >= want {
			return have, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := int(min(int64(max(want, b.head)), rest))
	if cap(b.buf) < n {
		b.buf = make([]byte, n)
	}
	b.buf, b.base = b.buf[:n], off
	if err := readFull(b.src, b.buf, off); err != nil {
		b.buf = b.buf[:0]
		return nil, err
	}
	return b.buf, nil
}

// readFull reads all of p; the end of the source before that is ErrShort.
func readFull(src io.ReaderAt, p []byte, off int64) error {
	for len(p) > 0 {
		n, err := src.ReadAt(p, off)
		if n < 0 || n > len(p) {
			return fmt.Errorf("the source read %d of %d bytes", n, len(p))
		}
		p, off = p[n:], off+int64(n)
		switch {
		case len(p) == 0:
			return nil
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return ErrShort
		case err != nil:
			return err
		case n == 0:
			return io.ErrNoProgress
		}
	}
	return nil
}
