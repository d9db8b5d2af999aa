package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"reeve"
)

const (
	changeEnd = ".change"
	// maxChange bounds a change that lies beside its card, in bytes.
	maxChange = 16 << 20
	// maxChanges bounds all of them together.
	maxChanges = 256 << 20
)

func changeName(id string) string { return id + changeEnd }

// keepChange writes the whole change of a card that is about to be made. The
// first line is a sum over the rest, so that half a file is not taken for a
// whole one.
func (v *view) keepChange(id, text string) error {
	if len(text) > maxChange {
		return errors.New("the change is too long to be kept beside its question")
	}
	all := int64(len(text))
	sizes := map[string]int64{}
	for _, n := range v.names {
		if of, ok := strings.CutSuffix(n, changeEnd); ok {
			if st, err := v.root.Lstat(n); err == nil {
				all += st.Size()
				sizes[of] = st.Size()
			}
		}
	}
	for _, c := range v.cards { // those of calls given up go first
		if now := v.t.o.Now(); all > maxChanges && sizes[c.ID] > 0 && v.dropped[c.ID] && v.waits(c, now) {
			if err := v.withdraw(c, now); err != nil {
				return err
			}
			all -= sizes[c.ID]
		}
	}
	if all > maxChanges {
		return &reeve.Error{Op: "ask", Kind: reeve.Approval, Code: reeve.Waiting,
			What: "too many questions about very large changes wait for the owner already", Not: "Nothing was written.",
			Instead: "Wait until some of them are answered or expire, or make the change in smaller steps; `reeve approve` lists them."}
	}
	sum := sha256.Sum256([]byte(text))
	return write(v.root, changeName(id), append([]byte(hex.EncodeToString(sum[:])+"\n"), text...))
}

// readChange reads what keepChange wrote.
func readChange(root *os.Root, id string) (string, error) {
	name := changeName(id)
	st, err := root.Lstat(name)
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() {
		return "", errors.New("is not a plain file")
	}
	if why := foreign(st); why != "" {
		return "", errors.New(why)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(st, now) {
		return "", errors.New("changed while it was read")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxChange+sha256.Size*2+2))
	if err != nil {
		return "", err
	}
	head, text, ok := bytes.Cut(b, []byte{'\n'})
	sum := sha256.Sum256(text)
	if !ok || string(head) != hex.EncodeToString(sum[:]) {
		return "", errors.New("is damaged")
	}
	return string(text), nil
}

// wholeOf is the change of a card as it can be shown at most.
func (t *Table) wholeOf(root *os.Root, c Card) (string, error) {
	if c.Question.Left == nil {
		return c.Question.Detail, nil
	}
	text, err := readChange(root, c.ID)
	if err == nil {
		return text, nil
	}
	why := "it could not be read: " + err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		why = "it was not kept, or is gone"
	}
	t.o.Report(changeName(c.ID), err.Error())
	return "", &reeve.Error{Op: "approve", Path: c.ID, Kind: reeve.IO, Code: reeve.Failed, Cause: err,
		What:    fmt.Sprintf("is a question whose whole change can't be shown: %s", why),
		Not:     "Nothing was answered.",
		Instead: "Decline it if the part that is shown is not enough; the agent can ask again."}
}
