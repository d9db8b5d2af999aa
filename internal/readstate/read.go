package readstate

import (
	"hash/maphash"
	"unicode/utf8"

	"reeve"
)

// Line is one line that was shown, or a window of it.
type Line struct {
	N    int64  // from 1; from the end, -1 is the last
	Text string // as shown, without its ending
	// Column is the first character shown; 0 means 1. Chars is how many, and
	// may be left 0 where Text says it. Cut: more of the line follows.
	Column, Chars int
	Cut           bool
}

// Seen is one finished read: a page that was shown, of a file that stood
// still.
type Seen struct {
	// Version is what was shown. A read without one licenses nothing.
	Version reeve.Version
	Lines   []Line
	// Total is the number of lines of the version, if Counted.
	Total   int64
	Counted bool
	// Whole: every line is here in full.
	Whole bool
	// Partial: less was visible than the lines say (a render without its
	// images, selected pages). It licenses nothing.
	Partial bool
	// Redacted: parts of the lines were hidden. It licenses edits only.
	Redacted bool
}

// Read notes what was shown. It is to be called when the file's handle is
// closed. Pages of one version add up; a read of another version starts anew.
func (st *State) Read(s reeve.Subject, p reeve.Place, seen Seen) {
	if seen.Version.IsZero() {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.read(s, p, seen)
}

func (st *State) read(s reeve.Subject, p reeve.Place, seen Seen) {
	f := st.open(s, p)
	if f == nil {
		return
	}
	if f.version.Compare(seen.Version) != reeve.Same {
		st.clear(f)
		f.version = seen.Version
	} else if seen.Version.Hashed() && !f.version.Hashed() {
		f.version = seen.Version
	}
	f.when = st.o.Now()
	defer st.weigh(f)
	if seen.Counted {
		f.count(seen.Total)
	}
	if seen.Partial {
		return
	}
	empty := seen.Counted && seen.Total == 0
	if len(seen.Lines) == 0 && !empty {
		return // behind the end: nothing was shown
	}
	f.any = true
	switch {
	case seen.Redacted:
		f.hidden = true
	case seen.Whole:
		f.hidden = false
	}
	st.add(f, seen.Lines)
	if seen.Whole || f.counted && f.seen.covers(f.total) {
		f.all, f.base = true, true
	}
}

// count takes in the number of lines: those counted from the end have a
// number now.
func (f *file) count(total int64) {
	if f.counted {
		return
	}
	f.total, f.counted = total, true
	for _, r := range f.tail {
		f.seen.add(Range{max(1, total+1-r.To), total + 1 - r.From})
	}
	f.tail = nil
}

func (st *State) add(f *file, lines []Line) {
	var full []string // a stretch of whole lines
	var first, next int64
	room := maxHashes - f.lines.len()
	keep := func() {
		if len(full) == 0 {
			return
		}
		f.seen.add(Range{first, next - 1})
		st.text.add(f, first, full)
		if room -= len(full); room >= 0 {
			hashes := make([]uint64, len(full))
			for i, l := range full {
				hashes[i] = maphash.String(st.seed, l)
			}
			f.lines.putAll(first, hashes)
		}
		full = nil
	}
	for i, l := range lines {
		n := l.N
		if n < 0 && f.counted {
			n = f.total + 1 + n
		}
		switch {
		case n == 0:
			continue
		case l.Cut || l.Column > 1:
			if n > 0 {
				f.window(n, l)
			}
			continue
		case n < 0:
			f.tail.add(Range{-n, -n})
			continue
		}
		if len(full) == 0 || n != next {
			keep()
			first = n
		}
		if full == nil {
			full = make([]string, 0, len(lines)-i)
		}
		full, next = append(full, l.Text), n+1
	}
	keep()
}

// window takes in a part of a line. When all of it was shown, the line was.
func (f *file) window(n int64, l Line) {
	if f.seen.has(n) {
		return
	}
	i := 0
	for i < len(f.windows) && f.windows[i].line != n {
		i++
	}
	if i == len(f.windows) {
		if i == maxWindows {
			f.windows = f.windows[1:]
			i--
		}
		f.windows = append(f.windows, window{line: n})
	}
	w := &f.windows[i]
	from, chars := int64(max(1, l.Column)), int64(l.Chars)
	if chars == 0 {
		chars = int64(utf8.RuneCountInString(l.Text))
	}
	w.shown.add(Range{from, from + chars - 1})
	if !l.Cut {
		w.chars = from + chars - 1
	}
	if w.chars > 0 && w.shown.covers(w.chars) {
		f.seen.add(Range{n, n})
		f.windows = append(f.windows[:i], f.windows[i+1:]...)
	}
}

// Entry is one read, or own write, of an earlier conversation.
type Entry struct {
	Place reeve.Place
	Seen  Seen
	// Wrote: the version was written by the session itself.
	Wrote bool
}

// Replay takes the reads of a conversation that is taken up again on the same
// computer. Entries of other targets are left out, and so are those without a
// version. They still have to meet what is on disk. It gives how many were
// taken.
func (st *State) Replay(s reeve.Subject, target reeve.Target, entries []Entry) int {
	if _, ok := sessionKey(s); !ok {
		return 0
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	n := 0
	for _, e := range entries {
		if e.Place.Target != target || e.Seen.Version.IsZero() {
			continue
		}
		st.read(s, e.Place, e.Seen)
		if e.Wrote {
			if f := st.find(s, e.Place); f != nil {
				f.any, f.all, f.base, f.own = true, true, true, true
			}
		}
		n++
	}
	return n
}
