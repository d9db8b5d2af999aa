package textcode

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// Encoding is one way of writing characters as bytes. It is a value that can
// be compared; the zero Encoding is UTF-8. A byte order mark is never part of
// what it decodes or encodes.
type Encoding struct {
	name  string
	unit  int  // bytes of a code unit; 0 means 1
	big   bool // the unit's most significant byte stands first
	mark  string
	codec codec
}

// codec is what an encoding has to bring. All offsets are between characters.
type codec interface {
	// decode appends src as UTF-8. What is no character is appended escaped
	// and counted in bad. An incomplete character at the end of src is left,
	// unless nothing follows src (last). n is the bytes of src used up.
	decode(dst, src []byte, last bool) (out []byte, n, bad int)
	// skip passes over at most max characters.
	skip(src []byte, max int, last bool) (n, chars int)
	// encode appends s and gives the byte of s at which it had to stop, or -1.
	encode(dst []byte, s string) (out []byte, at int)
}

// UTF8 is the encoding of all files without a byte order mark.
func UTF8() Encoding { return Encoding{} }

// UTF16LE is UTF-16, least significant byte first.
func UTF16LE() Encoding {
	return Encoding{name: "utf-16le", unit: 2, mark: "\xFF\xFE", codec: utf16Codec{}}
}

// UTF16BE is UTF-16, most significant byte first.
func UTF16BE() Encoding {
	return Encoding{name: "utf-16be", unit: 2, big: true, mark: "\xFE\xFF", codec: utf16Codec{big: true}}
}

// Encodings lists the encodings that are known.
func Encodings() []Encoding { return []Encoding{UTF8(), UTF16LE(), UTF16BE()} }

// EncodingNamed finds an encoding by its Name.
func EncodingNamed(name string) (Encoding, bool) {
	for _, e := range Encodings() {
		if e.Name() == name {
			return e, true
		}
	}
	return Encoding{}, false
}

// Name is "utf-8", "utf-16le" or "utf-16be".
func (e Encoding) Name() string {
	if e.name == "" {
		return "utf-8"
	}
	return e.name
}

// Unit is the bytes of a code unit. Line starts are multiples of it away from
// the start of the file.
func (e Encoding) Unit() int { return max(e.unit, 1) }

// Mark is the byte order mark as bytes.
func (e Encoding) Mark() []byte {
	if e.codec == nil {
		return []byte(utf8Mark)
	}
	return []byte(e.mark)
}

func (e Encoding) c() codec {
	if e.codec == nil {
		return utf8Codec{}
	}
	return e.codec
}

// Decode appends src to dst as UTF-8. What is no character is appended
// escaped, as \xE9 or \uD800, and counted in bad. n is the bytes of src used;
// when more of the text follows (last is false) an incomplete character at
// the end of src is left over. src must start between two characters. A NUL
// stays a NUL here.
func (e Encoding) Decode(dst, src []byte, last bool) (out []byte, n, bad int) {
	return e.c().decode(dst, src, last)
}

// Skip passes over at most max characters of src and gives the bytes and the
// characters passed. It agrees with Decode on what a character is; what is
// shown escaped counts as one.
func (e Encoding) Skip(src []byte, max int, last bool) (n, chars int) {
	return e.c().skip(src, max, last)
}

// Encode appends s to dst in this encoding. A character that it cannot hold
// is an *EncodeError, and dst is given back as it was.
func (e Encoding) Encode(dst []byte, s string) ([]byte, error) {
	out, at := e.c().encode(dst, s)
	if at >= 0 {
		r, _ := utf8.DecodeRuneInString(s[at:])
		return dst, &EncodeError{Encoding: e.Name(), At: at, Char: r}
	}
	return out, nil
}

// Newline is the bytes of an ending: "crlf" and "cr" are those, anything else
// is "lf".
func (e Encoding) Newline(ending string) []byte {
	s := "\n"
	switch ending {
	case CRLF:
		s = "\r\n"
	case CR:
		s = "\r"
	}
	b, _ := e.c().encode(nil, s)
	return b
}

// Align gives a place between two characters at or before src[at], less than
// a character away from it. src must start between two characters; the cost
// grows with at.
func (e Encoding) Align(src []byte, at int) int {
	n, _ := e.c().skip(src[:min(at, len(src))], math.MaxInt, false)
	return n
}

// RoundTrips gives the first byte of src that would not survive being decoded
// and encoded again, or -1 when all do. src is a whole text, without its byte
// order mark, or a part of one between two characters.
func (e Encoding) RoundTrips(src []byte) int {
	const step = 4096
	var text, back []byte
	same := func(p []byte, last bool) (int, bool) {
		var n, bad int
		text, n, bad = e.Decode(text[:0], p, last)
		var at int
		back, at = e.c().encode(back[:0], string(text))
		return n, bad == 0 && at < 0 && bytes.Equal(back, p[:n])
	}
	for off := 0; off < len(src); {
		p := src[off:]
		last := len(p) <= step
		if !last {
			p = p[:step]
		}
		n, ok := same(p, last)
		if ok && n > 0 {
			off += n
			continue
		}
		for off < len(src) {
			w, _ := e.Skip(src[off:], 1, true)
			if _, ok := same(src[off:off+w], true); !ok {
				return off
			}
			off += w
		}
	}
	return -1
}
