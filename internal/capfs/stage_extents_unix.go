//go:build linux || darwin

package capfs

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lend gives an opened file's descriptor to fn.
func lend(f *os.File, fn func(fd uintptr) error) error {
	return withFD(f, func(fd int) error { return fn(uintptr(fd)) })
}

// layoutOf tells whether a file has holes, by the room that it takes.
func layoutOf(fd int) layout {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Blocks*512 >= st.Size {
		return dense
	}
	if !tellsHoles(fd) {
		return vague
	}
	return hollow
}

// segmentOf finds the next bytes from an offset on. It moves the descriptor's
// own position, which nothing here reads by.
func segmentOf(fd int, at, size int64) segment {
	start, err := unix.Seek(fd, at, unix.SEEK_DATA)
	if err == syscall.ENXIO {
		return segment{size, size}
	}
	if err != nil || start < at || start > size {
		return segment{at, size}
	}
	end, err := unix.Seek(fd, start, unix.SEEK_HOLE)
	if err != nil || end <= start || end > size {
		end = size
	}
	return segment{start, end}
}
