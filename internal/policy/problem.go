package policy

import (
	"strconv"
	"strings"
)

// Problem is something in a configuration that could not be used. The rest
// of the configuration holds.
type Problem struct {
	File string
	// Line and Column are 1-based, 0 where there is no line to point to.
	Line, Column int
	// Entry is the key or value that the problem is about.
	Entry string
	// What is wrong, and what holds in its place.
	What string
	// Instead is what to write, if that can be told.
	Instead string
}

// String is the problem in one line: file:line:column: entry: what. instead.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			b.WriteString(":" + strconv.Itoa(p.Line))
			if p.Column > 0 {
				b.WriteString(":" + strconv.Itoa(p.Column))
			}
		}
		b.WriteString(": ")
	}
	if p.Entry != "" {
		b.WriteString(oneLine(p.Entry) + " ")
	}
	b.WriteString(oneLine(p.What))
	if p.What != "" && !strings.HasSuffix(p.What, ".") {
		b.WriteByte('.')
	}
	if p.Instead != "" {
		b.WriteString(" " + oneLine(p.Instead))
		if !strings.HasSuffix(p.Instead, ".") {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// oneLine keeps what came from a file from breaking the line or the terminal.
func oneLine(s string) string {
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
