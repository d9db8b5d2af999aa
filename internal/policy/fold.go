package policy

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// canon appends to buf the form under which rules that protect compare a
// name: compatibility-normalised, case-folded, without invisible characters
// and without the dots and spaces at the end that Windows drops. Plain ASCII
// costs one pass and no allocation beyond buf.
func canon(buf []byte, name string) []byte {
	t, ascii := canonASCII(buf, name)
	if !ascii {
		t = trimEnd(append(buf, foldUnicode(name)...), len(buf))
	}
	return t
}

// canonical is canon as a text of its own, and the name itself where nothing
// changes.
func canonical(name string) string {
	var buf [128]byte
	if c := canon(buf[:0], name); string(c) != name {
		return string(c)
	}
	return name
}

func canonASCII(buf []byte, name string) ([]byte, bool) {
	n := len(buf)
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= utf8.RuneSelf {
			return nil, false
		}
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return trimEnd(buf, n), true
}

// trimEnd drops dots and spaces at the end, not going below n.
func trimEnd(b []byte, n int) []byte {
	for len(b) > n && (b[len(b)-1] == '.' || b[len(b)-1] == ' ') {
		b = b[:len(b)-1]
	}
	return b
}

// foldUnicode repeats until nothing changes, since folding can make text that
// normalises further. A few rounds are enough for every character there is;
// the bound is for safety.
func foldUnicode(s string) string {
	s = norm.NFKC.String(s)
	for range 8 {
		t := foldRunes(s)
		if t == s {
			break
		}
		s = norm.NFKC.String(t)
	}
	return s
}

func foldRunes(s string) string {
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, s[i])
		case r < utf8.RuneSelf:
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			b = append(b, byte(r))
		case 0x3000 <= r && r < 0xa640 && r != 0x3164 || 0xac00 <= r && r < 0xd7a4:
			// Ideographs, kana and syllables have no case and show something.
			b = append(b, s[i:i+n]...)
		case r > 0x24f && ignorable(r) || r == 0xad:
		case r == 'ß', r == 'ẞ': // some file systems hold these equal to ss
			b = append(b, "ss"...)
		case r == 'ı', r == 'İ':
			b = append(b, 'i')
		default:
			b = utf8.AppendRune(b, foldRune(r))
		}
		i += n
	}
	return string(b)
}

// foldRune gives the same rune for all that differ in case alone: the least
// of them, in lower case where that is ASCII.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// ignorable characters show nothing, and some file systems drop them when
// they compare names.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
