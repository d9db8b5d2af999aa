package capfs

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func noAttribute(err error) bool { return errors.Is(err, syscall.ENODATA) }

// sealed tells of a flag that forbids every change of a file, in the word of
// the command that sets it.
func sealed(f *os.File) (flag string) {
	_ = withFD(f, func(fd int) error {
		var st unix.Statx_t
		if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, 0, &st); err != nil {
			return err
		}
		switch {
		case st.Attributes&unix.STATX_ATTR_IMMUTABLE != 0:
			flag = "immutable (chattr +i)"
		case st.Attributes&unix.STATX_ATTR_APPEND != 0:
			flag = "append-only (chattr +a)"
		}
		return nil
	})
	return flag
}

func setTime(fd int, mtime int64) error {
	if mtime == 0 {
		return nil
	}
	ts := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, unix.NsecToTimespec(mtime)}
	err := unix.UtimesNanoAt(fd, "", ts, unix.AT_EMPTY_PATH)
	if err == syscall.EINVAL || err == syscall.ENOENT { // an older kernel
		err = unix.UtimesNanoAt(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), ts, 0)
	}
	return err
}
