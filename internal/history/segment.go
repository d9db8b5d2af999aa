package history

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A segment is a file of entries that one process appends to. It begins a new
// one after a day or at some size, so that old ones can be removed whole.
const (
	segmentLife = 24 * time.Hour
	segmentMost = 16 << 20
	// tailsRead is how many segments are looked at for the latest order, and
	// tailBytes how much of each.
	tailsRead = 16
	tailBytes = 64 << 10
)

type segment struct {
	f       *os.File
	name    string
	size    int64
	started time.Time
	users   int  // that wait for its sync
	ended   bool // nothing is added to it any more
}

// order gives n orders in a row, later than all that are known.
func (s *Store) order(root *os.Root, n int) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, fs.ErrClosed
	}
	if !s.seen {
		latest, err := latestOrder(root)
		if err != nil {
			return 0, err
		}
		s.last, s.seen = max(s.last, latest), true
	}
	first := max(s.o.Now().UnixNano(), s.last+1)
	s.last = first + int64(n) - 1
	return first, nil
}

// latestOrder looks at the ends of the newest segments, by their start and by
// their last change: a clock that went back must not make what is new old.
func latestOrder(root *os.Root) (int64, error) {
	files, err := readNames(root, entriesDir)
	if err != nil {
		return 0, err
	}
	slices.Sort(files)
	slices.Reverse(files)
	latest := int64(0)
	for i, name := range files {
		if i == tailsRead {
			break
		}
		if _, ok := startOf(name); !ok {
			continue
		}
		lines, err := tail(root, path.Join(entriesDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		for line := range strings.SplitSeq(lines, "\n") {
			if e, err := parse(line); err == nil {
				latest = max(latest, e.Order)
			}
		}
	}
	return latest, nil
}

func tail(root *os.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return "", err
	}
	from := max(0, st.Size()-tailBytes)
	b := make([]byte, st.Size()-from)
	n, err := f.ReadAt(b, from)
	if n < len(b) {
		return "", err
	}
	return string(b), nil
}

// add appends lines, and makes them durable together with what the other jobs
// do. What could not be written whole is taken away again, unless the lines of
// others stand behind it already.
func (s *Store) add(root *os.Root, lines []byte, jobs []func() error) error {
	c, end, err := s.write(root, lines)
	if err != nil {
		return errors.Join(err, atOnce(jobs))
	}
	err = atOnce(append(jobs, func() error { return syncData(c.f) }))
	s.mu.Lock()
	defer s.mu.Unlock()
	c.users--
	if err != nil && c.size == end {
		c.f.Truncate(end - int64(len(lines)))
		c.size = end - int64(len(lines))
	}
	if err != nil && s.cur == c {
		return errors.Join(err, s.end(root)) // what comes next is tried in a segment of its own
	}
	return errors.Join(err, c.let())
}

// write appends lines to the segment, which has one user more then.
func (s *Store) write(root *os.Root, lines []byte) (c *segment, end int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, 0, fs.ErrClosed
	}
	if err := s.segment(root); err != nil {
		return nil, 0, err
	}
	c = s.cur
	if _, err := c.f.WriteAt(lines, c.size); err != nil {
		c.f.Truncate(c.size) // half of them may stand there
		s.end(root)
		return nil, 0, err
	}
	c.size += int64(len(lines))
	c.users++
	return c, c.size, nil
}

// let closes a segment that has ended, when its last user goes.
func (c *segment) let() error {
	if !c.ended || c.users > 0 {
		return nil
	}
	return c.f.Close()
}

// segment makes sure that there is one to append to. The caller holds the
// lock.
func (s *Store) segment(root *os.Root) error {
	now := s.o.Now()
	if c := s.cur; c != nil {
		age := now.Sub(c.started)
		st, err := root.Lstat(c.name)
		own, serr := c.f.Stat()
		if err == nil && serr == nil && os.SameFile(st, own) && c.size < segmentMost && age < segmentLife && age > -segmentLife {
			return nil
		}
		s.end(root)
	}
	name := segmentName(now)
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syncFolder(root, entriesDir); err != nil {
		f.Close()
		root.Remove(name)
		return err
	}
	s.cur = &segment{f: f, name: name, started: now}
	return nil
}

// Close lets go of the segment. Keep fails afterwards.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	root, err := s.open(false)
	if err != nil {
		root = nil
	} else {
		defer root.Close()
		s.tell(root)
	}
	s.home = nil
	s.leave(root)
	return s.end(root)
}

// end closes the segment, and removes it when nothing is in it. The caller
// holds the lock.
func (s *Store) end(root *os.Root) error {
	if s.cur == nil {
		return nil
	}
	c := s.cur
	c.ended, s.cur = true, nil
	err := c.let()
	if c.size == 0 && root != nil {
		root.Remove(c.name)
	}
	return err
}
