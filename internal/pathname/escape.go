package pathname

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Odd names are shown in the shell's ANSI-C form, $'caf\xE9', which the same
// tools accept back. A name that merely looks like that form is escaped too,
// so that every name has exactly one shown form and every shown form one name.

// IsOdd reports whether a name cannot be shown as it is: not UTF-8, or with
// control, format, bidirectional, invisible or line-breaking characters, or
// looking like the escaped form itself, or like the columns and arrows of a
// listing: with spaces at an end or side by side, or with " -> ".
func IsOdd(name string) bool {
	if strings.HasPrefix(name, "$'") {
		return true
	}
	for i := 0; i < len(name); {
		n, odd := oddAt(name, i)
		if odd || spaceAt(name, i, n) || arrowAt(name, i) {
			return true
		}
		i += n
	}
	return false
}

// hides reports a text with a character that can't be shown in any text, or
// one that looks like the escaped form.
func hides(text string) bool {
	if strings.HasPrefix(text, "$'") {
		return true
	}
	for i := 0; i < len(text); {
		n, odd := oddAt(text, i)
		if odd {
			return true
		}
		i += n
	}
	return false
}

// spaceAt reports that the n bytes at i are a space which nobody would see, or
// take for the gap between two columns: the first or last character of a
// name, or one that follows another space.
func spaceAt(name string, i, n int) bool {
	if !isSpace(name[i:]) {
		return false
	}
	if i == 0 || i+n == len(name) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(name[:i])
	return before == ' ' || unicode.Is(unicode.Zs, before)
}

