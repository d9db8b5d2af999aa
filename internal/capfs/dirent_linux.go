package capfs

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"reeve"
)

// direntSize is one question's buffer: larger ones are hardly faster.
const direntSize = 64 << 10

// direntReader reads the entries of one opened folder.
type direntReader struct {
	mu    sync.Mutex // the descriptor has one position
	moved bool       // it is not at the first entry
	buf   []byte
}

// List implements Lister.
func (n *linuxNode) List(dst []DirEntry, restart bool) ([]DirEntry, error) {
	if n.dirs == nil {
		return dst, syscall.EBADF
	}
	if err := n.desc.take(); err != nil {
		return dst, err
	}
	defer n.desc.give()
	n.dirs.mu.Lock()
	defer n.dirs.mu.Unlock()
	if restart && n.dirs.moved {
		if _, err := unix.Seek(n.desc.fd, 0, io.SeekStart); err != nil {
			return dst, err
		}
	}
	n.dirs.moved = true
	if n.dirs.buf == nil {
		n.dirs.buf = make([]byte, direntSize)
	}
	got, err := retry(func() (int, error) { return unix.Getdents(n.desc.fd, n.dirs.buf) })
	if err != nil {
		return dst, err
	}
	if got <= 0 {
		return dst, io.EOF
	}
	return parseDirents(dst, n.dirs.buf[:got])
}

// The shape of struct linux_dirent64: inode, offset, record length, type, and
// the name up to a NUL.
const (
	direntLen  = 16
	direntType = 18
	direntName = 19
)

func parseDirents(dst []DirEntry, b []byte) ([]DirEntry, error) {
	for len(b) > direntName {
		size := int(binary.NativeEndian.Uint16(b[direntLen:]))
		if size <= direntName || size > len(b) {
			return dst, syscall.EIO
		}
		name := b[direntName:size]
		if i := bytes.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		kind := b[direntType]
		b = b[size:]
		if len(name) == 0 || name[0] == '.' && (len(name) == 1 || len(name) == 2 && name[1] == '.') {
			continue
		}
		if bytes.IndexByte(name, '/') >= 0 {
			continue // a damaged or lying file system
		}
		dst = append(dst, DirEntry{Name: string(name), Kind: kindOfDirent(kind)})
	}
	return dst, nil
}

func kindOfDirent(t byte) reeve.FileKind {
	switch t {
	case unix.DT_REG:
		return reeve.File
	case unix.DT_DIR:
		return reeve.Directory
	case unix.DT_LNK:
		return reeve.Symlink
	case unix.DT_UNKNOWN:
		return reeve.Absent // not told
	}
	return reeve.Special
}
