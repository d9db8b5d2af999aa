package edit

import "strings"

// MaxBytes is the largest file, before and after, in bytes, unless Options
// say otherwise.
const MaxBytes = 256 << 20

// MaxRegions bounds Plan.Regions. Where there are more replacements,
// neighbours share a region, with the unchanged bytes between them.
const MaxRegions = 4096

// Edit is one replacement of exact text.
type Edit struct {
	Old, New string
	// All replaces every occurrence, left to right, without overlaps.
	// Without it there must be exactly one.
	All bool
}

// Options say what is taken for text. The zero value is the strictest.
type Options struct {
	// Binary is one of textcode's Binary rules; empty is textcode.BinaryUTF8.
	Binary string
	// MaxBytes bounds the file before and after; 0 means the constant.
	MaxBytes int64
	// Ended ends Apply with its error, as a context's Err does; it is asked
	// now and then. Nil never ends it.
	Ended func() error
}

func (o Options) ended() error {
	if o.Ended == nil {
		return nil
	}
	return o.Ended()
}

func (o Options) max() int64 {
	if o.MaxBytes <= 0 {
		return MaxBytes
	}
	return o.MaxBytes
}

// Span is a stretch of a file.
type Span struct {
	From, To int64 // bytes from the start of the file, mark included; To is behind the last
	// First and Last are the lines it touches, counted from 1. An empty
	// stretch touches the line it stands in.
	First, Last int64
}

// Region is a stretch that was replaced: where it was and where it is.
type Region struct{ Old, New Span }

// Kept says what of the file's form was kept.
type Kept struct {
	Encoding string // "utf-8", "utf-16le", "utf-16be"
	BOM      bool
	// Endings is what the old file had: one of textcode's names, "" if none.
	// Ending is the most frequent of them: what new lines get where they
	// land among none; "" if there are none.
	Endings, Ending string
	// Now is what the new content has, as Endings is what the old one had.
	// They were kept only where both are the same.
	Now string
	// Folded counts the "\r\n" in new texts of edits that became another
	// ending, as the lines have among which they landed.
	Folded int
	// BadBytes counts bytes that are no characters, left as they were.
	BadBytes int
	// Given is set by Rewrite where the new text's own "\r\n" were taken
	// instead of the file's endings.
	Given bool
}

// Plan is a change that has been worked out.
type Plan struct {
	// Old and New are the whole content before and after. Old is the slice
	// that was handed in; both are equal, and may be one slice, when nothing
	// changed.
	Old, New []byte
	Changed  bool
	// Counts are the replacements of each edit, in their order. Rewrite has
	// none.
	Counts []int
	// Regions are in order and do not touch each other. All outside them is
	// the same in Old and New, byte for byte.
	Regions []Region
	Kept    Kept

	was, is *text
}

// Apply makes the edits one after the other, each to what the ones before it
// left, all of them or none. Memory: the file, the new file, and where there
// are several edits that make it grow, one or two more for a moment.
//
// Errors are *reeve.Error without Op and Path; Cause is a *Miss where old text
// was not found. Codes: NoMatch, Ambiguous, Invalid (empty or blank old text,
// or nothing would change), Binary, Encoding (the place or the new text does
// not go together with the file's bytes), TooLarge (said before memory is taken
// for it, and where edits feed one another before the first of them is made);
// or that of Options.Ended.
func Apply(original []byte, edits []Edit, o Options) (*Plan, error) {
	if len(edits) == 0 {
		return nil, invalid("the call has no edits", "Give the old and the new text.")
	}
	if int64(len(original)) > o.max() {
		return nil, tooLarge("is", int64(len(original)), o.max())
	}
	if err := refuseBinary(original, o.Binary); err != nil {
		return nil, err
	}
	was := newText(original)
	for i, e := range edits {
		if err := was.check(e, nth{i, len(edits)}); err != nil {
			return nil, err
		}
	}
	w := &work{was: was, is: was, options: o, edits: edits}
	counts := make([]int, len(edits))
	for i := range edits {
		n, err := w.apply(i)
		if err != nil {
			return nil, err
		}
		counts[i] = n
	}
	return w.plan(counts), nil
}

// work is the state of Apply between two edits.
type work struct {
	was, is *text
	options Options
	edits   []Edit
	grown   bool   // is has bytes of its own
	spare   []byte // bytes that nothing stands in any more
	touched []patch
	folded  int
}

