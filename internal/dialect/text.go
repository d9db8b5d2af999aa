package dialect

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Flaw is why the text of a JSON string is no text.
type Flaw string

const (
	Sound         Flaw = ""
	LoneSurrogate Flaw = `holds half of a surrogate pair (\ud800 to \udfff)`
	NotUTF8       Flaw = "is not valid UTF-8"
)

// Text reads a JSON string that Split or SplitArray has passed. Text with a
// flaw is given with U+FFFD in the place of what was wrong.
func Text(raw []byte) (string, Flaw) { return unquote(raw) }

func unquote(raw []byte) (string, Flaw) {
	in := raw[1 : len(raw)-1]
	flaw := Sound
	if bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in), Sound
	}
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); {
		c := in[i]
		if c != '\\' {
			r, n := utf8.DecodeRune(in[i:])
			if r == utf8.RuneError && n == 1 {
				flaw = NotUTF8
			}
			out = utf8.AppendRune(out, r)
			i += n
			continue
		}
		c, i = in[i+1], i+2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := hex4(in[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if i+6 <= len(in) && in[i] == '\\' && in[i+1] == 'u' {
					low, ok = hex4(in[i+2:])
				}
				if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
					r, i = pair, i+6
				} else {
					r, flaw = utf8.RuneError, LoneSurrogate
				}
			}
			out = utf8.AppendRune(out, r)
			continue
		}
		out = append(out, c)
	}
	return string(out), flaw
}

// AppendString writes a text as a JSON string. Bytes that are no text become
// U+FFFD. Nothing is escaped that JSON does not ask for, save the two line
// separators that old readers of JSON trip over.
func AppendString(dst []byte, s string) []byte {
	const hexes = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[from:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexes[c>>4], hexes[c&15])
			}
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
			from = i + n
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, s[from:i]...), `\u202`...)
			dst = append(dst, hexes[r&15])
			from = i + n
		}
		i += n
	}
	return append(append(dst, s[from:]...), '"')
}
