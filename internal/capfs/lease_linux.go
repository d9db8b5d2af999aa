package capfs

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lease holds off writers of an open file, as long as the system lets it.
type lease struct {
	f    *os.File
	kind int
}

// unwritten takes a lease that shows that nobody has a file open for writing,
// not even by a mapping. Unknown is the answer for another owner's file, and
// on a file system without leases.
func unwritten(f *os.File) (lease, writers) { return take(f, unix.F_RDLCK) }

// alone takes a lease that shows that nobody else has a file open at all; f
// itself must be open for writing.
func alone(f *os.File) (lease, writers) { return take(f, unix.F_WRLCK) }

func take(f *os.File, kind int) (lease, writers) {
	err := withFD(f, func(fd int) error {
		// The default signal would end the program; this one does nothing.
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETSIG, int(syscall.SIGURG)); err != nil {
			return err
		}
		_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, kind)
		return err
	})
	switch err {
	case nil:
		return lease{f, kind}, nobody
	case syscall.EAGAIN:
		return lease{}, somebody
	}
	return lease{}, unknown
}

// end gives the lease back and reports whether nobody asked for the file
// meanwhile: who asked stands in the middle of opening it.
func (l lease) end() (quiet bool) {
	if l.f == nil {
		return false
	}
	_ = withFD(l.f, func(fd int) error {
		kind, err := unix.FcntlInt(uintptr(fd), unix.F_GETLEASE, 0)
		quiet = err == nil && kind == l.kind // another one: somebody waits
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK)
		return err
	})
	return quiet
}
