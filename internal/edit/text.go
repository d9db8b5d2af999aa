package edit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"reeve/internal/textcode"
)

// text is one content of the file and how it is written. Offsets are in body
// unless said otherwise.
type text struct {
	raw  []byte
	mark int // bytes of the byte order mark
	// body is raw behind the mark, without an odd byte at the end of UTF-16.
	body []byte
	enc  textcode.Encoding
	unit int
	big  bool
	mac  bool // a lone CR ends a line
	cr   bool // there is a CR somewhere

	counted *endings
}

func newText(raw []byte) *text {
	enc, mark := textcode.ByMark(raw)
	t := &text{raw: raw, mark: mark, enc: enc, unit: enc.Unit(), big: enc == textcode.UTF16BE()}
	t.cut()
	t.cr = t.index(t.body, '\r') >= 0
	t.mac = t.cr && t.loneCRs()
	return t
}

// with is the text after an edit that put in some bytes. How lines end is
// decided once, by the file as it was.
func (t *text) with(raw, put []byte) *text {
	n := *t
	n.raw, n.counted = raw, nil
	n.cut()
	n.cr = n.cr || bytes.IndexByte(put, '\r') >= 0
	return &n
}

func (t *text) cut() {
	b := t.raw[t.mark:]
	t.body = b[:len(b)-len(b)%t.unit]
}

// loneCRs is textcode's rule: the beginning holds CRs and no LF at all.
func (t *text) loneCRs() bool {
	head, all := t.body, true
	if len(t.raw) > textcode.SmallFile {
		head, all = t.raw[t.mark:64<<10], false
	}
	cr := t.index(head, '\r')
	return cr >= 0 && t.index(head, '\n') < 0 && (all || cr+t.unit < len(head))
}

// is reports whether the unit at p[i] is the ASCII character c.
func (t *text) is(p []byte, i int, c byte) bool {
	if i < 0 || i+t.unit > len(p) {
		return false
	}
	switch {
	case t.unit == 1:
		return p[i] == c
	case t.big:
		return p[i] == 0 && p[i+1] == c
	}
	return p[i] == c && p[i+1] == 0
}

// index finds the first unit that is c.
func (t *text) index(p []byte, c byte) int {
	if t.unit == 1 {
		return bytes.IndexByte(p, c)
	}
	for from := 0; ; {
		j := bytes.IndexByte(p[from:], c)
		if j < 0 {
			return -1
		}
		j += from
		if i := j - j%2; t.is(p, i, c) {
			return i
		}
		from = j + 1
	}
}

// after is the place behind the character or ending that starts at i.
func (t *text) after(i int) int {
	switch {
	case i >= len(t.body):
		return i
	case t.is(t.body, i, '\r') && t.is(t.body, i+t.unit, '\n'):
		return i + 2*t.unit
	case t.unit == 2:
		n, _ := t.enc.Skip(t.body[i:], 1, true)
		return i + n
	}
	_, w := utf8.DecodeRune(t.body[i:])
	return i + w
}

// fold makes every ending of s a "\n".
func (t *text) fold(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if t.mac {
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return s
}

// encode writes valid text in the file's encoding.
func (t *text) encode(dst []byte, s string) []byte {
	if t.unit == 1 {
		return append(dst, s...)
	}
	dst, _ = t.enc.Encode(dst, s) // both encodings hold every character
	return dst
}

// decode is what p says; what is no character stands there escaped.
func (t *text) decode(p []byte) string {
	if t.unit == 1 && utf8.Valid(p) {
		return string(p)
	}
	out, _, _ := t.enc.Decode(make([]byte, 0, len(p)), p, true)
	return string(out)
}

// endings counts line ends.
type endings struct{ lf, crlf, cr int }

func (t *text) endings(p []byte) (e endings) {
	if t.unit == 1 {
		e.lf = bytes.Count(p, []byte{'\n'})
		if t.cr {
			e.crlf = bytes.Count(p, []byte("\r\n"))
			e.lf -= e.crlf
			if t.mac {
				e.cr = bytes.Count(p, []byte{'\r'}) - e.crlf
			}
		}
		return e
	}
	cr := false // the unit before was one
	for i := 0; i < len(p); i += 2 {
		u := t.value(p, i)
		if u > '\r' {
			cr = false
			continue
		}
		switch {
		case u == '\n' && cr:
			e.crlf++
			if t.mac {
				e.cr--
			}
		case u == '\n':
			e.lf++
		case u == '\r' && t.mac:
			e.cr++
		}
		cr = u == '\r'
	}
	return e
}

// loneSurrogates counts the halves of UTF-16 characters that stand alone.
func (t *text) loneSurrogates() (n int) {
	for i := t.loneFrom(0); i >= 0; i = t.loneFrom(i + 2) {
		n++
	}
	return n
}

// loneFrom is where the first half stands alone at i, which is between two
// characters, or behind it.
func (t *text) loneFrom(i int) int {
	for ; i < len(t.body); i += 2 {
		switch u := t.value(t.body, i); {
		case u < 0xD800 || u > 0xDFFF:
		case u < 0xDC00 && i+2 < len(t.body) && t.value(t.body, i+2)>>10 == 0xDC00>>10:
			i += 2
		default:
			return i
		}
	}
	return -1
}

func (e endings) all() int { return e.lf + e.crlf + e.cr }

// most is the most frequent kind; of equals the simpler one.
func (e endings) most() string {
	switch {
	case e.all() == 0:
		return ""
	case e.crlf > e.lf && e.crlf >= e.cr:
		return textcode.CRLF
	case e.cr > e.lf:
		return textcode.CR
	}
	return textcode.LF
}

func (e endings) name() string {
	switch e.all() {
	case 0:
		return ""
	case e.lf, e.crlf, e.cr:
		return e.most()
	}
	return textcode.Mixed
}

// ends counts the endings of the whole text, once.
func (t *text) ends() endings {
	if t.counted == nil {
		e := t.endings(t.body)
		t.counted = &e
	}
	return *t.counted
}

func (t *text) kept() Kept {
	e := t.ends()
	_, bad := t.foreign()
	return Kept{Encoding: t.enc.Name(), BOM: t.mark > 0, Endings: e.name(), Ending: e.most(), BadBytes: bad}
}

// foreign counts the characters of several bytes in UTF-8, and the bytes that
// are no characters. Both are 0 for a text that is all valid.
func (t *text) foreign() (long, bad int) {
	p := t.raw[t.mark:]
	if t.unit == 2 {
		return 0, t.loneSurrogates() + len(p)%2
	}
	if utf8.Valid(p) {
		return 0, 0
	}
	for len(p) > 0 {
		if p[0] < utf8.RuneSelf {
			p = p[1:]
			continue
		}
		_, w := utf8.DecodeRune(p)
		if w == 1 {
			bad++
		} else {
			long++
		}
		p = p[w:]
	}
	return long, bad
}
