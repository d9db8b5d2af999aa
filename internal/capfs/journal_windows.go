package capfs

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file for as long as it is open, and fails at once when
// another process has it.
func lockFile(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = c.Control(func(fd uintptr) {
		// A range beyond the content: locked bytes could not be read by others.
		o := &windows.Overlapped{OffsetHigh: 0x7fffffff}
		inner = windows.LockFileEx(windows.Handle(fd), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, o)
	})
	if err == nil {
		err = inner
	}
	return err
}
