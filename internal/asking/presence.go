package asking

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	folder  = "asking" // in the state folder
	hereEnd = ".here"
	opening = "opening" // locked while a process opens a page
	litter  = time.Minute
	notice  = "notice"      // when the last notice was sent
	turn    = "notice.lock" // locked while a process looks at that
)

// Presence is how processes of one owner know of each other's open pages: a
// file for each of them, which its process holds locked for as long as it
// lives. A file that nobody holds is left over from a crash, and counts for
// nothing. Its methods may be called by several goroutines at once.
type Presence struct{ dir string }

// NewPresence gives the presence of a state folder. It touches no disk.
func NewPresence(state string) *Presence { return &Presence{filepath.Join(state, folder)} }

// Announce says that a page is open here, until the returned function is
// called (once or more) or the process ends.
func (p *Presence) Announce() (func(), error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	return hold(filepath.Join(p.dir, rand.Text()+hereEnd), true)
}

// Opening gives the right to open a page, which one process at a time has. It
// returns nil, and no error, while another one has it.
func (p *Presence) Opening() (func(), error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	release, err := hold(filepath.Join(p.dir, opening), false)
	if errors.Is(err, errHeld) {
		return nil, nil
	}
	return release, err
}

// Notice gives the right to send a notice, which there is once in a while for
// all processes: 0 for yes, and then it is taken, or how long to wait before
// asking again.
func (p *Presence) Notice(every time.Duration) (time.Duration, error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return 0, err
	}
	release, err := hold(filepath.Join(p.dir, turn), false)
	if errors.Is(err, errHeld) {
		return 10 * time.Millisecond, nil
	}
	if err != nil {
		return 0, err
	}
	defer release()
	path := filepath.Join(p.dir, notice)
	now := time.Now()
	if b, err := os.ReadFile(path); err == nil {
		// A time to come is that of a clock that was set back since.
		if last, err := time.Parse(time.RFC3339Nano, string(b)); err == nil && !last.After(now) && now.Sub(last) < every {
			return every - now.Sub(last), nil
		}
	}
	return 0, os.WriteFile(path, []byte(now.Format(time.RFC3339Nano)), 0o600)
}

var errHeld = errors.New("is held by another process")

// hold makes a file and holds its lock; passing says that it goes with it.
func hold(path string, passing bool) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f, passing); err != nil {
		f.Close()
		return nil, err
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			if passing && removesOpen {
				os.Remove(path)
			}
			f.Close()
			if passing && !removesOpen {
				os.Remove(path)
			}
		})
	}, nil
}

// Anybody reports whether a page is open in any process, this one included.
func (p *Presence) Anybody() bool {
	list, err := os.ReadDir(p.dir)
	if err != nil {
		return false
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), hereEnd) && e.Type().IsRegular() && p.held(e) {
			return true
		}
	}
	return false
}

func (p *Presence) held(e fs.DirEntry) bool {
	path := filepath.Join(p.dir, e.Name())
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	free := probe(f)
	old := false
	if st, err := f.Stat(); err == nil {
		old = time.Since(st.ModTime()) > litter // a younger one may be about to be locked
	}
	f.Close()
	if free && old {
		os.Remove(path)
	}
	return !free
}
