package edit

import (
	"bytes"
	"strings"

	"reeve/internal/textcode"
)

// Rewrite plans a whole new text over an existing file, and keeps the form of
// what is there: byte order mark, encoding and line endings. A text whose
// lines all end in "\n" gets the file's endings (in a file that mixes them,
// lines that stay keep theirs and new ones get the most frequent). A text with
// a "\r\n" of its own is taken exactly as given, since whoever sends it means
// it; Kept.Given says so. The end of the text is as given: no newline is added
// or taken away. A byte order mark in the text is the file's where the file
// has one.
//
// Errors are *reeve.Error without Op and Path. Codes: Binary (what is there is
// not text), Encoding (it is text in an encoding that is not known here, so
// that it could not be kept), Invalid, TooLarge.
func Rewrite(original []byte, content string, o Options) (*Plan, error) {
	if int64(len(original)) > o.max() {
		return nil, tooLarge("is", int64(len(original)), o.max())
	}
	if err := plainText(content, "the new content"); err != nil {
		return nil, err
	}
	if len(original) > 0 {
		if err := refuseBinary(original, o.Binary); err != nil {
			return nil, err
		}
	}
	was := newText(original)
	if bad := was.firstBad(); bad >= 0 {
		return nil, was.foreignError(bad, "")
	}
	if was.mark > 0 {
		content = strings.TrimPrefix(content, "\uFEFF")
	}
	kept := was.kept()
	own := strings.Contains(content, "\r\n")
	kept.Given = own && kept.Ending != "" && !(kept.Endings == textcode.CRLF && strings.Count(content, "\n") == strings.Count(content, "\r\n"))
	var body []byte
	switch kind := was.ends().name(); {
	case own || kind == "" || kind == textcode.LF:
		body = was.encode(nil, content)
	case kind == textcode.Mixed:
		old := was.fold(was.decode(was.body))
		body = was.join(was.fold(content), align(old, was.fold(content), was.kinds(was.body), kept.Ending))
	default:
		s := strings.ReplaceAll(was.fold(content), "\n", newline(kind))
		body = was.encode(nil, s)
	}
	size := int64(was.mark + len(body))
	if size > o.max() {
		return nil, tooLarge("would be", size, o.max())
	}
	raw := body
	if was.mark > 0 {
		raw = append(append(make([]byte, 0, size), original[:was.mark]...), body...)
	}
	is := was.with(raw, body)
	is.mac = was.mac && !kept.Given
	kept.Now = is.ends().name()
	p := &Plan{Old: original, New: raw, Kept: kept, was: was, is: is}
	if p.Changed = !bytes.Equal(original, raw); p.Changed {
		p.Regions = regions(was, is, []patch{differing(was, is)})
	}
	return p, nil
}

// Fresh is the plan of a file that is made, for its Difference. It takes any
// bytes; what is no character is shown escaped.
func Fresh(content []byte) *Plan {
	was := newText(nil)
	is := was.with(content, content)
	p := &Plan{New: content, Changed: len(content) > 0, was: was, is: is}
	if p.Changed {
		p.Regions = regions(was, is, []patch{differing(was, is)})
	}
	return p
}

// differing is the one stretch outside of which two bodies are the same. It
// begins and ends between characters, and splits no ending.
func differing(was, is *text) patch {
	a, b := was.body, is.body
	n := min(len(a), len(b))
	from := 0
	for from+4096 <= n && bytes.Equal(a[from:from+4096], b[from:from+4096]) {
		from += 4096
	}
	for from < n && a[from] == b[from] {
		from++
	}
	// Back to the start of the line, which both sides have alike.
	for from > 0 && !(lineStart(was, from) && lineStart(is, from)) {
		from--
	}
	tail := 0
	for tail+4096 <= n-from && bytes.Equal(a[len(a)-tail-4096:len(a)-tail], b[len(b)-tail-4096:len(b)-tail]) {
		tail += 4096
	}
	for tail < n-from && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	// Forward to the start of a line on both sides.
	for tail > 0 && !(lineStart(was, len(a)-tail) && lineStart(is, len(b)-tail)) {
		tail--
	}
	return patch{oldFrom: from, oldTo: len(a) - tail, newFrom: from, newTo: len(b) - tail}
}

func lineStart(t *text, at int) bool {
	return at%t.unit == 0 && (at == 0 || t.before(at) >= 0 && !(t.is(t.body, at-t.unit, '\r') && t.is(t.body, at, '\n')))
}
