package approval

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"reeve"
)

// The table's folder holds
//
//	DIGEST.N.card   the N-th question about a proposal
//	ID.answer       the one answer to a card
//	ID.taken        its consumption
//	ID.dropped      its call was given up, so it goes first where room is needed
//	ID.change       the whole change, of a card that shows a part of it
//
// Each is created once, exclusively, and never changed; but the mark of a call
// given up goes when it is made again. That a name exists is what decides; so two processes never write one file, and none waits for
// another.
const (
	cardEnd   = ".card"
	answerEnd = ".answer"
	takenEnd  = ".taken"
	tmpStart  = "tmp-"
	maxFile   = 1 << 20
	// litter is how old a file that belongs to nothing must be to be removed.
	litter = time.Hour
)

// alphabet has no characters that are taken for others when read aloud or
// typed.
const (
	alphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
	idLen    = 7
)

func newID() string {
	var id []byte
	for len(id) < idLen {
		var b [16]byte
		rand.Read(b[:]) // never fails
		for _, c := range b {
			if c &= 31; int(c) < len(alphabet) && len(id) < idLen {
				id = append(id, alphabet[c])
			}
		}
	}
	return string(id)
}

// cleanID reads an ID as people type it.
func cleanID(s string) string {
	s = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(s))
	if !properID(s) {
		return "?"
	}
	return s
}

func properID(s string) bool {
	return len(s) == idLen && strings.Trim(s, alphabet) == ""
}

func cardName(d reeve.Digest, try int) string { return d.String() + "." + strconv.Itoa(try) + cardEnd }
func answerName(id string) string             { return id + answerEnd }
func takenName(id string) string              { return id + takenEnd }

// filed is an answer as it lies in its file, tied to its card.
type filed struct {
	ID     string       `json:"id"`
	Digest reeve.Digest `json:"digest"`
	// Withdrawn: there is none, and will be none.
	Withdrawn bool `json:"withdrawn,omitempty"`
	Answer
}

// create makes a file with its content, or fails with fs.ErrExist. Readers see
// it whole: it is written under another name and linked into place.
func create(root *os.Root, name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > maxFile {
		return errors.New("the question is too long to be kept")
	}
	tmp := tmpStart + rand.Text()
	if err := write(root, tmp, b); err != nil {
		return err
	}
	defer root.Remove(tmp)
	err = root.Link(tmp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// No links on this file system: whoever reads half of it ignores it.
	return write(root, name, b)
}

func write(root *os.Root, name string, b []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Close()); err != nil {
		root.Remove(name)
		return err
	}
	return nil
}

// createSynced makes an empty file that a power cut can't take back.
func createSynced(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(d), d.Close())
}

// read decodes one of the table's files into v.
func read(root *os.Root, name string, v any) error {
	st, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return errors.New("is not a plain file")
	}
	if why := foreign(st); why != "" {
		return errors.New(why)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(st, now) {
		return errors.New("changed while it was read")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return err
	}
	if len(b) > maxFile {
		return errors.New("is too long")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errors.New("is damaged: " + err.Error())
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("is damaged: more follows")
	}
	return nil
}

// entry is a card with its file.
type entry struct {
	Card
	file string
	try  int
}

// view is the table as it was at one look.
type view struct {
	t        *Table
	root     *os.Root
	cards    []entry // the oldest first
	answered map[string]bool
	taken    map[string]bool
	dropped  map[string]bool
	names    []string
	bad      map[string]bool // cards that were ignored
}

func (t *Table) look(root *os.Root) (*view, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(-1)
	d.Close()
	if err != nil {
		return nil, err
	}
	v := &view{t: t, root: root, answered: map[string]bool{}, taken: map[string]bool{}, dropped: map[string]bool{}, names: names, bad: map[string]bool{}}
	for _, n := range names {
		if id, ok := strings.CutSuffix(n, answerEnd); ok {
			v.answered[id] = true
		} else if id, ok := strings.CutSuffix(n, takenEnd); ok {
			v.taken[id] = true
		} else if id, ok := strings.CutSuffix(n, droppedEnd); ok {
			v.dropped[id] = true
		} else if strings.HasSuffix(n, cardEnd) {
			c, err := readCard(root, n)
			switch {
			case err == nil:
				v.cards = append(v.cards, c)
			case !errors.Is(err, fs.ErrNotExist): // swept by another meanwhile
				v.bad[n] = true
				t.o.Report(n, err.Error())
			}
		}
	}
	slices.SortFunc(v.cards, func(a, b entry) int {
		return cmp.Or(a.Made.Compare(b.Made), cmp.Compare(a.try, b.try), strings.Compare(a.ID, b.ID))
	})
	return v, nil
}

