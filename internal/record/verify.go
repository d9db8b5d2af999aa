package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Report is what Verify found.
type Report struct {
	Segments int
	Rows     int64
	// Problems are at most one broken row for each segment, the first, and
	// segments or rows that are gone or other than they were.
	Problems []Problem
	// Notes tell what is no sign of tampering by itself: a row that was not
	// finished when its process was stopped.
	Notes []Problem
}

// OK reports that nothing is wrong.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// Problem names a row of a segment and what is wrong with it.
type Problem struct {
	File string `json:"file"` // month/file
	Row  int64  `json:"row,omitempty"`
	What string `json:"what"`
}

func (p Problem) String() string {
	if p.Row == 0 {
		return p.File + ": " + p.What
	}
	return fmt.Sprintf("%s row %d %s", p.File, p.Row, p.What)
}

// claim is what one place says about a row of a segment.
type claim struct{ sum, by string }

// claims are all that is said about a segment, by row.
type claims map[int64]claim

// Verify reads every segment, checks each row against the one before, and
// what segments say about each other. Heads kept elsewhere (from Head) are
// compared too. The error means that the record as a whole can't be read.
func Verify(dir string, kept ...Ref) (Report, error) {
	var rep Report
	root, list, err := openRecord(dir, time.Time{})
	if err != nil {
		return rep, err
	}
	said := map[string]claims{}
	note := func(r Ref, by string) {
		c := said[r.Segment]
		if c == nil {
			c = claims{}
			said[r.Segment] = c
		}
		if have, ok := c[r.N]; ok && have.sum != r.Sum {
			rep.Problems = append(rep.Problems, Problem{r.Segment, r.N, "is named differently by " + have.by + " and " + by})
			return
		}
		c[r.N] = claim{r.Sum, by}
	}
	for _, r := range kept {
		note(r, "the heads that were kept")
	}
	if root != nil {
		defer root.Close()
		for _, s := range list {
			rep.Segments++
			rep.check(root, s.Name, nil, note)
		}
	}
	there := map[string]bool{}
	for _, s := range list {
		there[s.Name] = true
		if c := said[s.Name]; c != nil {
			rep.check(root, s.Name, c, nil)
		}
	}
	for name, c := range said {
		if there[name] {
			continue
		}
		if root != nil && path.Clean(name) == name {
			// It may be younger than the list.
			if _, err := root.Lstat(path.Join(recordDir, name)); err == nil {
				rep.check(root, name, c, nil)
				continue
			}
		}
		last := int64(0)
		for n := range c {
			last = max(last, n)
		}
		rep.Problems = append(rep.Problems, Problem{name, 0, fmt.Sprintf("is missing; it had at least %d rows, says %s", last, c[last].by)})
	}
	sortProblems(rep.Problems)
	return rep, nil
}

// check reads one segment. With note it looks at the segment by itself and
// hands on what it says about others; with want it compares its rows with what
// others say.
func (rep *Report) check(root *os.Root, name string, want claims, note func(Ref, string)) {
	bad := func(row int64, what string) { rep.Problems = append(rep.Problems, Problem{name, row, what}) }
	f, err := openRead(root, path.Join(recordDir, name))
	if err != nil {
		if note != nil {
			bad(0, "can't be read: "+err.Error())
		}
		return
	}
	defer f.Close()
	s := newScanner(name, f)
	long := longRows{root: root, segment: name}
	defer long.close()
	broken := false
	matched := map[int64]bool{}
	for {
		l, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if note != nil {
				bad(s.n+1, "can't be read: "+err.Error())
			}
			return
		}
		if want != nil {
			if c, ok := want[l.N]; ok && l.Sum == c.sum {
				matched[l.N] = true
			}
			continue
		}
		switch {
		case l.torn:
			rep.Notes = append(rep.Notes, Problem{name, l.pos, "is not finished: its process was stopped while writing, or is writing now"})
			continue
		case l.damage != "" && !broken:
			broken = true
			bad(l.pos, l.damage)
		}
		rep.Rows++
		if l.damage != "" {
			continue
		}
		by := fmt.Sprintf("%s row %d", name, l.N)
		for _, r := range l.Heads {
			note(r, by)
		}
		if l.Previous != nil {
			note(*l.Previous, by)
		}
		if l.Detail != nil && !broken {
			if _, err := long.read(*l.Detail); err != nil {
				broken = true
				bad(l.N, "has lost its detail: "+err.Error())
			}
		}
	}
	if want == nil {
		return
	}
	first, by := int64(0), ""
	for n, c := range want {
		if !matched[n] && (first == 0 || n < first) {
			first, by = n, c.by
		}
	}
	switch {
	case first == 0:
	case first > s.n:
		bad(first, fmt.Sprintf("is gone: the segment ends with row %d, and %s names it", s.n, by))
	default:
		bad(first, "is another than "+by+" names: the segment was written anew")
	}
}

func sortProblems(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Row, b.Row))
	})
}
