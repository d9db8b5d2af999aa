package console

import (
	"sync"
	"time"
)

// sign is the announcement that a page is open. It stays for a while after
// the last page has gone, since a page that loads again is gone for a moment.
type sign struct {
	announce func() (func(), error)
	grace    time.Duration

	mu      sync.Mutex
	holders int
	down    func()      // takes the sign down, nil when it is not up
	later   *time.Timer // takes it down after the grace
	ended   bool
}

// hold puts the sign up, until release is called. Where it can't be put up
// the console works all the same; other processes only don't know of it.
func (s *sign) hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.later != nil {
		s.later.Stop()
		s.later = nil
	}
	s.holders++
	if s.down == nil && s.announce != nil && !s.ended {
		s.down, _ = s.announce()
	}
	var once sync.Once
	return func() { once.Do(s.release) }
}

func (s *sign) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holders--; s.holders > 0 || s.ended {
		return
	}
	s.later = time.AfterFunc(s.grace, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.holders == 0 {
			s.takeDown()
		}
	})
}

// recent reports whether a page is open, or was a moment ago.
func (s *sign) recent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holders > 0 || s.later != nil
}

func (s *sign) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.later != nil {
		s.later.Stop()
	}
	s.takeDown()
}

func (s *sign) takeDown() {
	s.later = nil
	if s.down != nil {
		s.down()
		s.down = nil
	}
}
