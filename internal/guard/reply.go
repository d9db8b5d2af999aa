package guard

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"reeve"
	"reeve/internal/pathname"
)

// HardReply is the most that any reply may hold, in bytes, whatever the
// settings say: common clients break on messages not much longer.
const HardReply = 8 << 20

// replySlack is what headers, notes and paths may take beyond the budget.
const replySlack = 32 << 10

// Reply is where everything that leaves is made: each name, line and note of
// an answer becomes a reeve.Text here, where redaction and the byte budget
// act. It is for one call and not for concurrent use.
type Reply struct {
	budget int
	used   int
	redact func(string) string
	notes  []reeve.Text
	access []reeve.Text
	saw    []sight
	files  int
	lines  int64
}

func newReply(budget int, redact func(string) string) *Reply {
	if budget <= 0 || budget > HardReply-replySlack {
		budget = HardReply - replySlack
	}
	return &Reply{budget: budget, redact: redact}
}

// Left is how many bytes of text still fit the budget.
func (r *Reply) Left() int { return max(0, r.budget-r.used) }

// Text clears a piece of content.
func (r *Reply) Text(s string) reeve.Text {
	s = r.clean(s)
	r.used += len(s)
	return reeve.Cleared(s)
}

// Name clears a file name: odd names are shown in the escaped form, so that
// no name can forge a line or hide its ending.
func (r *Reply) Name(name string) reeve.Text { return r.Text(pathname.Escape(name)) }

// RelPath clears a path relative to a listed folder, component by component.
func (r *Reply) RelPath(components []string) reeve.Text {
	if len(components) == 1 {
		return r.Name(components[0])
	}
	shown := make([]string, len(components))
	for i, c := range components {
		shown[i] = pathname.Escape(c)
	}
	return r.Text(strings.Join(shown, "/"))
}

// Path clears a place's real path.
func (r *Reply) Path(p reeve.Place) reeve.Text { return r.Text(p.Display()) }

// Note adds a sentence after the answer: a cap, a skip, how to go on.
func (r *Reply) Note(format string, args ...any) {
	r.notes = append(r.notes, r.Text(fmt.Sprintf(format, args...)))
}

// Showed says that content of a file was shown: for the record, and for
// programs that act on the files an agent has seen.
func (r *Reply) Showed(p reeve.Place, lines int) {
	r.access = append(r.access, r.Text(p.Display()))
	r.files++
	r.lines += int64(lines)
}

// sight is a page that was shown, for the read state.
type sight struct {
	place reeve.Place
	page  reeve.Page
}

// Saw says that a page of a file was shown: it counts as read once the answer
// is on record.
func (r *Reply) Saw(p reeve.Place, page reeve.Page) {
	r.Showed(p, len(page.Lines))
	r.saw = append(r.saw, sight{p, page})
}

// Lines clears the lines of one page together, so that redaction can see what
// goes over several of them. Redacted says that it hid something; the number
// of lines stays.
func (r *Reply) Lines(lines []string) (out []reeve.Text, redacted bool) {
	out = make([]reeve.Text, len(lines))
	if r.redact == nil {
		for i, l := range lines {
			out[i] = r.Text(l)
		}
		return out, false
	}
	whole := strings.Join(lines, "\n")
	hidden := r.clean(whole)
	if hidden == whole {
		for i, l := range lines {
			r.used += len(l)
			out[i] = reeve.Cleared(l)
		}
		return out, false
	}
	parts := strings.Split(hidden, "\n")
	for i := range out {
		if i < len(parts) {
			out[i] = reeve.Cleared(parts[i])
			r.used += len(parts[i])
		}
	}
	return out, true
}

// Refusal clears a refusal that stands inside an answer: one of several paths.
// When the budget is used up, only its code is left of it.
func (r *Reply) Refusal(e *reeve.Error) *reeve.Error {
	c := r.clear(e)
	if n := len(c.Path) + len(c.What) + len(c.Not) + len(c.Instead); n > r.Left() {
		c = &reeve.Error{Op: c.Op, Path: bounded(c.Path, 120), Kind: c.Kind, Code: c.Code, What: "was refused"}
	}
	r.used += len(c.Path) + len(c.What) + len(c.Not) + len(c.Instead)
	return c
}

// clean makes text valid UTF-8 and passes it through redaction.
func (r *Reply) clean(s string) string {
	if !utf8.ValidString(s) {
		s = escapeBad(s)
	}
	if r.redact != nil {
		s = r.redact(s)
	}
	return s
}

// visible cleans a text for a person who decides by it: characters that hide
// or reorder what stands beside them are written out. Tabs and line ends stay.
func (r *Reply) visible(s string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(r.clean(s), "\n") {
		for i, part := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(pathname.Visible(part))
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// over reports that a verb said more than any reply may hold.
func (r *Reply) over() bool { return r.used > r.budget+replySlack }

// clear passes an error's words through the same cleaning as an answer's: a
// refusal may carry a link's text or a near name, which come from the disk.
func (r *Reply) clear(e *reeve.Error) *reeve.Error {
	c := *e
	c.Path = bounded(r.clean(c.Path), 512)
	c.What = bounded(r.clean(c.What), 2048)
	c.Not = bounded(r.clean(c.Not), 512)
	c.Instead = bounded(r.clean(c.Instead), 2048)
	return &c
}

func escapeBad(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02X`, s[i])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// bounded cuts a text in the middle, at character borders.
func bounded(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head, tail := n*2/3, n/3-len(" … ")
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	from := len(s) - tail
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[:head] + " … " + s[from:]
}
