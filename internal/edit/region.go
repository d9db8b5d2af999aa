package edit

import "bytes"

// patch is a stretch of one body and what stands for it in a later one. by is
// the last edit that had a part in it.
type patch struct{ oldFrom, oldTo, newFrom, newTo, by int }

// compose joins the patches from a to b with those from b to c into those
// from a to c. Both are in order; what touches becomes one.
func compose(ab, bc []patch, by int) []patch {
	if len(ab) == 0 {
		for i := range bc {
			bc[i].by = by
		}
		return joined(bc)
	}
	out := make([]patch, 0, len(ab)+len(bc))
	// shiftAB maps b back to a outside of patches, shiftBC maps b to c.
	shiftAB, shiftBC := 0, 0
	for i, j := 0, 0; i < len(ab) || j < len(bc); {
		// A group starts with whichever comes first in b, and grows while
		// the next of either touches it.
		var from, to int
		useA := j == len(bc) || i < len(ab) && ab[i].newFrom <= bc[j].oldFrom
		if useA {
			from, to = ab[i].newFrom, ab[i].newTo
		} else {
			from, to = bc[j].oldFrom, bc[j].oldTo
		}
		p := patch{oldFrom: from - shiftAB, newFrom: from + shiftBC}
		for {
			switch {
			case i < len(ab) && ab[i].newFrom <= to:
				to = max(to, ab[i].newTo)
				shiftAB = ab[i].newTo - ab[i].oldTo
				p.by = max(p.by, ab[i].by)
				i++
				continue
			case j < len(bc) && bc[j].oldFrom <= to:
				to = max(to, bc[j].oldTo)
				shiftBC = bc[j].newTo - bc[j].oldTo
				p.by = by
				j++
				continue
			}
			break
		}
		p.oldTo, p.newTo = to-shiftAB, to+shiftBC
		out = append(out, p)
	}
	return joined(out)
}

// joined makes patches that touch one, and neighbours where there are too
// many.
func joined(list []patch) []patch {
	group := (len(list) + MaxRegions - 1) / MaxRegions
	out := list[:0]
	for i, p := range list {
		if n := len(out); n > 0 && (p.oldFrom <= out[n-1].oldTo || p.newFrom <= out[n-1].newTo || group > 1 && i%group != 0) {
			out[n-1].oldTo, out[n-1].newTo = p.oldTo, p.newTo
			out[n-1].by = max(out[n-1].by, p.by)
			continue
		}
		out = append(out, p)
	}
	return out
}

// regions gives patches their lines.
func regions(was, is *text, list []patch) []Region {
	out := make([]Region, len(list))
	old, new := lineCounter{t: was}, lineCounter{t: is}
	for i, p := range list {
		out[i] = Region{Old: old.span(p.oldFrom, p.oldTo), New: new.span(p.newFrom, p.newTo)}
	}
	return out
}

// lineCounter counts lines on the way through a body.
type lineCounter struct {
	t     *text
	at    int
	lines int64 // endings before at
}

// line is the number of the line that the place is in, from 1. Places must
// not go back.
func (c *lineCounter) line(at int) int64 {
	p := c.t.body[c.at:at]
	switch {
	case c.t.unit == 1 && !c.t.mac:
		c.lines += int64(bytes.Count(p, []byte{'\n'}))
	default:
		c.lines += int64(c.t.endings(p).all())
	}
	c.at = at
	return c.lines + 1
}

func (c *lineCounter) span(from, to int) Span {
	s := Span{From: int64(c.t.mark + from), To: int64(c.t.mark + to)}
	s.First = c.line(from)
	s.Last = c.line(to)
	if to > from && s.Last > s.First && c.t.before(to) >= 0 {
		s.Last-- // it ends with that line's ending
	}
	return s
}
