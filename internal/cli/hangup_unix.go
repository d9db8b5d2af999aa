//go:build unix

package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// hungUp reports that nobody has the other end of a pipe any more, whatever
// is left unread in it.
func hungUp(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(p, 0)
		gone = err == nil && n > 0 && p[0].Revents&unix.POLLHUP != 0
	})
	return err == nil && gone
}
