package approval

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"reeve"
)

// State is what has become of a question.
type State string

const (
	Waits    State = "waits"
	Said     State = "answered" // and the answer can still be used, or was
	Expired  State = "expired"  // nobody answered in time, or while its call waited
	NotThere State = "unknown"  // no such card, or it was swept away
)

// Look finds a card by its ID and tells what has become of it. Answer is set
// when State is Said and the answer can be read.
func (t *Table) Look(_ context.Context, id string) (c Card, s State, a *Answer, err error) {
	id = cleanID(id)
	root, err := t.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return Card{}, NotThere, nil, nil
	}
	if err != nil {
		return Card{}, NotThere, nil, tableError(err)
	}
	defer root.Close()
	v, err := t.look(root)
	if err != nil {
		return Card{}, NotThere, nil, tableError(err)
	}
	now := t.o.Now()
	found := false
	for _, e := range v.cards {
		if e.ID != id {
			continue
		}
		if found { // two cards of one ID: neither can be answered
			return Card{}, NotThere, nil, nil
		}
		found, c = true, e.Card
	}
	switch {
	case !found:
		return Card{}, NotThere, nil, nil
	case v.withdrawn(c):
		return c, Expired, nil, nil
	case v.answered[id]:
		if got, _ := v.answer(c, now); !got.At.IsZero() {
			a = &got
		}
		return c, Said, a, nil
	case v.taken[id]:
		return c, Said, nil, nil
	case !c.waits(now):
		return c, Expired, nil, nil
	}
	return c, Waits, nil, nil
}

// Change gives the whole change of a question, of which its card may show a
// part: a unified diff, empty where the change is no text. It is there as long
// as the card.
func (t *Table) Change(_ context.Context, id string) (string, error) {
	id = cleanID(id)
	root, err := t.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return "", noCard(id)
	}
	if err != nil {
		return "", tableError(err)
	}
	defer root.Close()
	v, err := t.look(root)
	if err != nil {
		return "", tableError(err)
	}
	var found []Card
	for _, e := range v.cards {
		if e.ID == id {
			found = append(found, e.Card)
		}
	}
	if len(found) != 1 {
		return "", noCard(id)
	}
	return t.wholeOf(root, found[0])
}

// Open reports whether a question has no answer yet, and counts as waiting for
// it: see GivenUp. It is cheap, for looking again and again; when the question
// expires is known from its card.
func (t *Table) Open(_ context.Context, id string) (bool, error) {
	id = cleanID(id)
	root, err := t.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, tableError(err)
	}
	defer root.Close()
	for _, name := range []string{answerName(id), takenName(id)} {
		if _, err := root.Lstat(name); err == nil {
			return false, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, tableError(err)
		}
	}
	// Whoever looks waits: another call with the same question may have been
	// given up, and this one needs the card.
	root.Remove(droppedName(id))
	return true, nil
}

// Mark differs whenever a question was asked, answered or swept away since.
// Times of a file system may be coarse: look at the table itself from time to
// time as well.
func (t *Table) Mark(context.Context) string {
	root, err := t.open(false)
	if err != nil {
		return ""
	}
	defer root.Close()
	st, err := root.Stat(".")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(st.ModTime().UnixNano(), 36)
}

// Lasting reports whether a yes to a question may hold for some minutes: only
// for what makes or replaces a thing, and where the gate said so.
func Lasting(q reeve.Question) bool {
	if !q.Remember || len(q.Effects) == 0 {
		return false
	}
	for _, e := range q.Effects {
		switch e.Kind {
		case reeve.EffectCreate, reeve.EffectReplace, reeve.EffectMkdir:
		default:
			return false
		}
	}
	return true
}
