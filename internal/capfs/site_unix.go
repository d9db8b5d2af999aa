//go:build linux || darwin

package capfs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// withFD runs fn with a file's descriptor, which stays open until fn ends.
func withFD(f *os.File, fn func(fd int) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := c.Control(func(fd uintptr) { inner = fn(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// folders opens two held folders, for calls that need both.
func folders(a, b *os.Root, fn func(a, b int) error) error {
	da, err := a.Open(".")
	if err != nil {
		return err
	}
	defer da.Close()
	db, err := b.Open(".")
	if err != nil {
		return err
	}
	defer db.Close()
	return withFD(da, func(x int) error { return withFD(db, func(y int) error { return fn(x, y) }) })
}

func linkBetween(from *os.Root, name string, to *os.Root, as string) error {
	return folders(from, to, func(a, b int) error { return unix.Linkat(a, name, b, as, 0) })
}

// syncFolder makes the names in a folder durable.
func syncFolder(d *os.File) error {
	err := d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// noSpace: the disk is full, or the user's part of it.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// renamesBetween: names move from one held folder to another, and a folder
// replaces an empty one.
const renamesBetween = true

func isNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY)
}

// withFolder runs fn with a descriptor of the folder in which names can be
// changed.
func withFolder(at site, fn func(fd int) error) error {
	if u, ok := at.keeper.(user); ok {
		return u.use(fn)
	}
	f, err := at.folder()
	if err != nil {
		return errUnable
	}
	defer f.Close()
	return withFD(f, fn)
}

// user is a site that holds a descriptor of its own.
type user interface {
	use(fn func(fd int) error) error
}

// takeInto moves a name into an opened folder, where it must be free.
func takeInto(at site, name string, dir *os.File, as string) error {
	return withFolder(at, func(a int) error {
		return withFD(dir, func(b int) error { return renameKeep(a, name, b, as) })
	})
}

// takeOut is the way back.
func takeOut(dir *os.File, name string, to site, as string) error {
	return withFD(dir, func(a int) error {
		return withFolder(to, func(b int) error { return renameKeep(a, name, b, as) })
	})
}

// renameKeep renames and refuses an existing name.
func renameKeep(a int, name string, b int, as string) error {
	err := renameExclusive(a, name, b, as)
	if !errors.Is(err, errUnable) {
		return err
	}
	if err := unix.Linkat(a, name, b, as, 0); err != nil {
		return err
	}
	return unix.Unlinkat(a, name, 0)
}

// mayWrite guesses whether names in a folder can be changed.
func mayWrite(r *os.Root) bool {
	d, err := r.Open(".")
	if err != nil {
		return true
	}
	defer d.Close()
	return withFD(d, func(fd int) error { return unix.Faccessat(fd, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS) }) == nil
}
