package ops

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/textcode"
)

// readFile shows pages of text files. Several paths share one budget, in
// their order.
type readFile struct{ indexes *indexes }

// maxReadPaths bounds the files of one call.
const maxReadPaths = 100

const readVerb = reeve.VerbReadFile

// Plan implements guard.Verb.
func (readFile) Plan(call reeve.Call, s reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.ReadFile](call)
	if err != nil {
		return nil, err
	}
	switch n := len(c.Paths); {
	case n == 0:
		return nil, invalid(readVerb, "path", "is missing", "Give path, or paths for several files.")
	case n > maxReadPaths:
		return nil, invalid(readVerb, "paths", fmt.Sprintf("names %d files; at most %d go into one call", n, maxReadPaths), "Make several calls.")
	case n > 1 && c.Column != 0:
		return nil, invalid(readVerb, "column", "only goes with a single path", "Read that file in a call of its own.")
	}
	if c.Column < 0 {
		return nil, invalid(readVerb, "column", "is below 1", "Give the number of a character, counted from 1.")
	}
	if err := between(readVerb, "limit", c.Limit, s.MaxLimit); err != nil {
		return nil, err
	}
	intents := make([]reeve.Intent, len(c.Paths))
	for i, p := range c.Paths {
		name := "path"
		if len(c.Paths) > 1 {
			name = fmt.Sprintf("paths[%d]", i)
		}
		if err := given(readVerb, name, p); err != nil {
			return nil, err
		}
		intents[i] = reeve.Intent{Kind: reeve.IntentRead, Path: p, Optional: len(c.Paths) > 1}
	}
	return intents, nil
}

// Work implements guard.Verb.
func (rd readFile) Work(ctx context.Context, call reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	c, err := callOf[reeve.ReadFile](call)
	if err != nil {
		return guard.Work{}, err
	}
	set := v.Settings()
	b := &budget{r: r, bytes: set.ReadBytes, chars: set.ReadChars}
	if b.chars > 0 {
		b.bytes = r.Left() // the profile counts characters
	}
	a := &reeve.Pages{}
	var failed []*reeve.Error
	var left []string
	for i := range v.Len() {
		if err := ctx.Err(); err != nil {
			return guard.Work{}, err
		}
		if i > 0 && b.empty() {
			left = append(left, v.At(i).Shown())
			if v.At(i).Err != nil {
				failed = append(failed, refusalOf(v.At(i).Err, v.At(i).Shown()))
			}
			continue
		}
		b.later = i < v.Len()-1
		page, err := rd.page(ctx, c, v, i, b)
		if err != nil {
			if v.Len() == 1 || ctx.Err() != nil {
				return guard.Work{}, err
			}
			e := refusalOf(err, v.At(i).Shown())
			if v.At(i).Err == nil { // else the gate has cleared it
				e = r.Refusal(e)
			}
			failed = append(failed, e)
			page = reeve.Page{Path: r.Text(v.At(i).Shown()), Err: e}
			b.around += refusalWords
		}
		a.Pages = append(a.Pages, page)
	}
	if len(failed) == v.Len() {
		return guard.Work{}, noneRead(failed)
	}
	if len(left) > 0 {
		r.Note("%s", notRead(left))
	}
	return guard.Work{Answer: a}, nil
}

// notRead names the files that found no room in the reply, once and in one
// line, and says how to go on.
func notRead(left []string) string {
	var b strings.Builder
	b.WriteString("Not read, since this reply is full: ")
	for i, name := range left {
		more := len(left) - i
		if i > 0 && b.Len()+len(name) > leftRoom-100 || len(name) > leftRoom-100 {
			fmt.Fprintf(&b, "and %s. ", counted(int64(more), "more path", "more paths"))
			break
		}
		b.WriteString(name)
		if more > 1 {
			b.WriteString(", ")
		} else {
			b.WriteString(" . ")
		}
	}
	b.WriteString("Read them in another call.")
	return b.String()
}

// refusalOf gives an error the words of a refusal, for the page of its file.
func refusalOf(err error, shown string) *reeve.Error {
	e, ok := reeve.AsError(err)
	if !ok {
		return &reeve.Error{Op: string(readVerb), Path: shown, Kind: reeve.IO, Code: reeve.Failed,
			What: "could not be read: the system gave an error", Not: "Nothing was read.", Cause: err}
	}
	c := *e
	if c.Path == "" {
		c.Path = shown
	}
	return &c
}

// noneRead is the refusal of a call of which no path could be read.
func noneRead(failed []*reeve.Error) error {
	e := *failed[0]
	e.Op, e.Path = string(readVerb), ""
	e.What = fmt.Sprintf("none of the %d files could be read. %s", len(failed), failed[0].Error())
	for i, f := range failed[1:] {
		if i == 4 {
			e.What += fmt.Sprintf(" … and %d more.", len(failed)-5)
			break
		}
		e.What += " " + f.Error()
	}
	e.Not, e.Instead = "", ""
	return &e
}

