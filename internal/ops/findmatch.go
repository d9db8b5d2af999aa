package ops

import (
	"context"
	"io"
	"math"
	"time"

	"reeve"
	"reeve/internal/search"
)

// noSize stands for a size that was not asked for.
const noSize = math.MinInt64

// matcher holds what a search asks for.
type matcher struct {
	glob        *search.Glob
	needle      *search.Needle
	only        reeve.FileKind // empty: any
	larger      int64          // noSize: not asked
	smaller     int64
	after       int64 // Unix nanoseconds, 0: not asked
	before      int64
	bornAfter   int64
	bornBefore  int64
	newest      bool
	limitBytes  int64
	buf         []byte
	tally       *tally
	clock       *clock
	cut, unborn int
}

// checkFind refuses arguments that are wrong by themselves or together.
func checkFind(c *reeve.SearchFiles, s reeve.Settings) error {
	_, err := newMatcher(c, s, time.Unix(1<<31, 0))
	return err
}

func newMatcher(c *reeve.SearchFiles, s reeve.Settings, now time.Time) (*matcher, error) {
	m := &matcher{larger: noSize, smaller: noSize, limitBytes: s.SearchBytes, newest: c.Sort == "newest"}
	var err error
	if m.glob, err = search.Compile(c.Pattern, search.GlobOptions{BaseName: s.BaseNamePatterns}); err != nil {
		return nil, badArgument(findVerb, "pattern", err)
	}
	switch k := reeve.FileKind(c.Type); k {
	case "", reeve.File, reeve.Directory, reeve.Symlink:
		m.only = k
	default:
		return nil, invalid(findVerb, "type", "is not a type", "Give file, directory or symlink, or leave it out.")
	}
	if c.Sort != "" && c.Sort != "path" && c.Sort != "newest" {
		return nil, invalid(findVerb, "sort", "is not an order", "Give path or newest, or leave it out.")
	}
	if c.Contains != "" {
		if m.needle, err = search.NewNeedle(c.Contains); err != nil {
			return nil, badArgument(findVerb, "contains", err)
		}
	}
	for _, x := range []struct {
		name string
		from *int64
		to   *int64
	}{{"larger_than", c.LargerThan, &m.larger}, {"smaller_than", c.SmallerThan, &m.smaller}} {
		if x.from == nil {
			continue
		}
		if *x.from < 0 {
			return nil, invalid(findVerb, x.name, "is below 0", "Give a number of bytes.")
		}
		*x.to = *x.from
	}
	for _, x := range []struct {
		name, from string
		to         *int64
	}{{"modified_after", c.ModifiedAfter, &m.after}, {"modified_before", c.ModifiedBefore, &m.before},
		{"created_after", c.CreatedAfter, &m.bornAfter}, {"created_before", c.CreatedBefore, &m.bornBefore}} {
		if x.from == "" {
			continue
		}
		t, err := search.ParseTime(x.from, now)
		if err != nil {
			return nil, badArgument(findVerb, x.name, err)
		}
		if y := t.Year(); y < 1700 || y > 2250 {
			return nil, invalid(findVerb, x.name, "is not between the years 1700 and 2250", "Leave it out to mean any time.")
		}
		if *x.to = t.UnixNano(); *x.to == 0 {
			*x.to = 1
		}
	}
	return m, m.check()
}

// check refuses what nothing could meet.
func (m *matcher) check() error {
	notFile := m.only != "" && m.only != reeve.File
	switch {
	case notFile && m.needle != nil:
		return invalid(findVerb, "contains", "only goes with files", "Leave type out, or give type: file.")
	case notFile && m.sized():
		return invalid(findVerb, "type", "must be file where a size is asked for", "Leave type out, or give type: file.")
	case m.glob.Folders() && (m.needle != nil || m.sized() || m.only != "" && m.only != reeve.Directory):
		return invalid(findVerb, "pattern", `ends with "/", which asks for folders, and the other arguments ask for something else`, `Take the "/" away.`)
	case m.smaller != noSize && m.larger != noSize && m.smaller-1 <= m.larger:
		return invalid(findVerb, "smaller_than", "leaves no size that is also over larger_than", "Give a larger one, or leave one of them out.")
	case m.after != 0 && m.before != 0 && m.before <= m.after:
		return invalid(findVerb, "modified_before", "is not after modified_after", "Give a later one, or leave one of them out.")
	case m.bornAfter != 0 && m.bornBefore != 0 && m.bornBefore <= m.bornAfter:
		return invalid(findVerb, "created_before", "is not after created_after", "Give a later one, or leave one of them out.")
	}
	return nil
}

