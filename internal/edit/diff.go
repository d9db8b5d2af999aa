package edit

import (
	"bytes"
	"iter"
	"strings"

	"reeve"
)

// What a Diff shows at most, where nothing else is asked.
const (
	DiffLines = 200
	DiffWidth = 500       // characters of a line
	DiffBytes = 256 << 10 // in all
)

// Bounds are the most that a diff shows. Zero means DiffLines, DiffWidth and
// DiffBytes. Lines below 0 are all, and a Width below 0 leaves lines as long
// as they are; Bytes hold in any case.
type Bounds struct{ Lines, Width, Bytes int }

// Difference is a change as a unified diff.
type Difference struct {
	// Text is the diff, with line numbers. A line of the file stands behind
	// " ", "-" or "+" and its number; lines of any other kind are the diff's
	// own, and say what is left out just there. Invisible characters in lines
	// are made visible. It is content of the file.
	Text string
	// Lines and Bytes are those of a diff with nothing left out, the bytes
	// roughly.
	Lines, Bytes int64
	// Left is what is left out, all in all.
	Left reeve.Left
}

// Diff is the text of a difference of at most max lines (0: DiffLines).
func (p *Plan) Diff(max int) string { return p.Difference(Bounds{Lines: max}).Text }

// Difference shows what changed. Where not all of it fits, it shows something
// of everything rather than all of the beginning: places from all over the
// file, and of each the first lines that go and that come, and the last.
func (p *Plan) Difference(b Bounds) Difference {
	if b.Lines == 0 {
		b.Lines = DiffLines
	}
	if b.Width == 0 {
		b.Width = DiffWidth
	}
	if b.Bytes <= 0 {
		b.Bytes = DiffBytes
	}
	f := &fitting{places: p.places()}
	f.measure()
	if f.whole.Bytes > int64(b.Bytes) { // a line has no fewer than 8 of them
		if b.Lines < 0 || b.Lines > b.Bytes/8 {
			b.Lines = b.Bytes / 8
		}
		if b.Width < 0 || b.Width > longLine {
			b.Width = longLine
		}
	}
	out := f.show(b.Lines, b.Width)
	for len(out.Text) > b.Bytes && (b.Lines != leastDiff || b.Width < 0 || b.Width > leastWidth) {
		if b.Lines != leastDiff {
			shown := strings.Count(out.Text, "\n") + 1
			b.Lines = max(leastDiff, int(int64(shown)*int64(b.Bytes)/int64(len(out.Text))*15/16))
		} else if b.Width < 0 {
			b.Width = longLine
		} else {
			b.Width = max(leastWidth, b.Width/2)
		}
		out = f.show(b.Lines, b.Width)
	}
	return out
}

// diffContext is how many lines that stay are shown around a place.
const diffContext = 3

// longLine is the width of lines where a diff is too large for its bytes.
const longLine = 4000

// leastDiff and leastWidth are the lines, and the characters of a line, that
// are shown whatever the bound in bytes.
const (
	leastDiff  = 8
	leastWidth = 60
)

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
