package capfs

import (
	"bytes"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// mountKinds tells the kind of file system of a mount from the kernel's own
// table, which asks no file system: statfs hangs where one does not answer.
type mountKinds struct {
	mu   sync.Mutex // the table is the kernel's: reading it does not block
	fd   int
	open bool
	by   map[uint64]string
}

// of gives the name of a mount's file system, "" where it cannot be told.
func (k *mountKinds) of(mount uint64) string {
	if mount == 0 {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.open {
		k.open = true
		fd, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			fd = -1
		}
		k.fd = fd
	}
	if k.fd < 0 {
		return ""
	}
	if k.by == nil || k.moved() {
		k.read()
	}
	return k.by[mount]
}

func (k *mountKinds) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open && k.fd >= 0 {
		unix.Close(k.fd)
	}
	k.open, k.fd, k.by = true, -1, nil
}

// moved: the kernel marks the open table when mounts have come or gone.
func (k *mountKinds) moved() bool {
	fds := []unix.PollFd{{Fd: int32(k.fd), Events: unix.POLLPRI}}
	n, err := unix.Poll(fds, 0)
	return err != nil || n > 0
}

func (k *mountKinds) read() {
	k.by = nil
	var all []byte
	buf := make([]byte, 64<<10)
	for off := int64(0); ; {
		n, err := retry(func() (int, error) { return unix.Pread(k.fd, buf, off) })
		if err != nil {
			return
		}
		if n == 0 {
			break
		}
		all = append(all, buf[:n]...)
		off += int64(n)
	}
	k.by = parseMountInfo(all)
}

// parseMountInfo reads lines such as
//
//	36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw
//
// where the first field is the mount and the one after " - " its kind.
func parseMountInfo(table []byte) map[uint64]string {
	out := map[uint64]string{}
	for line := range bytes.Lines(table) {
		id, rest, ok := bytes.Cut(line, []byte(" "))
		_, tail, dash := bytes.Cut(rest, []byte(" - "))
		n, err := strconv.ParseUint(string(id), 10, 64)
		if !ok || !dash || err != nil {
			continue
		}
		kind, _, _ := bytes.Cut(tail, []byte(" "))
		out[n] = string(bytes.TrimSpace(kind))
	}
	return out
}
