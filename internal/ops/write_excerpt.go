package ops

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"reeve"
	"reeve/internal/edit"
	"reeve/internal/guard"
	"reeve/internal/textcode"
)

// Bounds of what is shown of one changed file.
const (
	excerptLines  = 30
	excerptAround = 2
	excerptBytes  = 6000
	excerptLine   = 400 // bytes before a change in its line, over which a window is shown
	diffMost      = 200 // lines of a diff
	excerptKeep   = 4000
)

// excerpt shows the changed lines as they are now, with two on each side.
// more counts the changed lines that did not fit.
func excerpt(p *edit.Plan, r *guard.Reply) (lines []reeve.Line, more int64) {
	left := min(excerptBytes, r.Left()-excerptKeep)
	room := int64(excerptLines)
	index := textcode.NewIndex()
	var shownTo int64 // the last line shown
	for _, reg := range p.Regions {
		first, last := reg.New.First, reg.New.Last
		if last <= shownTo {
			continue
		}
		from := max(first-excerptAround, shownTo+1, 1)
		want := last + excerptAround - from + 1
		if room <= 0 || left <= 0 {
			more += last - max(first-1, shownTo)
			continue
		}
		ask := textcode.Ask{Offset: from, Lines: int(min(want, room)), Limited: true, Bytes: left, Overhead: numberCost}
		if col := columnOf(p.New, reg.New); col > 0 {
			ask.Offset, ask.Column, ask.Lines = first, col, int(min(last+excerptAround-first+1, room))
		}
		page, err := pageOf(p.New, index, ask)
		if err != nil || len(page.Lines) == 0 {
			more += last - max(first-1, shownTo)
			continue
		}
		texts := make([]string, len(page.Lines))
		for i, l := range page.Lines {
			texts[i] = l.Text
		}
		cleared, _ := r.Lines(texts)
		for i, l := range page.Lines {
			lines = append(lines, reeve.Line{N: l.N, Text: cleared[i], Column: l.Column, Cut: l.Cut})
			left -= len(l.Text) + numberCost(l.N)
			room--
			shownTo = l.N
		}
		if shownTo < last {
			more += last - max(first-1, shownTo)
		}
	}
	return lines, more
}

func pageOf(b []byte, index *textcode.Index, ask textcode.Ask) (textcode.Page, error) {
	ctx := context.Background() // the bytes are in memory
	t, err := textcode.Open(ctx, bytes.NewReader(b), textcode.Options{Binary: textcode.BinaryNUL, Index: index})
	if err != nil {
		return textcode.Page{}, err
	}
	return t.Page(ctx, ask)
}

// columnOf is where to start in a very long line so that the change is seen,
// 0 for the start of the line.
func columnOf(b []byte, s edit.Span) int {
	enc, mark := textcode.ByMark(b)
	if enc.Unit() != 1 {
		return 0
	}
	head := b[mark:s.From]
	start := bytes.LastIndexByte(head, '\n') + 1
	if len(head)-start <= excerptLine {
		return 0
	}
	n := utf8.RuneCount(head[start:])
	return max(1, n-excerptLine/4)
}

// diffLines is the unified diff of a dry run, bounded.
func diffLines(p *edit.Plan, r *guard.Reply) []reeve.Text {
	left := r.Left() - excerptKeep
	var list []string
	for line := range strings.Lines(p.Diff(diffMost)) {
		line = strings.TrimRight(line, "\r\n")
		if left -= len(line) + 1; left < 0 {
			r.Note("The rest of the difference does not fit into one answer. To see it, make the dry run with fewer edits, or of one file at a time.")
			break
		}
		list = append(list, line)
	}
	out, _ := r.Lines(list)
	return out
}
