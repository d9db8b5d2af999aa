package native

import (
	"slices"
	"strconv"
	"strings"

	"reeve"
	"reeve/internal/dialect"
)

// entry writes one line of a listing or search. What follows the name is
// read from the right, so that no name can pass for another's facts.
func entry(b *strings.Builder, e *reeve.Entry, c dialect.Context, facts bool) {
	b.WriteString(e.Name.String())
	switch e.Kind {
	case reeve.Directory:
		b.WriteByte('/')
	case reeve.Symlink:
		if !e.Link.IsZero() {
			b.WriteString(" -> " + e.Link.String())
		} else {
			b.WriteString("  link")
		}
	}
	switch {
	case e.Protected:
		b.WriteString("  protected")
	case e.Kind == reeve.Special:
		b.WriteString("  special")
	case e.Kind == reeve.File && facts:
		b.WriteString("  " + size(e.Size))
		if !e.Modified.IsZero() {
			b.WriteString("  " + c.Time(e.Modified))
		}
	case facts && e.Kind == reeve.Directory && wantsTime(c) && !e.Modified.IsZero():
		b.WriteString("  " + c.Time(e.Modified))
	}
	b.WriteByte('\n')
}

// wantsTime: a search by time shows the folders' times too.
func wantsTime(c dialect.Context) bool {
	q, ok := c.Call.(*reeve.SearchFiles)
	return ok && (q.Sort == "newest" || q.ModifiedAfter != "" || q.ModifiedBefore != "")
}

// skipped says what was left out, and how to see it: shows are the
// parameters that bring back what has the same name.
func skipped(b *strings.Builder, list []reeve.Skipped, shows ...string) {
	if len(list) == 0 {
		return
	}
	b.WriteString("Left out: ")
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(dialect.Thousands(int64(s.Count)) + " " + reason(s.Reason))
		if slices.Contains(shows, s.Reason) {
			b.WriteString(" (" + s.Reason + ": true shows them)")
		}
		for j, p := range s.Paths {
			if j == 0 {
				b.WriteString(" (")
			} else {
				b.WriteString(", ")
			}
			b.WriteString(p.String())
		}
		if n := len(s.Paths); n > 0 {
			if s.Count > n {
				b.WriteString(", …")
			}
			b.WriteByte(')')
		}
	}
	b.WriteString(".\n")
}

// reason puts a bound or a cause for leaving out into words.
func reason(r string) string {
	switch r {
	case "cap":
		return "too many entries"
	case "time":
		return "the time was up"
	case "depth":
		return "too deep"
	case "entries":
		return "the limit on entries"
	case "bytes":
		return "the size of one answer"
	}
	return r
}

// stoppedBy says that an answer is not complete, and why.
func stoppedBy(b *strings.Builder, reasons ...string) {
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = reason(r)
	}
	b.WriteString("Not complete (" + strings.Join(words, ", ") + ").\n")
}

// more is the way on: always the last line of its part.
func more(b *strings.Builder, left int, cursor string) {
	switch {
	case cursor == "":
	case left > 0:
		b.WriteString(dialect.Thousands(int64(left)) + " more. Go on with cursor: " + strconv.Quote(cursor) + "\n")
	default:
		b.WriteString("There is more. Go on with cursor: " + strconv.Quote(cursor) + "\n")
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return dialect.Thousands(int64(n)) + " " + many
}

// finish adds the notes and takes the last newline away.
func finish(b *strings.Builder, notes []reeve.Text) string {
	for _, n := range notes {
		b.WriteString(n.String())
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}
