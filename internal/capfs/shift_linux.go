package capfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// shiftBetween renames between two held folders. The flags of renameat2 are
// left to the layer of this system's own.
func shiftBetween(from *os.Root, name string, to *os.Root, as string, how shift) error {
	if how != over {
		return errUnable
	}
	return folders(from, to, func(a, b int) error { return unix.Renameat(a, name, b, as) })
}

func renameExclusive(a int, name string, b int, as string) error {
	err := unix.Renameat2(a, name, b, as, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return errUnable
	}
	return err
}
