package history

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"

	"reeve"
)

// foreign: on Windows the state folder's own access list keeps others out.
func foreign(st fs.FileInfo) string {
	if !st.IsDir() {
		return "is not a folder"
	}
	return ""
}

// private is not asked on Windows, where nothing is taken without copying.
func private(fs.FileInfo) bool { return true }

// names is not asked on Windows, where nothing is taken without copying.
func names(fs.FileInfo) uint64 { return 1 }

func owner(fs.FileInfo) *reeve.Ownership { return nil }

// unlinkable: the file system has no links at all.
func unlinkable(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_TOO_MANY_LINKS)
}

// syncDir: Windows has no way to sync a folder, and keeps names itself.
func syncDir(*os.File) error { return nil }
