package approval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"reeve"
)

const (
	// QuestionLife is how long a card can be answered.
	QuestionLife = 15 * time.Minute
	// AnswerLife is how long an answer can be used.
	AnswerLife = 15 * time.Minute
	// skew is how far the clocks of two computers with one state folder may
	// lie apart.
	skew = 5 * time.Second

	tableDir   = "approvals"
	maxMinutes = 30
)

// TableOptions are what a table needs. Dir must be set.
type TableOptions struct {
	// Dir is the state folder, absolute; the table is a folder in it. Nothing
	// is made before the first question.
	Dir string
	Now func() time.Time // nil means time.Now
	// Report is told of files that are ignored, and why; nil drops it. It may
	// be called by several goroutines.
	Report func(file, what string)
}

// Table is the questions and answers of one state folder. All processes of
// the owner share it; each file in it is written by one process, once. Its
// methods may be called by many goroutines at once.
type Table struct{ o TableOptions }

// NewTable gives the table of a state folder. It touches no disk.
func NewTable(o TableOptions) *Table {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(string, string) {}
	}
	return &Table{o}
}

// Answer is what the owner said to one card.
type Answer struct {
	Yes bool `json:"yes"`
	// Channel is where it was said: console, terminal, dialog, approve,
	// elicitation.
	Channel string    `json:"channel"`
	At      time.Time `json:"at"`
	// Took is the time between question and answer.
	Took time.Duration `json:"took"`
	// Minutes for which the same file may be changed without asking, 0 for
	// this change alone.
	Minutes int `json:"minutes,omitempty"`
}

// Card is one question as it lies in the table.
type Card struct {
	ID       string         `json:"id"`
	Digest   reeve.Digest   `json:"digest"`
	Question reeve.Question `json:"question"`
	Subject  reeve.Subject  `json:"subject"`
	Made     time.Time      `json:"made"`
	Expires  time.Time      `json:"expires"`
}

func (c Card) waits(now time.Time) bool {
	return !now.Before(c.Made.Add(-skew)) && now.Before(c.Expires)
}

// Ask makes the card for a digest, or finds the one that waits already. The
// ID is short enough to be typed.
func (t *Table) Ask(ctx context.Context, d reeve.Digest, q reeve.Question, s reeve.Subject) (reeve.Pending, error) {
	return t.AskWith(ctx, d, q, s, nil)
}

// AskWith is Ask for a question that shows a part of its change only. Whole
// gives all of it, and is called if a card is made: the change lies beside the
// card, for Change, and goes with it.
func (t *Table) AskWith(ctx context.Context, d reeve.Digest, q reeve.Question, s reeve.Subject, whole func() string) (reeve.Pending, error) {
	root, err := t.open(true)
	if err != nil {
		return reeve.Pending{}, tableError(err)
	}
	defer root.Close()
	for range 10 { // each round lost means that another process made a card
		if err := ctx.Err(); err != nil {
			return reeve.Pending{}, tableError(err)
		}
		v, err := t.look(root)
		if err != nil {
			return reeve.Pending{}, tableError(err)
		}
		now := t.o.Now()
		v.sweep(now)
		next := 0
		for _, c := range v.cards {
			if c.Digest != d {
				continue
			}
			next = max(next, c.try+1)
			waits := c.waits(now) && !v.taken[c.ID]
			if waits && v.answered[c.ID] {
				// An answer that can't be used must not block its question.
				_, waits = v.answer(c.Card, now)
			}
			if waits {
				if v.dropped[c.ID] { // somebody waits for it again
					root.Remove(droppedName(c.ID))
				}
				return reeve.Pending{ID: c.ID, Digest: d, Question: q, Expires: c.Expires}, nil
			}
		}
		if err := v.room(s, now); err != nil {
			return reeve.Pending{}, err
		}
		c := Card{ID: newID(), Digest: d, Question: q, Subject: s, Made: now.UTC(), Expires: now.Add(QuestionLife).UTC()}
		if whole != nil { // before its card: a card that can be seen can be seen whole
			if err := v.keepChange(c.ID, whole()); err != nil {
				return reeve.Pending{}, tableError(err)
			}
		}
		err = create(root, cardName(d, next), c)
		if err != nil && whole != nil {
			root.Remove(changeName(c.ID))
		}
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return reeve.Pending{}, tableError(err)
		}
		return reeve.Pending{ID: c.ID, Digest: d, Question: q, Expires: c.Expires}, nil
	}
	return reeve.Pending{}, tableError(errors.New("other processes keep asking the same"))
}

