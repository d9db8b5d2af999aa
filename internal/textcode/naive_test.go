package textcode

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// naive is the plain way to do what the package does: the whole content,
// taken apart character by character.
type naive struct {
	lines   [][]string // the characters of each line, as shown
	bad     []int
	endings string
}

// naiveText reads a file. mac says whether a lone CR ends lines.
func naiveText(content []byte, mac func(chars []string) bool) naive {
	chars, bad := naiveChars(content)
	return naiveLines(chars, bad, mac(chars))
}

func naiveLines(chars []string, bad []bool, mac bool) naive {
	var n naive
	var line []string
	var badHere int
	open := false
	seen := map[string]bool{}
	end := func(kind string) {
		n.lines = append(n.lines, line)
		n.bad = append(n.bad, badHere)
		line, badHere, open = nil, 0, false
		if kind != "" {
			seen[kind] = true
		}
	}
	for i := 0; i < len(chars); i++ {
		switch {
		case chars[i] == "\n":
			end(LF)
		case chars[i] == "\r" && i+1 < len(chars) && chars[i+1] == "\n":
			i++
			end(CRLF)
		case chars[i] == "\r" && mac:
			end(CR)
		default:
			line = append(line, chars[i])
			open = true
			if bad[i] {
				badHere++
			}
		}
	}
	if open {
		end("")
	}
	switch len(seen) {
	case 0:
	case 1:
		for k := range seen {
			n.endings = k
		}
	default:
		n.endings = Mixed
	}
	return n
}

func naiveChars(content []byte) (chars []string, bad []bool) {
	add := func(s string, b bool) { chars, bad = append(chars, s), append(bad, b) }
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(content, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(content, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	}
	if order == nil {
		s := strings.TrimPrefix(string(content), "\uFEFF")
		for i := 0; i < len(s); {
			r, w := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && w == 1:
				add(fmt.Sprintf(`\x%02X`, s[i]), true)
			case r == 0:
				add(`\x00`, true)
			default:
				add(s[i:i+w], false)
			}
			i += w
		}
		return
	}
	p := content[2:]
	for len(p) >= 2 {
		u := rune(order.Uint16(p))
		p = p[2:]
		if !utf16.IsSurrogate(u) {
			if u == 0 {
				add(`\x00`, true)
			} else {
				add(string(u), false)
			}
			continue
		}
		if len(p) >= 2 {
			if r := utf16.DecodeRune(u, rune(order.Uint16(p))); r != utf8.RuneError {
				add(string(r), false)
				p = p[2:]
				continue
			}
		}
		add(fmt.Sprintf(`\u%04X`, u), true)
	}
	if len(p) == 1 {
		add(fmt.Sprintf(`\x%02X`, p[0]), true)
	}
	return
}

// naiveMac is the rule for a file that is looked at as a whole.
func naiveMac(chars []string) bool {
	cr := false
	for _, c := range chars {
		if c == "\n" {
			return false
		}
		cr = cr || c == "\r"
	}
	return cr
}