func (m *matcher) sized() bool { return m.larger != noSize || m.smaller != noSize }

// matches looks at an entry, the cheapest tests first, and fills in its
// facts.
func (m *matcher) matches(ctx context.Context, s step, h *hit) (bool, error) {
	if !m.byName(h.rel, s.item.name, h.kind) {
		return false, nil
	}
	var err error
	var k kind
	h.facts, k, err = factsOf(ctx, s.folder, s.item.name)
	if ok, err := m.settled(s, err); !ok || err != nil {
		return false, err
	}
	if h.kind != k { // another thing by now
		if h.kind = k; !m.byName(h.rel, s.item.name, k) {
			return false, nil
		}
	}
	if !m.byFacts(h.kind, h.facts) {
		return false, nil
	}
	if m.needle == nil && (h.kind != file || h.facts.links < 2) {
		return true, nil
	}
	if h.kind == special && m.needle != nil {
		m.tally.special++
	}
	if h.kind != file {
		return false, nil
	}
	// A file of several names may be one that a rule protects under another
	// name: only what it really is can tell, so it is held for a moment.
	src, err := s.folder.Open(ctx, s.item.name)
	if m.needle == nil && outcomeOf(err) == unreadable {
		return true, nil // it is there; its content was not asked for
	}
	if ok, err := m.settled(s, err); !ok || err != nil {
		return false, err
	}
	defer src.Close()
	if m.needle == nil {
		return true, nil
	}
	return m.look(ctx, src, src.Size())
}

// settled counts what an entry could not be looked at for; an error ends the
// search.
func (m *matcher) settled(s step, err error) (bool, error) {
	switch outcomeOf(err) {
	case fine:
		return true, nil
	case refused:
		m.tally.protected++
	case unreadable:
		m.tally.cannotRead(s.path)
	case odd:
		m.tally.special++
	case gone:
	default:
		return false, err
	}
	return false, nil
}

func (m *matcher) byName(rel, name string, k kind) bool {
	if m.glob.Folders() && k != directory {
		return false
	}
	if m.only != "" && k.file() != m.only {
		return false
	}
	return m.glob.Match(rel, name)
}

// byFacts tests sizes, which only files have, and times.
func (m *matcher) byFacts(k kind, f facts) bool {
	if m.sized() && (k != file || m.larger != noSize && f.size <= m.larger || m.smaller != noSize && f.size >= m.smaller) {
		return false
	}
	if m.after != 0 && f.modified < m.after || m.before != 0 && f.modified >= m.before {
		return false
	}
	if m.bornAfter != 0 || m.bornBefore != 0 {
		if f.birth == 0 {
			m.unborn++
			return false
		}
		if m.bornAfter != 0 && f.birth < m.bornAfter || m.bornBefore != 0 && f.birth >= m.bornBefore {
			return false
		}
	}
	return true
}

// look searches a file for the text.
func (m *matcher) look(ctx context.Context, src io.ReaderAt, size int64) (bool, error) {
	if m.buf == nil {
		m.buf = make([]byte, search.MinBuffer)
	}
	if err := m.clock.tick(); err != nil {
		return false, err
	}
	switch out, err := m.needle.Look(ctx, src, size, m.limitBytes, m.buf); {
	case err != nil:
		return false, err
	case out == search.Binary:
		m.tally.binary++
		return false, nil
	case out == search.Present:
		return true, nil
	}
	if m.limitBytes > 0 && size > m.limitBytes {
		m.cut++
	}
	return false, nil
}
