package textcode

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	utf8Mark = "\xEF\xBB\xBF"
	hexDigit = "0123456789ABCDEF"
	highBits = 0x8080808080808080
)

type utf8Codec struct{}

func (utf8Codec) decode(dst, src []byte, last bool) ([]byte, int, int) {
	if utf8.Valid(src) {
		return append(dst, src...), len(src), 0
	}
	i, bad := 0, 0
	for i < len(src) {
		good := validPrefix(src[i:])
		dst = append(dst, src[i:i+good]...)
		i += good
		if i == len(src) || !last && !utf8.FullRune(src[i:]) {
			break
		}
		dst = appendByteEscape(dst, src[i])
		i++
		bad++
	}
	return dst, i, bad
}

func (utf8Codec) skip(src []byte, max int, last bool) (int, int) {
	i, chars := 0, 0
	for chars < max && i < len(src) {
		if i+8 <= len(src) && chars+8 <= max && binary.LittleEndian.Uint64(src[i:])&highBits == 0 {
			i += 8
			chars += 8
			continue
		}
		if src[i] < utf8.RuneSelf {
			i++
			chars++
			continue
		}
		_, w := utf8.DecodeRune(src[i:])
		if w == 1 && !last && !utf8.FullRune(src[i:]) {
			break
		}
		i += w
		chars++
	}
	return i, chars
}

func (utf8Codec) encode(dst []byte, s string) ([]byte, int) {
	if utf8.ValidString(s) {
		return append(dst, s...), -1
	}
	return dst, validPrefix([]byte(s))
}

// validPrefix is how many bytes from the start are whole characters.
func validPrefix(p []byte) int {
	i := 0
	for i < len(p) {
		if p[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, w := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && w == 1 {
			break
		}
		i += w
	}
	return i
}

func appendByteEscape(dst []byte, b byte) []byte {
	return append(dst, '\\', 'x', hexDigit[b>>4], hexDigit[b&15])
}
