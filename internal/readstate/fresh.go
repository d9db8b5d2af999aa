package readstate

import (
	"hash/maphash"
	"iter"

	"reeve"
)

// The modes of Rules.
const (
	Off      = "off"
	AnyPage  = "read"
	AllLines = "all_lines" // the empty and every unknown mode are this one
)

// Rules are what a profile asks for. The zero value is the strictest.
type Rules struct {
	Mode string
	// Version: a stated version of a full read stands in for a read of this
	// session. (Without a session it always does, there being no other way.)
	Version bool
	// Rebase: an edit may go over a change by others if the lines it touches
	// are those that were seen.
	Rebase bool
	// Inert: a call without a session is asked for nothing.
	Inert bool
}

// Ask is one change to be judged.
type Ask struct {
	// Change.Expect is the version that is on disk now and that the change is
	// based on.
	Change reeve.Change
	// Edit: the change replaces text that was found where it stands. False is
	// a whole new content.
	Edit bool
	// Stated is the version that the caller named (if_version).
	Stated reeve.Version
	// Lines are the lines on disk now as a read would show them, nil if not
	// at hand. They are gone through only where something has to be told
	// apart.
	Lines iter.Seq[string]
	// Touched are the lines of these that an edit replaces.
	Touched []Range
	Rules   Rules
}

// Ground is what a change rests on.
type Ground string

const (
	Free    Ground = "free"    // none is needed
	ByRead  Ground = "read"    // it was seen
	ByOwn   Ground = "own"     // it was written here
	Stated  Ground = "version" // the caller named the version of a full read
	Rebased Ground = "rebased" // others changed it, but not what the edit touches
	Drifted Ground = "drifted" // somebody changed it after an own write; the edit's text was found
)

// Fresh tells what a change rests on, or refuses one that rests on what the
// session has not seen, with NotRead or Changed; Cause is an *Unseen or a
// *Drift. A stated version that is not the one on disk is refused for every
// kind of change and in every mode. Errors have no Op.
func (st *State) Fresh(s reeve.Subject, a Ask) (Ground, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	ch := a.Change
	f := st.find(s, ch.Place)
	if !a.Stated.IsZero() && (!ch.Place.Exists() || a.Stated.Compare(ch.Expect) != reeve.Same) {
		return "", st.stale(f, a)
	}
	if ch.Kind != reeve.Put || !ch.Place.Exists() || a.Rules.Mode == Off {
		return Free, nil
	}
	stated := !a.Stated.IsZero() && !a.Stated.Partial()
	if _, ok := sessionKey(s); !ok {
		switch {
		case a.Rules.Inert:
			return Free, nil
		case stated:
			return Stated, nil
		}
		return "", noSession(a)
	}
	if f == nil {
		if stated && a.version() {
			return Stated, nil
		}
		return "", neverRead(a)
	}
	same := f.version.Compare(ch.Expect)
	if same == reeve.Unknown && st.equal(f, a.Lines) {
		same = reeve.Same
		if !ch.Expect.IsZero() {
			f.version = ch.Expect
		}
	}
	if same == reeve.Same && f.licensed(a) {
		if f.own {
			return ByOwn, nil
		}
		return ByRead, nil
	}
	if a.Edit && same != reeve.Same && a.Rules.Mode == AnyPage && f.own && f.any {
		return Drifted, nil
	}
	if a.Edit && a.Rules.Mode != AnyPage && a.Rules.Rebase && f.base && st.knows(f, a) {
		return Rebased, nil
	}
	if stated && a.version() {
		return Stated, nil
	}
	if same == reeve.Same || !f.any {
		return "", unseen(f, a)
	}
	return "", st.changed(f, a)
}

// version reports whether a stated version stands in for a read: never where
// any page of a read is enough.
func (a Ask) version() bool { return a.Rules.Version && a.Rules.Mode != AnyPage }

// licensed reports whether what was seen of this very version is enough.
func (f *file) licensed(a Ask) bool {
	if f.hidden && !a.Edit {
		return false
	}
	if a.Rules.Mode == AnyPage {
		return f.any
	}
	return f.all
}

// equal compares the lines on disk with all that were seen, where versions
// cannot tell.
func (st *State) equal(f *file, lines iter.Seq[string]) bool {
	if lines == nil || !f.all || !f.counted || f.hidden {
		return false
	}
	want, ok := f.lines.whole(f.total)
	if !ok {
		return false
	}
	i, same := 0, true
	for l := range lines {
		if same = i < len(want) && want[i] == maphash.String(st.seed, l); !same {
			break
		}
		i++
	}
	return same && i == len(want)
}

// knowing bounds the comparisons of knows.
const knowing = 4 << 20

// knows reports whether the lines that an edit touches are such as were seen,
// one after the other.
func (st *State) knows(f *file, a Ask) bool {
	if a.Lines == nil || len(a.Touched) == 0 {
		return false
	}
	var need [][]uint64
	var n, last int64
	for _, r := range a.Touched {
		if r.From <= last || r.To < r.From {
			return false
		}
		last = r.To
	}
	need = make([][]uint64, len(a.Touched))
	i := 0
	for l := range a.Lines {
		n++
		for i < len(a.Touched) && a.Touched[i].To < n {
			i++
		}
		if i == len(a.Touched) {
			break
		}
		if n >= a.Touched[i].From {
			need[i] = append(need[i], maphash.String(st.seed, l))
		}
	}
	work := knowing
	for i, r := range a.Touched {
		if int64(len(need[i])) != r.To-r.From+1 || !f.holds(need[i], &work) {
			return false
		}
	}
	return true
}

func (f *file) holds(need []uint64, work *int) bool {
	for _, r := range f.lines.list {
		if holds(r.hashes, need, work) {
			return true
		}
	}
	for _, x := range f.extra {
		if holds(x, need, work) {
			return true
		}
	}
	return false
}

func holds(have, need []uint64, work *int) bool {
	for i := 0; i+len(need) <= len(have); i++ {
		j := 0
		for j < len(need) && have[i+j] == need[j] {
			j++
		}
		if *work -= j + 1; *work < 0 {
			return false
		}
		if j == len(need) {
			return true
		}
	}
	return false
}
