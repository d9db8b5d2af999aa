package capfs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// shiftBetween renames between two held folders.
func shiftBetween(from *os.Root, name string, to *os.Root, as string, how shift) error {
	flags := uint32(0)
	switch how {
	case keep:
		flags = unix.RENAME_EXCL
	case exchange:
		flags = unix.RENAME_SWAP
	}
	err := folders(from, to, func(a, b int) error { return unix.RenameatxNp(a, name, b, as, flags) })
	if how != over && (errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP)) {
		return errUnable
	}
	return err
}

func renameExclusive(a int, name string, b int, as string) error {
	err := unix.RenameatxNp(a, name, b, as, unix.RENAME_EXCL)
	if err == unix.EINVAL || err == unix.ENOTSUP {
		return errUnable
	}
	return err
}
