package textcode

import (
	"context"
	"math"
)

// MaxPage bounds the text of one page in bytes, whatever was asked.
const MaxPage = 8 << 20

// The words of Page.Stopped.
const (
	StopLimit = "limit" // the lines the caller asked for
	StopLines = "lines" // the profile's lines
	StopBytes = "bytes" // the budget in bytes
	StopChars = "chars" // the budget in characters
)

// Ask says which lines are wanted.
type Ask struct {
	// Offset is the first line: 1 is the first, -1 the last, 0 means 1. More
	// lines from the end than there are means the first.
	Offset int64
	// Column is the first character of that line; 0 means 1.
	Column int
	// Lines is how many lines at most, over 0. Limited says that the caller
	// asked for just that many: then Stopped is "limit", else "lines".
	Lines   int
	Limited bool
	// Bytes and Chars bound the text as shown, with Overhead; 0 means no
	// bound but MaxPage.
	Bytes, Chars int
	// Overhead is what showing a line costs beside its text, for its number
	// and its newline, in bytes and in characters alike. Nil means 1.
	Overhead func(n int64) int
}

// Line is one line, without its ending, or a window of one.
type Line struct {
	N    int64  // from 1, or negative from the end
	Text string // valid UTF-8
	// Column is the first character shown; 0 means 1. Where the column asked
	// for is behind the line's end, it is one past the last character and the
	// Text is empty.
	Column int
	// Chars is the characters shown, given only where Column is over 1 or
	// Cut is set.
	Chars int
	Cut   bool // more of the line follows
}

// Next is where the following page starts. Column is 0 at the start of a
// line.
type Next struct {
	Offset int64
	Column int
}

// Page is a part of a text.
type Page struct {
	Lines []Line
	// Total is the number of lines, or while Counted is false the number
	// that there are at least.
	Total   int64
	Counted bool
	FromEnd bool   // lines are numbered from the end, -1 is the last
	Next    *Next  // nil at the end
	Stopped string // what ended the page: one of the Stop words, "" at the end
	// Endings is LF, CRLF, CR or Mixed, "" if none was seen. Of a file over
	// SmallFile only the first 64 KiB and the pages shown were looked at.
	Endings  string
	BadBytes int  // bytes, surrogates and NULs shown escaped in this page
	Whole    bool // all lines are here in full
	// Hash is the BLAKE3 hash of all bytes of the file, nil if not all were
	// read.
	Hash *[32]byte
}

// Page reads the lines asked for: whole lines, as many as the budgets hold. A
// line that is larger than a budget by itself is shown in windows, each the
// only or last line of its page; Next says where its rest is. At least one
// character is shown whatever the budgets, so that following Next ends.
//
// A line that is not there gives a page without lines; its Total says how
// many there are. Errors: *AskError, ErrShort, and those of ReadAt and ctx as
// they are; then nothing is shown.
func (t *Text) Page(ctx context.Context, a Ask) (Page, error) {
	if err := a.check(); err != nil {
		return Page{}, err
	}
	if err := ctx.Err(); err != nil {
		return Page{}, err
	}
	at, err := t.locate(ctx, a.Offset)
	if err != nil {
		return Page{}, err
	}
	w := newWriter(t, a)
	first := at
	col := 1
	if a.Column > 1 && at.off < t.size {
		if at.off, col, err = t.column(ctx, at.off, a.Column); err != nil {
			return Page{}, err
		}
	}
	next, err := w.fill(ctx, at, col)
	if err != nil {
		return Page{}, err
	}
	return t.finish(ctx, w, first, col, next)
}

func (a Ask) check() error {
	switch {
	case a.Lines <= 0:
		return &AskError{"a page needs at least one line"}
	case a.Column < 0:
		return &AskError{"columns are counted from 1"}
	case a.Bytes < 0 || a.Chars < 0:
		return &AskError{"a budget cannot be below 0"}
	}
	return nil
}

// finish says how much there is and how to go on.
func (t *Text) finish(ctx context.Context, w *writer, first place, col int, end place) (Page, error) {
	p := Page{Lines: w.cut(), BadBytes: w.bad, FromEnd: first.n < 0}
	if end.off >= t.size {
		if !p.FromEnd {
			t.setTotal(end.n - 1)
		}
		p.Whole = first.n == 1 && col == 1
	} else {
		p.Next = &Next{Offset: end.n, Column: w.nextColumn}
		p.Stopped = w.stopped
		if !p.FromEnd && !t.small {
			t.index.sawLines(end.n)
			if w.nextColumn == 0 {
				t.index.sawLine(mark{end.off, end.n})
			}
		}
	}
	if t.small {
		p.Total, p.Counted = t.total, true
	} else {
		p.Total, p.Counted = t.index.Total()
	}
	p.Endings = t.seen.name()
	if p.Whole && !t.small && t.index.getHash() == nil {
		if err := t.hashWhole(ctx); err != nil {
			return Page{}, err
		}
	}
	p.Hash = t.Hash()
	return p, nil
}

// column finds a character of the line that starts at start. Behind the
// line's end it gives the end.
func (t *Text) column(ctx context.Context, start int64, col int) (int64, int, error) {
	at := mark{start, 1}
	if !t.small {
		at = t.index.findColumn(start, int64(col), at)
	}
	for at.n < int64(col) && at.off < t.size {
		p, err := t.peek(ctx, at.off, t.head)
		if err != nil {
			return 0, 0, err
		}
		p, eof := t.trim(at.off, p)
		content, after := t.ends.next(p, true)
		last := eof
		if after >= 0 {
			p, last = p[:content], true
		}
		want := int(min(int64(col)-at.n, math.MaxInt))
		n, chars := t.enc.Skip(p, want, last)
		at.off += int64(n)
		at.n += int64(chars)
		if after >= 0 && n == len(p) || eof {
			break
		}
		if !t.small && at.off-start >= markStride {
			t.index.sawColumn(start, at)
		}
	}
	return at.off, int(at.n), nil
}
