package capfs

import (
	"io"
	iofs "io/fs"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// desc is a descriptor that is closed when nobody uses it any more: a number
// that was closed under a running call could mean another file by then.
type desc struct {
	fd    int
	state atomic.Int64 // users, and the two bits
}

const (
	closedBit = 1 << 40 // Close was called
	freedBit  = 1 << 41 // the descriptor is closed
)

func (d *desc) take() error {
	if d.state.Add(1)&closedBit != 0 {
		d.give()
		return iofs.ErrClosed
	}
	return nil
}

// give ends a use; the last one after Close closes.
func (d *desc) give() {
	if d.state.Add(-1) == closedBit && d.state.CompareAndSwap(closedBit, closedBit|freedBit) {
		unix.Close(d.fd)
	}
}

// close reports whether this was the first close.
func (d *desc) close() bool {
	for {
		s := d.state.Load()
		if s >= closedBit {
			return false
		}
		if d.state.CompareAndSwap(s, s|closedBit) {
			d.state.Add(1)
			d.give()
			return true
		}
	}
}

// preadFull reads until b is full or the file ends.
func preadFull(fd int, b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, syscall.EINVAL
	}
	for n < len(b) {
		got, err := unix.Pread(fd, b[n:], off+int64(n))
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return n, err
		}
		if got == 0 {
			return n, io.EOF
		}
		n += got
	}
	return n, nil
}
