package capfs

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// shiftBetween: there is no call here that renames from one held folder to
// another, and none by paths is safe. Files are copied instead.
func shiftBetween(from *os.Root, name string, to *os.Root, as string, how shift) error {
	if how != over {
		return errUnable
	}
	return windows.ERROR_NOT_SAME_DEVICE
}

func linkBetween(*os.Root, string, *os.Root, string) error { return windows.ERROR_NOT_SAME_DEVICE }

// syncFolder: Windows keeps names itself and has no way to ask for it.
func syncFolder(*os.File) error { return nil }

func noSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

const renamesBetween = false

func isNotEmpty(err error) bool { return errors.Is(err, windows.ERROR_DIR_NOT_EMPTY) }

func takeInto(site, string, *os.File, string) error { return errUnable }

func takeOut(*os.File, string, site, string) error { return errUnable }

func mayWrite(*os.Root) bool { return true }
