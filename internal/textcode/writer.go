package textcode

import (
	"bytes"
	"context"
	"math"
	"unicode/utf8"
)

// writer gathers the text of a page and cuts it into lines at the end, so
// that there is one string for all of them.
type writer struct {
	t          *Text
	ask        Ask
	maxBytes   int
	maxChars   int
	out        []byte
	lines      []Line // Text is empty until cut
	ends       []int  // where each line's text ends in out
	bytes      int    // spent, with overhead
	chars      int
	bad        int
	stopped    string
	nextColumn int
}

func newWriter(t *Text, a Ask) *writer {
	w := &writer{t: t, ask: a, maxBytes: MaxPage, maxChars: MaxPage}
	if a.Bytes > 0 {
		w.maxBytes = min(a.Bytes, MaxPage)
	}
	if a.Chars > 0 {
		w.maxChars = min(a.Chars, MaxPage)
	}
	return w
}

// rawMax is the most bytes of the file whose text can be within the budget,
// and a margin, so that an ending right behind it is seen.
func (w *writer) rawMax() int {
	return min(w.maxBytes*w.t.ends.unit, w.maxChars*4) + 64
}

// fill takes lines from at on, and gives where the page ended.
func (w *writer) fill(ctx context.Context, at place, col int) (place, error) {
	t := w.t
	if t.size > at.off {
		room := int(min(int64(w.rawMax()), t.size-at.off, int64(t.head)))
		w.out = make([]byte, 0, room)
		lines := min(w.ask.Lines, room/32+4)
		if t.small {
			lines = min(w.ask.Lines, int(t.total))
		}
		w.lines = make([]Line, 0, lines)
		w.ends = make([]int, 0, lines)
	}
	if col > 1 && at.off >= t.size { // behind the last character of the file
		w.keep(Line{N: at.n, Column: col})
		at.n++
	}
	for at.off < t.size {
		if len(w.lines) >= w.ask.Lines {
			w.stopped = StopLines
			if w.ask.Limited {
				w.stopped = StopLimit
			}
			return at, nil
		}
		raw, content, after, err := t.line(ctx, at.off, w.rawMax())
		if err != nil {
			return at, err
		}
		line := Line{N: at.n}
		if col > 1 {
			line.Column = col
		}
		if after < 0 {
			w.stopped = w.tooSmall()
		} else if w.whole(line, raw[:content]) {
			t.seen.add(t.ends, raw, content, after)
			at.off += int64(after)
			at.n++
			col = 1
			continue
		}
		if len(w.lines) > 0 {
			return at, nil
		}
		n, chars := w.window(&line, raw[:content], after >= 0)
		if !line.Cut {
			t.seen.add(t.ends, raw, content, after)
			at.off += int64(after)
			at.n++
			col = 1
			continue
		}
		at.off += int64(n)
		w.nextColumn = col + chars
		return at, nil
	}
	return at, nil
}

// line gives the raw line at off: its text is raw[:content], the next one
// starts at raw[after:]. When it has no end within most bytes, after is -1.
func (t *Text) line(ctx context.Context, off int64, most int) (raw []byte, content, after int, err error) {
	for want := 1; ; {
		p, err := t.peek(ctx, off, want)
		if err != nil {
			return nil, 0, 0, err
		}
		eof := off+int64(len(p)) == t.size
		if content, after := t.ends.next(p, eof); after >= 0 {
			return p, content, after, nil
		}
		if eof {
			return p, len(p), len(p), nil
		}
		if len(p) >= most {
			return p, len(p), -1, nil
		}
		want = min(max(t.head, 2*len(p)), most)
	}
}

func (w *writer) overhead(n int64) int {
	if w.ask.Overhead == nil {
		return 1
	}
	return max(w.ask.Overhead(n), 0)
}

// whole takes a line if it is within the budgets, and says which was not
// enough if it is not.
func (w *writer) whole(line Line, raw []byte) bool {
	over := w.overhead(line.N)
	if len(raw) > w.rawMax() {
		w.stopped = w.tooSmall()
		return false
	}
	start := len(w.out)
	out, bad := w.t.show(w.out, raw)
	text := out[start:]
	var chars int
	if w.ask.Chars > 0 || line.Column > 1 {
		chars = utf8.RuneCount(text)
	}
	switch {
	case w.bytes+over+len(text) > w.maxBytes:
		w.stopped = StopBytes
		return false
	case w.ask.Chars > 0 && w.chars+over+chars > w.maxChars:
		w.stopped = StopChars
		return false
	}
	w.out = out
	w.bad += bad
	w.bytes += over + len(text)
	w.chars += over + chars
	if line.Column > 1 {
		_, line.Chars = w.t.enc.Skip(raw, math.MaxInt, true)
	}
	w.keep(line)
	return true
}

// tooSmall says which budget a line breaks that is too long to be decoded.
func (w *writer) tooSmall() string {
	if w.ask.Chars > 0 && w.maxChars*4 < w.maxBytes*w.t.ends.unit {
		return StopChars
	}
	return StopBytes
}

func (w *writer) keep(l Line) {
	w.lines = append(w.lines, l)
	w.ends = append(w.ends, len(w.out))
}

// show appends whole characters as they are shown.
func (t *Text) show(dst, raw []byte) ([]byte, int) {
	start := len(dst)
	dst, _, bad := t.enc.Decode(dst, raw, true)
	if bytes.IndexByte(dst[start:], 0) < 0 {
		return dst, bad
	}
	text := bytes.Clone(dst[start:])
	dst = dst[:start]
	for _, b := range text {
		if b == 0 {
			dst = appendByteEscape(dst, 0)
			bad++
		} else {
			dst = append(dst, b)
		}
	}
	return dst, bad
}

// cut gives the lines their texts.
func (w *writer) cut() []Line {
	if len(w.lines) == 0 {
		return nil
	}
	all := string(w.out)
	from := 0
	for i, end := range w.ends {
		w.lines[i].Text = all[from:end]
		from = end
	}
	return w.lines
}
