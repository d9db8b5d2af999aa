package cli

import "golang.org/x/sys/unix"

func forget(fd int) {
	const read = 1 // FREAD
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
