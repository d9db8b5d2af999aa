package edit

import (
	"strings"
	"unicode/utf8"
)

// previewChars is how much of each side a preview shows.
const previewChars = 200

// Preview is `old → new` for a question about one replacement: both sides cut
// to some 200 characters, so that what differs and both ends are there, with
// what cannot be seen made visible. Where both differ in white space only, all
// of it is.
func Preview(old, new string) string {
	space := strings.Join(strings.Fields(old), " ") == strings.Join(strings.Fields(new), " ")
	return side(old, new, space) + " → " + side(new, old, space)
}

func side(s, other string, space bool) string {
	if s == "" {
		return "(nothing)"
	}
	if utf8.RuneCountInString(s) > previewChars {
		from, to := differs(s, other)
		s, _ = cutAround(s, from, to, previewChars)
	}
	var b strings.Builder
	i := 0
	for line := range strings.SplitSeq(s, "\n") {
		if i > 0 {
			if space {
				b.WriteRune('↵')
			}
			b.WriteByte('\n')
		}
		i++
		v := visible(strings.TrimSuffix(line, "\r"))
		if space {
			v = strings.ReplaceAll(v, " ", string(spaceSign))
			if strings.HasSuffix(line, "\r") {
				v += string(crSign)
			}
		}
		b.WriteString(v)
	}
	return b.String()
}