// Take consumes the answer to a digest. Of all callers in all processes one
// at most ever gets it; ok is false for the others, and while there is none.
func (t *Table) Take(ctx context.Context, d reeve.Digest) (a Answer, ok bool, err error) {
	root, err := t.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return Answer{}, false, nil
	}
	if err != nil {
		return Answer{}, false, tableError(err)
	}
	defer root.Close()
	v, err := t.look(root)
	if err != nil {
		return Answer{}, false, tableError(err)
	}
	now := t.o.Now()
	for _, c := range v.cards {
		if c.Digest != d || !v.answered[c.ID] || v.taken[c.ID] {
			continue
		}
		a, live := v.answer(c.Card, now)
		if !live {
			continue
		}
		if err := ctx.Err(); err != nil {
			return Answer{}, false, tableError(err)
		}
		switch err := createSynced(root, takenName(c.ID)); {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return Answer{}, false, tableError(err)
		}
		// A sweep removes the answer before the note that it was consumed: if
		// it is gone, the note may have been there already.
		if _, err := root.Lstat(answerName(c.ID)); err != nil {
			continue
		}
		return a, true, nil
	}
	return Answer{}, false, nil
}

// Answer answers a card for whoever asked. The first answer counts; a later
// one gets an error that tells the first. At and Took are filled in when zero.
func (t *Table) Answer(_ context.Context, id string, a Answer) error {
	id = cleanID(id)
	root, err := t.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return noCard(id)
	}
	if err != nil {
		return tableError(err)
	}
	defer root.Close()
	v, err := t.look(root)
	if err != nil {
		return tableError(err)
	}
	var found []entry
	for _, c := range v.cards {
		if c.ID == id {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return noCard(id)
	}
	c, now := found[0], t.o.Now()
	switch {
	case v.withdrawn(c.Card):
		return withdrawnError(id)
	case v.answered[id]:
		return v.already(c.Card)
	case !c.waits(now):
		return &reeve.Error{Op: "approve", Path: id, Kind: reeve.Input, Code: reeve.NotFound,
			What: "is a question that has expired", Not: "Nothing was answered.", Instead: "Have the same call made again: it asks anew."}
	case a.Channel == "elicitation" && c.Question.HumanOnly:
		return &reeve.Error{Op: "approve", Path: id, Kind: reeve.Policy, Code: reeve.NoChannel,
			What: "is a question that the agent's own client can't answer", Not: "Nothing was answered.", Instead: "Answer it with `reeve approve " + id + "`."}
	case a.Minutes < 0 || a.Minutes > maxMinutes || a.Minutes > 0 && !a.Yes:
		return &reeve.Error{Op: "approve", Path: id, Kind: reeve.Input, Code: reeve.Invalid,
			What: fmt.Sprintf("can't be approved for %d minutes", a.Minutes), Not: "Nothing was answered.", Instead: fmt.Sprintf("Give 0 to %d minutes, with a yes.", maxMinutes)}
	case a.Minutes > 0 && !Lasting(c.Question):
		return &reeve.Error{Op: "approve", Path: id, Kind: reeve.Input, Code: reeve.Invalid,
			What: "is a question that is asked every time", Not: "Nothing was answered.", Instead: "Answer it for this change alone, without minutes."}
	}
	if a.At.IsZero() {
		a.At = now.UTC()
	}
	if a.Took == 0 {
		a.Took = max(0, now.Sub(c.Made))
	}
	err = create(root, answerName(id), filed{ID: id, Digest: c.Digest, Answer: a})
	if errors.Is(err, fs.ErrExist) {
		if v.answered[id] = true; v.withdrawn(c.Card) {
			return withdrawnError(id)
		}
		return v.already(c.Card)
	}
	if err != nil {
		return tableError(err)
	}
	return nil
}

// Waiting lists the cards that nobody has answered, the oldest first.
func (t *Table) Waiting(context.Context) ([]Card, error) {
	root, err := t.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, tableError(err)
	}
	defer root.Close()
	v, err := t.look(root)
	if err != nil {
		return nil, tableError(err)
	}
	now := t.o.Now()
	v.sweep(now)
	var list []Card
	for _, c := range v.cards {
		if v.waits(c, now) {
			list = append(list, c.Card)
		}
	}
	return list, nil
}

func noCard(id string) error {
	return &reeve.Error{Op: "approve", Path: id, Kind: reeve.Input, Code: reeve.NotFound,
		What: "names no question that waits", Not: "Nothing was answered.", Instead: "`reeve approve` lists the questions that wait."}
}

func tableError(err error) error {
	var own *reeve.Error
	if errors.As(err, &own) {
		return err
	}
	return &reeve.Error{Op: "ask", Kind: reeve.IO, Code: reeve.Failed, What: "the table of questions can't be used: " + err.Error(),
		Not: "Nothing was written.", Instead: "Tell the owner; `reeve doctor` shows the state folder.", Cause: err}
}

// open opens the table's folder, which must be Reeve's own alone.
func (t *Table) open(build bool) (*os.Root, error) {
	if build {
		if err := os.MkdirAll(t.o.Dir, 0o700); err != nil {
			return nil, err
		}
	}
	state, err := os.OpenRoot(t.o.Dir)
	if err != nil {
		return nil, err
	}
	defer state.Close()
	if build {
		if err := state.Mkdir(tableDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	st, err := state.Lstat(tableDir)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: tableDir, Err: errors.New("is not a folder")}
	}
	if why := foreign(st); why != "" {
		return nil, &fs.PathError{Op: "open", Path: tableDir, Err: errors.New(why)}
	}
	return state.OpenRoot(tableDir)
}
