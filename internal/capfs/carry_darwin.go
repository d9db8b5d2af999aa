package capfs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func noAttribute(err error) bool { return errors.Is(err, syscall.ENOATTR) }

// sealed tells of a flag that forbids every change of a file.
func sealed(f *os.File) (flag string) {
	fi, err := f.Stat()
	if err != nil {
		return ""
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	const userImmutable, userAppend, systemImmutable, systemAppend = 0x2, 0x4, 0x20000, 0x40000
	switch {
	case st.Flags&(userImmutable|systemImmutable) != 0:
		return "immutable (chflags uchg)"
	case st.Flags&(userAppend|systemAppend) != 0:
		return "append-only (chflags uappnd)"
	}
	return ""
}

func setTime(fd int, mtime int64) error {
	if mtime == 0 {
		return nil
	}
	t := unix.NsecToTimeval(mtime)
	return unix.Futimes(fd, []unix.Timeval{t, t})
}
