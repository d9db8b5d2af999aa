package capfstest

import (
	"io"
	iofs "io/fs"
	"sync/atomic"
	"syscall"

	"reeve"
	"reeve/internal/capfs"
)

// memoryNode is a held inode, or an opened one.
type memoryNode struct {
	m      *Memory
	n      *inode
	closed atomic.Bool
	names  []string // of an opened folder, as they were at the last restart
	at     int
	open   bool
}

// batchSize is how many entries a folder gives at once.
const batchSize = 100

func (k *memoryNode) begin(op string) error {
	if k.closed.Load() {
		return iofs.ErrClosed
	}
	return k.m.begin(op, k.n)
}

// Close implements capfs.Node.
func (k *memoryNode) Close() error {
	k.closed.Store(true)
	return nil
}

// Child implements capfs.Node.
func (k *memoryNode) Child(name string) (capfs.Node, error) {
	if err := k.begin("child"); err != nil {
		return nil, err
	}
	defer k.m.mu.Unlock()
	if k.n.info.Kind != reeve.Directory {
		return nil, syscall.ENOTDIR
	}
	c := k.n.entries[k.m.key(name)]
	if c == nil {
		return nil, syscall.ENOENT
	}
	return &memoryNode{m: k.m, n: c}, nil
}

// Info implements capfs.Node. What need not be fresh is known without asking
// a device that hangs.
func (k *memoryNode) Info(fresh bool) (capfs.Info, error) {
	if k.closed.Load() {
		return capfs.Info{}, iofs.ErrClosed
	}
	if err := k.m.start("info", k.n, fresh); err != nil {
		return capfs.Info{}, err
	}
	defer k.m.mu.Unlock()
	return k.n.state(), nil
}

// ReadLink implements capfs.LinkReader.
func (k *memoryNode) ReadLink() (string, error) {
	if err := k.begin("readlink"); err != nil {
		return "", err
	}
	defer k.m.mu.Unlock()
	return k.n.text, nil
}

// FileSystem implements capfs.FileSystemTeller.
func (k *memoryNode) FileSystem() (capfs.FileSystem, error) {
	k.m.mu.Lock()
	defer k.m.mu.Unlock()
	return k.m.kinds[k.n.info.Device], nil
}

// Spelling implements capfs.Speller.
func (k *memoryNode) Spelling(name string) (string, error) {
	k.m.mu.Lock()
	defer k.m.mu.Unlock()
	return k.n.spelled[k.m.key(name)], nil
}

// OpenFile implements capfs.FileOpener. A pipe that is opened counts as one
// that was disturbed.
func (k *memoryNode) OpenFile() (capfs.OpenFile, error) {
	if err := k.begin("open"); err != nil {
		return nil, err
	}
	defer k.m.mu.Unlock()
	return &memoryFile{memoryNode{m: k.m, n: k.n}}, nil
}

// OpenFolder implements capfs.FolderOpener.
func (k *memoryNode) OpenFolder() (capfs.Node, error) {
	if err := k.begin("openfolder"); err != nil {
		return nil, err
	}
	defer k.m.mu.Unlock()
	if k.n.info.Kind != reeve.Directory {
		return nil, syscall.ENOTDIR
	}
	return &memoryNode{m: k.m, n: k.n, open: true}, nil
}

// List implements capfs.Lister.
func (k *memoryNode) List(dst []capfs.DirEntry, restart bool) ([]capfs.DirEntry, error) {
	if !k.open {
		return dst, syscall.EBADF
	}
	if err := k.begin("list"); err != nil {
		return dst, err
	}
	defer k.m.mu.Unlock()
	if restart || k.names == nil {
		k.names, k.at = append([]string{}, k.n.order...), 0
	}
	if k.at == len(k.names) {
		return dst, io.EOF
	}
	for end := min(k.at+batchSize, len(k.names)); k.at < end; k.at++ {
		if c := k.n.entries[k.names[k.at]]; c != nil {
			dst = append(dst, capfs.DirEntry{Name: k.n.spelled[k.names[k.at]], Kind: c.info.Kind})
		}
	}
	return dst, nil
}

// memoryFile is an opened file.
type memoryFile struct{ memoryNode }

// ReadAt implements io.ReaderAt.
func (f *memoryFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.begin("read"); err != nil {
		return 0, err
	}
	defer f.m.mu.Unlock()
	if off < 0 {
		return 0, syscall.EINVAL
	}
	if off >= int64(len(f.n.content)) {
		return 0, io.EOF
	}
	n := copy(b, f.n.content[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Info implements capfs.OpenFile.
func (f *memoryFile) Info() (capfs.Info, error) { return f.memoryNode.Info(true) }
