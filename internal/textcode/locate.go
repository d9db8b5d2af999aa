package textcode

import (
	"bytes"
	"context"
	"math"
)

// place is where a page starts: line n at off. Numbers are negative while
// they count from the end.
type place struct {
	off int64
	n   int64
}

// locate finds the line asked for. Past the last line the place is the end,
// and the total is known.
func (t *Text) locate(ctx context.Context, line int64) (place, error) {
	if line >= 0 {
		return t.forward(ctx, max(line, 1))
	}
	line = max(line, -math.MaxInt64) // so that it can be negated
	if total, ok := t.counted(); ok {
		// line is -1 for the last one; the sum cannot overflow.
		return t.forward(ctx, max(total+line+1, 1))
	}
	return t.backward(ctx, line)
}

// counted gives the number of lines, if it is known.
func (t *Text) counted() (int64, bool) {
	if t.small {
		return t.total, true
	}
	n, ok := t.index.Total()
	return n, ok
}

// forward counts endings from the nearest mark on.
func (t *Text) forward(ctx context.Context, line int64) (place, error) {
	total, known := t.counted()
	if known && line > total {
		return place{t.size, total + 1}, nil
	}
	at := mark{t.start, 1}
	if !t.small {
		at = t.index.findLine(line, at)
	}
	n := at.n
	for off := at.off; n < line && off < t.size; {
		p, err := t.peek(ctx, off, t.scan)
		if err != nil {
			return place{}, err
		}
		p, _ = t.trim(off, p)
		c := t.ends.count(p, true)
		if n+c >= line {
			at.off = off + int64(t.ends.nth(p, line-n, true))
			n = line
			break
		}
		if c > 0 {
			n += c
			at.off = off + int64(t.ends.after(p, true))
			if !t.small {
				t.index.sawLine(mark{at.off, n})
			}
		}
		off += int64(len(p))
	}
	if n == line && at.off < t.size {
		return place{at.off, line}, nil
	}
	// There is no such line. The last one counted exists unless it starts
	// at the end.
	if at.off >= t.size {
		n--
	}
	t.setTotal(n)
	return place{t.size, n + 1}, nil
}

// trim takes away what of p belongs to a unit or an ending that may go on
// behind it: what is left can be looked at as if the file ended there. eof
// says that it does.
func (t *Text) trim(off int64, p []byte) ([]byte, bool) {
	if off+int64(len(p)) == t.size {
		return p, true
	}
	u := t.ends.unit
	p = p[:len(p)-len(p)%u]
	if t.ends.is(p, len(p)-u, '\r') && len(p) > u {
		p = p[:len(p)-u]
	}
	return p, false
}

// setTotal keeps what was counted; of a small file it is known.
func (t *Text) setTotal(n int64) {
	if !t.small {
		t.index.setTotal(n)
	}
}

// backward finds the line by counting endings from the end. When it comes to
// the start, the lines are counted and have their real numbers.
func (t *Text) backward(ctx context.Context, line int64) (place, error) {
	want := -line // the want-th last line start
	var have int64
	for end := t.size; end > t.start; {
		from := max(end-int64(t.head), t.start)
		// Places are multiples of the unit; so is the start.
		from -= (from - t.start) % int64(t.ends.unit)
		p, err := t.peekBack(ctx, from, end)
		if err != nil {
			return place{}, err
		}
		starts := t.starts(from, end, p)
		if have+starts >= want {
			off := t.nthStart(from, end, p, starts-(want-have)+1)
			t.index.sawLines(want)
			return place{off, line}, nil
		}
		have += starts
		end = from
	}
	total := have
	if t.size > t.start {
		total++ // the first line starts after no ending
	}
	t.setTotal(total)
	return place{t.start, 1}, nil
}

// peekBack reads [from,end) and, if there is one, the unit behind it.
func (t *Text) peekBack(ctx context.Context, from, end int64) ([]byte, error) {
	more := min(end+int64(t.ends.unit), t.size)
	p, err := t.peek(ctx, from, int(more-from))
	if err != nil {
		return nil, err
	}
	return p[:more-from], nil
}

// starts counts the lines that start after an ending in [from,end), not at
// the end of the file. An ending belongs to the block that holds its last
// unit.
func (t *Text) starts(from, end int64, p []byte) int64 {
	if t.ends.plain() {
		n := int64(bytes.Count(p[:end-from], []byte{'\n'}))
		if end == t.size && p[len(p)-1] == '\n' {
			n--
		}
		return n
	}
	n := int64(0)
	t.eachStart(from, end, p, func(int64) bool { n++; return true })
	return n
}

// nthStart gives the k-th of those starts (k from 1).
func (t *Text) nthStart(from, end int64, p []byte, k int64) (at int64) {
	if t.ends.plain() {
		return from + int64(t.ends.nth(p, k, true))
	}
	t.eachStart(from, end, p, func(off int64) bool {
		at = off
		k--
		return k > 0
	})
	return at
}

// eachStart calls f with those starts until it says false.
func (t *Text) eachStart(from, end int64, p []byte, f func(int64) bool) {
	eof := from+int64(len(p)) == t.size
	for off := 0; ; {
		_, after := t.ends.next(p[off:], eof)
		if after < 0 {
			return
		}
		off += after
		at := from + int64(off)
		if at > end || at >= t.size || !f(at) {
			return
		}
	}
}
