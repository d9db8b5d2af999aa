package pathname

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	shownMax  = 1024
	shownHead = 700
	shownTail = 200
)

// Show gives text that was not parsed, or could not be, in a form fit for an
// error: valid UTF-8, control and invisible characters escaped, and bounded,
// however long it is.
func Show(raw string) string {
	if len(raw) > 4*shownMax {
		return cut(escapeText(raw[:shownMax]), escapeText(raw[len(raw)-shownMax:]), len(raw))
	}
	return bound(escapeText(raw))
}

// bound cuts the middle of a long shown path out.
func bound(s string) string {
	if len(s) <= shownMax {
		return s
	}
	return cut(s, s, len(s))
}

func cut(head, tail string, size int) string {
	head, tail = head[:min(shownHead, len(head))], tail[max(0, len(tail)-shownTail):]
	for head != "" {
		if r, n := utf8.DecodeLastRuneInString(head); r != utf8.RuneError || n != 1 {
			break
		}
		head = head[:len(head)-1]
	}
	for tail != "" && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head + " … (" + strconv.Itoa(size) + " bytes) … " + tail
}

// escapeText escapes the odd components of text that may already hold
// escaped ones, which stay as they are.
func escapeText(raw string) string {
	parts := strings.Split(raw, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "$'") {
			if name, err := Unescape(p); err == nil {
				parts[i] = Escape(name)
				continue
			}
			if !hides(p[2:]) {
				continue
			}
		}
		// Spaces stay: the text may be a sentence.
		if hides(p) {
			parts[i] = Escape(p)
		}
	}
	return strings.Join(parts, "/")
}

// escapeEach escapes the prefix of a path: a volume, ~ or nothing.
func escapeEach(prefix string) string {
	if hides(prefix) {
		return Escape(prefix)
	}
	return prefix
}
