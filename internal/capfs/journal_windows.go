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
		o := lockRange()
		inner = windows.LockFileEx(windows.Handle(fd), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, o)
	})
	if err == nil {
		err = inner
	}
	return err
}

// lockRange lies beyond the content: locked bytes could not be read by others.
func lockRange() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 0x7fffffff} }

// unlockFile gives back the lock of a file that stays open.
func unlockFile(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = c.Control(func(fd uintptr) { inner = windows.UnlockFileEx(windows.Handle(fd), 0, 1, 0, lockRange()) })
	if err == nil {
		err = inner
	}
	return err
}

// removed: an open file cannot be removed here.
func removed(*os.File) bool { return false }
