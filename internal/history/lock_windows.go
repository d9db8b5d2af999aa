package history

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file for as long as it is open, and fails at once when
// somebody else has it. The range is beyond the content: locked bytes could
// not be read.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{OffsetHigh: 0x7fffffff})
}
