package guard

import (
	"fmt"
	"strings"
	"time"

	"reeve"
)

const (
	// detailLines and detailMost bound the diff on a card, in lines and bytes.
	detailLines = 200
	detailMost  = 64 << 10
	// detailWidth is how much of one line it shows, in characters.
	detailWidth = 500
	// wholeMost bounds the diff that is kept beside a card, in bytes.
	wholeMost = 4 << 20
	// patchLines bound the diff in the record.
	patchLines = 800
	// leastLines is what each of many changes gets in any case.
	leastLines = 8
)

// diff is what all changes of a call come to, one after the other under their
// paths. Each gets its share of the bounds, and what one does not need goes to
// the others.
func (p *passed) diff(b DiffBounds) Diff {
	var which []int
	for i, s := range p.work.Shown {
		if s.Diff != nil && i < len(p.proposal.Changes) {
			which = append(which, i)
		}
	}
	var all Diff
	if len(which) == 0 {
		return all
	}
	ofEach := b
	if n := len(which); n > 1 {
		ofEach.Bytes = max(b.Bytes/n, 1<<10)
		if b.Lines > 0 {
			ofEach.Lines = max(b.Lines/n, leastLines)
		}
	}
	parts, spare, short, bytes := make([]Diff, len(which)), 0, 0, int64(0)
	for k, i := range which {
		parts[k] = p.work.Shown[i].Diff(ofEach)
		spare += max(0, ofEach.Bytes-len(parts[k].Text))
		bytes += parts[k].Bytes
		if !parts[k].Left.IsZero() {
			short++
		}
	}
	if len(which) > 1 && short > 0 {
		again := ofEach
		if again.Bytes += spare / short; bytes <= int64(b.Bytes) {
			again.Bytes = b.Bytes // they fit all together
		}
		if b.Lines > 0 {
			lines := 0
			for _, d := range parts {
				if d.Left.IsZero() {
					lines += max(0, ofEach.Lines-int(d.Lines))
				}
			}
			again.Lines += lines / short
		}
		if again != ofEach {
			for k, i := range which {
				if !parts[k].Left.IsZero() {
					parts[k] = p.work.Shown[i].Diff(again)
				}
			}
		}
	}
	var text strings.Builder
	for k, i := range which {
		d := parts[k]
		if len(p.work.Shown) > 1 {
			fmt.Fprintf(&text, "@@ %s @@\n", p.proposal.Changes[i].Place.Display())
		}
		text.WriteString(d.Text)
		if d.Text != "" && !strings.HasSuffix(d.Text, "\n") {
			text.WriteByte('\n')
		}
		all.Lines += d.Lines
		all.Bytes += d.Bytes
		all.Left.Gone += d.Left.Gone
		all.Left.New += d.Left.New
		all.Left.Places += d.Left.Places
		all.Left.Chars += d.Left.Chars
	}
	all.Text = text.String()
	if b.Bytes > 0 { // so many changes that even the least of each is too much
		all.Text = shorten(all.Text, b.Bytes+b.Bytes/4, &all.Left)
	}
	return all
}

// shorten cuts a diff after a line, and counts what it leaves out.
func shorten(text string, most int, left *reeve.Left) string {
	if len(text) <= most {
		return text
	}
	cut := strings.LastIndexByte(text[:most], '\n') + 1
	for line := range strings.Lines(text[cut:]) {
		switch line[0] {
		case '-':
			left.Gone++
		case '+':
			left.New++
		}
	}
	return text[:cut]
}

// detail puts the change on the card, with what is left out of it there.
func (p *passed) detail(q *reeve.Question, r *Reply) {
	d := p.diff(DiffBounds{Lines: detailLines, Width: detailWidth, Bytes: detailMost})
	// Written out, what hides takes more room than it seemed to.
	q.Detail = shorten(r.visible(d.Text), 2*detailMost, &d.Left)
	if !d.Left.IsZero() {
		d.Left.Beyond = d.Bytes > wholeMost
		q.Left = &d.Left
	}
}

// wholeFor gives what is to be kept beside the card, nil where the card shows
// everything itself.
func (p *passed) wholeFor(q reeve.Question, r *Reply) func() string {
	if q.Left == nil {
		return nil
	}
	return func() string {
		d := p.diff(DiffBounds{Lines: -1, Width: -1, Bytes: wholeMost})
		text := shorten(r.visible(d.Text), 3*wholeMost, &d.Left)
		if !d.Left.IsZero() {
			text = fmt.Sprintf("… This change is too large to be shown whole: %s are left out.\n%s", d.Left, text)
		}
		return text
	}
}

// patch is the change as the record keeps it.
func (p *passed) patch(r *Reply) string {
	d := p.diff(DiffBounds{Lines: patchLines, Width: detailWidth, Bytes: detailMost})
	return shorten(r.clean(d.Text), 2*detailMost, &d.Left)
}

// patchTime is how long the record's row waits for the change as a diff: the
// row is worth more than what it shows.
const patchTime = 5 * time.Second

// patchBeside begins to make the patch, and gives it when it is asked for,
// empty if it takes too long.
func (p *passed) patchBeside(r *Reply) func() string {
	made := make(chan string, 1)
	go func() {
		text := ""
		_ = safely(func() error { text = p.patch(r); return nil })
		made <- text
	}()
	return func() string {
		select {
		case text := <-made:
			return text
		case <-time.After(patchTime):
			return ""
		}
	}
}
