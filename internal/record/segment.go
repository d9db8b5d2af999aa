package record

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"syscall"

	"reeve"
)

// file is one segment file being written. Segment.mu guards it.
type file struct {
	f         *os.File
	root      *os.Root // the state folder
	name      string   // month/file
	n         int64    // rows
	sum       sum
	off       int64    // end of the last whole row
	allocated int64    // up to where the disk has given room; 0 when it can't say
	broken    bool     // a write or sync failed in a way that leaves doubt
	details   *details // nil until the first long row

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
	_, _, err := s.append(r)
	return err
}

// AppendSync writes a row and returns when it is on disk. Callers that come
// together share one sync. When the context ends first the row is written,
// but nobody knows whether it would survive a power cut: its call must not go
// on.
func (s *Segment) AppendSync(ctx context.Context, r reeve.Row) (Ref, error) {
	f, p, err := s.append(r)
	if err != nil {
		return Ref{}, err
	}
	if err := s.sync(ctx, f, p.end); err != nil {
		return Ref{}, err
	}
	return Ref{p.name, p.n, hex.EncodeToString(p.sum[:])}, nil
}

// position is where a row stands.
type position struct {
	name string
	n    int64
	sum  sum
	end  int64
}

func (s *Segment) append(r reeve.Row) (*file, position, error) {
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
	f, err := s.file(s.o.Now(), whole != nil)
	if err != nil {
		return nil, position{}, rowError(err, isFull(err))
	}
	last := mayUseReserve(&r)
	var kept int64
	if whole != nil {
		if body, kept, err = s.detail(f, body, whole, last); err != nil {
			return nil, position{}, rowError(err, isFull(err))
		}
	}
	err = s.put(f, body, last)
	if kept > 0 {
		f.settle(kept, err)
	}
	if err != nil {
		return nil, position{}, rowError(err, isFull(err))
	}
	return f, position{f.name, f.n, f.sum, f.off}, nil
}

// put writes the row of a call, and before it the heads of other segments
// when it is time to name them.
func (s *Segment) put(f *file, body []byte, last bool) error {
	if f.n-f.lastHead >= headsEvery {
		if err := s.write(f, s.heads(f), false); err != nil && !last {
			return err
		}
		f.lastHead = f.n
	}
	return s.write(f, [][]byte{body}, last)
}

// mayUseReserve tells rows that end a call: without them a full disk would
// hide what was refused, and what became of a change that is already made.
func mayUseReserve(r *reeve.Row) bool {
	return r.Verdict == reeve.Refuse || r.Code != "" || r.Event == "outcome" || r.Event == "stop"
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
	if f.details != nil {
		err = errors.Join(err, f.details.f.Close())
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
