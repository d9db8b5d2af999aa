package attack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Swapper exchanges two names as fast as the system can, for instance a
// folder inside a root and a link to one outside. Each exchange leaves both
// names in place, so that whoever looks meets one or the other, never none,
// where the system can exchange (Linux); elsewhere one name is missing for a
// moment.
type Swapper struct {
	a, b  string
	swaps atomic.Int64
	stop  chan struct{}
	once  sync.Once
	done  chan struct{}
	err   error
}

// StartSwapper begins to exchange a and b, which must be in folders of the
// same file system, until Stop. It uses a goroutine of its own.
func StartSwapper(a, b string) (*Swapper, error) {
	x, err := newExchange(a, b)
	if err != nil {
		return nil, err
	}
	s := &Swapper{a: a, b: b, stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		defer x.close()
		for {
			select {
			case <-s.stop:
				return
			default:
			}
			if err := x.swap(); err != nil {
				s.err = fmt.Errorf("swapping %s and %s: %w", a, b, err)
				return
			}
			s.swaps.Add(1)
		}
	}()
	return s, nil
}

// Swaps is how many exchanges have been done so far.
func (s *Swapper) Swaps() int64 { return s.swaps.Load() }

// Stop ends the swapping with both names as they were at the start, and gives
// the error that ended it before, if one did. It may be called again.
func (s *Swapper) Stop() error {
	s.once.Do(func() {
		close(s.stop)
		<-s.done
		if s.err != nil || s.swaps.Load()%2 == 0 {
			return
		}
		x, err := newExchange(s.a, s.b)
		if err != nil {
			s.err = err
			return
		}
		defer x.close()
		s.err = x.swap()
	})
	return s.err
}

// dance exchanges two names by three renames.
type dance struct{ a, b, spare string }

func newDance(a, b string) (*dance, error) {
	for _, p := range []string{a, b} {
		if _, err := os.Lstat(p); err != nil {
			return nil, err
		}
	}
	spare := a + ".swap"
	if _, err := os.Lstat(spare); !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is in the way", filepath.Base(spare))
	}
	return &dance{a, b, spare}, nil
}

func (d *dance) swap() error {
	if err := os.Rename(d.a, d.spare); err != nil {
		return err
	}
	if err := os.Rename(d.b, d.a); err != nil {
		return errors.Join(err, os.Rename(d.spare, d.a))
	}
	return os.Rename(d.spare, d.b)
}

func (d *dance) close() {}
