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
func question(p *passed, human bool) reeve.Question {
	q := reeve.Question{HumanOnly: human, Effects: p.proposal.Effects}
	var made, body []string
	for _, e := range p.proposal.Effects {
		if e.Kind == reeve.EffectMkdir && !asksFolder(p.proposal.Changes, e.Place) {
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
		body = append(body, details(e, p.proposal.Changes, p.view.now())...)
	}
	q.Body = strings.Join(append(body, creates(&made)...), "\n")
	return q
}

func asksFolder(changes []reeve.Change, p reeve.Place) bool { return covered(changes, p) }

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

func details(e reeve.Effect, changes []reeve.Change, now time.Time) []string {
	var lines []string
	switch e.Kind {
	case reeve.EffectReplace:
		lines = append(lines, fmt.Sprintf("Replaces %s, last changed %s.", count(e.Place.Size, "byte"), ago(now, e.Place.MTime)))
	case reeve.EffectRemove:
		lines = append(lines, "This cannot be undone.")
	case reeve.EffectMove:
		lines = append(lines, "→ "+e.To.Display(), "Nothing is there yet.")
	}
	for _, ch := range changes {
		if ch.Kind != reeve.Put || ch.Place.Key() != e.Place.Key() {
			continue
		}
		switch x := ch.Content.(type) {
		case reeve.Bytes:
			lines = append(lines, fmt.Sprintf("New content is %s, %s.", count(int64(len(x)), "byte"), count(lineCount(x), "line")))
		case reeve.FromPlace:
			lines = append(lines, "New content is a copy of "+x.Place.Display()+".")
		case reeve.Stream:
			lines = append(lines, fmt.Sprintf("New content is %s.", count(x.Size, "byte")))
		}
	}
	return lines
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
