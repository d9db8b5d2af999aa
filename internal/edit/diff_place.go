package edit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

const (
	// comparedBytes bounds what is compared line by line, each side of a
	// place; comparedAll all of it.
	comparedBytes = 1 << 20
	comparedAll   = 16 << 20
	// heldBytes and heldLines bound what is held of each end of a side that is
	// not compared: more than any diff shows.
	heldBytes = 5 << 20
	heldLines = 300_000
	// heldRest stands for heldBytes where too much was compared already.
	heldRest = 8 << 10
)

// run is lines of one kind that follow each other.
type run struct {
	kind  byte  // ' ', '-' or '+'
	first int64 // the number of its first line
	n     int64
	lines []string // all, or those of both ends: head of them, and the rest
	head  int
	lost  int64 // characters of lines so long that they are not held whole
	peer  *run  // what stands for these lines, line by line, if it is as many
}

// line is the i-th line, which must be held.
func (r *run) line(i int64) string {
	if i < int64(r.head) {
		return r.lines[i]
	}
	return r.lines[int64(len(r.lines))-(r.n-i)]
}

// reach is how many lines are at hand at either end.
func (r *run) reach() (head, tail int64) {
	if int64(len(r.lines)) == r.n {
		return r.n, r.n
	}
	return int64(r.head), int64(len(r.lines) - r.head)
}

// place is one place of a change: lines that go and lines that come, with
// those around them.
type place struct {
	note      string // a line of its own in front
	runs      []run
	gone, new int64
	// follows says that it goes on where the place before it ends.
	follows bool
}

// places cuts a change into its places.
func (p *Plan) places() (list []place) {
	compared := 0
	for i := 0; i < len(p.Regions); {
		j := i + 1
		for j < len(p.Regions) && p.Regions[j].Old.First-p.Regions[j-1].Old.Last <= 2*diffContext {
			j++
		}
		list = append(list, p.place(p.Regions[i], p.Regions[j-1], &compared)...)
		i = j
	}
	return list
}

// spread chooses k of n evenly, the first and the last among them.
func spread(n, k int) func(i int) bool {
	if k >= n {
		return func(int) bool { return true }
	}
	if k <= 1 {
		return func(i int) bool { return i == 0 }
	}
	set := make(map[int]bool, k)
	for i := range k {
		set[int(int64(i)*int64(n-1)/int64(k-1))] = true
	}
	return func(i int) bool { return set[i] }
}

// place shows the lines from one region to another, and those around them.
func (p *Plan) place(first, last Region, compared *int) []place {
	start, end := int(first.Old.From)-p.was.mark, int(last.Old.To)-p.was.mark
	oldFrom, up := p.was.linesBack(start, diffContext)
	oldTo := p.was.linesOn(end, diffContext)
	// Around the regions both are the same, byte for byte.
	newFrom := int(first.New.From) - p.is.mark - (start - oldFrom)
	newTo := int(last.New.To) - p.is.mark + (oldTo - end)
	oldLine, newLine := first.Old.First-int64(up), first.New.First-int64(up)
	a, b := p.was.body[oldFrom:oldTo], p.is.body[newFrom:newTo]
	if *compared += len(a) + len(b); len(a) > comparedBytes || len(b) > comparedBytes || *compared > comparedAll {
		held := heldBytes
		if *compared > comparedAll+len(a)+len(b) {
			held = heldRest
		}
		gone, come := p.was.side('-', oldLine, a, held), p.is.side('+', newLine, b, held)
		note := ""
		if gone.n > 0 && come.n > 0 {
			note = fmt.Sprintf("@@ lines %d to %d (%d bytes) become lines %d to %d (%d bytes): too much to compare line by line @@",
				oldLine, oldLine+gone.n-1, len(a), newLine, newLine+come.n-1, len(b))
		}
		return []place{paired(place{note: note, runs: []run{gone, come}, gone: gone.n, new: come.n})}
	}
	return compare(p.was.shown(a), p.is.shown(b), oldLine, newLine)
}

