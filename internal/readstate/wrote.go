package readstate

import (
	"bytes"
	"hash/maphash"
	"time"
	"unicode/utf8"

	"reeve"
)

// Written says how a change was made.
type Written struct {
	Version reeve.Version // after the change
	// Edit and Ground are as they were for Fresh.
	Edit   bool
	Ground Ground
	// Touched are the lines, of the new content, that an edit wrote.
	Touched []Range
}

// Wrote notes a change that the session made. A whole new content is known to
// whoever wrote it. After an edit as much is known as before; over a text that
// others had changed, that is only what was seen of it and what was written.
// What is removed or moved away is forgotten.
func (st *State) Wrote(s reeve.Subject, ch reeve.Change, w Written) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if ch.Kind != reeve.Put || w.Version.IsZero() {
		if f := st.find(s, ch.Place); f != nil {
			st.drop(f)
		}
		if ch.To != nil {
			if f := st.find(s, *ch.To); f != nil {
				st.drop(f)
			}
		}
		return
	}
	f := st.open(s, ch.Place)
	if f == nil {
		return
	}
	defer st.weigh(f)
	was := *f
	known := !w.Edit || !ch.Place.Exists() || w.Ground == Stated ||
		was.all && was.version.Compare(ch.Expect) == reeve.Same
	hidden := w.Edit && was.hidden
	content, _ := ch.Content.(reeve.Bytes)
	if !known && was.base {
		// What was seen stays known, line by line, and so does the new text.
		f.extra = append(f.extra, st.hashes(content, w.Touched)...)
		if n := len(f.extra); n > maxExtra {
			f.extra = f.extra[n-maxExtra:]
		}
		f.version, f.when, f.any, f.all, f.own = w.Version, st.o.Now(), true, false, true
		f.total, f.counted, f.seen, f.tail, f.windows = 0, false, nil, nil, nil
		st.text.drop(f)
		return
	}
	st.clear(f)
	f.version, f.when, f.any, f.own, f.hidden = w.Version, st.o.Now(), true, true, hidden
	if !known {
		return
	}
	f.all, f.base = true, true
	st.learn(f, content)
}

const maxExtra = 64

// learn keeps the lines of a content, where it is UTF-8.
func (st *State) learn(f *file, content reeve.Bytes) {
	if content == nil || !utf8.Valid(content) {
		return
	}
	var lines []string
	text := len(content) <= maxText
	n := int64(0)
	for l := range contentLines(content) {
		n++
		if n > maxHashes {
			f.lines = runs{}
			return
		}
		f.lines.put(n, maphash.Bytes(st.seed, l))
		if text {
			lines = append(lines, string(l))
		}
	}
	f.total, f.counted = n, true
	if n > 0 {
		f.seen.add(Range{1, n})
	}
	st.text.add(f, 1, lines)
}

// contentLines are lines as a read shows them: without mark and endings.
func contentLines(content []byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		rest := bytes.TrimPrefix(content, []byte("\uFEFF"))
		lone := bytes.IndexByte(rest, '\n') < 0 && bytes.IndexByte(rest, '\r') >= 0
		for len(rest) > 0 {
			var l []byte
			if lone {
				l, rest, _ = bytes.Cut(rest, []byte{'\r'})
			} else {
				var ended bool
				if l, rest, ended = bytes.Cut(rest, []byte{'\n'}); ended {
					l = bytes.TrimSuffix(l, []byte{'\r'})
				}
			}
			if !yield(l) {
				return
			}
		}
	}
}

func (st *State) hashes(content reeve.Bytes, touched []Range) [][]uint64 {
	if content == nil || len(touched) == 0 || !utf8.Valid(content) {
		return nil
	}
	out := make([][]uint64, len(touched))
	n, i := int64(0), 0
	for l := range contentLines(content) {
		n++
		for i < len(touched) && touched[i].To < n {
			i++
		}
		if i == len(touched) {
			break
		}
		if n >= touched[i].From && len(out[i]) < maxHashes/maxExtra {
			out[i] = append(out[i], maphash.Bytes(st.seed, l))
		}
	}
	return out
}

// Memory is what is known of one file, as a copy.
type Memory struct {
	Version reeve.Version
	When    time.Time
	// All: every line of the version is known. Own: it was written here.
	// Redacted: parts were hidden.
	All, Own, Redacted bool
	Lines              []Range // that were shown in full
	Total              int64   // lines, if Counted
	Counted            bool
	// Text are the lines still kept, by number.
	Text map[int64]string
}

// Seen gives what a session knows of a place, false for nothing.
func (st *State) Seen(s reeve.Subject, p reeve.Place) (Memory, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	f := st.find(s, p)
	if f == nil {
		return Memory{}, false
	}
	return Memory{Version: f.version, When: f.when, All: f.all, Own: f.own, Redacted: f.hidden, Lines: append([]Range(nil), f.seen...),
		Total: f.total, Counted: f.counted, Text: st.text.texts(f, Range{1, 1<<63 - 1})}, true
}
