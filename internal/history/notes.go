package history

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"

	"reeve"
)

// notes are a process's own file in the live folder, locked for as long as it
// lives. All its names in the tmp folder carry the file's name, its token:
// whoever can lock the file knows that nobody works on them any more. Before
// something is taken the file says what it is, so that a process that ends
// before it wrote the entry has not lost more than that moment.
//
// The lines need no sync: a killed process leaves them to the system, and
// after a power cut what was taken is kept without its path.
type notes struct {
	token string

	mu   sync.Mutex
	f    *os.File
	size int64
	busy int  // Keeps that run
	left bool // something taken stays in the tmp folder: its line is needed

	was map[string]noted // of a dead process: how its things were, by name
}

// note is one line.
type note struct {
	Name string `json:"name"` // below the tmp folder
	noted
	// Of what was taken as a whole:
	Call  *Call  `json:"call,omitempty"`
	N     int    `json:"n,omitempty"`
	Later bool   `json:"later,omitempty"`
	Thing *Thing `json:"thing,omitempty"`
}

// noted is what keeping changes on the thing itself.
type noted struct {
	Mode  uint32           `json:"mode"`
	MTime int64            `json:"mtime"`
	Owner *reeve.Ownership `json:"owner,omitempty"`
}

const (
	liveDir = "live"
	// notesMost is where a file of notes begins anew, notesRead what is read
	// of one.
	notesMost = 64 << 10
	notesRead = 64 << 20
)

// notes gives those of this process. Nil means that there can be none; then
// nothing is taken, only copied.
func (s *Store) notes(root *os.Root) *notes {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own != nil || s.closed {
		return s.own
	}
	if err := root.Mkdir(liveDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil
	}
	for range 8 {
		token := s.machine() + rand.Text()[:10]
		f, err := root.OpenFile(path.Join(liveDir, token), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			return nil
		}
		// Who tidies up may have been quicker with the lock, and have removed
		// the empty file.
		if lockFile(f) == nil && stands(root, f, token) {
			s.own = &notes{token: token, f: f}
			return s.own
		}
		f.Close()
	}
	return nil
}

// stands reports that a file of notes still has its name.
func stands(root *os.Root, f *os.File, token string) bool {
	there, err := root.Lstat(path.Join(liveDir, token))
	own, err2 := f.Stat()
	return err == nil && err2 == nil && os.SameFile(there, own)
}

// machine is what the tokens of this computer begin with: another's locks
// may not be seen here, so that nothing of it is touched.
func (s *Store) machine() string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s.o.Machine) + "_"
}

// tmp makes a name in the tmp folder.
func (s *Store) tmp(root *os.Root) string {
	name := tmpName(s.o.Now())
	if n := s.notes(root); n != nil {
		name += "-" + n.token
	}
	return name
}

// write adds a line. Where it can't be written, a thing that is taken is
// still found by its name, and is kept without its path.
func (n *notes) write(l note) {
	b, err := json.Marshal(l)
	if err != nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	k, err := n.f.Write(append(b, '\n'))
	if err != nil {
		if k > 0 {
			n.f.Truncate(n.size) // the next line must not begin in this one
		}
		return
	}
	n.size += int64(k)
}

func (n *notes) begin() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy++
}

// end is told whether something taken stays behind. When nobody needs the
// lines any more, a long file begins anew.
func (n *notes) end(left bool) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy--
	n.left = n.left || left
	if n.busy == 0 && !n.left && n.size > notesMost && n.f.Truncate(0) == nil {
		n.size = 0
	}
}

// read gives the lines about what was taken as a whole, by name, and fills in
// how everything was: the first word on each counts, since a later one tells
// of what had been changed already.
func (n *notes) read() (map[string]note, error) {
	st, err := n.f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(st.Size(), notesRead))
	if k, err := n.f.ReadAt(b, 0); k < len(b) {
		return nil, err
	}
	n.size, n.was = st.Size(), map[string]noted{}
	taken := map[string]note{}
	for line := range bytes.Lines(b) {
		var l note
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &l) != nil {
			continue
		}
		if _, ok := n.was[l.Name]; !ok {
			n.was[l.Name] = l.noted
		}
		if l.Call != nil && l.Thing != nil && properID(l.Call.Change) {
			taken[l.Name] = l
		}
	}
	return taken, nil
}
