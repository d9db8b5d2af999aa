package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"reeve"
)

// openRecord opens the state folder and lists its segments. Without a record
// there is nothing to list, which is no error; root is nil then.
func openRecord(dir string, from time.Time) (*os.Root, []named, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, readError(dir, err)
	}
	list, err := segments(root, from)
	if err == nil {
		return root, list, nil
	}
	root.Close()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	return nil, nil, readError(dir, err)
}

func readError(at string, err error) error {
	return &reeve.Error{Op: "record", Path: at, Kind: reeve.IO, Code: reeve.Failed,
		What: "can't be read: " + err.Error(), Not: "Its rows are missing from what is shown.", Cause: err}
}

// scanner reads the rows of one segment one after the other.
type scanner struct {
	name string
	r    *bufio.Reader
	prev sum
	n    int64 // of the last row that was read
	at   int64 // offset after the last whole line
}

func newScanner(name string, r io.Reader) *scanner {
	return &scanner{name: name, r: bufio.NewReaderSize(r, 4*maxRow)}
}

// scanned is one line, or what is wrong with it.
type scanned struct {
	line
	pos    int64 // which line of the file, 1-based, as far as one can tell
	damage string
	torn   bool // no newline: its process was stopped, or is writing now
}

// next gives the next line; io.EOF at the end. After a line that can't be
// read the chain goes on from the sum that is written in it, if there is one,
// so that one damaged row is reported once.
func (s *scanner) next() (scanned, error) {
	b, err := s.r.ReadSlice('\n')
	size := int64(len(b))
	var long bool
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		b, err = s.r.ReadSlice('\n')
		size += int64(len(b))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return scanned{}, err
	}
	if errors.Is(err, io.EOF) {
		if size == 0 {
			return scanned{}, io.EOF
		}
		return scanned{pos: s.n + 1, torn: true, damage: "the last row is not finished"}, nil
	}
	s.at += size
	b = bytes.TrimSuffix(b, []byte("\n"))
	l, sum, err := parse(b, s.prev)
	out := scanned{line: l, pos: s.n + 1}
	switch {
	case long:
		out.damage = "is longer than a row can be"
	case err != nil:
		out.damage = err.Error()
		if errors.Is(err, errSum) && l.N != s.n+1 {
			out.damage = fmt.Sprintf("follows row %d and says that it is row %d: rows are missing or out of order", s.n, l.N)
		}
	case l.N != s.n+1:
		out.damage = fmt.Sprintf("follows row %d and says that it is row %d", s.n, l.N)
	case l.N == 1 && (l.Event != eventOpen || l.Segment != s.name):
		out.damage = "does not begin this segment: it was written for " + l.Segment
	}
	s.prev = sum
	if l.N > 0 {
		s.n = l.N
	} else {
		s.n++
	}
	return out, nil
}

// Entry is one row with where it stands.
type Entry struct {
	Row     reeve.Row `json:"row"`
	Segment string    `json:"segment"` // month/file
	N       int64     `json:"n"`       // its number in the segment, from 1
	Sum     string    `json:"sum,omitempty"`
	Machine string    `json:"machine,omitempty"`
	Process Process   `json:"process"`
	// Damage says what is wrong with the row. Row is then what could be read
	// of it, and may be empty.
	Damage string `json:"damage,omitempty"`
	// Torn: the row is the last one and is not finished. Its process was
	// stopped while writing, or is writing now.
	Torn bool `json:"torn,omitempty"`
}

// reader turns the lines of one segment into entries.
type reader struct {
	f    *os.File
	s    *scanner
	name string
	info scanned // its first line
	key  time.Time
	long longRows
}

func openReader(root *os.Root, name string) (*reader, error) {
	f, err := openRead(root, path.Join(recordDir, name))
	if err != nil {
		return nil, readError(name, err)
	}
	return &reader{f: f, s: newScanner(name, f), name: name, long: longRows{root: root, segment: name}}, nil
}

// next gives the next row of a call; lines of the segment's own are passed
// over. The key by which segments are merged is the row's time, and for one
// that is damaged that of the row before: its own can't be trusted.
func (r *reader) next() (Entry, error) {
	for {
		l, err := r.s.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				err = readError(r.name, err)
			}
			return Entry{}, err
		}
		if l.Event == eventOpen && l.damage == "" {
			r.info = l
		}
		if l.damage == "" {
			r.key = l.Time
		}
		if l.control() && l.damage == "" {
			continue
		}
		return r.entry(l), nil
	}
}

func (r *reader) entry(l scanned) Entry {
	e := Entry{Row: l.Row, Segment: r.name, N: l.pos, Sum: l.Sum, Machine: r.info.Machine, Damage: l.damage, Torn: l.torn}
	if r.info.Process != nil {
		e.Process = *r.info.Process
	}
	if l.damage != "" {
		return e
	}
	if l.Cut != "" {
		e.Damage = "only a part of the row was kept: " + l.Cut
	}
	if l.Detail != nil {
		b, err := r.long.read(*l.Detail)
		if err == nil {
			var whole reeve.Row
			if err = json.Unmarshal(b, &whole); err == nil {
				e.Row = whole
			}
		}
		if err != nil {
			e.Damage = "only a part of the row is left: " + err.Error()
		}
	}
	return e
}

func (r *reader) close() {
	r.f.Close()
	r.long.close()
}
