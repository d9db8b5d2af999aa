package edit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// lineParts cuts behind each "\n".
func lineParts(s string) []string {
	if s == "" {
		return nil
	}
	parts := strings.SplitAfter(s, "\n")
	if parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// shownLine is a line of a diff, cut to a width (below 0: not at all); cut is
// how many characters are left out. In a changed one the CR of a "\r\n" is
// shown, and a missing ending is told. Peer is the line that stands for it, if
// there is one: what differs is shown first.
func shownLine(l, peer string, changed bool, width int) (out string, cut int64) {
	out, ended := lineBody(l, changed)
	if width >= 0 && len(out) > width && utf8.RuneCountInString(out) > width {
		from, to := 0, 0
		if peer != "" {
			other, _ := lineBody(peer, changed)
			from, to = differs(out, other)
		}
		out, cut = cutAround(out, from, to, width)
	}
	out = visible(out)
	if !ended {
		out += " (no newline at the end)"
	}
	return out, cut
}

func lineBody(l string, changed bool) (body string, ended bool) {
	body, ended = strings.CutSuffix(l, "\n")
	if bare, cr := strings.CutSuffix(body, "\r"); cr && ended && !changed {
		body = bare
	}
	return body, ended
}

// differs is the stretch of a outside of which it is like b.
func differs(a, b string) (from, to int) {
	n := min(len(a), len(b))
	for from < n && a[from] == b[from] {
		from++
	}
	tail := 0
	for tail < n-from && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for from > 0 && from < len(a) && !utf8.RuneStart(a[from]) {
		from--
	}
	to = len(a) - tail
	for to < len(a) && !utf8.RuneStart(a[to]) {
		to++
	}
	return from, to
}

// Window cuts a line to about a width, in characters: its beginning and its end
// stay, and what is not as in peer, a line that stands for it ("" for none).
// What is left out is said there.
func Window(line, peer string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	from, to := 0, 0
	if peer != "" {
		from, to = differs(line, peer)
	}
	out, _ := cutAround(line, from, to, width)
	return out
}

// cutAround cuts a text to about a width: its beginning and its end stay, and
// what is around a stretch in it; in the place of what is left out stands how
// many characters that are.
func cutAround(s string, from, to, width int) (out string, left int64) {
	ends, around := width/4, max(1, width/16)
	stretch := max(1, width/4-around) // at either end of a long one
	keep := [][2]int{{0, forward(s, 0, ends)}}
	if from < to || from > 0 {
		first := [2]int{backward(s, from, around), forward(s, from, stretch)}
		if last := [2]int{backward(s, to, stretch), forward(s, to, around)}; last[0] > first[1] {
			keep = append(keep, first, last)
		} else {
			keep = append(keep, [2]int{first[0], max(first[1], last[1])})
		}
	}
	keep = append(keep, [2]int{backward(s, len(s), ends), len(s)})
	slices.SortFunc(keep, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	merged, shown := keep[:1], utf8.RuneCountInString(s[:keep[0][1]])
	for _, k := range keep[1:] {
		last := &merged[len(merged)-1]
		if k[1] <= last[1] {
			continue
		}
		shown += utf8.RuneCountInString(s[max(k[0], last[1]):k[1]])
		if k[0] <= last[1] {
			last[1] = k[1]
		} else {
			merged = append(merged, k)
		}
	}
	merged[0][1] = forward(s, merged[0][1], width-shown)
	var b strings.Builder
	at := 0
	for _, k := range merged {
		if k[0] > at {
			if n := int64(utf8.RuneCountInString(s[at:k[0]])); n <= 16 { // no longer than what would say so
				b.WriteString(s[at:k[0]])
			} else {
				left += n
				b.WriteString(missing(n))
			}
		}
		b.WriteString(s[max(at, k[0]):max(at, k[1])])
		at = max(at, k[1])
	}
	return b.String(), left
}

// missing stands for characters that are left out.
func missing(n int64) string { return "…‹" + countOf(n, "character") + "›…" }

func forward(s string, i, n int) int {
	for ; n > 0 && i < len(s); n-- {
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return i
}

func backward(s string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, w := utf8.DecodeLastRuneInString(s[:i])
		i -= w
	}
	return i
}

// thousands writes a number with a comma between each three digits.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
