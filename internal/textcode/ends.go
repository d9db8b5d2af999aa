package textcode

import "bytes"

// The names of line endings, as Page.Endings gives them.
const (
	LF    = "lf"
	CRLF  = "crlf"
	CR    = "cr"
	Mixed = "mixed"
)

// ends finds where lines end in raw bytes. Every stretch that it is given
// starts at a multiple of unit.
type ends struct {
	unit int
	big  bool
	mac  bool // a lone CR ends a line too
}

// plain says that lines end at the byte of LF and nowhere else.
func (e ends) plain() bool { return e.unit == 1 && !e.mac }

// is reports whether the unit at p[i] is the ASCII character c.
func (e ends) is(p []byte, i int, c byte) bool {
	if i < 0 || i+e.unit > len(p) {
		return false
	}
	low := i
	if e.big {
		low = i + e.unit - 1
	}
	for j := i; j < i+e.unit; j++ {
		if j == low && p[j] != c || j != low && p[j] != 0 {
			return false
		}
	}
	return true
}

// index finds the first unit that is c.
func (e ends) index(p []byte, c byte) int {
	if e.unit == 1 {
		return bytes.IndexByte(p, c)
	}
	for from := 0; ; {
		j := bytes.IndexByte(p[from:], c)
		if j < 0 {
			return -1
		}
		j += from
		i := j - j%e.unit
		if e.is(p, i, c) {
			return i
		}
		from = j + 1
	}
}

// next finds the first ending: the line is p[:content], the next one starts
// at p[after:]. Both are -1 when there is none; with more bytes to come (eof
// is false) that includes a CR at the very end, which may be half of a CRLF.
func (e ends) next(p []byte, eof bool) (content, after int) {
	if e.mac {
		return e.nextMac(p, eof)
	}
	lf := e.index(p, '\n')
	if lf < 0 {
		return -1, -1
	}
	if e.is(p, lf-e.unit, '\r') {
		return lf - e.unit, lf + e.unit
	}
	return lf, lf + e.unit
}

// nextMac looks at one unit after the other: looking for CR and LF apart
// would pass over a text with few of one of them again and again.
func (e ends) nextMac(p []byte, eof bool) (content, after int) {
	for i := 0; i+e.unit <= len(p); i += e.unit {
		if e.unit == 1 && p[i] > '\r' {
			continue
		}
		if e.is(p, i, '\n') {
			return i, i + e.unit
		}
		if e.is(p, i, '\r') {
			rest := i + e.unit
			switch {
			case e.is(p, rest, '\n'):
				return i, rest + e.unit
			case rest+e.unit > len(p) && !eof:
				return -1, -1
			}
			return i, rest
		}
	}
	return -1, -1
}

// count counts the endings in p.
func (e ends) count(p []byte, eof bool) int64 {
	if e.plain() {
		return int64(bytes.Count(p, []byte{'\n'}))
	}
	var n int64
	for {
		_, after := e.next(p, eof)
		if after < 0 {
			return n
		}
		n++
		p = p[after:]
	}
}

// nth gives the place after the n-th ending (n from 1). There must be that
// many.
func (e ends) nth(p []byte, n int64, eof bool) int {
	off := 0
	if e.plain() {
		const step = 4096
		for len(p)-off > step {
			c := int64(bytes.Count(p[off:off+step], []byte{'\n'}))
			if c >= n {
				break
			}
			n -= c
			off += step
		}
	}
	for ; n > 0; n-- {
		_, after := e.next(p[off:], eof)
		off += after
	}
	return off
}

// after gives the place after the last ending, or -1.
func (e ends) after(p []byte, eof bool) int {
	if !e.mac {
		if e.unit == 1 {
			if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
				return i + 1
			}
			return -1
		}
		for i := len(p) - len(p)%e.unit - e.unit; i >= 0; i -= e.unit {
			if e.is(p, i, '\n') {
				return i + e.unit
			}
		}
		return -1
	}
	last := -1
	for off := 0; ; {
		_, after := e.next(p[off:], eof)
		if after < 0 {
			return last
		}
		off += after
		last = off
	}
}

// endsSeen gathers which endings a text has.
type endsSeen struct{ lf, crlf, cr bool }

// add notes the ending p[content:after].
func (s *endsSeen) add(e ends, p []byte, content, after int) {
	switch {
	case after == content:
	case after-content == 2*e.unit:
		s.crlf = true
	case e.is(p, content, '\n'):
		s.lf = true
	default:
		s.cr = true
	}
}

// all notes the endings of a long stretch.
func (s *endsSeen) all(e ends, p []byte, eof bool) {
	if e.plain() {
		s.plain(p)
		return
	}
	for !s.lf || !s.crlf {
		content, after := e.next(p, eof)
		if after < 0 {
			return
		}
		s.add(e, p, content, after)
		p = p[after:]
	}
}

func (s *endsSeen) plain(p []byte) {
	if bytes.IndexByte(p, '\r') < 0 {
		s.lf = s.lf || bytes.IndexByte(p, '\n') >= 0
		return
	}
	for !s.lf || !s.crlf {
		i := bytes.IndexByte(p, '\n')
		switch {
		case i < 0:
			return
		case i > 0 && p[i-1] == '\r':
			s.crlf = true
		default:
			s.lf = true
		}
		p = p[i+1:]
	}
}

func (s endsSeen) name() string {
	switch s {
	case endsSeen{}:
		return ""
	case endsSeen{lf: true}:
		return LF
	case endsSeen{crlf: true}:
		return CRLF
	case endsSeen{cr: true}:
		return CR
	}
	return Mixed
}
