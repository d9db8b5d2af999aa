package ops

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"reeve"
	"reeve/internal/edit"
	"reeve/internal/guard"
	"reeve/internal/textcode"
)

// rewritten is an existing file with its new content worked out.
type rewritten struct {
	place   reeve.Place
	plan    *edit.Plan
	version reeve.Version // before
	did     reeve.Did
	count   int // replacements
	edits   int // what they come from, 0 for a whole new text
	first   edit.Edit
}

// change is what is proposed.
func (w *rewritten) change() reeve.Change {
	return reeve.Change{Kind: reeve.Put, Place: w.place, Expect: w.version, Content: reeve.Bytes(w.plan.New)}
}

// basis is what it rests on, for the read state.
func (w *rewritten) basis(stated reeve.Version) guard.Basis {
	b := guard.Basis{Edit: w.did == reeve.DidEdit, Stated: stated, Lines: linesOf(w.plan.Old)}
	for _, r := range w.plan.Regions {
		b.Touched = append(b.Touched, guard.LineRange{From: r.Old.First, To: r.Old.Last})
		b.Written = append(b.Written, guard.LineRange{From: r.New.First, To: r.New.Last})
	}
	return b
}

// linesOf gives the lines of a text as a read shows them. They are made when
// they are asked for.
func linesOf(b []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		ctx := context.Background() // the bytes are in memory
		t, err := textcode.Open(ctx, bytes.NewReader(b), textcode.Options{Binary: textcode.BinaryNUL})
		if err != nil {
			return
		}
		for ask := (textcode.Ask{Offset: 1, Lines: 4096}); ; {
			page, err := t.Page(ctx, ask)
			if err != nil {
				return
			}
			for _, l := range page.Lines {
				if !yield(l.Text) {
					return
				}
			}
			if page.Next == nil {
				return
			}
			ask.Offset, ask.Column = page.Next.Offset, page.Next.Column
		}
	}
}

// shown is what the owner is shown of it: the lines before and after, and the
// difference.
func (w *rewritten) shown() guard.Shown {
	s := guard.Shown{Was: lineCount(w.plan.Old), Now: lineCount(w.plan.New),
		Diff: func(b guard.DiffBounds) guard.Diff { return diffOf(w.plan, b) }}
	if w.edits == 1 {
		s.Edit = edit.Preview(w.first.Old, w.first.New)
		if w.count > 1 {
			s.Edit += "\nin " + grouped(int64(w.count)) + " places"
		}
	} else if w.edits > 1 {
		s.Edit = counted(int64(w.count), "replacement", "replacements") + ", the first: " + edit.Preview(w.first.Old, w.first.New)
	}
	return s
}

// told is the account once it is done.
func (w *rewritten) told(r *guard.Reply, d done) reeve.ChangedFile {
	f := w.account(r)
	if w.did == reeve.DidEdit {
		f.Excerpt, f.More = excerpt(w.plan, r)
	}
	finish(&f, d, r)
	if w.place.Links > 1 {
		f.Names = w.place.Links
	}
	r.Showed(w.place, len(f.Excerpt))
	return f
}

// same is the account of a file that is as asked for already.
func (w *rewritten) same(r *guard.Reply) reeve.ChangedFile {
	f := told(r, w.place, reeve.DidNothing)
	f.Version = w.version
	f.Now = extentOf(w.plan.Old)
	return f
}

// would is the account of a dry run.
func (w *rewritten) would(r *guard.Reply) reeve.ChangedFile {
	f := w.account(r)
	f.Version = w.version
	f.Diff = diffLines(w.plan, r)
	return f
}

func (w *rewritten) account(r *guard.Reply) reeve.ChangedFile {
	f := told(r, w.place, w.did)
	f.Was, f.Now = extentOf(w.plan.Old), extentOf(w.plan.New)
	f.Replacements = w.count
	k := w.plan.Kept
	f.Encoding, f.BOM = k.Encoding, k.BOM
	if k.Now == k.Endings && !k.Given {
		f.Endings = k.Endings
	}
	if note := endingsNote(k); note != "" {
		r.Note("%s: %s", w.place.Display(), note)
	}
	return f
}

// endingsNote says what became of line ends that are not simply those of the
// file as it was, nothing where they are or where there are none to speak of.
func endingsNote(k edit.Kept) string {
	switch {
	case k.Given && k.Now == textcode.Mixed:
		return "the new text has crlf line ends and others, and they were taken as given, so that it mixes them now; before it had " + endingsName(k.Endings) + "."
	case k.Given:
		return "the new text has " + endingsName(k.Now) + " of its own, and they were taken as given; before it had " + endingsName(k.Endings) + "."
	case k.Folded > 0:
		return "the crlf line ends of the new text became those of the lines among which it stands; to change a file's line ends, write the whole file with them."
	case k.Endings == textcode.Mixed && k.Now != k.Endings && k.Now != "":
		return "it had mixed line ends, and those that are left are all " + k.Now + "."
	}
	return ""
}

func endingsName(kind string) string { return kind + " line ends" }

func extentOf(b []byte) *reeve.Extent {
	return &reeve.Extent{Size: int64(len(b)), Lines: lineCount(b), Counted: true}
}

// lineCount counts lines as package textcode does, for the encodings that it
// tells by a byte order mark.
func lineCount(b []byte) int64 {
	enc, mark := textcode.ByMark(b)
	b = b[mark:]
	if len(b) == 0 {
		return 0
	}
	if enc.Unit() == 1 {
		if n := int64(bytes.Count(b, []byte{'\n'})); n > 0 {
			if b[len(b)-1] != '\n' {
				n++
			}
			return n
		}
		n := int64(bytes.Count(b, []byte{'\r'}))
		if b[len(b)-1] != '\r' {
			n++
		}
		return n
	}
	lf, cr := enc.Newline(textcode.LF), enc.Newline(textcode.CR)
	var lfs, crs int64
	for i := 0; i+1 < len(b); i += 2 {
		switch {
		case b[i] == lf[0] && b[i+1] == lf[1]:
			lfs++
		case b[i] == cr[0] && b[i+1] == cr[1]:
			crs++
		}
	}
	end, n := lf, lfs
	if lfs == 0 {
		end, n = cr, crs
	}
	if !bytes.HasSuffix(b, end) {
		n++
	}
	return n
}

// planRefusal gives what the edit layer says its verb and path.
func planRefusal(verb reeve.Verb, shown string, err error) error {
	var e *reeve.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Op, c.Path = string(verb), shown
	if c.Not == "" {
		c.Not = notChanged
	}
	return &c
}
