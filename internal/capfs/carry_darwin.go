package capfs

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

func noAttribute(err error) bool { return errors.Is(err, syscall.ENOATTR) }

// word is the mark in the word of the command that sets it.
func (s Seal) word() string {
	switch s {
	case Immutable:
		return "immutable (chflags uchg)"
	case AppendOnly:
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

// copies reports that a copy gets this attribute.
func copies(name string) bool { return !left(name) }

// carryFlags makes the flags of two files the same: those that their owner
// sets and that neither forbid changes nor tell how the bytes are stored.
func carryFlags(old, fd int) error {
	const nodump, opaque, hidden = 0x1, 0x8, 0x8000
	const ours = nodump | opaque | hidden
	var from, to unix.Stat_t
	if err := unix.Fstat(old, &from); err != nil {
		return err
	}
	if err := unix.Fstat(fd, &to); err != nil {
		return err
	}
	if from.Flags&ours == to.Flags&ours {
		return nil
	}
	return unix.Fchflags(fd, int(to.Flags&^ours|from.Flags&ours))
}
