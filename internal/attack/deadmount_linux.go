package attack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// DeadMount is a mounted file system that stops answering, as a network
// share does whose server has gone. It needs root and /dev/fuse.
//
// While it lives it shows a folder with `file.txt` and `sub/inner.txt`.
type DeadMount struct {
	Dir string

	fd, wake int
	mu       sync.Mutex
	alive    bool
	gone     chan struct{} // closed by Abort
	served   chan struct{} // closed when the serving goroutine has ended
	once     sync.Once
	abortErr error
}

// MountDead mounts over dir, an existing folder. When alive is false the
// file system never answers anything, not even its first greeting.
func MountDead(dir string, alive bool) (*DeadMount, error) {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/fuse: %w", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd)
	if err := unix.Mount("dead", dir, "fuse.dead", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return nil, errors.Join(fmt.Errorf("mount: %w", err), unix.Close(fd), unix.Close(wake))
	}
	m := &DeadMount{Dir: dir, fd: fd, wake: wake, alive: alive, gone: make(chan struct{}), served: make(chan struct{})}
	go m.serve()
	return m, nil
}

// Die makes the mount stop answering; what is asked from now on waits.
func (m *DeadMount) Die() { m.set(false) }

// Revive makes the mount answer, also what has been waiting.
func (m *DeadMount) Revive() { m.set(true) }

func (m *DeadMount) set(alive bool) {
	m.mu.Lock()
	m.alive = alive
	m.mu.Unlock()
	m.kick()
}

func (m *DeadMount) kick() {
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	// It only fails when it has been kicked already.
	_, _ = unix.Write(m.wake, one[:])
}

// Abort ends the file system: whoever waits on it gets an error, and the
// folder below is there again. It may be called again.
func (m *DeadMount) Abort() error {
	m.once.Do(func() {
		close(m.gone)
		m.kick()
		<-m.served
		// The last descriptor's closing breaks the connection.
		err := unix.Close(m.fd)
		m.abortErr = errors.Join(err, unix.Unmount(m.Dir, unix.MNT_DETACH), unix.Close(m.wake))
	})
	return m.abortErr
}

func (m *DeadMount) serve() {
	defer close(m.served)
	buf := make([]byte, 1<<20)
	for {
		m.mu.Lock()
		alive := m.alive
		m.mu.Unlock()
		fds := []unix.PollFd{{Fd: int32(m.wake), Events: unix.POLLIN}, {Fd: int32(m.fd), Events: unix.POLLIN}}
		if !alive {
			fds = fds[:1]
		}
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return
		}
		select {
		case <-m.gone:
			return
		default:
		}
		if fds[0].Revents != 0 {
			var b [8]byte
			_, _ = unix.Read(m.wake, b[:])
			continue
		}
		if len(fds) < 2 || fds[1].Revents == 0 {
			continue
		}
		n, err := unix.Read(m.fd, buf)
		switch {
		case err == unix.EAGAIN || err == unix.EINTR || err == unix.ENOENT:
			continue
		case err != nil:
			return // unmounted by somebody else
		}
		if reply := answer(buf[:n]); reply != nil {
			// A caller that was interrupted wants no answer any more.
			_, _ = unix.Write(m.fd, reply)
		}
	}
}

// The few requests of the kernel's FUSE protocol that a read-only tree needs.
const (
	fuseLookup     = 1
	fuseForget     = 2
	fuseGetattr    = 3
	fuseOpen       = 14
	fuseRead       = 15
	fuseStatfs     = 17
	fuseRelease    = 18
	fuseFlush      = 25
	fuseInit       = 26
	fuseOpendir    = 27
	fuseReaddir    = 28
	fuseReleasedir = 29
	fuseInterrupt  = 36
	fuseBatch      = 42

	fuseHeader = 40
)

// node is one entry of the mounted tree.
type node struct {
	id, parent uint64
	name       string
	data       string // "" for a folder
}

