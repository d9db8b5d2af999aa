package pathname

import (
	"strings"
	"unicode/utf8"
)

// NewNameProblem says why a name that does not exist yet can't be made, as
// the end of a sentence ("holds a control character"), or "" when it can.
// Existing names are not judged here, however odd. goos is the target's
// system; empty means this one's.
func NewNameProblem(name, goos string) string {
	windows := isWindows(goos)
	switch {
	case name == "" || name == "." || name == "..":
		return "is not a name"
	case len(name) > 255 && !windows:
		return "is longer than 255 bytes"
	case strings.ContainsAny(name, "/\x00"):
		return "holds a slash or a NUL character"
	}
	if windows {
		if what := windowsNameProblem(name); what != "" {
			return what
		}
	}
	if (windows || goos == "darwin") && !utf8.ValidString(name) {
		return "is not valid UTF-8"
	}
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && n > 1:
			return "holds U+FFFD, which stands for text that could not be read"
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return "holds a control character"
		case hiddenAt(name, i, r):
			return "holds an invisible character or one that turns the direction of text"
		}
		i += n
	}
	return ""
}
