package attack

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// exchange swaps two names in one step, from folders that are held open.
type exchange struct {
	dirA, dirB   int
	nameA, nameB string
	dance        *dance // where the file system cannot exchange
}

func newExchange(a, b string) (*exchange, error) {
	d, err := newDance(a, b)
	if err != nil {
		return nil, err
	}
	x := &exchange{dirA: -1, dirB: -1, nameA: filepath.Base(a), nameB: filepath.Base(b)}
	if x.dirA, err = unix.Open(filepath.Dir(a), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		x.dirB, err = unix.Open(filepath.Dir(b), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err == nil {
		// Twice is as it was: this only asks whether it can be done.
		if err = x.swap(); err == nil {
			err = x.swap()
		}
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		x.dance, err = d, nil
	}
	if err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

func (x *exchange) swap() error {
	if x.dance != nil {
		return x.dance.swap()
	}
	return unix.Renameat2(x.dirA, x.nameA, x.dirB, x.nameB, unix.RENAME_EXCHANGE)
}

func (x *exchange) close() {
	for _, fd := range []int{x.dirA, x.dirB} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}
