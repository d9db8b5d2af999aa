package asking

import (
	"os"

	"golang.org/x/sys/windows"
)

// removesOpen: a file can't be removed while it is open.
const removesOpen = false

// lock holds a file's lock, waiting for it only if told to.
func lock(f *os.File, wait bool) error {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{})
	if err == windows.ERROR_LOCK_VIOLATION {
		return errHeld
	}
	return err
}

// probe reports that nobody holds the file's lock.
func probe(f *os.File) bool {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	return err != windows.ERROR_LOCK_VIOLATION
}
