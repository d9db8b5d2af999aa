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
	b.WriteString(stop(p.What))
	if p.Instead != "" {
		b.WriteString(" " + oneLine(p.Instead) + stop(p.Instead))
	}
	return b.String()
}

// stop is the full stop that a sentence may need.
func stop(sentence string) string {
	if sentence == "" || strings.ContainsAny(sentence[len(sentence)-1:], ".?!") {
		return ""
	}
	return "."
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
