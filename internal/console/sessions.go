package console

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"sync"
	"time"
)

const (
	codeLife     = 60 * time.Second
	sessionLife  = 12 * time.Hour
	mostSessions = 32
)

// sessions lets browsers in: a code that is good once becomes a cookie. Only
// sums of cookies are kept, and compared.
type sessions struct {
	now func() time.Time

	mu      sync.Mutex
	once    [sha256.Size]byte // of the code
	until   time.Time         // zero: no code is good
	holders map[[sha256.Size]byte]session
}

// session is one browser.
type session struct {
	token string // in its page, for every answer
	until time.Time
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, holders: map[[sha256.Size]byte]session{}}
}

// code makes a new code; the one before is good no more.
func (s *sessions) code() string {
	c := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.once, s.until = sha256.Sum256([]byte(c)), s.now().Add(codeLife)
	return c
}

// enter exchanges a code for a cookie's value.
func (s *sessions) enter(code string) (string, bool) {
	sum := sha256.Sum256([]byte(code))
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if s.until.IsZero() || subtle.ConstantTimeCompare(sum[:], s.once[:]) != 1 {
		return "", false
	}
	good := now.Before(s.until)
	s.until = time.Time{} // used, or too old
	if !good {
		return "", false
	}
	for k, h := range s.holders {
		if !now.Before(h.until) {
			delete(s.holders, k)
		}
	}
	if len(s.holders) >= mostSessions {
		return "", false
	}
	value := rand.Text()
	s.holders[sha256.Sum256([]byte(value))] = session{token: rand.Text(), until: now.Add(sessionLife)}
	return value, true
}

// of finds the browser that a request comes from.
func (s *sessions) of(r *http.Request, name string) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range r.CookiesNamed(name) {
		h, ok := s.holders[sha256.Sum256([]byte(c.Value))]
		if ok && s.now().Before(h.until) {
			return h, true
		}
	}
	return session{}, false
}

// holds reports whether a token is this browser's.
func (h session) holds(token string) bool {
	return subtle.ConstantTimeCompare([]byte(h.token), []byte(token)) == 1
}
