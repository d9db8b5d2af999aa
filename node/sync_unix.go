//go:build unix

package node

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncDir makes a rename in the folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// lockFile waits for the lock that keeps two edits of one configuration
// apart. The lock ends with the file's closing, or with the process.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if err != unix.EINTR {
			return err
		}
	}
}
