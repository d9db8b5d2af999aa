//go:build linux || darwin

package capfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file for as long as it is open, and fails at once when
// another process has it.
func lockFile(f *os.File) error {
	return withFD(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
}
