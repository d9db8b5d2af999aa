package native

import (
	"strconv"
	"strings"

	"reeve"
	"reeve/internal/dialect"
)

// renderPages shows each file as a first line about it, its lines, and a
// last line about how to go on. Every line of content starts with its number
// and a tab, and ours never do: no content can pass for them.
func renderPages(a *reeve.Pages, notes []reeve.Text, c dialect.Context) string {
	var b strings.Builder
	grow := 256
	for i := range a.Pages {
		for j := range a.Pages[i].Lines {
			grow += len(a.Pages[i].Lines[j].Text.String()) + 12
		}
		grow += 256
	}
	b.Grow(grow)
	for i := range a.Pages {
		if i > 0 {
			b.WriteByte('\n')
		}
		renderPage(&b, &a.Pages[i], c)
	}
	return finish(&b, notes)
}

func renderPage(b *strings.Builder, p *reeve.Page, c dialect.Context) {
	if p.Err != nil {
		if p.Err.Path == "" && !p.Path.IsZero() {
			b.WriteString(p.Path.String() + "\n")
		}
		b.WriteString(dialect.Refusal(p.Err) + "\n")
		return
	}
	b.WriteString(p.Path.String())
	if about := aboutFile(p); about != "" {
		b.WriteString(" (" + about + ")")
	}
	b.WriteByte('\n')
	for i := range p.Lines {
		line(b, &p.Lines[i], p.Next)
	}
	wayOn(b, p, c)
	if !c.Session && !p.Version.IsZero() {
		b.WriteString("Version " + p.Version.String() + "\n")
	}
}

// aboutFile is what is unusual about the text, and nothing for plain UTF-8
// with plain line ends.
func aboutFile(p *reeve.Page) string {
	var about []string
	if p.Encoding != "" && p.Encoding != "utf-8" {
		about = append(about, p.Encoding)
	}
	if p.BOM {
		about = append(about, "with BOM")
	}
	if p.Endings != "" && p.Endings != "lf" {
		about = append(about, p.Endings+" line ends")
	}
	if p.BadBytes > 0 {
		bad := count(p.BadBytes, "byte is", "bytes are") + ` no text and shown as \xNN`
		if strings.HasPrefix(p.Encoding, "utf-16") { // half of a pair, or half a unit
			bad = count(p.BadBytes, "unit is", "units are") + ` no text and shown as \uNNNN or \xNN`
		}
		about = append(about, bad)
	}
	return strings.Join(about, ", ")
}

// line writes number, tab, text. A window says which columns it is; only the
// last line of a page can be cut, so Next is about it.
func line(b *strings.Builder, l *reeve.Line, next *reeve.Next) {
	var buf [20]byte
	b.Write(strconv.AppendInt(buf[:0], l.N, 10))
	if l.Column > 1 || l.Cut {
		from := strconv.Itoa(max(l.Column, 1))
		switch {
		case !l.Cut && l.Text.String() == "":
			b.WriteString(" (no such column: the line has " + count(l.Column-1, "character", "characters") + ")")
		case !l.Cut:
			b.WriteString(" (column " + from + " to its end)")
		case next != nil && next.Column > 1:
			b.WriteString(" (columns " + from + "-" + strconv.Itoa(next.Column-1) + ", the line goes on)")
		default:
			b.WriteString(" (from column " + from + ", the line goes on)")
		}
	}
	b.WriteByte('\t')
	// A line has no newline in it. Should one get here, it must not begin
	// what could pass for a line of ours.
	b.WriteString(strings.ReplaceAll(l.Text.String(), "\n", `\n`))
	b.WriteByte('\n')
}

// wayOn says what was shown, why it stopped there, and the next call.
func wayOn(b *strings.Builder, p *reeve.Page, c dialect.Context) {
	total := dialect.Thousands(p.Total)
	if !p.Counted {
		total = "at least " + total
	}
	switch {
	case len(p.Lines) == 0 && p.Next == nil && (p.Size == 0 || p.Counted && p.Total == 0):
		b.WriteString("The file is empty.\n")
		return
	case len(p.Lines) == 0 && p.Next == nil:
		b.WriteString("No line there: the file has " + total + plural(p.Total, " line") + ".\n")
		return
	case p.Whole && p.Counted && !p.FromEnd:
		b.WriteString("End of file: " + lines(p.Total) + " in all.\n")
		return
	}
	if len(p.Lines) > 0 {
		first, last := p.Lines[0].N, p.Lines[len(p.Lines)-1].N
		switch {
		case p.FromEnd && last == -1 && first == last:
			b.WriteString("The last line")
		case p.FromEnd && last == -1:
			b.WriteString("The last " + lines(-first) + ", numbered from the end")
		case p.FromEnd && first == last:
			b.WriteString("Line " + strconv.FormatInt(first, 10) + ", counted from the end")
		case p.FromEnd:
			b.WriteString("Lines " + strconv.FormatInt(first, 10) + " to " + strconv.FormatInt(last, 10) + ", counted from the end")
		case first == last:
			b.WriteString("Line " + dialect.Thousands(first) + " of " + total)
		default:
			b.WriteString("Lines " + dialect.Thousands(first) + "-" + dialect.Thousands(last) + " of " + total)
		}
		b.WriteString(". ")
	}
	if p.Next == nil {
		b.WriteString("End of file.\n")
		return
	}
	b.WriteString(stopped(p.Stopped, c.Settings))
	b.WriteString("More: offset " + strconv.FormatInt(p.Next.Offset, 10))
	if p.Next.Column > 1 {
		b.WriteString(", column " + strconv.Itoa(p.Next.Column))
	}
	b.WriteString(".\n")
}

func lines(n int64) string { return dialect.Thousands(n) + plural(n, " line") }

func plural(n int64, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// stopped names the cap that ended a page, so that it is clear which one.
func stopped(why string, s reeve.Settings) string {
	switch {
	case why == "lines" && s.ReadLines > 0:
		return "Stopped at " + dialect.Thousands(int64(s.ReadLines)) + " lines, the most of one read. "
	case why == "chars" && s.ReadChars > 0:
		return "Stopped at " + dialect.Thousands(int64(s.ReadChars)) + " characters, the most of one read. "
	case why == "bytes" && s.ReadBytes > 0:
		return "Stopped at " + dialect.Thousands(int64(s.ReadBytes)) + " bytes, the most of one read. "
	case why == "limit", why == "":
		return ""
	}
	return "Stopped by the limit on " + why + ". "
}
