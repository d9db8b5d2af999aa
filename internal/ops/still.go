package ops

import (
	"context"
	"errors"
	"unicode/utf8"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/textcode"
)

// tries is how often a file that changes while it is read is read again.
const tries = 3

// errMoving says that a file did not stand still.
var errMoving = errors.New("the file changed while it was read")

// snapshot is a file as it was opened, and a way to ask whether it still is.
type snapshot struct {
	textcode.Source
	stamp   reeve.Stamp
	fresh   func() (reeve.Stamp, error)
	version func(hash *[32]byte) reeve.Version
	close   func() error
}

// reading is a page and what it was read from.
type reading struct {
	page    textcode.Page
	enc     string
	bom     bool
	size    int64
	version reeve.Version // zero where the file did not stand still
	moving  bool
}

// readStill reads a page of a file that stands still: what the file system
// says of the handle is the same before and after. A file that changes is
// read again; if it goes on, a small one is refused, since all of it could be
// mixed up, and of a large one or one that only grew, as logs do, the page is
// shown without a version.
func readStill(ctx context.Context, open func() (snapshot, error), cache *indexes, binary string, ask textcode.Ask) (reading, error) {
	for try := 1; ; try++ {
		r, grew, err := readOnce(ctx, open, cache, binary, ask)
		switch {
		case err != nil && !errors.Is(err, textcode.ErrShort):
			return reading{}, err
		case err == nil && !r.moving:
			return r, nil
		case try < tries:
			if err := ctx.Err(); err != nil {
				return reading{}, err
			}
		case err == nil && (grew || r.size > textcode.SmallFile):
			r.version, r.page.Whole = reeve.Version{}, false
			return r, nil
		default:
			return reading{}, errMoving
		}
	}
}

func readOnce(ctx context.Context, open func() (snapshot, error), cache *indexes, binary string, ask textcode.Ask) (r reading, grew bool, err error) {
	f, err := open()
	if err != nil {
		return reading{}, false, err
	}
	defer f.close()
	var index *textcode.Index
	kept := false
	stamp := f.version(nil)
	// A stamp that a later change could carry too names no version, and an
	// index must never meet another version than its own.
	if f.Size() > textcode.SmallFile && stamp.Compare(stamp) == reeve.Same {
		if index = cache.get(f.stamp); index == nil {
			index = textcode.NewIndex()
		} else {
			kept = true
		}
	}
	t, err := textcode.Open(ctx, f, textcode.Options{Binary: binary, Index: index})
	var p textcode.Page
	if err == nil {
		p, err = t.Page(ctx, ask)
	}
	after, ferr := f.fresh()
	still := ferr == nil && after == f.stamp
	if kept && !still {
		cache.drop(f.stamp)
	}
	switch {
	case err != nil:
		if !still && (errors.Is(err, reeve.Binary) || errors.Is(err, reeve.TooLarge)) {
			err = textcode.ErrShort // judged on bytes that did not stand still
		}
		return reading{}, false, err
	case ferr != nil:
		return reading{}, false, ferr
	}
	r = reading{page: p, enc: t.Encoding().Name(), bom: t.BOM(), size: f.Size(), moving: !still}
	if still {
		r.version = f.version(p.Hash)
		if index != nil && !kept {
			cache.put(f.stamp, index)
		}
	}
	return r, after.SameFile(f.stamp.Identity) && after.Size > f.stamp.Size, nil
}

// shownPage clears what was read.
func shownPage(g reading, s *guard.Seen, r *guard.Reply) reeve.Page {
	place := s.Place()
	p := reeve.Page{Path: r.Path(place), Total: g.page.Total, Counted: g.page.Counted, FromEnd: g.page.FromEnd,
		Stopped: g.page.Stopped, Size: g.size, Version: g.version, Encoding: g.enc, BOM: g.bom,
		Endings: g.page.Endings, Whole: g.page.Whole, BadBytes: g.page.BadBytes}
	if p.Stopped == textcode.StopChars {
		p.Stopped = textcode.StopBytes // the profile's budget, whatever it counts
	}
	if n := g.page.Next; n != nil {
		p.Next = &reeve.Next{Offset: n.Offset, Column: n.Column}
	}
	if len(g.page.Lines) > 0 {
		p.Lines = make([]reeve.Line, len(g.page.Lines))
	}
	texts := make([]string, len(g.page.Lines))
	for i, l := range g.page.Lines {
		texts[i] = l.Text
	}
	cleared, redacted := r.Lines(texts)
	for i, l := range g.page.Lines {
		p.Lines[i] = reeve.Line{N: l.N, Text: cleared[i], Column: l.Column, Cut: l.Cut, Chars: windowed(l)}
	}
	if redacted {
		p.Redacted, p.Whole = true, false
	}
	if !p.Whole {
		p.Version = p.Version.AsPartial() // it is no ground for replacing the file by itself
	}
	// A file without lines is seen whole by any look at it, and one that holds
	// nothing but its byte order mark is such a file.
	if len(p.Lines) > 0 || p.Counted && p.Total == 0 {
		r.Saw(place, p)
	}
	if g.moving {
		r.Note("%s is still being written: what is shown may be part old and part new, and has no version.", place.Display())
	}
	return p
}

// windowed is the number of characters of a line that is shown in part.
func windowed(l textcode.Line) int {
	if l.Column > 1 || l.Cut {
		return l.Chars
	}
	return 0
}

func runes(s string) int { return utf8.RuneCountInString(s) }
