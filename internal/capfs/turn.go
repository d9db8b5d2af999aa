package capfs

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"reeve"
)

// turnWait bounds how long a swap waits for those of other processes. Each
// takes well under a millisecond.
const turnWait = 2 * time.Second

// turns is this process's part in taking turns: the lock's file, kept open,
// and who of the process has it.
type turns struct {
	mine chan struct{} // holds one token while somebody has the turn
	f    *os.File      // used by who has it; nil until the first turn
}

func newTurns() turns { return turns{mine: make(chan struct{}, 1)} }

// turn waits until no other swap, of this process or of another one that
// shares the journals, is under way. Between an exchange and its taking back a
// file shows what is not to stay, and whoever swapped on the ground of that
// would bury what had been committed just before. The lock is not held for
// anything that waits for a disk, but for a file that can only be written in
// place, and ends with the process.
func (l *Ladder) turn(ctx context.Context, p reeve.Place) (end func(), err error) {
	if l.journal.dir == "" {
		return func() {}, nil
	}
	busy := func() error {
		return refuse(p, reeve.Busy, "could not be changed: other programs of Reeve's keep changing files", "Try again in a moment.")
	}
	began, late := time.Now(), time.NewTimer(turnWait)
	defer late.Stop()
	select {
	case l.turns.mine <- struct{}{}:
	case <-late.C:
		return nil, busy()
	case <-ctx.Done():
		return nil, ended(context.Cause(ctx), l.fs.o.Timeout)
	}
	ok := false
	defer func() {
		if !ok {
			<-l.turns.mine
		}
	}()
	pause := 20 * time.Microsecond
	for {
		f, err := l.turnFile()
		if err != nil {
			return nil, failure("swap", p.Display(), err)
		}
		if lockFile(f) == nil {
			// Only now it is certain that others will meet this lock: the
			// file may have been removed before.
			if !removed(f) {
				ok = true
				return func() {
					if unlockFile(f) != nil { // closing it gives the lock back too
						f.Close()
						l.turns.f = nil
					}
					<-l.turns.mine
				}, nil
			}
			f.Close()
			l.turns.f = nil
		}
		if time.Since(began) > turnWait {
			return nil, busy()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ended(context.Cause(ctx), l.fs.o.Timeout)
		}
		pause = min(2*pause, 2*time.Millisecond)
	}
}

// turnFile opens the lock's file once.
func (l *Ladder) turnFile() (*os.File, error) {
	if l.turns.f != nil {
		return l.turns.f, nil
	}
	name := filepath.Join(l.journal.dir, "swap.lock")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if os.IsNotExist(err) {
		if err = os.MkdirAll(filepath.Dir(name), 0o700); err == nil {
			f, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		}
	}
	l.turns.f = f
	return f, err
}

// close lets go of the lock's file, unless somebody has the turn: then it is
// closed with the process.
func (t *turns) close() {
	select {
	case t.mine <- struct{}{}:
		if t.f != nil {
			t.f.Close()
			t.f = nil
		}
		<-t.mine
	default:
	}
}