func nodes() []node {
	return []node{
		{1, 1, "", ""},
		{2, 1, "file.txt", "alive\n"},
		{3, 1, "sub", ""},
		{4, 3, "inner.txt", "inner\n"},
	}
}

func answer(req []byte) []byte {
	if len(req) < fuseHeader {
		return nil
	}
	le := binary.NativeEndian
	op, unique, id, arg := le.Uint32(req[4:]), le.Uint64(req[8:]), le.Uint64(req[16:]), req[fuseHeader:]
	reply := func(errno unix.Errno, body []byte) []byte {
		b := make([]byte, 16, 16+len(body))
		le.PutUint32(b, uint32(16+len(body)))
		le.PutUint32(b[4:], uint32(-int32(errno)))
		le.PutUint64(b[8:], unique)
		return append(b, body...)
	}
	var at *node
	for _, n := range nodes() {
		if n.id == id {
			at = &n
		}
	}
	switch op {
	case fuseForget, fuseBatch, fuseInterrupt:
		return nil
	case fuseInit:
		b := make([]byte, 64)
		le.PutUint32(b, 7)
		le.PutUint32(b[4:], 31)
		le.PutUint32(b[20:], 128<<10) // largest write
		le.PutUint32(b[24:], 1)       // times are exact
		return reply(0, b)
	case fuseStatfs:
		b := make([]byte, 80)
		le.PutUint32(b[40:], 4096)
		le.PutUint32(b[44:], 255)
		return reply(0, b)
	}
	if at == nil {
		return reply(unix.ENOENT, nil)
	}
	switch op {
	case fuseGetattr:
		return reply(0, append(make([]byte, 16), at.attr()...))
	case fuseLookup:
		name := string(bytes.TrimRight(arg, "\x00"))
		for _, n := range nodes() {
			if n.parent == id && n.name == name && n.id != 1 {
				b := make([]byte, 40)
				le.PutUint64(b, n.id)
				return reply(0, append(b, n.attr()...))
			}
		}
		return reply(unix.ENOENT, nil)
	case fuseOpen, fuseOpendir:
		return reply(0, make([]byte, 16))
	case fuseRead:
		return reply(0, []byte(window(at.data, le.Uint64(arg[8:]), le.Uint32(arg[16:]))))
	case fuseReaddir:
		return reply(0, entries(at.id, le.Uint64(arg[8:]), le.Uint32(arg[16:])))
	case fuseRelease, fuseReleasedir, fuseFlush:
		return reply(0, nil)
	}
	return reply(unix.ENOSYS, nil)
}

func window(s string, offset uint64, size uint32) string {
	if offset >= uint64(len(s)) {
		return ""
	}
	s = s[offset:]
	return s[:min(len(s), int(size))]
}

func (n node) attr() []byte {
	le := binary.NativeEndian
	b := make([]byte, 88)
	le.PutUint64(b, n.id)
	le.PutUint64(b[8:], uint64(len(n.data)))
	mode, links := uint32(unix.S_IFREG|0o644), uint32(1)
	if n.data == "" {
		mode, links = unix.S_IFDIR|0o755, 2
	}
	le.PutUint32(b[60:], mode)
	le.PutUint32(b[64:], links)
	le.PutUint32(b[80:], 4096)
	return b
}

func entries(folder, offset uint64, size uint32) []byte {
	le := binary.NativeEndian
	var out []byte
	var i uint64
	for _, n := range nodes() {
		if n.parent != folder || n.id == 1 {
			continue
		}
		if i++; i <= offset {
			continue
		}
		b := make([]byte, 24, 64)
		le.PutUint64(b, n.id)
		le.PutUint64(b[8:], i)
		le.PutUint32(b[16:], uint32(len(n.name)))
		kind := uint32(unix.DT_REG)
		if n.data == "" {
			kind = unix.DT_DIR
		}
		le.PutUint32(b[20:], kind)
		b = append(b, n.name...)
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
		if len(out)+len(b) > int(size) {
			break
		}
		out = append(out, b...)
	}
	return out
}
