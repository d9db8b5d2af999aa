package history

import (
	"os"

	"golang.org/x/sys/unix"
)

// unwritten says that nobody has the file open for writing, or mapped so: the
// system grants a read lease only then.
func unwritten(f *os.File) bool {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK); err != nil {
		return false
	}
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	return err == nil
}
