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

// turn waits until no other process that shares the journals is in the middle
// of a swap. Between an exchange and its taking back a file shows what is not
// to stay, and whoever swapped on the ground of that would bury what had been
// committed just before. The lock is not held for anything that waits for a
// disk, and ends with the process.
func (l *Ladder) turn(ctx context.Context, p reeve.Place) (end func(), err error) {
	if l.journal.dir == "" {
		return func() {}, nil
	}
	name := filepath.Join(l.journal.dir, "swap.lock")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if os.IsNotExist(err) {
		if err = os.MkdirAll(filepath.Dir(name), 0o700); err == nil {
			f, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		}
	}
	if err != nil {
		return nil, failure("swap", p.Display(), err)
	}
	pause := 20 * time.Microsecond
	for began := time.Now(); ; {
		if lockFile(f) == nil {
			return func() { f.Close() }, nil
		}
		if time.Since(began) > turnWait || ctx.Err() != nil {
			f.Close()
			return nil, refuse(p, reeve.Busy, "could not be changed: other programs of Reeve's keep changing files", "Try again in a moment.")
		}
		time.Sleep(pause)
		pause = min(2*pause, 2*time.Millisecond)
	}
}
