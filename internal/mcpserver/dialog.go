package mcpserver

import (
	"fmt"
	"strings"

	"reeve"
)

const (
	// lineChars is the most that is shown of a line in a change that does not
	// fit: its beginning and its end. It is more than a question usually has
	// of one, since that is cut around what differs.
	lineChars = 540
	// noteChars is kept free for the words about what is left out.
	noteChars = 420
)

// dialog is a question in the length that a client's window takes.
type dialog struct {
	text string
	// left is what the text leaves out of the change, in words; empty when it
	// is all there.
	left string
}

// dialogOf makes the text of a question. Of a change that is too long it has
// the first and the last lines, and says how much lies between, with the
// command that shows it. Where nothing of the change would be seen, or not all
// that the question says beside it, there is no dialog: nobody is to say yes
// to what was not shown.
func dialogOf(p reeve.Pending) (dialog, bool) {
	q := p.Question
	head := q.Title + "\n" + q.Body
	detail := strings.TrimSuffix(q.Detail, "\n")
	if q.Left == nil {
		text := head
		if detail != "" {
			text += "\n\n" + detail
		}
		if runes(text) <= messageChars {
			return dialog{text: text}, true
		}
	}
	if detail == "" {
		return dialog{}, false
	}
	head += "\n\n"
	var before reeve.Left
	if q.Left != nil {
		before = *q.Left
		note := leftNote(p, before.String())
		if text := head + detail + note; runes(text) <= messageChars {
			return dialog{text, before.String()}, changes(detail) || !changed(before)
		}
	}
	part, left, ok := shorten(detail, messageChars-noteChars-runes(head), before)
	if !ok {
		return dialog{}, false
	}
	text := head + part + leftNote(p, left)
	return dialog{text, left}, runes(text) <= messageChars
}

func leftNote(p reeve.Pending, left string) string {
	all := "all of it"
	if p.Question.Left != nil && p.Question.Left.Beyond {
		all = "as much of it as is kept"
	}
	return fmt.Sprintf("\n\nShown in part. Left out here: %s. `reeve approve %s --diff` and the console show %s.", left, p.ID, all)
}

// shorten gives the first and the last lines of a change in at most so many
// characters, and what is left out with what was before. It is not ok where no
// changed line would be seen as the question has it.
func shorten(detail string, most int, left reeve.Left) (part, words string, ok bool) {
	lines := strings.Split(detail, "\n")
	cut := make([]string, len(lines))
	chars := make([]int64, len(lines))
	for i, l := range lines {
		cut[i], chars[i] = ends(l)
	}
	// Two thirds for the beginning, the rest for the end.
	first, room := 0, most*2/3
	for first < len(cut) && runes(cut[first])+1 <= room {
		room -= runes(cut[first]) + 1
		first++
	}
	last, room := len(cut), most-most*2/3+room
	for last > first && runes(cut[last-1])+1 <= room {
		room -= runes(cut[last-1]) + 1
		last--
	}
	stay := int64(0)
	for i, l := range lines {
		switch {
		case i < first || i >= last:
			left.Chars += chars[i]
			ok = ok || chars[i] == 0 && changes(l)
		case strings.HasPrefix(l, "-"):
			left.Gone++
		case strings.HasPrefix(l, "+"):
			left.New++
		case strings.HasPrefix(l, "…"), strings.HasPrefix(l, "@@"): // counted already, or a path
		default:
			stay++
		}
	}
	var all []string
	if !left.IsZero() {
		all = append(all, left.String())
	}
	if stay > 0 {
		word := "unchanged lines"
		if stay == 1 {
			word = "unchanged line"
		}
		all = append(all, fmt.Sprintf("%d %s", stay, word))
	}
	words = strings.Join(all, " and ")
	shown := append([]string{}, cut[:first]...)
	if first < last {
		shown = append(shown, fmt.Sprintf("… %d lines are left out here …", last-first))
	}
	return strings.Join(append(shown, cut[last:]...), "\n"), words, ok
}

// ends gives the beginning and the end of a long line, and how many characters
// lie between.
func ends(l string) (string, int64) {
	r := []rune(l)
	if len(r) <= lineChars {
		return l, 0
	}
	const head, tail = lineChars * 2 / 3, lineChars / 4
	n := len(r) - head - tail
	return fmt.Sprintf("%s … %d characters … %s", string(r[:head]), n, string(r[len(r)-tail:])), int64(n)
}

// changes reports whether a line of a change, or any of several, goes or
// comes.
func changes(detail string) bool {
	for l := range strings.SplitSeq(detail, "\n") {
		if strings.HasPrefix(l, "-") || strings.HasPrefix(l, "+") {
			return true
		}
	}
	return false
}

// changed reports whether lines that go or come are left out.
func changed(l reeve.Left) bool { return l.Gone+l.New > 0 }

func runes(s string) int { return len([]rune(s)) }
