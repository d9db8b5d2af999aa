package approval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"reeve"
)

// How many questions may wait: of one session, so that it does not block the
// others; of one agent, since it says itself what its session is; in all,
// since it says its name itself too.
const (
	mostOfSession = 32
	mostOfAgent   = 128
	mostCards     = 512
)

// droppedEnd marks a card whose call was given up. It still waits: a client
// that lost patience may make the call again, and finds it, or its answer. But
// where there is no more room it goes before anything is refused, the oldest
// first.
const droppedEnd = ".dropped"

func droppedName(id string) string { return id + droppedEnd }

// GivenUp notes that the call which asked a question was cancelled. The same
// call, made again, takes that back.
func (t *Table) GivenUp(_ context.Context, id string) error {
	id = cleanID(id)
	root, err := t.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return tableError(err)
	}
	defer root.Close()
	v, err := t.look(root)
	if err != nil {
		return tableError(err)
	}
	for _, c := range v.cards {
		if c.ID == id && v.waits(c, t.o.Now()) {
			if err := write(root, droppedName(id), nil); err != nil && !errors.Is(err, fs.ErrExist) {
				return tableError(err)
			}
		}
	}
	return nil
}

// waits reports whether nobody has answered the card, and somebody could.
func (v *view) waits(c entry, now time.Time) bool {
	return c.waits(now) && !v.taken[c.ID] && !v.answered[c.ID]
}

// room makes room for one more question of a subject, or says why there is
// none.
func (v *view) room(s reeve.Subject, now time.Time) error {
	agent := func(c entry) bool { return c.Subject.Door == s.Door && c.Subject.Agent == s.Agent }
	for _, bound := range []struct {
		most  int
		of    string
		among func(entry) bool
	}{
		{mostOfSession, "of this session", func(c entry) bool { return agent(c) && c.Subject.Session == s.Session }},
		{mostOfAgent, "of this agent", agent},
		{mostCards, "of all agents", func(entry) bool { return true }},
	} {
		var list []entry
		for _, c := range v.cards {
			if bound.among(c) && v.waits(c, now) {
				list = append(list, c)
			}
		}
		over := len(list) - bound.most + 1
		for _, c := range list {
			if over > 0 && v.dropped[c.ID] {
				if err := v.withdraw(c, now); err != nil {
					return err
				}
				over--
			}
		}
		if over > 0 {
			return &reeve.Error{Op: "ask", Kind: reeve.Approval, Code: reeve.Waiting,
				What: fmt.Sprintf("%d questions %s wait for the owner already, which is the most", len(list), bound.of),
				Not:  "Nothing was written, and this was not asked.",
				Instead: fmt.Sprintf("Ask the owner to answer them, with `reeve console` or `reeve approve`; then call again with the same arguments. What nobody answers ends after %d minutes.",
					int(QuestionLife/time.Minute))}
		}
	}
	return nil
}

// withdraw ends a question without an answer. It takes the name that an
// answer would have: whoever comes first decides, as between two answers.
func (v *view) withdraw(c entry, now time.Time) error {
	v.answered[c.ID] = true
	err := create(v.root, answerName(c.ID), filed{ID: c.ID, Digest: c.Digest, Withdrawn: true, Answer: Answer{At: now.UTC()}})
	switch {
	case err == nil:
		v.root.Remove(changeName(c.ID)) // nobody looks at it any more
	case !errors.Is(err, fs.ErrExist):
		return tableError(err)
	}
	return nil
}

// withdrawn reports whether a card ended that way.
func (v *view) withdrawn(c Card) bool {
	var f filed
	return v.answered[c.ID] && read(v.root, answerName(c.ID), &f) == nil && f.ID == c.ID && f.Digest == c.Digest && f.Withdrawn
}

func withdrawnError(id string) error {
	return &reeve.Error{Op: "approve", Path: id, Kind: reeve.Input, Code: reeve.NotFound,
		What: "is a question whose call was given up, and which made room for others", Not: "Nothing was answered.",
		Instead: "Have the same call made again: it asks anew."}
}
