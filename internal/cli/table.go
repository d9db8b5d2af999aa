package cli

import (
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"reeve/internal/pathname"
)

// isTerminal reports whether f is a terminal.
func isTerminal(f *os.File) bool {
	_, ok := terminalWidth(f)
	return ok
}

// columns is how wide a table may be: the terminal's width, COLUMNS, or 100,
// and in any case something between 80 and 200.
func columns(w io.Writer) int {
	n := asked(w)
	if n <= 0 {
		n = 100
	}
	return min(max(n, 80), 200)
}

// textColumns is how wide running text may be: as columns where somebody
// looks at a screen, and else without end, since a program looks for words.
func textColumns(w io.Writer) int {
	if asked(w) <= 0 {
		return math.MaxInt
	}
	return columns(w)
}

// asked is the terminal's width or COLUMNS, 0 if there is neither.
func asked(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _ := terminalWidth(f); n > 0 {
			return n
		}
	}
	n, _ := strconv.Atoi(os.Getenv("COLUMNS"))
	return n
}

// cell is text made fit for one field of a table: one line, nothing
// invisible.
func cell(s string) string { return pathname.Show(s) }

// clip cuts a text to a width, with a mark where something is missing.
func clip(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n += runeWidth(r); n > width-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// clipPath cuts the middle out of a path: where it begins and what it is
// called say most.
func clipPath(s string, width int) string {
	if textWidth(s) <= width || width < 16 {
		return clip(s, width)
	}
	head := clip(s, width/3) // ends in the mark
	tail := []rune(s)
	n, i := textWidth(head), len(tail)
	for i > 0 {
		w := runeWidth(tail[i-1])
		if n+w > width {
			break
		}
		n += w
		i--
	}
	return head + string(tail[i:])
}

// pad fills a field to its width.
func pad(s string, width int) string {
	s = clip(s, width)
	return s + strings.Repeat(" ", max(0, width-textWidth(s)))
}

// wrapped breaks a text at its spaces into lines of a width; those after the
// first begin with the indent, which counts. A word that is too long stays
// whole: it may be a path to copy.
func wrapped(s string, width, indent int) string {
	var b strings.Builder
	at := indent
	for i, word := range strings.Split(s, " ") {
		w := textWidth(word)
		switch {
		case i == 0:
		case at+1+w > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += w
	}
	return b.String()
}

func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth is how many columns a terminal gives a character: two for the
// wide scripts and emoji, none for what joins to the character before.
func runeWidth(r rune) int {
	switch {
	case r >= 0x300 && r < 0x370, r == 0x200c, r == 0x200d, r >= 0xfe00 && r <= 0xfe0f:
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// count writes a number with its thousands apart.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// plural is a count with its word.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// size is a number of bytes in a few characters.
func size(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1000*1000:
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + " kB"
	case n < 1000*1000*1000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + " GB"
}
