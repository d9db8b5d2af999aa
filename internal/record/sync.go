package record

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
)

// round is one sync that several callers wait for.
type round struct {
	done chan struct{}
	end  int64 // what it covers
	err  error

	details    *details // nil: nothing in them waits for the disk
	detailsEnd int64
}

// newRound is one that covers all rows of f until now.
func newRound(f *file) *round {
	r := &round{done: make(chan struct{}), end: f.off}
	if d := f.details; d != nil && d.synced < d.off {
		r.details, r.detailsEnd = d, d.off
	}
	return r
}

// sync returns when everything of f before end is on disk. One sync runs at a
// time; who comes while it runs waits for the next one, together.
func (s *Segment) sync(ctx context.Context, f *file, end int64) error {
	for {
		s.mu.Lock()
		if f.synced >= end {
			s.mu.Unlock()
			return nil
		}
		if f.broken || s.closed {
			s.mu.Unlock()
			return rowError(errors.New("an earlier write did not reach the disk"), false)
		}
		r := f.syncing
		if r == nil {
			r = newRound(f)
			f.syncing = r
			go s.flush(f, r)
		}
		s.mu.Unlock()
		select {
		case <-r.done:
			if r.err != nil && r.end >= end {
				return rowError(r.err, isFull(r.err))
			}
		case <-ctx.Done():
			return rowError(ctx.Err(), false)
		}
	}
}

// flush brings f to disk. It runs in a goroutine of its own, so that a caller
// whose time is up is not held by a disk that does not answer.
func (s *Segment) flush(f *file, r *round) {
	err := s.toDisk(f, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	f.syncing = nil
	if err == nil {
		f.synced, f.folders = r.end, true
		if r.details != nil {
			r.details.synced, r.details.named = r.detailsEnd, true
		}
	} else {
		// What the system could not write it forgets: a later sync would
		// succeed without those rows. The next row starts another file.
		f.broken = true
	}
	r.err = err
	close(r.done)
	if f.retired {
		f.close()
	}
}

// retire ends a file that another one takes over from. Callers that wait for
// its rows get what they wait for.
func (s *Segment) retire(f *file) {
	if !f.broken && f.synced < f.off && s.toDisk(f, newRound(f)) == nil {
		f.synced = f.off
	}
	if f.retired = f.syncing != nil; !f.retired {
		f.close()
	}
}

// toDisk syncs a segment and what its long rows need, at the same time: a row
// on disk whose detail is not there would look tampered with after a power cut.
func (s *Segment) toDisk(f *file, r *round) error {
	var other chan error
	if r.details != nil {
		other = make(chan error, 1)
		go func() { other <- s.o.hooks.sync(r.details.f) }()
	}
	err := s.o.hooks.sync(f.f)
	if other != nil {
		err = cmp.Or(err, <-other)
	}
	switch month := path.Join(recordDir, path.Dir(f.name)); {
	case err != nil:
		return err
	case !f.folders: // the file is new, and so may be those above it
		return syncFolders(f.root, month, recordDir, ".")
	case r.details != nil && !r.details.named:
		return syncFolders(f.root, month)
	}
	return nil
}

// syncFolders makes the names in folders survive a power cut.
func syncFolders(root *os.Root, dirs ...string) error {
	for _, dir := range dirs {
		d, err := root.Open(dir)
		if err != nil {
			return err
		}
		err = syncFolder(d)
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
