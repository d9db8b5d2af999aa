//go:build unix

package history

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file for as long as it is open, and fails at once when
// somebody else has it.
func lockFile(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}