// readCard reads a card and refuses one that does not fit its own name, or
// gives itself more time than a card has.
func readCard(root *os.Root, name string) (entry, error) {
	digest, try, _ := strings.Cut(strings.TrimSuffix(name, cardEnd), ".")
	e := entry{file: name}
	var err error
	if e.try, err = strconv.Atoi(try); err != nil || e.try < 0 || e.try > 1<<30 {
		return e, errors.New("has a name that no card has")
	}
	if err := read(root, name, &e.Card); err != nil {
		return e, err
	}
	switch {
	case e.Digest.String() != digest:
		return e, errors.New("is the card of another proposal")
	case !properID(e.ID):
		return e, errors.New("has no proper ID")
	case e.Made.IsZero() || e.Expires.Sub(e.Made) > QuestionLife || !e.Expires.After(e.Made):
		return e, errors.New("does not live as long as a card does")
	}
	return e, nil
}

// answer reads the answer to a card; live is false when it can't be used.
func (v *view) answer(c Card, now time.Time) (a Answer, live bool) {
	var f filed
	name := answerName(c.ID)
	err := read(v.root, name, &f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Answer{}, false
	case err != nil:
	case f.Withdrawn:
		return Answer{}, false
	case f.ID != c.ID || f.Digest != c.Digest:
		err = errors.New("answers another card")
	case f.At.Before(c.Made.Add(-skew)) || f.At.After(c.Expires.Add(skew)):
		err = errors.New("was not given while its card waited")
	case f.Minutes < 0 || f.Minutes > maxMinutes || f.Minutes > 0 && !f.Yes:
		err = errors.New("gives a time that can't be given")
	case f.Minutes > 0 && !Lasting(c.Question):
		err = errors.New("gives a time to what is asked every time")
	case f.Channel == "elicitation" && c.Question.HumanOnly:
		err = errors.New("came from the agent's own client, which can't answer this")
	}
	if err != nil {
		v.t.o.Report(name, err.Error())
		return Answer{}, false
	}
	if now.Before(f.At.Add(-skew)) || !now.Before(f.At.Add(AnswerLife)) {
		return f.Answer, false
	}
	return f.Answer, true
}

// already tells what was answered before.
func (v *view) already(c Card) error {
	what := "was answered already"
	if a, _ := v.answer(c, v.t.o.Now()); !a.At.IsZero() {
		word := "no"
		if a.Yes {
			word = "yes"
		}
		what += ": " + word + ", by " + a.Channel
	}
	return &reeve.Error{Op: "approve", Path: c.ID, Kind: reeve.Input, Code: reeve.Exists, What: what,
		Not: "Nothing was changed by this answer.", Instead: "Have the call made again if it should be asked anew."}
}

// sweep removes what nobody can use any more: cards past their time and that
// of an answer, with answer and consumption, and files that belong to nothing.
// An answer goes before the note that it was consumed.
func (v *view) sweep(now time.Time) {
	known := map[string]bool{}
	v.cards = slices.DeleteFunc(v.cards, func(c entry) bool {
		if now.Before(c.Expires.Add(AnswerLife + time.Minute)) {
			known[c.ID] = true
			return false
		}
		v.root.Remove(answerName(c.ID))
		v.root.Remove(takenName(c.ID))
		v.root.Remove(droppedName(c.ID))
		v.root.Remove(c.file)
		v.root.Remove(changeName(c.ID)) // after its card, which promises it
		return true
	})
	for _, n := range v.names {
		id, _, _ := strings.Cut(n, ".")
		ours := strings.HasPrefix(n, tmpStart) || v.bad[n] || (strings.HasSuffix(n, answerEnd) || strings.HasSuffix(n, takenEnd) || strings.HasSuffix(n, changeEnd) || strings.HasSuffix(n, droppedEnd)) && !known[id]
		if !ours {
			continue
		}
		if st, err := v.root.Lstat(n); err == nil && !st.IsDir() && now.Sub(st.ModTime()) > litter {
			v.root.Remove(n)
		}
	}
}
