package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// show renders the lines of the file beside those of the old text.
func (n *nearest) show(have, want []string) {
	same := func(i int) bool {
		switch {
		case len(want) == 1:
			return strings.Contains(have[i], want[i])
		case i == 0:
			return strings.HasSuffix(have[i], want[i])
		case i == len(want)-1:
			return strings.HasPrefix(have[i], want[i])
		}
		return have[i] == want[i]
	}
	var b strings.Builder
	shown, skipped := 0, false
	width := len(fmt.Sprint(n.last))
	for i := range want {
		differs := !same(i)
		near := i > 0 && !same(i-1) || i+1 < len(want) && !same(i+1)
		if !differs && !near {
			skipped = true
			continue
		}
		if shown+3 > excerptLines {
			skipped = true
			break
		}
		if skipped && shown > 0 {
			fmt.Fprintf(&b, "%*s …\n", width, "")
			shown++
		}
		skipped = false
		col := columnOf(have[i], want[i])
		if !differs {
			col = 0
		} else if n.differs == "" {
			n.differs = difference(n.first+int64(i), have[i], want[i])
		}
		if differs {
			fmt.Fprintf(&b, "%*d file: %s\n%*s  old: %s\n", width, n.first+int64(i), around(visible(have[i]), col, excerptWidth), width, "", around(visible(want[i]), col, excerptWidth))
			shown += 2
			continue
		}
		fmt.Fprintf(&b, "%*d       %s\n", width, n.first+int64(i), around(visible(have[i]), 0, excerptWidth))
		shown++
	}
	n.excerpt = strings.TrimSuffix(b.String(), "\n")
	if n.differs == "" {
		n.differs = "These lines are the same; what stands right before or behind them is not."
		n.excerpt = around(visible(have[0]), 0, excerptWidth)
	}
}

// difference says in words how two lines differ.
func difference(line int64, have, want string) string {
	indent := func(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }
	a, b := strings.TrimLeft(have, " \t"), strings.TrimLeft(want, " \t")
	here := fmt.Sprintf("Line %d ", line)
	ha, na := essence(have)
	hb, nb := essence(want)
	switch {
	case a == b:
		return here + "differs in its indentation: the file has " + spaces(indent(have)) + ", the old text " + spaces(indent(want)) + "."
	case strings.TrimRight(a, " \t\r") == strings.TrimRight(b, " \t\r"):
		return here + "differs in the spaces at its end."
	case strings.EqualFold(have, want):
		return here + "differs in upper and lower case."
	case ha == hb && na == nb:
		return here + "differs in " + kinds(have, want) + "."
	}
	return fmt.Sprintf("%sdiffers from character %d on.", here, columnOf(have, want)+1)
}

// spaces counts the white space at the start of a line.
func spaces(s string) string {
	tabs := strings.Count(s, "\t")
	n := len(s) - tabs
	count := func(n int, one string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %ss", n, one)
	}
	switch {
	case s == "":
		return "none"
	case n == 0:
		return count(tabs, "tab")
	case tabs == 0:
		return count(n, "space")
	}
	return count(tabs, "tab") + " and " + count(n, "space")
}

// kinds names what only one of two lines has that look the same.
func kinds(have, want string) string {
	odd := func(s, other string) string {
		for _, r := range s {
			if r >= utf8.RuneSelf && !strings.ContainsRune(other, r) {
				if hidden(r) {
					return named(r)
				}
				return string(r)
			}
		}
		return ""
	}
	if c := odd(have, want); c != "" {
		return "a character that only the file has, " + c
	}
	if c := odd(want, have); c != "" {
		return "a character that only the old text has, " + c
	}
	return "spaces or letter case"
}
