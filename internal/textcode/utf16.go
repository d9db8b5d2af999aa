package textcode

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

type utf16Codec struct{ big bool }

func (c utf16Codec) at(p []byte, i int) uint16 {
	if c.big {
		return binary.BigEndian.Uint16(p[i:])
	}
	return binary.LittleEndian.Uint16(p[i:])
}

func (c utf16Codec) put(dst []byte, u uint16) []byte {
	if c.big {
		return append(dst, byte(u>>8), byte(u))
	}
	return append(dst, byte(u), byte(u>>8))
}

// next reads one character. n is 0 when more bytes are needed to know it; ok
// is false for a lone surrogate and for a single byte at the end.
func (c utf16Codec) next(p []byte, last bool) (r rune, n int, ok bool) {
	if len(p) < 2 {
		if last && len(p) == 1 {
			return rune(p[0]), 1, false
		}
		return 0, 0, false
	}
	u := rune(c.at(p, 0))
	if !utf16.IsSurrogate(u) {
		return u, 2, true
	}
	if u >= 0xDC00 {
		return u, 2, false
	}
	if len(p) < 4 {
		if !last {
			return 0, 0, false
		}
		return u, 2, false
	}
	if r := utf16.DecodeRune(u, rune(c.at(p, 2))); r != utf8.RuneError {
		return r, 4, true
	}
	return u, 2, false
}

func (c utf16Codec) decode(dst, src []byte, last bool) ([]byte, int, int) {
	i, bad := 0, 0
	for i < len(src) {
		r, n, ok := c.next(src[i:], last)
		if n == 0 {
			break
		}
		switch {
		case ok:
			dst = utf8.AppendRune(dst, r)
		case n == 1:
			dst = appendByteEscape(dst, byte(r))
			bad++
		default:
			dst = append(dst, '\\', 'u', hexDigit[r>>12], hexDigit[r>>8&15], hexDigit[r>>4&15], hexDigit[r&15])
			bad++
		}
		i += n
	}
	return dst, i, bad
}

func (c utf16Codec) skip(src []byte, max int, last bool) (int, int) {
	i, chars := 0, 0
	for chars < max && i < len(src) {
		_, n, _ := c.next(src[i:], last)
		if n == 0 {
			break
		}
		i += n
		chars++
	}
	return i, chars
}

func (c utf16Codec) encode(dst []byte, s string) ([]byte, int) {
	start := len(dst)
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && w == 1 {
			return dst[:start], i
		}
		if r > 0xFFFF {
			hi, lo := utf16.EncodeRune(r)
			dst = c.put(c.put(dst, uint16(hi)), uint16(lo))
		} else {
			dst = c.put(dst, uint16(r))
		}
		i += w
	}
	return dst, -1
}
