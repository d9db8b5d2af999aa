package capfs

import (
	"errors"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func noAttribute(err error) bool { return errors.Is(err, syscall.ENODATA) }

// word is the mark in the word of the command that sets it.
func (s Seal) word() string {
	switch s {
	case Immutable:
		return "immutable (chattr +i)"
	case AppendOnly:
		return "append-only (chattr +a)"
	}
	return ""
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

// copies reports that a copy gets this attribute: what users and programs
// noted, and access lists. Labels are the system's to give.
func copies(name string) bool {
	return strings.HasPrefix(name, "user.") || name == "system.posix_acl_access"
}

// userFlags are the flags of a file that chattr sets and that do not forbid
// changes.
const userFlags = 0x1 | 0x2 | // s, u
	0x4 | 0x400 | // compression: c, m
	0x8 | // S: written at once
	0x40 | 0x80 | // no dump d, no access time A
	0x4000 | 0x8000 | // j, t
	0x800000 | 0x2000000 // no copy on write C, x

// carryFlags makes the flags of two files the same where they have any.
func carryFlags(old, fd int) error {
	want, err := unix.IoctlGetUint32(old, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return nil // there are none here
	}
	have, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		have = 0
	}
	if want&userFlags == have&userFlags {
		return nil
	}
	return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, int(have&^userFlags|want&userFlags))
}
