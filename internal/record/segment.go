package record

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"reeve"
)

// file is one segment file being written. Segment.mu guards it.
type file struct {
	f         *os.File
	root      *os.Root // the state folder
	name      string   // month/file
	n         int64    // rows
	sum       sum
	off       int64 // end of the last whole row
	allocated int64 // up to where the disk has given room; 0 when it can't say
	broken    bool  // a write or sync failed in a way that leaves doubt

	claimed  map[string]int64 // heads of others that were named, by row
	lastHead int64            // row after which heads were named last

	synced  int64 // everything before it is on disk
	folders bool  // the folders' entries are on disk too
	syncing *round
	retired bool // to be closed by the sync that still runs
}

var errClosed = errors.New("the record is closed")

// Append writes a row and returns without waiting for the disk. The context
// does not stop it: what was refused or cancelled is recorded too. Rows of
// refusals and outcomes may use the reserve when the disk is full.
func (s *Segment) Append(_ context.Context, r reeve.Row) error {
	_, _, err := s.append(r, false)
	return err
}

// AppendSync writes a row and returns when it is on disk. Callers that come
// together share one sync. When the context ends first the row is written,
// but nobody knows whether it would survive a power cut: its call must not go
// on.
func (s *Segment) AppendSync(ctx context.Context, r reeve.Row) (Ref, error) {
	f, ref, err := s.append(r, true)
	if err != nil {
		return Ref{}, err
	}
	if err := s.sync(ctx, f, ref.end); err != nil {
		return Ref{}, err
	}
	return ref.Ref, nil
}

type position struct {
	Ref
	end int64
}

func (s *Segment) append(r reeve.Row, synced bool) (*file, position, error) {
	if r.Time.IsZero() {
		r.Time = s.o.Now()
	}
	buf := s.bodies.Get().(*[]byte)
	defer s.bodies.Put(buf)
	body, whole := bounded((*buf)[:0], &r)
	*buf = body

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, position{}, rowError(errClosed, false)
	}
	f, err := s.file(s.o.Now())
	if err != nil {
		return nil, position{}, rowError(err, isFull(err))
	}
	last := mayUseReserve(&r)
	if whole != nil {
		if body, err = detail(f, body, whole, synced, last); err != nil {
			return nil, position{}, rowError(err, isFull(err))
		}
	}
	if f.n-f.lastHead >= headsEvery {
		if err := s.write(f, s.heads(f), false); err != nil && !last {
			return nil, position{}, rowError(err, isFull(err))
		}
		f.lastHead = f.n
	}
	if err := s.write(f, [][]byte{body}, last); err != nil {
		return nil, position{}, rowError(err, isFull(err))
	}
	return f, position{Ref{f.name, f.n, hex.EncodeToString(f.sum[:])}, f.off}, nil
}

// mayUseReserve tells rows that end a call: without them a full disk would
// hide what was refused, and what became of a change that is already made.
func mayUseReserve(r *reeve.Row) bool {
	return r.Verdict == reeve.Refuse || r.Code != "" || r.Event == "outcome" || r.Event == "stop"
}

// file gives the file to write to: another one in a new month, or when the
// old one is in doubt. While no new one can be made, a sound old one is kept.
func (s *Segment) file(now time.Time) (*file, error) {
	month := now.UTC().Format(monthLayout)
	why := ""
	if s.cur != nil && !s.cur.broken {
		if why = lost(s.cur); why != "" {
			// Rows in it would be seen by nobody. It is not cut to its length
			// either: what is left of it stays as it is.
			s.cur.broken, s.cur.allocated = true, 0
		}
	}
	if s.cur != nil && !s.cur.broken && path.Dir(s.cur.name) >= month {
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

// write puts rows at the end of the file in one system call: all of them or,
// after an error, none.
func (s *Segment) write(f *file, bodies [][]byte, last bool) error {
	if len(bodies) == 0 {
		return nil
	}
	buf := s.bodies.Get().(*[]byte)
	defer s.bodies.Put(buf)
	b, n, sum := (*buf)[:0], f.n, f.sum
	for _, body := range bodies {
		n++
		b, sum = link(b, n, body, sum)
	}
	*buf = b
	if err := s.room(f, int64(len(b)), last); err != nil {
		return err
	}
	if _, err := s.o.hooks.write(f.f, b, f.off); err != nil {
		// A torn row in the middle would end the chain for readers, and how
		// much was written before the error is not told reliably. The room
		// ahead is lost with the cut; the next row asks for it again.
		if f.f.Truncate(f.off) != nil {
			f.broken = true
		}
		f.allocated = 0
		return err
	}
	f.n, f.sum, f.off = n, sum, f.off+int64(len(b))
	return nil
}

// room keeps the reserve allocated ahead of the last row. When the disk gives
// no more, only the last rows of calls go on into the reserve.
func (s *Segment) room(f *file, size int64, last bool) error {
	reserve := s.o.Reserve
	if f.allocated < 0 || f.off+size+reserve <= f.allocated {
		return nil
	}
	from := max(f.allocated, f.off)
	err := s.o.hooks.allocate(f.f, from, f.off+size+2*reserve-from)
	switch {
	case err == nil:
		f.allocated = f.off + size + 2*reserve
		return nil
	case !isFull(err):
		f.allocated = -1 // not a thing this file system can do
		return nil
	case last:
		return nil // the write itself will tell
	}
	return err
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota()) }

func (f *file) close() error {
	var err error
	if f.f != nil {
		if f.allocated > f.off {
			f.f.Truncate(f.off) // gives the room ahead back
		}
		err = f.f.Close()
	}
	return errors.Join(err, f.root.Close())
}

// Close ends the segment. Rows written by Append are left to the system to
// bring to disk; waiting callers of AppendSync get an error.
func (s *Segment) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.cur == nil {
		return nil
	}
	err := s.cur.close()
	s.cur = nil
	return err
}
