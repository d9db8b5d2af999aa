package history

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"
)

// The size file holds what all blobs took when somebody last knew, and when
// all of them were last looked at. It is a hint, written anew as a whole by
// whoever knows better: a wrong one costs a look at all blobs, or a bound that
// is passed for a while.
type hint struct {
	bytes  int64
	looked time.Time
}

// counted is what this process knows of the size: what the file said, and
// what it added since without telling.
type counted struct {
	hint
	untold int64
	told   time.Time // when the file was last read or written; zero: never
}

const (
	// hintLife is how long additions are only counted.
	hintLife = 6 * time.Hour
	// A process tells the file of what it added after a time, or when it is
	// this part of the bound: processes that are killed forget no more.
	tellAfter = 10 * time.Second
	tellPart  = 256
)

// account adds to what is known of the size, and prunes when the bound is
// passed. Nothing of the current call, from order `first` on, is let go of.
func (s *Store) account(ctx context.Context, root *os.Root, added, first int64) {
	if added == 0 || s.fits(root, added) {
		return
	}
	if _, err := s.prune(context.WithoutCancel(ctx), root, first); err != nil {
		s.o.Report(top, "could not be pruned: "+words(err))
	}
}

// fits counts bytes that were added, and says false when everything has to be
// looked at.
func (s *Store) fits(root *os.Root, added int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, now := &s.count, s.o.Now()
	c.untold += added
	if wait := now.Sub(c.told); c.told.IsZero() || wait < 0 || wait > tellAfter || c.untold > s.o.TotalBytes/tellPart {
		if h, ok := s.hint(root); ok {
			c.hint, c.told = hint{h.bytes + c.untold, h.looked}, now
			c.untold = 0
			s.setHint(root, c.hint)
		} else {
			c.told = time.Time{}
			return false
		}
	}
	age := now.Sub(c.looked)
	return age >= 0 && age < hintLife && c.bytes+c.untold <= s.o.TotalBytes
}

// counted takes note of a look at everything.
func (s *Store) counted(root *os.Root, h hint) {
	s.notes(root)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = counted{hint: h, told: h.looked}
	s.setHint(root, h)
}

// tell tells the file at the end. The caller holds the lock.
func (s *Store) tell(root *os.Root) {
	if h, ok := s.hint(root); ok && s.count.untold > 0 {
		s.setHint(root, hint{h.bytes + s.count.untold, h.looked})
		s.count = counted{}
	}
}

func (s *Store) hint(root *os.Root) (h hint, ok bool) {
	b, err := root.ReadFile(sizeFile)
	if err != nil {
		return h, false
	}
	bytes, at, _ := strings.Cut(string(b), " ")
	n, err1 := strconv.ParseInt(bytes, 10, 64)
	ns, err2 := strconv.ParseInt(at, 10, 64)
	h = hint{n, time.Unix(0, ns)}
	age := s.o.Now().Sub(h.looked)
	return h, err1 == nil && err2 == nil && n >= 0 && age >= 0 && age < hintLife
}

// setHint writes the file anew. The caller holds the lock.
func (s *Store) setHint(root *os.Root, h hint) {
	tmp := tmpName(s.o.Now())
	if s.own != nil {
		tmp += "-" + s.own.token // whose process ends in between is tidied up after
	}
	text := strconv.FormatInt(h.bytes, 10) + " " + strconv.FormatInt(h.looked.UnixNano(), 10)
	if root.WriteFile(tmp, []byte(text), 0o600) != nil || root.Rename(tmp, sizeFile) != nil {
		root.Remove(tmp)
	}
}
