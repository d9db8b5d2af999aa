//go:build windows

package node

import (
	"os"

	"golang.org/x/sys/windows"
)

// syncDir has nothing to do: NTFS writes renames through its journal.
func syncDir(string) error { return nil }

// lockFile waits for the lock that keeps two edits of one configuration
// apart. The lock ends with the file's closing, or with the process.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
}
