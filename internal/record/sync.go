package record

import (
	"context"
	"errors"
	"path"
)

// round is one sync that several callers wait for.
type round struct {
	done chan struct{}
	end  int64 // what it covers
	err  error
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
			r = &round{done: make(chan struct{}), end: f.off}
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
	err := s.o.hooks.sync(f.f)
	if err == nil && !f.folders {
		err = syncFolders(f)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.syncing = nil
	if err == nil {
		f.synced, f.folders = r.end, true
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
	if !f.broken && f.synced < f.off && s.o.hooks.sync(f.f) == nil && (f.folders || syncFolders(f) == nil) {
		f.synced = f.off
	}
	if f.retired = f.syncing != nil; !f.retired {
		f.close()
	}
}

// syncFolders makes the new file's name, and those of the folders above it,
// survive a power cut.
func syncFolders(f *file) error {
	for _, dir := range []string{path.Join(recordDir, path.Dir(f.name)), recordDir, "."} {
		d, err := f.root.Open(dir)
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
