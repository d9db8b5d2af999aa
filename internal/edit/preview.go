package edit

import "strings"

// previewChars is how much of each side a preview shows.
const previewChars = 200

// Preview is `old → new` for a question about one replacement: both sides cut
// to 200 characters, with what cannot be seen made visible. Where both differ
// in white space only, all of it is.
func Preview(old, new string) string {
	space := strings.Join(strings.Fields(old), " ") == strings.Join(strings.Fields(new), " ")
	return side(old, space) + " → " + side(new, space)
}

func side(s string, space bool) string {
	if s == "" {
		return "(nothing)"
	}
	s, cut := cutRunes(s, previewChars)
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
	if cut {
		b.WriteString("…")
	}
	return b.String()
}