// budget is what is left for lines, in bytes and in characters (0: these do
// not count).
type budget struct {
	r            *guard.Reply
	bytes, chars int
	spent        bool
	around       int  // what a surface puts around the lines shown so far
	later        bool // more files follow, which may have to be named
}

// What a surface puts around the lines of a page beside its path: a first
// line about the file, a last one about the way on, the version, and the
// columns of a line that was cut. The tests of a surface hold it to them.
const (
	pageWords    = 40  // "End of file: 12 lines in all."
	versionWords = 80  // "Version …"
	aboutWords   = 120 // "(utf-16le, with BOM, …)"
	nextWords    = 220 // "Lines … of … . Stopped at … . More: offset …, column … ."
	refusalWords = 60  // "Refused: " and its code

	pageSlack = pageWords + versionWords + aboutWords + nextWords
	leftRoom  = 600 // the line that names the files not read
)

func (b *budget) left() int {
	n := b.r.Left() - b.around - pageSlack
	if b.later {
		n -= leftRoom
	}
	return min(b.bytes, n)
}

// numberCost is a line's number, a tab and a newline.
func numberCost(n int64) int {
	var buf [20]byte
	return len(strconv.AppendInt(buf[:0], n, 10)) + 2
}

func (b *budget) take(page textcode.Page, enc string) {
	b.around += pageWords + versionWords
	if page.Next != nil || page.FromEnd {
		b.around += nextWords
	}
	if page.BadBytes > 0 || enc != "utf-8" || page.Endings != textcode.LF {
		b.around += aboutWords
	}
	for _, l := range page.Lines {
		cost := numberCost(l.N)
		b.bytes -= len(l.Text) + cost
		b.around += cost
		if b.chars > 0 {
			if b.chars -= runes(l.Text) + cost; b.chars <= 0 {
				b.spent = true
			}
		}
	}
}

func (b *budget) empty() bool { return b.spent || b.left() <= 0 }

// page shows one of the files.
func (rd readFile) page(ctx context.Context, c *reeve.ReadFile, v *guard.View, i int, b *budget) (reeve.Page, error) {
	s := v.At(i)
	if s.Err != nil {
		return reeve.Page{}, s.Err
	}
	open := func() (snapshot, error) {
		f, err := v.Open(ctx, i)
		if err != nil {
			return snapshot{}, err
		}
		return snapshot{Source: f, stamp: f.Info().Stamp, version: f.Version, close: f.Close,
			fresh: func() (reeve.Stamp, error) {
				info, err := f.Fresh()
				return info.Stamp, err
			}}, nil
	}
	set := v.Settings()
	if most := set.MaxFileBytes; most > 0 && s.Info().Size > most {
		return reeve.Page{}, &reeve.Error{Op: string(readVerb), Path: s.Shown(), Kind: reeve.IO, Code: reeve.TooLarge,
			What: fmt.Sprintf("is %d bytes, and files of over %d are not read here", s.Info().Size, most),
			Not:  "Nothing was read.", Instead: "Use a smaller file."}
	}
	ask := textcode.Ask{Offset: int64(c.Offset), Column: c.Column, Lines: set.ReadLines, Overhead: numberCost,
		Bytes: max(1, b.left()), Chars: max(0, b.chars)}
	if c.Limit > 0 {
		ask.Lines, ask.Limited = c.Limit, true
	}
	got, err := readStill(ctx, open, rd.indexes, set.Binary, ask)
	if err != nil {
		return reeve.Page{}, readRefusal(err, s.Shown())
	}
	b.take(got.page, got.enc)
	return shownPage(got, s, b.r), nil
}

// readRefusal puts what the text layer says into words.
func readRefusal(err error, shown string) error {
	e := &reeve.Error{Op: string(readVerb), Path: shown, Kind: reeve.IO, Not: "Nothing was read.", Cause: err}
	var bin *textcode.BinaryError
	var big *textcode.SizeError
	switch {
	case errors.As(err, &bin):
		e.Code = reeve.Binary
		e.What = textcode.NotText(bin.Size, bin.Type)
		e.Instead = "Only text can be read. stat tells its facts."
	case errors.As(err, &big):
		e.Code = reeve.TooLarge
		e.What = fmt.Sprintf("is too large to be read here: %d bytes, and at most %d are looked through to make sure that it is text", big.Size, big.Limit)
		e.Instead = "Use a smaller file, or search for the lines you need."
	case errors.Is(err, errMoving):
		e.Code = reeve.Changed
		e.What = "is being changed by another program right now, so that no reading of it would be right"
		e.Instead = "Try again in a moment."
	default:
		return err
	}
	return e
}
