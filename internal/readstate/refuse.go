package readstate

import (
	"fmt"
	"hash/maphash"
	"strings"
	"unicode"

	"reeve"
)

const notWritten = "Nothing was written."

// Unseen is the Cause of a NotRead: what would have to be read.
type Unseen struct {
	// Lines are the ones not seen, To is 0 where the end is not known. Empty
	// when nothing was read at all.
	Lines []Range
	// Redacted: all was read, but parts of it were hidden.
	Redacted bool
	// Session is false when the call belongs to none.
	Session bool
}

func (*Unseen) Error() string { return "it was not all seen" }

// Drift is the Cause of a Changed: what is on disk instead of what was seen.
type Drift struct {
	// Now is the version on disk, marked partial: it licenses nothing.
	Now reeve.Version
	// Own: what was seen last was written by the session itself.
	Own bool
	// Known is set when the changed lines were told apart: Was, of what was
	// seen, are Is now. Either may be empty (To below From).
	Known   bool
	Was, Is Range
	// Excerpt shows some of both: content of the file.
	Excerpt string
}

func (*Drift) Error() string { return "the file is not as it was seen" }

func refuse(a Ask, code reeve.Code, what, instead string, cause error) error {
	e := &reeve.Error{Path: a.Change.Place.Display(), Kind: reeve.Policy, Code: code, What: what, Not: notWritten, Instead: instead, Cause: cause}
	switch a.Change.Kind {
	case reeve.Remove:
		e.Not = "Nothing was deleted."
	case reeve.Move:
		e.Not = "Nothing was moved."
	}
	return e
}

func noSession(a Ask) error {
	what := "can only be replaced with a version, since this call belongs to no session"
	if a.Stated.Partial() {
		what = "cannot be replaced on the version given: it is of a file that was not shown whole"
	}
	return refuse(a, reeve.NotRead, what, "Read all of it, and give the version of that read as if_version.", &Unseen{})
}

func neverRead(a Ask) error {
	return refuse(a, reeve.NotRead, "has not been read in this session",
		fmt.Sprintf("Read it first: read_file with path %q.", a.Change.Place.Display()), &Unseen{Session: true})
}

// unseen names the lines that are missing, and the calls that show them.
func unseen(f *file, a Ask) error {
	u := &Unseen{Session: true}
	path := a.Change.Place.Display()
	if f.hidden && (f.all || a.Rules.Mode == AnyPage) {
		u.Redacted = true
		return refuse(a, reeve.NotRead, "was shown with parts of it hidden, and a new content would lose them",
			"Change it with edits of the lines that are not hidden.", u)
	}
	if !f.any || a.Rules.Mode == AnyPage {
		return refuse(a, reeve.NotRead, "was not shown as text in this session", fmt.Sprintf("Read it first: read_file with path %q.", path), u)
	}
	if f.counted {
		u.Lines = f.seen.gaps(f.total)
	} else {
		last := int64(0)
		if n := len(f.seen); n > 0 {
			last = f.seen[n-1].To
			u.Lines = f.seen.gaps(last)
		}
		u.Lines = append(u.Lines, Range{From: last + 1})
	}
	var which, calls []string
	for i, r := range u.Lines {
		if i == 3 {
			which = append(which, fmt.Sprintf("%d more stretches", len(u.Lines)-3))
			break
		}
		call := fmt.Sprintf("read_file with path %q, offset %d", path, r.From)
		for _, w := range f.windows {
			if w.line == r.From && len(w.shown) > 0 && w.shown[0].From == 1 {
				call += fmt.Sprintf(", column %d", w.shown[0].To+1)
			}
		}
		if r.To > 0 {
			call += fmt.Sprintf(", limit %d", r.To-r.From+1)
		}
		which, calls = append(which, r.String()), append(calls, call)
	}
	what := "was read only in part"
	if f.own {
		what = "was not read whole since the last edit in this session"
	}
	return refuse(a, reeve.NotRead, what+": not seen are "+strings.Join(which, ", "),
		"Read the rest first: "+strings.Join(calls, "; then ")+".", u)
}

// String is "line 3", "lines 3 to 5", or "line 3 and all after it".
func (r Range) String() string {
	switch {
	case r.To == 0:
		return fmt.Sprintf("line %d and all after it", r.From)
	case r.To == r.From:
		return fmt.Sprintf("line %d", r.From)
	}
	return fmt.Sprintf("lines %d to %d", r.From, r.To)
}