// apply makes one edit.
func (w *work) apply(i int) (int, error) {
	if err := w.options.ended(); err != nil {
		return 0, err
	}
	e, at := w.edits[i], nth{i, len(w.edits)}
	f := w.is.finder(e.Old)
	first, ok := f.next(0)
	if !ok {
		return 0, w.noMatch(e, at)
	}
	if !e.All {
		if _, more := f.next(w.is.after(first.from)); more {
			return 0, w.ambiguous(f, at)
		}
	}
	if err := w.is.fits(e, at); err != nil {
		return 0, err
	}
	r := w.is.replacer(f.folded, w.is.fold(e.New))
	own := strings.Count(e.New, "\r\n")
	count, size := 0, int64(len(w.is.raw))
	for m, ok := first, true; ok; m, ok = f.next(m.to) {
		if w.is.torn(m.from) {
			return 0, w.is.tornError(m.from, at)
		}
		if count++; count%endedEvery == 0 {
			if err := w.options.ended(); err != nil {
				return 0, err
			}
		}
		size += int64(len(r.bytes(m))) - int64(m.to-m.from)
		if own > 0 {
			w.folded += max(0, own-w.is.endings(r.bytes(m)).crlf)
		}
		if !e.All {
			break
		}
	}
	if size > w.options.max() {
		return 0, tooLarge("would be", size, w.options.max())
	}
	if least := w.least(i, int64(count), size); least > w.options.max() {
		return 0, tooLarge("would be at least", least, w.options.max())
	}
	if err := w.options.ended(); err != nil {
		return 0, err
	}
	w.touched = compose(w.touched, w.splice(f, r, first, count, int(size)), i)
	return count, nil
}

// splice makes the new bytes and tells where, in the coordinates of the body
// before this edit.
func (w *work) splice(f *finder, r *replacer, first match, count, size int) []patch {
	if count == 1 {
		text := r.bytes(first)
		w.is = w.is.with(w.put(first, text, size), text)
		return []patch{{oldFrom: first.from, oldTo: first.to, newFrom: first.from, newTo: first.from + len(text)}}
	}
	group := (count + MaxRegions - 1) / MaxRegions
	list := make([]patch, 0, (count+group-1)/group)
	body, mark := w.is.body, w.is.mark
	out := append(w.room(size), w.is.raw[:mark]...)
	last := 0
	for i, m := 0, first; i < count; i++ {
		out = append(out, body[last:m.from]...)
		at := len(out) - mark
		out = append(out, r.bytes(m)...)
		if i%group == 0 {
			list = append(list, patch{oldFrom: m.from, newFrom: at})
		}
		p := &list[len(list)-1]
		p.oldTo, p.newTo = m.to, len(out)-mark
		last = m.to
		if i+1 < count {
			m, _ = f.next(m.to)
		}
	}
	out = append(out, w.is.raw[mark+last:]...)
	if w.grown {
		w.spare = w.is.raw
	}
	w.is = w.is.with(out, r.any)
	w.grown = true
	return list
}

// put replaces one stretch: in a copy at first, then in place where it fits.
func (w *work) put(m match, text []byte, size int) []byte {
	mark, raw := w.is.mark, w.is.raw
	from, to := mark+m.from, mark+m.to
	if !w.grown {
		w.grown = true
		room := size
		for _, e := range w.edits {
			if !e.All {
				room += max(0, len(e.New)-len(e.Old)) * w.is.unit
			}
		}
		if len(w.edits) == 1 {
			room = size
		}
		out := make([]byte, 0, room)
		out = append(out, raw[:from]...)
		out = append(out, text...)
		return append(out, raw[to:]...)
	}
	if size > cap(raw) {
		out := make([]byte, 0, size+size/16)
		out = append(out, raw[:from]...)
		out = append(out, text...)
		return append(out, raw[to:]...)
	}
	out := raw[:max(size, len(raw))]
	copy(out[from+len(text):size], raw[to:])
	copy(out[from:], text)
	return out[:size]
}

// plan tells what came of it all.
func (w *work) plan(counts []int) *Plan {
	p := &Plan{Old: w.was.raw, New: w.is.raw, Counts: counts, Kept: w.was.kept(), was: w.was, is: w.is}
	p.Kept.Now, p.Kept.Folded = w.is.ends().name(), w.folded
	p.Regions = regions(w.was, w.is, w.touched)
	for _, r := range p.Regions {
		if string(p.Old[r.Old.From:r.Old.To]) != string(p.New[r.New.From:r.New.To]) {
			p.Changed = true
			break
		}
	}
	if !p.Changed {
		p.Regions = nil
	}
	return p
}

// check refuses what no file could make sense of.
func (t *text) check(e Edit, at nth) error {
	switch {
	case e.Old == "":
		return invalid("the old text"+at.name(" of")+" is empty, and the file exists",
			"Give the text that is to be replaced, or write the whole file.")
	case blank(e.Old):
		return invalid("the old text"+at.name(" of")+" is blank: it would be found anywhere",
			"Give some of the text around it as well, in the old and in the new text.")
	}
	if err := plainText(e.Old, "the old text"+at.name(" of")); err != nil {
		return err
	}
	if err := plainText(e.New, "the new text"+at.name(" of")); err != nil {
		return err
	}
	if e.Old == e.New {
		return invalid("the old and the new text"+at.name(" of")+" are the same, so nothing would change",
			"Give a new text that differs.")
	}
	if t.fold(e.Old) == t.fold(e.New) {
		return invalid("the old and the new text"+at.name(" of")+" differ in line endings only, and the file's own endings are kept",
			"Leave this edit out.")
	}
	return nil
}
