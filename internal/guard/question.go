package guard

import (
	"fmt"
	"strings"
	"time"

	"reeve"
	"reeve/internal/pathname"
)

// question puts a proposal into words: what happens to which path, then what
// is there, then what is new. The exact path is always there, since the path
// is what is approved.
func (g *Gate) question(p *passed, human bool, r *Reply) reeve.Question {
	q := reeve.Question{HumanOnly: human}
	var made, body []string
	own := madeOnPurpose(p.proposal.Changes)
	for _, e := range p.proposal.Effects {
		if !e.Kind.Changes() || p.view.plantedBelow(e) {
			continue // what a change is based on is not what is asked
		}
		q.Effects = append(q.Effects, e)
		if e.Kind == reeve.EffectMkdir && !own[e.Place.Key()] {
			made = append(made, e.Place.Display())
			continue
		}
		if q.Title == "" {
			q.Title = title(e)
		} else {
			q.Title = fmt.Sprintf("Make %d changes?", len(p.proposal.Changes))
		}
		q.Destructive = q.Destructive || e.Kind == reeve.EffectRemove
		body = append(body, e.Place.Display())
		body = append(body, creates(&made)...)
		body = append(body, g.details(e, p, r)...)
	}
	body = append(body, creates(&made)...)
	for _, s := range p.view.seen {
		for _, d := range s.decisions {
			if d.Verdict == reeve.Ask && d.Tell != "" {
				body = append(body, d.Tell)
			}
		}
	}
	body = append(body, p.foreseen...)
	q.Title, q.Body = r.visible(q.Title), r.visible(strings.Join(body, "\n"))
	p.detail(&q, r)
	return q
}

func creates(made *[]string) []string {
	var lines []string
	for _, m := range *made {
		lines = append(lines, "Creates the folder "+m+" as well.")
	}
	*made = nil
	return lines
}

func title(e reeve.Effect) string {
	name := pathname.Escape(e.Place.Base())
	switch e.Kind {
	case reeve.EffectCreate:
		return "Create " + name + "?"
	case reeve.EffectReplace:
		return "Overwrite " + name + "?"
	case reeve.EffectRemove:
		return "Delete " + name + "?"
	case reeve.EffectMove:
		return "Move " + name + "?"
	case reeve.EffectMkdir:
		return "Create the folder " + name + "?"
	case reeve.EffectSend:
		return "Send " + name + " to another computer?"
	}
	return "Allow " + string(e.Kind) + " of " + name + "?"
}

func (g *Gate) details(e reeve.Effect, p *passed, r *Reply) []string {
	var lines []string
	shown := Shown{}
	var change *reeve.Change
	for i, ch := range p.proposal.Changes {
		if ch.Place.Key() == e.Place.Key() {
			change = &p.proposal.Changes[i]
			if i < len(p.work.Shown) {
				shown = p.work.Shown[i]
			}
			break
		}
	}
	switch e.Kind {
	case reeve.EffectReplace:
		if shown.Edit != "" {
			return append(lines, append([]string{r.visible(shown.Edit)}, g.uncopied(e.Place.Size)...)...)
		}
		lines = append(lines, fmt.Sprintf("Replaces %s, last changed %s.", sized(e.Place.Size, shown.Was), ago(p.view.now(), e.Place.MTime)))
		lines = append(lines, g.uncopied(e.Place.Size)...)
	case reeve.EffectRemove:
		if shown.Holds != "" {
			lines = append(lines, "It holds "+r.visible(shown.Holds)+".")
		}
		largest, all := e.Place.Size, e.Place.Size
		if e.Place.Kind == reeve.Directory {
			largest, all = shown.Largest, shown.Bytes
		}
		lines = append(lines, g.undoable(largest, all))
	case reeve.EffectMkdir:
		if shown.Holds != "" {
			lines = append(lines, "It will hold "+r.visible(shown.Holds)+".")
		}
	case reeve.EffectMove:
		lines = append(lines, "→ "+e.To.Display(), "Nothing is there yet.")
	}
	if change == nil || change.Kind != reeve.Put {
		return lines
	}
	switch x := change.Content.(type) {
	case reeve.Bytes:
		now := shown.Now
		if now == 0 {
			now = lineCount(x)
		}
		lines = append(lines, fmt.Sprintf("New content is %s, %s.", count(int64(len(x)), "byte"), count(now, "line")))
	case reeve.FromPlace:
		lines = append(lines, "New content is a copy of "+x.Place.Display()+".")
	case reeve.Stream:
		lines = append(lines, fmt.Sprintf("New content is %s.", count(x.Size, "byte")))
	}
	return lines
}

// undoable says what becomes of what is deleted.
func (g *Gate) undoable(largest, all int64) string {
	if g.o.History != nil {
		if kept, why := g.o.History.Would(largest, all); kept > 0 {
			return "A copy is kept for " + count(int64(kept/(24*time.Hour)), "day") + "."
		} else if why != "" {
			return "This cannot be undone: no copy is kept, " + why + "."
		}
	}
	return "This cannot be undone."
}

// uncopied warns where what is replaced could not be brought back.
func (g *Gate) uncopied(bytes int64) []string {
	if g.o.History == nil {
		return []string{"No copy of the old content is kept."}
	}
	if kept, why := g.o.History.Would(bytes, bytes); kept <= 0 {
		return []string{"No copy of the old content is kept: " + why + "."}
	}
	return nil
}

// sized is a size in bytes, and in lines where they are known.
func sized(bytes, lines int64) string {
	if lines == 0 {
		return count(bytes, "byte")
	}
	return count(bytes, "byte") + ", " + count(lines, "line")
}

func lineCount(b []byte) int64 {
	n := int64(strings.Count(string(b), "\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// count is a number with its unit: 1 byte, 1,240 bytes.
func count(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return thousands(n) + " " + unit + "s"
}

// thousands groups digits: 1,240.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		if s[i-1] == '-' {
			break
		}
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ago is a coarse age in words.
func ago(now time.Time, mtime int64) string {
	d := now.Sub(time.Unix(0, mtime))
	unit := func(n int, what string) string { return count(int64(n), what) + " ago" }
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return unit(int(d/time.Minute), "minute")
	case d < 24*time.Hour:
		return unit(int(d/time.Hour), "hour")
	case d < 60*24*time.Hour:
		return unit(int(d/(24*time.Hour)), "day")
	}
	return unit(int(d/(30*24*time.Hour)), "month")
}