// compare cuts two stretches into places at the lines that stay.
func compare(old, new string, oldLine, newLine int64) []place {
	was := lineParts(old)
	var list []place
	i, j := 0, int64(0)
	at, line := 0, 0
	var before *run // lines that stay, in front of what comes next
	same := func(to int) {
		if to > i {
			n := int64(to - i)
			before = &run{kind: ' ', first: newLine + j, n: n, lines: was[i:to], head: int(n)}
			i, j = to, j+n
		}
	}
	for _, e := range udiff.Lines(old, new) {
		line += strings.Count(old[at:e.Start], "\n")
		at = e.Start
		same(line)
		gone, come := lineParts(old[e.Start:e.End]), lineParts(e.New)
		pl := place{follows: len(list) > 0, gone: int64(len(gone)), new: int64(len(come))}
		if before != nil {
			pl.runs = append(pl.runs, *before)
			before = nil
		}
		if len(gone) > 0 {
			pl.runs = append(pl.runs, run{kind: '-', first: oldLine + int64(i), n: pl.gone, lines: gone, head: len(gone)})
		}
		if len(come) > 0 {
			pl.runs = append(pl.runs, run{kind: '+', first: newLine + j, n: pl.new, lines: come, head: len(come)})
		}
		i, j = i+len(gone), j+int64(len(come))
		list = append(list, paired(pl))
		line += strings.Count(old[at:e.End], "\n")
		at = e.End
	}
	same(len(was))
	if before != nil && len(list) > 0 {
		last := &list[len(list)-1]
		last.runs = append(last.runs, *before)
	}
	return list
}

// paired lets lines that stand for as many others know them.
func paired(pl place) place {
	for i := 1; i < len(pl.runs); i++ {
		a, b := &pl.runs[i-1], &pl.runs[i]
		if a.kind == '-' && b.kind == '+' && a.n == b.n {
			a.peer, b.peer = b, a
		}
	}
	return pl
}

// side is a stretch that is too long to be compared, of which both ends are
// held.
func (t *text) side(kind byte, first int64, p []byte, held int) run {
	r := run{kind: kind, first: first, n: t.count(p)}
	if len(p) <= 2*held && r.n <= 2*heldLines {
		r.lines = lineParts(t.shown(p))
		r.n, r.head = int64(len(r.lines)), len(r.lines)
		return r
	}
	at := min(held, len(p)/2)
	front, over := t.cutAt(p, at, false)
	back, under := t.cutAt(p, len(p)-at, true)
	if r.n == 1 {
		lost := len(p) - len(front) - len(back)
		r.lines, r.head, r.lost = []string{t.shown(front) + missing(int64(lost/t.unit)) + t.shown(back)}, 1, int64(lost/t.unit)
		return r
	}
	head, tail := lineParts(t.shown(front)), lineParts(t.shown(back))
	if over > 0 {
		head[0] += missing(int64(over/t.unit)) + "\n"
	}
	if under > 0 {
		tail[0] = missing(int64(under/t.unit)) + tail[0]
	}
	r.lost = int64((over + under) / t.unit)
	head, tail = head[:min(len(head), heldLines)], tail[max(0, len(tail)-heldLines):]
	r.lines, r.head = append(append(make([]string, 0, len(head)+len(tail)), head...), tail...), len(head)
	return r
}

// cutAt is what is before the line in which a byte stands, or what is after
// it. Where that line is all there is, it is cut there: lost bytes of it.
func (t *text) cutAt(p []byte, at int, after bool) (part []byte, lost int) {
	all := *t
	all.body = p
	at -= at % t.unit
	for t.unit == 1 && at > 0 && at < len(p) && !utf8.RuneStart(p[at]) {
		at--
	}
	if after {
		if on := all.linesOn(at, 0); on < len(p) {
			return p[on:], 0
		}
		return p[at:], at - all.lineStart(at)
	}
	if back := all.lineStart(at); back > 0 {
		return p[:back], 0
	}
	return p[:at], all.lineEnd(at) - at
}

// count is the number of lines.
func (t *text) count(p []byte) (n int64) {
	if len(p) == 0 {
		return 0
	}
	if t.unit == 1 && !t.mac {
		n = int64(bytes.Count(p, []byte{'\n'}))
		if p[len(p)-1] != '\n' {
			n++
		}
		return n
	}
	part := *t
	part.body = p
	for i := 0; i < len(p); n++ {
		i = part.lineEnd(i)
		i += part.ending(i)
	}
	return n
}
