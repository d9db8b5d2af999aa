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

// unlockFile gives back the lock of a file that stays open.
func unlockFile(f *os.File) error {
	return withFD(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_UN) })
}

// removed reports that an open file has no name any more.
func removed(f *os.File) bool {
	var st unix.Stat_t
	err := withFD(f, func(fd int) error { return unix.Fstat(fd, &st) })
	return err != nil || st.Nlink == 0
}
