package edit

import (
	"bytes"
	"fmt"
	"iter"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// DiffLines is how many lines a Diff has at most, when nothing else is asked.
const DiffLines = 200

const (
	diffContext = 3
	// diffBytes bounds what is compared line by line, each side of a region.
	diffBytes = 1 << 20
	diffWidth = 500 // characters of a line
)

// Diff shows what changed as a unified diff with line numbers, of at most max
// lines (0: DiffLines), the last of which says what was left out. Invisible
// characters in changed lines are made visible. It is content of the file.
func (p *Plan) Diff(max int) string {
	if max <= 0 {
		max = DiffLines
	}
	d := &diffWriter{max: max}
	for i := 0; i < len(p.Regions); {
		j := i + 1
		for j < len(p.Regions) && p.Regions[j].Old.First-p.Regions[j-1].Old.Last <= 2*diffContext {
			j++
		}
		if d.full() {
			d.left += j - i
		} else {
			d.hunk(p, p.Regions[i], p.Regions[j-1])
		}
		i = j
	}
	return d.String()
}

// diffWriter gathers lines up to a number.
type diffWriter struct {
	lines []string
	max   int
	more  int // lines left out
	left  int // regions left out
}

func (d *diffWriter) full() bool { return len(d.lines) >= d.max-1 }

func (d *diffWriter) add(format string, args ...any) {
	if d.full() {
		d.more++
		return
	}
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diffWriter) String() string {
	out := d.lines
	switch {
	case d.left > 0:
		out = append(out, fmt.Sprintf("… %d lines and %d more places are not shown", d.more, d.left))
	case d.more > 0:
		out = append(out, fmt.Sprintf("… %d lines are not shown", d.more))
	}
	return strings.Join(out, "\n")
}

// hunk shows the lines from one region to another, and those around them.
func (d *diffWriter) hunk(p *Plan, first, last Region) {
	start, end := int(first.Old.From)-p.was.mark, int(last.Old.To)-p.was.mark
	oldFrom, up := p.was.linesBack(start, diffContext)
	oldTo := p.was.linesOn(end, diffContext)
	// Around the regions both are the same, byte for byte.
	newFrom := int(first.New.From) - p.is.mark - (start - oldFrom)
	newTo := int(last.New.To) - p.is.mark + (oldTo - end)
	oldLine, newLine := first.Old.First-int64(up), first.New.First-int64(up)
	if oldTo-oldFrom > diffBytes || newTo-newFrom > diffBytes {
		d.add("@@ lines %d to %d (%d bytes) become lines %d to %d (%d bytes): too much to compare @@",
			first.Old.First, last.Old.Last, last.Old.To-first.Old.From, first.New.First, last.New.Last, last.New.To-first.New.From)
		return
	}
	old := p.was.shown(p.was.body[oldFrom:oldTo])
	new := p.is.shown(p.is.body[newFrom:newTo])
	if len(d.lines) > 0 {
		d.add("⋮")
	}
	a := lineParts(old)
	i, j := 0, 0
	equal := func(to int) {
		for ; i < to; i, j = i+1, j+1 {
			d.add(" %5d %s", newLine+int64(j), shownLine(a[i], false))
		}
	}
	at, line := 0, 0
	for _, e := range udiff.Lines(old, new) {
		line += strings.Count(old[at:e.Start], "\n")
		at = e.Start
		gone := lineParts(old[e.Start:e.End])
		come := lineParts(e.New)
		equal(line)
		for _, l := range gone {
			d.add("-%5d %s", oldLine+int64(i), shownLine(l, true))
			i++
		}
		for _, l := range come {
			d.add("+%5d %s", newLine+int64(j), shownLine(l, true))
			j++
		}
		line += strings.Count(old[at:e.End], "\n")
		at = e.End
	}
	equal(len(a))
}

// shown is a stretch with one "\n" for each of its endings; a CR in front
// stands for what the ending is not, so that a changed ending shows.
func (t *text) shown(p []byte) string {
	s := t.decode(p)
	if t.mac {
		s = strings.ReplaceAll(t.fold(s), "\n", "\r\n")
	}
	return s
}

// OldLines are the lines of the old content as a read shows them: without
// endings, what is no character escaped. Region.Old names them by number.
func (p *Plan) OldLines() iter.Seq[string] {
	t := p.was
	return func(yield func(string) bool) {
		for i := 0; i < len(t.body); {
			end := t.lineEnd(i)
			if !yield(strings.ReplaceAll(t.decode(t.body[i:end]), "\x00", `\x00`)) {
				return
			}
			i = end + t.ending(end)
		}
	}
}

// lineEnd is where the ending of the line at i stands, or the end.
func (t *text) lineEnd(i int) int {
	if t.unit == 1 && !t.mac {
		j := bytes.IndexByte(t.body[i:], '\n')
		switch {
		case j < 0:
			return len(t.body)
		case j > 0 && t.body[i+j-1] == '\r':
			j--
		}
		return i + j
	}
	for i < len(t.body) && t.ending(i) == 0 {
		i += t.unit
	}
	return i
}

// lineParts cuts behind each "\n".
func lineParts(s string) []string {
	if s == "" {
		return nil
	}
	parts := strings.SplitAfter(s, "\n")
	if parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// shownLine is a line of a diff. In a changed one the CR of a "\r\n" is shown,
// and a missing ending is told.
func shownLine(l string, changed bool) string {
	body, ended := strings.CutSuffix(l, "\n")
	if bare, cr := strings.CutSuffix(body, "\r"); cr && ended && !changed {
		body = bare
	}
	out := around(visible(body), 0, diffWidth)
	if !ended {
		out += " (no newline at the end)"
	}
	return out
}

// linesBack goes back to the start of the line at i, and of up to n lines
// before it.
func (t *text) linesBack(i, n int) (at, lines int) {
	at = t.lineStart(i)
	for lines < n && at > 0 {
		at = t.lineStart(at - t.unit)
		lines++
	}
	return at, lines
}

// lineStart is where the line that holds i starts.
func (t *text) lineStart(i int) int {
	for i > 0 && !lineStart(t, i) {
		i -= t.unit
	}
	return i
}

// linesOn goes on to the end of the line at i, and n lines further.
func (t *text) linesOn(i, n int) int {
	if i > 0 && lineStart(t, i) && i < len(t.body) {
		n-- // it ended there
	}
	for ; n >= 0 && i < len(t.body); n-- {
		for i < len(t.body) {
			if w := t.ending(i); w > 0 {
				i += w
				break
			}
			i += t.unit
		}
	}
	return i
}
