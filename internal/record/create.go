package record

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"time"
)

// file gives the file to write to: another one in a new month, when the old
// one is in doubt, or when a long row has no details to go to. While no new one
// can be made, a sound old one is kept.
func (s *Segment) file(now time.Time, long bool) (*file, error) {
	month := now.UTC().Format(monthLayout)
	why, alone := "", false
	if s.cur != nil && !s.cur.broken {
		if why = lost(s.cur); why != "" {
			// Rows in it would be seen by nobody. It is not cut to its length
			// either: what is left of it stays as it is.
			s.cur.broken, s.cur.allocated = true, 0
		} else if long {
			why = s.cur.lostDetails()
			alone = why != ""
		}
	}
	if s.cur != nil && !s.cur.broken && !alone && path.Dir(s.cur.name) >= month {
		return s.cur, nil
	}
	next, err := s.create(month, now, why)
	if err != nil {
		if s.cur != nil && !s.cur.broken {
			return s.cur, nil
		}
		return nil, err
	}
	if s.cur != nil {
		s.retire(s.cur)
	}
	s.cur = next
	return next, nil
}

// lost says what was done to a file behind its writer's back, empty when it is
// still there with all that was written to it.
func lost(f *file) string {
	links, size, err := linksOf(f.f)
	switch {
	case err != nil:
		return "" // the write itself will tell
	case links == 0:
		return "the file of this record before this one was removed while it was written"
	case size < f.off:
		return "the file of this record before this one was cut short while it was written"
	}
	return ""
}

// create makes a segment file with its first rows: who writes, and the heads
// of the others. Why says what became of the file before, where it was lost.
func (s *Segment) create(month string, now time.Time, why string) (*file, error) {
	if err := os.MkdirAll(s.o.Dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.o.Dir)
	if err != nil {
		return nil, err
	}
	f := &file{root: root, claimed: map[string]int64{}}
	if err := s.start(f, month, now, why); err != nil {
		if f.f != nil && !f.broken {
			f.f.Close()
			f.root.Remove(path.Join(recordDir, f.name)) // it has no rows
		}
		f.close()
		return nil, err
	}
	return f, nil
}

func (s *Segment) start(f *file, month string, now time.Time, why string) error {
	mkdir := func(dir string) error {
		if err := f.root.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	}
	if err := mkdir(recordDir); err != nil {
		return err
	}
	st, err := f.root.Lstat(recordDir)
	if err != nil {
		return err
	}
	if why := foreign(st); why != "" {
		return &fs.PathError{Op: "open", Path: recordDir, Err: errors.New(why)}
	}
	if err := mkdir(path.Join(recordDir, month)); err != nil {
		return err
	}
	machine, err := machineID(f.root)
	if err != nil {
		return err
	}
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	f.name = month + "/" + machine + "-" + bootID() + "-" + s.started.Format(startLayout) + "-" + hex.EncodeToString(random[:]) + extension
	f.f, err = f.root.OpenFile(path.Join(recordDir, f.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	first := line{Segment: f.name, Format: 1, Machine: machine, Process: &s.o.Process}
	first.Time, first.Event, first.Note = now.UTC(), eventOpen, why
	if s.cur != nil {
		first.Previous = &Ref{s.cur.name, s.cur.n, hex.EncodeToString(s.cur.sum[:])}
	}
	body, err := controlBody(&first)
	if err != nil {
		return err
	}
	return s.write(f, append([][]byte{body}, s.heads(f)...), true)
}

// controlBody encodes a row of the segment's own, without braces, number and
// sum.
func controlBody(l *line) ([]byte, error) {
	b, err := json.Marshal(struct {
		Time     time.Time `json:"time"`
		Event    string    `json:"event"`
		Segment  string    `json:"segment,omitempty"`
		Format   int       `json:"format,omitempty"`
		Machine  string    `json:"machine,omitempty"`
		Process  *Process  `json:"process,omitempty"`
		Previous *Ref      `json:"previous,omitempty"`
		Heads    []Ref     `json:"heads,omitempty"`
		Note     string    `json:"note,omitempty"`
	}{l.Time, l.Event, l.Segment, l.Format, l.Machine, l.Process, l.Previous, l.Heads, l.Note})
	if err != nil {
		return nil, err
	}
	return b[1 : len(b)-1], nil
}