// stale refuses a stated version that is not the one on disk.
func (st *State) stale(f *file, a Ask) error {
	if !a.Change.Place.Exists() {
		return refuse(a, reeve.Changed, "is not there any more, though a version of it was given",
			"Leave if_version out to make a new file.", &Drift{})
	}
	d := &Drift{Now: a.Change.Expect.AsPartial()}
	if f != nil && f.version.Compare(a.Stated) == reeve.Same {
		d = st.drift(f, a)
	}
	return st.told(a, "is not the version that was given", d)
}

// changed refuses a change on what is not there any more.
func (st *State) changed(f *file, a Ask) error {
	what := "changed since it was read in this session"
	if f.own {
		what = "changed since it was written in this session"
	}
	if a.Change.Expect.IsZero() {
		what = "is still being changed"
	}
	return st.told(a, what, st.drift(f, a))
}

func (st *State) told(a Ask, what string, d *Drift) error {
	if d.Known {
		switch {
		case d.Was.To < d.Was.From:
			what += ": " + d.Is.String() + " came in"
		case d.Is.To < d.Is.From:
			what += ": " + d.Was.String() + " went out"
		default:
			what += ": " + d.Was.String() + " became " + d.Is.String()
		}
	}
	if d.Excerpt != "" {
		what += ":\n" + d.Excerpt + "\n"
	}
	instead := fmt.Sprintf("Read it again: read_file with path %q, and make the change from what is there now.", a.Change.Place.Display())
	if !d.Now.IsZero() {
		instead += " Its version is now " + d.Now.String() + ", which does not stand in for reading it."
	}
	return refuse(a, reeve.Changed, what, instead, d)
}

// excerptLines is how many lines of each side are shown.
const excerptLines = 6

// drift compares what was seen with the lines on disk. Lines that were not
// seen are taken to be the same.
func (st *State) drift(f *file, a Ask) *Drift {
	d := &Drift{Now: a.Change.Expect.AsPartial(), Own: f.own}
	if a.Lines == nil || f.lines.len() == 0 || f.hidden {
		return d
	}
	var now []uint64
	for l := range a.Lines {
		if len(now) == maxHashes {
			return d
		}
		now = append(now, maphash.String(st.seed, l))
	}
	n, m := f.total, int64(len(now))
	if !f.counted {
		last := f.lines.list[len(f.lines.list)-1]
		n = last.first + int64(len(last.hashes)) - 1
	}
	p := int64(0)
	for p < n && p < m {
		if h, ok := f.lines.get(p + 1); ok && h != now[p] {
			break
		}
		p++
	}
	q := int64(0)
	if f.counted {
		for q < n-p && q < m-p {
			if h, ok := f.lines.get(n - q); ok && h != now[m-1-q] {
				break
			}
			q++
		}
	}
	d.Was, d.Is = Range{p + 1, n - q}, Range{p + 1, m - q}
	if !f.counted {
		if p == n {
			return d // all that was seen is still there
		}
		// How long the change is cannot be known.
		d.Was, d.Is = Range{p + 1, p + 1}, Range{p + 1, min(p+1, m)}
	}
	if d.Was.To < d.Was.From && d.Is.To < d.Is.From {
		return d
	}
	d.Known = true
	d.Excerpt = st.excerpt(f, a, d)
	return d
}

func (st *State) excerpt(f *file, a Ask, d *Drift) string {
	var b strings.Builder
	was := st.text.texts(f, Range{d.Was.From, min(d.Was.To, d.Was.From+excerptLines-1)})
	for n := d.Was.From; n <= d.Was.To && n < d.Was.From+excerptLines; n++ {
		if l, ok := was[n]; ok {
			fmt.Fprintf(&b, "-%5d %s\n", n, clean(l))
		} else {
			fmt.Fprintf(&b, "-%5d (no longer kept)\n", n)
		}
	}
	if d.Was.To >= d.Was.From+excerptLines {
		b.WriteString("-      …\n")
	}
	n := int64(0)
	for l := range a.Lines {
		n++
		if n > d.Is.To || n >= d.Is.From+excerptLines {
			break
		}
		if n >= d.Is.From {
			fmt.Fprintf(&b, "+%5d %s\n", n, clean(l))
		}
	}
	if d.Is.To >= d.Is.From+excerptLines {
		b.WriteString("+      …\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// clean is a line with what cannot be seen made visible, and cut.
func clean(l string) string {
	const width = 160
	var b strings.Builder
	n := 0
	for _, r := range l {
		if n++; n > width {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\t':
			b.WriteRune('→')
		case r < ' ':
			b.WriteRune(0x2400 + r)
		case r > 0x7e && r != ' ' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp):
			fmt.Fprintf(&b, "‹U+%04X›", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