// isSpace reports that s starts with a space of any width.
func isSpace(s string) bool {
	if s[0] < utf8.RuneSelf {
		return s[0] == ' '
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.Is(unicode.Zs, r)
}

// arrowAt reports an arrow at i, as a listing puts it between a link and its
// text.
func arrowAt(name string, i int) bool { return name[i] == ' ' && strings.HasPrefix(name[i:], " -> ") }

// oddAt judges the character at i, and gives its length in bytes.
func oddAt(name string, i int) (n int, odd bool) {
	if c := name[i]; c < utf8.RuneSelf {
		return 1, c < 0x20 || c == 0x7f
	}
	r, n := utf8.DecodeRuneInString(name[i:])
	if r == utf8.RuneError && n == 1 || hiddenAt(name, i, r) {
		return n, true
	}
	// What this build's tables can't show is escaped too: nobody sees it.
	return n, !joins(r) && !unicode.IsPrint(r) && !unicode.In(r, unicode.Zs)
}

// hiddenAt reports a character that is invisible, breaks lines or reorders
// what stands beside it. Joiners and selectors are part of ordinary names
// where they follow what they act on: emoji, ideographs and the scripts of
// Asia. After anything else they only make two names look alike.
func hiddenAt(name string, i int, r rune) bool {
	switch r {
	case '\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	if !joins(r) {
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	before, _ := utf8.DecodeLastRuneInString(name[:i])
	switch {
	case before == 0xfe0f && r == zwj: // emoji, selector, joiner, emoji
		return false
	case joins(before), before == utf8.RuneError, unicode.In(before, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp):
		return true
	case r == 0xfe0e || r == 0xfe0f: // keycaps and signs: 1, #, ©
		return before < 0x590 && !strings.ContainsRune("0123456789#*©®", before)
	}
	return before < 0x590
}

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
)

// joins reports joiners and variation selectors.
func joins(r rune) bool {
	return r == zwj || r == zwnj || r >= 0xfe00 && r <= 0xfe0f ||
		r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}

// Escape gives the shown form of one name.
func Escape(name string) string {
	if !IsOdd(name) {
		return name
	}
	var b strings.Builder
	b.Grow(len(name) + 16)
	b.WriteString("$'")
	for i := 0; i < len(name); {
		n, odd := oddAt(name, i)
		switch c := name[i]; {
		case c == '\\' || c == '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
		case odd || spaceAt(name, i, n):
			writeOdd(&b, name[i:i+n])
		default:
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// Visible writes out, inside any text, each character that would hide itself
// or reorder others, and leaves the rest as it is. It cannot be read back.
func Visible(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n, odd := oddAt(text, i)
		if odd {
			writeOdd(&b, text[i:i+n])
		} else {
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// writeOdd writes one odd character as an escape.
func writeOdd(b *strings.Builder, char string) {
	r, n := utf8.DecodeRuneInString(char)
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case n == 1: // a control character, a space, or a byte that is no text
		fmt.Fprintf(b, `\x%02X`, char[0])
	case n < 4:
		fmt.Fprintf(b, `\u%04X`, r)
	default:
		fmt.Fprintf(b, `\U%08X`, r)
	}
}

var errEscape = errors.New("not a name in escaped form")

// Unescape gives the name of a shown form. A name that is not in the escaped
// form is itself.
func Unescape(shown string) (string, error) {
	if !strings.HasPrefix(shown, "$'") {
		return shown, nil
	}
	if len(shown) < 3 || shown[len(shown)-1] != '\'' {
		return "", errEscape
	}
	in := shown[2 : len(shown)-1]
	var b strings.Builder
	for i := 0; i < len(in); i++ {
		c := in[i]
		if c == '\'' {
			return "", errEscape
		}
		if c != '\\' {
			b.WriteByte(c)
			continue
		}
		i++
		if i == len(in) {
			return "", errEscape
		}
		digits := 0
		switch in[i] {
		case '\\', '\'':
			b.WriteByte(in[i])
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			return "", errEscape
		}
		if digits == 0 {
			continue
		}
		if i+digits >= len(in) {
			return "", errEscape
		}
		n, err := strconv.ParseUint(in[i+1:i+1+digits], 16, 32)
		if err != nil {
			return "", errEscape
		}
		if digits == 2 {
			b.WriteByte(byte(n))
		} else if n > unicode.MaxRune || n >= 0xd800 && n < 0xe000 {
			return "", errEscape
		} else {
			b.WriteRune(rune(n))
		}
		i += digits
	}
	return b.String(), nil
}

// UnescapeExact is Unescape for what a caller wrote: of the spellings that
// name the same, only the one that Escape gives is taken. So a file whose own
// name is $'x' is never mistaken for one named x. Exact is false for any
// other spelling; name is then what it would have named.
func UnescapeExact(shown string) (name string, exact bool, err error) {
	if name, err = Unescape(shown); err != nil {
		return "", false, err
	}
	return name, name == shown || Escape(name) == shown, nil
}

// EscapePath shows a whole path, each component by itself. A path that starts
// with a drive or a share is split the Windows way.
func EscapePath(path string) string {
	windows := windowsPath(path)
	if !anyOdd(path, windows) {
		return path
	}
	var b strings.Builder
	for {
		n := first(path, windows)
		b.WriteString(Escape(path[:n]))
		if n == len(path) {
			return b.String()
		}
		b.WriteByte(path[n])
		path = path[n+1:]
	}
}

// anyOdd reports a path with an odd component.
func anyOdd(path string, windows bool) bool {
	for {
		n := first(path, windows)
		if IsOdd(path[:n]) {
			return true
		}
		if n == len(path) {
			return false
		}
		path = path[n+1:]
	}
}

// first is the length of a path's first component.
func first(path string, windows bool) int {
	n := 0
	for n < len(path) && !isSeparator(path[n], windows) {
		n++
	}
	return n
}

// windowsPath tells an absolute path of Windows from one of other systems.
func windowsPath(path string) bool {
	return strings.HasPrefix(path, `\\`) ||
		len(path) > 2 && isLetter(path[0]) && path[1] == ':' && path[2] == '\\'
}

// Base is the last component of a path in either system's spelling, empty for
// a root.
func Base(path string) string {
	windows := windowsPath(path)
	end := len(path)
	for end > 0 && isSeparator(path[end-1], windows) {
		end--
	}
	start := end
	for start > 0 && !isSeparator(path[start-1], windows) {
		start--
	}
	return path[start:end]
}
