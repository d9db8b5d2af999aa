//go:build unix

package asking

import (
	"os"

	"golang.org/x/sys/unix"
)

// removesOpen: a file can be removed while it is open.
const removesOpen = true

// lock holds a file's lock, waiting for it only if told to.
func lock(f *os.File, wait bool) error {
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	err := flock(f, how)
	if err == unix.EWOULDBLOCK {
		return errHeld
	}
	return err
}

// probe reports that nobody holds the file's lock.
func probe(f *os.File) bool { return flock(f, unix.LOCK_SH|unix.LOCK_NB) != unix.EWOULDBLOCK }

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if err != unix.EINTR {
			return err
		}
	}
}
