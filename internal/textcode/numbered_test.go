package textcode

import (
	"fmt"
	"io"
)

// numbered is a huge file whose lines tell their own number: 16 bytes each,
// the ending included.
type numbered struct {
	lines  int64
	ending string
	reads  int64
	bytes  int64
	short  int64 // if over 0, the file really ends there
	each   func(read int64) error
	made   []byte // all of it, where many reads make that worth while
}

const numberedLine = 16

func (s *numbered) Size() int64 { return s.lines * numberedLine }

func (s *numbered) want(n int64) string {
	return fmt.Sprintf("%0*d", numberedLine-len(s.ending), n)
}

func (s *numbered) ReadAt(p []byte, off int64) (int, error) {
	s.reads++
	s.bytes += int64(len(p))
	if s.each != nil {
		if err := s.each(s.reads); err != nil {
			return 0, err
		}
	}
	size := s.Size()
	if s.short > 0 {
		size = min(size, s.short)
	}
	if s.made != nil {
		n := copy(p, s.made[min(off, size):size])
		if n < len(p) {
			return n, io.EOF
		}
		return n, nil
	}
	digits := numberedLine - len(s.ending)
	n := 0
	for n < len(p) && off < size {
		var row [numberedLine]byte
		x := off/numberedLine + 1
		for i := digits - 1; i >= 0; i-- {
			row[i] = byte('0' + x%10)
			x /= 10
		}
		copy(row[digits:], s.ending)
		k := copy(p[n:min(len(p), n+int(size-off))], row[off%numberedLine:])
		n += k
		off += int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
