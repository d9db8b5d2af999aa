package history

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes a file's bytes durable. For a file that was on disk long
// before it was taken that costs nothing.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
