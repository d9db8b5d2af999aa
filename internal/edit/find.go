package edit

import (
	"bytes"
	"strings"
)

// match is a stretch of the body.
type match struct{ from, to int }

// finder looks for a text whose endings are folded, from left to right.
type finder struct {
	t      *text
	folded string
	needle []byte // encoded
	// plain: the bytes can be looked for as they are.
	plain bool
	// segs are the encoded stretches between the line ends of the needle.
	segs [][]byte
	// anchor is the longest of them, at its number.
	anchor int
	work   int
	slow   *automaton
}

func (t *text) finder(old string) *finder {
	f := &finder{t: t, folded: t.fold(old)}
	f.needle = t.encode(nil, f.folded)
	f.plain = t.unit == 1 && (!t.cr || strings.IndexAny(f.folded, "\r\n") < 0)
	if f.plain {
		return f
	}
	for s := range strings.SplitSeq(f.folded, "\n") {
		f.segs = append(f.segs, t.encode(nil, s))
		if n := len(f.segs) - 1; len(f.segs[n]) > len(f.segs[f.anchor]) {
			f.anchor = n
		}
	}
	return f
}

// next finds the first match that starts at from or later.
func (f *finder) next(from int) (match, bool) {
	body := f.t.body
	if from > len(body) {
		return match{}, false
	}
	if f.plain {
		i := bytes.Index(body[from:], f.needle)
		if i < 0 {
			return match{}, false
		}
		return match{from + i, from + i + len(f.needle)}, true
	}
	if f.slow != nil {
		return f.slow.next(f, from)
	}
	anchor := f.segs[f.anchor]
	for at := from; ; {
		i := bytes.Index(body[at:], anchor)
		if i < 0 {
			return match{}, false
		}
		at += i
		if at%f.t.unit == 0 {
			if m, ok := f.around(at, from); ok {
				return m, true
			}
		}
		at++
		// A text that nearly matches everywhere would be compared again and
		// again; then every byte is looked at once instead.
		if f.work += len(anchor) + 8; f.work > 4*len(body)+1<<16 {
			f.slow = newAutomaton(f)
			return f.slow.next(f, from)
		}
	}
}

// around tells whether the anchor at p is part of a match that starts at
// least at from.
func (f *finder) around(p, from int) (match, bool) {
	t, start := f.t, p
	for i := f.anchor - 1; i >= 0; i-- {
		end := t.before(start)
		if end < 0 {
			return match{}, false
		}
		seg := f.segs[i]
		f.work += len(seg) + 1
		if start = end - len(seg); start < from || !bytes.Equal(t.body[start:end], seg) {
			return match{}, false
		}
	}
	end := start
	for i, seg := range f.segs {
		if i > 0 {
			w := t.ending(end)
			if w == 0 {
				return match{}, false
			}
			end += w
		}
		f.work += len(seg) + 1
		if end+len(seg) > len(t.body) || !bytes.Equal(t.body[end:end+len(seg)], seg) {
			return match{}, false
		}
		end += len(seg)
		// A CR that the file has in front of an LF ends a line with it, and
		// is not the CR of the needle.
		if len(seg) > 0 && t.is(seg, len(seg)-t.unit, '\r') && t.is(t.body, end, '\n') {
			return match{}, false
		}
	}
	return match{start, end}, true
}

// before gives where the ending that stands right before i begins, or -1.
func (t *text) before(i int) int {
	switch {
	case t.is(t.body, i-t.unit, '\n'):
		if t.is(t.body, i-2*t.unit, '\r') {
			return i - 2*t.unit
		}
		return i - t.unit
	case t.mac && t.is(t.body, i-t.unit, '\r'):
		return i - t.unit
	}
	return -1
}

// ending gives the length of the ending at i, 0 if there is none.
func (t *text) ending(i int) int {
	switch {
	case t.is(t.body, i, '\n'):
		return t.unit
	case t.is(t.body, i, '\r'):
		if t.is(t.body, i+t.unit, '\n') {
			return 2 * t.unit
		}
		if t.mac {
			return t.unit
		}
	}
	return 0
}

// automaton finds the needle in time that grows with the text alone, however
// often its beginning is met (Knuth, Morris, Pratt).
type automaton struct {
	units []uint16
	fail  []int32
}

const lineEnd = uint16('\n')

func newAutomaton(f *finder) *automaton {
	a := &automaton{}
	for i := 0; i < len(f.needle); i += f.t.unit {
		a.units = append(a.units, f.t.value(f.needle, i))
	}
	a.fail = make([]int32, len(a.units))
	k := int32(0)
	for i := 1; i < len(a.units); i++ {
		for k > 0 && a.units[i] != a.units[k] {
			k = a.fail[k-1]
		}
		if a.units[i] == a.units[k] {
			k++
		}
		a.fail[i] = k
	}
	return a
}

func (t *text) value(p []byte, i int) uint16 {
	switch {
	case t.unit == 1:
		return uint16(p[i])
	case t.big:
		return uint16(p[i])<<8 | uint16(p[i+1])
	}
	return uint16(p[i]) | uint16(p[i+1])<<8
}

func (a *automaton) next(f *finder, from int) (match, bool) {
	t, k := f.t, 0
	for i := from; i < len(t.body); {
		u, w := t.value(t.body, i), t.ending(i)
		if w > 0 {
			u = lineEnd
		} else {
			w = t.unit
		}
		i += w
		for k > 0 && u != a.units[k] {
			k = int(a.fail[k-1])
		}
		if u == a.units[k] {
			k++
		}
		if k < len(a.units) {
			continue
		}
		start := i
		for range a.units {
			if b := t.before(start); b >= 0 {
				start = b
			} else {
				start -= t.unit
			}
		}
		return match{start, i}, true
	}
	return match{}, false
}
