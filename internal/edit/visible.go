package edit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The signs for what cannot be seen.
const (
	tabSign   = '→'
	spaceSign = '·'
	crSign    = '␍'
)

// visible shows a line with its invisible characters: tabs as →, spaces at
// its end as ·, a CR as ␍, and all others by name or number.
func visible(line string) string {
	end := len(strings.TrimRight(line, " "))
	if end == len(line) && plainLine(line) {
		return line
	}
	var b strings.Builder
	for i, r := range line {
		switch {
		case r == ' ' && i >= end:
			b.WriteRune(spaceSign)
		case r == '\t':
			b.WriteRune(tabSign)
		case r == '\r':
			b.WriteRune(crSign)
		case hidden(r):
			b.WriteString(named(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plainLine(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// hidden reports a character that is not seen, or looks like a plain space.
func hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case r == '\u2800' || r == '\u3164' || r == '\uffa0' || r == '\u115f' || r == '\u1160' || r == '\u034f':
		return true
	case r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp)
}

// named is how a hidden character is shown.
func named(r rune) string {
	name := ""
	switch r {
	case '\u00a0':
		name = "NBSP"
	case '\u00ad':
		name = "SHY"
	case '\u200b':
		name = "ZWSP"
	case '\u200c':
		name = "ZWNJ"
	case '\u200d':
		name = "ZWJ"
	case '\u202f':
		name = "NNBSP"
	case '\u2060':
		name = "WJ"
	case '\ufeff':
		name = "BOM"
	default:
		name = fmt.Sprintf("U+%04X", r)
	}
	return "‹" + name + "›"
}

// cutRunes is the first n characters of s, and whether that is not all.
func cutRunes(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// around is a part of a line near a character, with … where it is cut.
func around(line string, column, width int) string {
	from := 0
	if column > width*2/3 {
		from = column - width/3
	}
	start, n := len(line), 0
	for i := range line {
		if n == from {
			start = i
			break
		}
		n++
	}
	if from == 0 {
		start = 0
	}
	part, cut := cutRunes(line[start:], width)
	if start > 0 {
		part = "…" + part
	}
	if cut {
		part += "…"
	}
	return part
}

// columnOf is the first character in which two lines differ, from 0.
func columnOf(a, b string) int {
	n := 0
	for a != "" && b != "" {
		r, w := utf8.DecodeRuneInString(a)
		q, v := utf8.DecodeRuneInString(b)
		if r != q {
			break
		}
		a, b = a[w:], b[v:]
		n++
	}
	return n
}
