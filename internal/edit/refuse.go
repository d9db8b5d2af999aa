package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"reeve"
	"reeve/internal/textcode"
)

const notWritten = "Nothing was written."

// nth names one edit of several.
type nth struct{ i, of int }

func (n nth) name(word string) string {
	if n.of < 2 {
		return ""
	}
	return fmt.Sprintf("%s edit %d of %d", word, n.i+1, n.of)
}

func invalid(what, instead string) error {
	return &reeve.Error{Kind: reeve.Input, Code: reeve.Invalid, What: what, Not: notWritten, Instead: instead}
}

func tooLarge(verb string, size, limit int64) error {
	return &reeve.Error{Kind: reeve.IO, Code: reeve.TooLarge, Not: notWritten, Instead: "Use a smaller file.",
		What: fmt.Sprintf("%s %d bytes, and files of over %d bytes are not changed here", verb, size, limit)}
}

// plainText refuses text that no text file can hold.
func plainText(s, name string) error {
	if !utf8.ValidString(s) {
		return invalid(name+" is not valid UTF-8", "Give it as text.")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return invalid(name+" holds a NUL character, and a file with one is no text file any more", "Leave it out.")
	}
	return nil
}

// blank reports a text that shows nothing.
func blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf) }) < 0
}

// refuseBinary is textcode's judgement. Its rules that need the beginning
// alone are shown the beginning alone.
func refuseBinary(raw []byte, rule string) error {
	head := raw
	if rule == textcode.BinaryNUL || rule == textcode.BinaryNULByte {
		head = raw[:min(len(raw), 16<<10)]
	}
	_, err := textcode.Open(context.Background(), bytes.NewReader(head), textcode.Options{Binary: rule})
	var bin *textcode.BinaryError
	var big *textcode.SizeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bin):
		return &reeve.Error{Kind: reeve.IO, Code: reeve.Binary, Cause: err, Not: notWritten,
			What:    textcode.NotText(int64(len(raw)), bin.Type),
			Instead: "Only text can be changed. Write to another name to put text beside it."}
	case errors.As(err, &big):
		return tooLarge("is", big.Size, big.Limit)
	}
	return &reeve.Error{Kind: reeve.IO, Code: reeve.Failed, Cause: err, What: "could not be looked through", Not: notWritten}
}

// torn reports a match that may start with the second half of a character of
// an encoding that is not known here (in Shift-JIS, GBK and Big5 that half can
// be an ASCII letter).
func (t *text) torn(from int) bool {
	if t.unit != 1 || from == 0 || t.body[from-1] < utf8.RuneSelf || t.body[from] < '0' || t.body[from] > '~' {
		return false
	}
	_, w := utf8.DecodeLastRune(t.body[max(0, from-utf8.UTFMax):from])
	return w == 1
}

func (t *text) tornError(from int, at nth) error {
	c := lineCounter{t: t}
	return &reeve.Error{Kind: reeve.IO, Code: reeve.Encoding, Not: notWritten,
		What:    fmt.Sprintf("is not UTF-8, and what the old text%s meets in line %d may begin in the middle of a character", at.name(" of"), c.line(from)),
		Instead: "Let the old text begin at a space or at the start of a line."}
}

