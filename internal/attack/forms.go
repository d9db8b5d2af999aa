package attack

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// form is one way in which a marker may come out.
type form struct {
	name   string
	needle []byte
	fold   bool // letter case says nothing in this form
	// number reads which marker it is from what follows the core.
	number func(rest []byte, core int) (int, bool)
}

func formsOf(core string) []form {
	stride := func(first, step int) func([]byte, int) (int, bool) {
		return func(rest []byte, core int) (int, bool) {
			var d []byte
			for i := range 4 {
				at := first + (core+i)*step
				if at >= len(rest) {
					return 0, false
				}
				d = append(d, rest[at])
			}
			n, err := strconv.Atoi(string(d))
			return n, err == nil
		}
	}
	wide := func(s string, order func(byte) []byte) []byte {
		var b []byte
		for i := range len(s) {
			b = append(b, order(s[i])...)
		}
		return b
	}
	le := func(s string) []byte { return wide(s, func(c byte) []byte { return []byte{c, 0} }) }
	be := func(s string) []byte { return wide(s, func(c byte) []byte { return []byte{0, c} }) }
	back := []byte(core)
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	out := []form{
		{"plain", []byte(core), true, stride(0, 1)},
		{"UTF-16LE", le(core), true, stride(0, 2)},
		{"UTF-16BE", be(core), true, stride(1, 2)},
		{"reversed", back, true, nil},
		{"hexadecimal", []byte(hex.EncodeToString([]byte(core))), true, nil},
	}
	for _, s := range []struct {
		name string
		raw  []byte
	}{{"base64", []byte(core)}, {"base64 of UTF-16LE", le(core)}, {"base64 of UTF-16BE", be(core)}} {
		for shift := range 3 {
			out = append(out, form{s.name, inBase(s.raw, shift, 3, 4, base64.StdEncoding.EncodeToString), false, nil})
		}
	}
	for shift := range 5 {
		out = append(out, form{"base32", inBase([]byte(core), shift, 5, 8, base32.StdEncoding.EncodeToString), true, nil})
	}
	return out
}

// inBase is what stays the same of raw's encoding whatever stands before and
// after it, when it begins shift bytes into a group.
func inBase(raw []byte, shift, group, chars int, encode func([]byte) string) []byte {
	padded := append(make([]byte, shift), raw...)
	s := encode(padded)
	first := (shift*8*chars + group*8 - 1) / (group * 8)
	last := len(padded) * 8 * chars / (group * 8)
	return []byte(s[first:last])
}

// find looks for each form in b. URL-safe base64 differs in two characters
// and is turned into the standard one.
func find(forms []form, b []byte) (int, *form) {
	lower := bytes.ToLower(asciiOnlySafe(b))
	std := b
	if bytes.ContainsAny(b, "-_") {
		std = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("-"), []byte("+")), []byte("_"), []byte("/"))
	}
	for i := range forms {
		f := &forms[i]
		at := -1
		if f.fold {
			at = bytes.Index(lower, bytes.ToLower(f.needle))
		} else {
			at = bytes.Index(std, f.needle)
		}
		if at >= 0 {
			return at, f
		}
	}
	return -1, nil
}

// asciiOnlySafe keeps offsets the same under bytes.ToLower: bytes beyond
// ASCII become a blank, since no form holds any.
func asciiOnlySafe(b []byte) []byte {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			out := bytes.Clone(b)
			for ; i < len(out); i++ {
				if out[i] >= utf8.RuneSelf {
					out[i] = ' '
				}
			}
			return out
		}
	}
	return b
}

// unescape undoes, in one pass, the escapes of JSON, Go, C, shells, URLs and
// HTML that stand for single characters.
func unescape(b []byte) ([]byte, bool) {
	if !bytes.ContainsAny(b, `\%&`) {
		return b, false
	}
	out := make([]byte, 0, len(b))
	changed := false
	for i := 0; i < len(b); {
		c, n := escapeAt(b[i:])
		if n == 0 {
			out = append(out, b[i])
			i++
			continue
		}
		out = utf8.AppendRune(out, c)
		i += n
		changed = true
	}
	return out, changed
}

// escapeAt reads one escape: the character and how many bytes it took.
func escapeAt(b []byte) (rune, int) {
	digits := func(at, n, base int) (rune, int) {
		if len(b) < at+n {
			return 0, 0
		}
		v, err := strconv.ParseUint(string(b[at:at+n]), base, 32)
		if err != nil {
			return 0, 0
		}
		return rune(v), at + n
	}
	switch {
	case len(b) < 2:
		return 0, 0
	case b[0] == '%':
		return digits(1, 2, 16)
	case b[0] == '&' && b[1] == '#':
		end := bytes.IndexByte(b[:min(len(b), 12)], ';')
		if end < 0 {
			return 0, 0
		}
		s, base := string(b[2:end]), 10
		if strings.HasPrefix(strings.ToLower(s), "x") {
			s, base = s[1:], 16
		}
		v, err := strconv.ParseUint(s, base, 32)
		if err != nil {
			return 0, 0
		}
		return rune(v), end + 1
	case b[0] != '\\':
		return 0, 0
	}
	switch b[1] {
	case 'u':
		return digits(2, 4, 16)
	case 'U':
		return digits(2, 8, 16)
	case 'x':
		return digits(2, 2, 16)
	case '0', '1', '2', '3':
		return digits(1, 3, 8)
	case '\\', '"', '\'', '/':
		return rune(b[1]), 2
	}
	return 0, 0
}