// fits refuses text beyond ASCII in a file whose bytes beyond ASCII are
// mostly no UTF-8: it would be in two encodings then.
func (t *text) fits(e Edit, at nth) error {
	if t.unit != 1 || ascii(e.Old) && ascii(e.New) {
		return nil
	}
	long, bad := t.foreign()
	if bad == 0 || long > bad {
		return nil
	}
	which := "the old or the new text"
	return t.foreignError(t.firstBad(), which+at.name(" of"))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// firstBad is the first byte behind the mark that is no character, -1 if there
// is none: in UTF-16 half a character, or an odd byte at the end.
func (t *text) firstBad() int {
	if t.unit == 2 {
		if i := t.loneFrom(0); i >= 0 {
			return i
		}
		if len(t.raw)-t.mark > len(t.body) {
			return len(t.body)
		}
		return -1
	}
	if utf8.Valid(t.body) {
		return -1
	}
	for i := 0; i < len(t.body); {
		if t.body[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, w := utf8.DecodeRune(t.body[i:])
		if w == 1 {
			return i
		}
		i += w
	}
	return -1
}

// orAnew is the way on for whoever wants nothing of what is there.
const orAnew = "If none of it is to be kept, delete the file first and write it anew."

func (t *text) foreignError(bad int, which string) error {
	c := lineCounter{t: t}
	line := c.line(bad)
	e := &reeve.Error{Kind: reeve.IO, Code: reeve.Encoding, Not: notWritten}
	if t.unit == 2 {
		what := "half a character"
		if bad == len(t.body) {
			what = "a single byte where two make a character"
		}
		e.What = fmt.Sprintf("holds what a new text cannot keep: in line %d there is %s, and the file is in UTF-16", line, what)
		e.Instead = "Change parts of it with edits: all other bytes stay as they are. " + orAnew
		return e
	}
	e.What = fmt.Sprintf("is in an encoding that cannot be kept: line %d holds the byte %#x, which is not UTF-8", line, t.body[bad])
	if which == "" {
		e.Instead = "Change parts of it with edits in plain ASCII: all other bytes stay as they are. " + orAnew
		return e
	}
	e.What += ", and " + which + " is not plain ASCII"
	e.Instead = "Keep to plain ASCII in this file: all other bytes stay as they are."
	return e
}

// ambiguousLines is how many places a refusal names.
const ambiguousLines = 10

func (w *work) ambiguous(f *finder, at nth) error {
	c := lineCounter{t: w.is}
	miss := &Miss{Edit: at.i, Of: at.of, Overlaps: -1}
	last := 0
	for m, ok := f.next(0); ok; m, ok = f.next(m.to) {
		miss.Count++
		if len(miss.Lines) < ambiguousLines {
			miss.Lines = append(miss.Lines, c.line(m.from))
		}
		last = m.from
	}
	what := fmt.Sprintf("holds the old text%s %d times, %s", at.name(" of"), miss.Count, lineList(miss.Lines, miss.Count))
	if miss.Count == 1 { // the others overlap it
		miss.Count = 2
		if m, ok := f.next(w.is.after(last)); ok {
			miss.Lines = append(miss.Lines, c.line(m.from))
		}
		what = fmt.Sprintf("holds the old text%s in places that overlap each other, %s", at.name(" of"), lineList(miss.Lines, 2))
	}
	if at.i > 0 {
		what += ", counted after the edits before it"
	}
	return &reeve.Error{Kind: reeve.Input, Code: reeve.Ambiguous, Cause: miss, What: what, Not: notWritten,
		Instead: "Give more of the text around the one that is meant, or set all to change every one."}
}

func lineList(lines []int64, count int) string {
	var b strings.Builder
	b.WriteString("in line ")
	if len(lines) > 1 && lines[0] != lines[len(lines)-1] {
		b.Reset()
		b.WriteString("in lines ")
	}
	var last int64
	for i, n := range lines {
		if n == last {
			continue
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", n)
		last = n
	}
	if count > len(lines) {
		b.WriteString(" and more")
	}
	return b.String()
}

// Miss is why old text could not be replaced, for programs: the Cause of a
// refusal with NoMatch or Ambiguous.
type Miss struct {
	Edit, Of int // which edit, from 0, of how many
	// Count is how often the text is there, and Lines the first places.
	Count int
	Lines []int64
	// Overlaps is the edit (from 0) that changed the text before this one
	// could, -1 if it is not that.
	Overlaps int
	// First and Last are the lines of the nearest text, 0 if nothing is near.
	First, Last int64
	// Excerpt shows them: content of the file, of at most 15 lines.
	Excerpt string
	// Differs says how the first line that differs does, in words.
	Differs string
}

func (m *Miss) Error() string {
	if m.Count > 0 {
		return fmt.Sprintf("the text is there %d times", m.Count)
	}
	return "the text is not there"
}

func (w *work) noMatch(e Edit, at nth) error {
	miss := &Miss{Edit: at.i, Of: at.of, Overlaps: -1}
	out := &reeve.Error{Kind: reeve.Input, Code: reeve.NoMatch, Cause: miss, Not: notWritten}
	out.What = "does not hold the old text" + at.name(" of")
	if at.i > 0 {
		if by, ok := w.taken(e); ok {
			miss.Overlaps = by
			out.What += fmt.Sprintf(" any more: edit %d changed it before", by+1)
			out.Instead = "Join the two edits into one."
			return out
		}
	}
	n := w.is.near(w.is.fold(e.Old))
	if n == nil {
		out.What += ", nor anything like it"
		if w.is.unit == 1 && !ascii(e.Old) && w.is.firstBad() >= 0 {
			out.What += "; the file is not UTF-8, so that only plain ASCII can be found in it"
		}
		out.Instead = "Read the file again and give the text exactly as it stands there."
		return out
	}
	miss.First, miss.Last, miss.Excerpt, miss.Differs = n.first, n.last, n.excerpt, n.differs
	where := fmt.Sprintf("line %d", n.first)
	if n.last > n.first {
		where = fmt.Sprintf("lines %d to %d", n.first, n.last)
	}
	out.What += ". The nearest is in " + where + ":\n" + n.excerpt + "\n" + n.differs
	out.Instead = "Give the old text exactly as it stands in the file."
	return out
}

// taken tells which edit changed a text that the file had at first.
func (w *work) taken(e Edit) (by int, ok bool) {
	m, ok := w.was.finder(e.Old).next(0)
	if !ok {
		return 0, false
	}
	for _, p := range w.touched {
		if p.oldFrom <= m.to && m.from <= p.oldTo {
			return p.by, true
		}
	}
	return 0, false
}
