package capfs

import (
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"reeve"
)

// NewPortable makes the layer for systems without held path descriptors. It
// rests on os.Root, asked for one name at a time, since os.Root follows links
// inside; identity is compared before and after.
func NewPortable() Layer { return portableLayer{} }

type portableLayer struct{}

// Top implements Layer.
func (portableLayer) Top(volume string) (Node, error) { return openPortable(volume) }

// Stat implements Layer.
func (portableLayer) Stat(path string, follow bool) (Info, error) {
	look := os.Lstat
	if follow {
		look = os.Stat
	}
	fi, err := look(path)
	if err != nil {
		return Info{}, err
	}
	return infoOfPath(path, fi)
}

// Real implements Layer.
func (portableLayer) Real(path string) (string, error) { return filepath.EvalSymlinks(path) }

// HoldPlain implements PlainHolder: a walk from the top would have to open
// every folder on the way, which may be passed but not read.
func (l portableLayer) HoldPlain(path string) (Node, error) {
	if err := l.plain(path); err != nil {
		return nil, err
	}
	node, err := openPortable(path)
	if err != nil {
		return nil, err
	}
	info, err := l.Stat(path, false)
	if err == nil && !info.SameFile(node.info.Identity) {
		err = ErrNotPlain
	}
	if err == nil {
		err = l.plain(path)
	}
	if err != nil {
		node.Close()
		return nil, err
	}
	return node, nil
}

// plain looks at every folder on the way to a path, and at the last.
func (portableLayer) plain(path string) error {
	top, rest := splitTop(path)
	for p := top; ; {
		fi, err := os.Lstat(p)
		if err != nil {
			return err
		}
		if !fi.IsDir() {
			return ErrNotPlain
		}
		if rest == "" {
			return nil
		}
		var name string
		name, rest = cutName(rest)
		p = join(p, name)
	}
}

func openPortable(path string) (*portableNode, error) {
	r, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return newPortableFolder(r)
}

func newPortableFolder(r *os.Root) (*portableNode, error) {
	info, err := infoOfRoot(r)
	if err != nil {
		r.Close()
		return nil, err
	}
	return &portableNode{in: shareRoot(r), info: info, folder: true}, nil
}

// sharedRoot closes its os.Root when nobody needs it any more.
type sharedRoot struct {
	*os.Root
	refs atomic.Int64
}

func shareRoot(r *os.Root) *sharedRoot {
	s := &sharedRoot{Root: r}
	s.refs.Store(1)
	return s
}

func (s *sharedRoot) keep() bool {
	for {
		n := s.refs.Load()
		if n <= 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (s *sharedRoot) drop() {
	if s.refs.Add(-1) == 0 {
		s.Close()
	}
}

// portableNode is a folder held open, or the name of anything else in a
// folder that is held open, with the identity it had.
type portableNode struct {
	in     *sharedRoot
	name   string // in the folder; unused for a folder itself
	folder bool
	info   Info
	closed atomic.Bool

	list sync.Mutex
	dir  *os.File // folders opened for listing
}

func (n *portableNode) usable() error {
	if n.closed.Load() {
		return iofs.ErrClosed
	}
	return nil
}

// Close implements Node.
func (n *portableNode) Close() error {
	if n.closed.Swap(true) {
		return nil
	}
	if n.dir != nil {
		n.dir.Close()
	}
	n.in.drop()
	return nil
}

// Info implements Node.
func (n *portableNode) Info(fresh bool) (Info, error) {
	if err := n.usable(); err != nil {
		return Info{}, err
	}
	if !fresh {
		return n.info, nil
	}
	if n.folder {
		return infoOfRoot(n.in.Root)
	}
	return n.again()
}

// again looks at the name once more; another thing there is an error.
func (n *portableNode) again() (Info, error) {
	info, err := infoOfName(n.in.Root, n.name)
	same := info.SameFile(n.info.Identity)
	if n.info.IsZero() { // a link where only opened things have an identity
		same = info.Kind == n.info.Kind && info.Stamp == n.info.Stamp
	}
	if err == nil && !same {
		err = syscall.ESTALE
	}
	return info, err
}

// Child implements Node.
func (n *portableNode) Child(name string) (Node, error) {
	if err := n.usable(); err != nil {
		return nil, err
	}
	if !n.folder {
		return nil, syscall.ENOTDIR
	}
	info, err := infoOfName(n.in.Root, name)
	if err != nil {
		return nil, err
	}
	if info.Kind == reeve.Directory {
		r, err := n.in.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		c, err := newPortableFolder(r)
		if err != nil {
			return nil, err
		}
		if !c.info.SameFile(info.Identity) {
			c.Close()
			return nil, syscall.ESTALE
		}
		return c, nil
	}
	if !n.in.keep() {
		return nil, iofs.ErrClosed
	}
	return &portableNode{in: n.in, name: name, info: info}, nil
}

// ReadLink implements LinkReader.
func (n *portableNode) ReadLink() (string, error) {
	if err := n.usable(); err != nil {
		return "", err
	}
	text, err := n.in.Readlink(n.name)
	if err == nil {
		_, err = n.again()
	}
	return text, err
}

// OpenFile implements FileOpener.
func (n *portableNode) OpenFile() (OpenFile, error) {
	if err := n.usable(); err != nil {
		return nil, err
	}
	// A pipe may have come in the file's place since the last look.
	if info, err := n.again(); err != nil {
		return nil, err
	} else if info.Kind != reeve.File {
		return nil, syscall.ESTALE
	}
	f, err := n.in.OpenFile(n.name, os.O_RDONLY|openNonBlock, 0)
	if err != nil {
		return nil, err
	}
	p := &portableFile{f}
	info, err := p.Info()
	if err == nil && !info.SameFile(n.info.Identity) {
		err = syscall.ESTALE
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return p, nil
}

// OpenFolder implements FolderOpener.
func (n *portableNode) OpenFolder() (Node, error) {
	if err := n.usable(); err != nil {
		return nil, err
	}
	dir, err := n.in.Open(".")
	if err != nil {
		return nil, err
	}
	info, err := infoOfRoot(n.in.Root)
	if err == nil && !n.in.keep() {
		err = iofs.ErrClosed
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &portableNode{in: n.in, folder: true, info: info, dir: dir}, nil
}

// batchSize is how many entries are asked for at once.
const batchSize = 1024

// List implements Lister.
func (n *portableNode) List(dst []DirEntry, restart bool) ([]DirEntry, error) {
	if err := n.usable(); err != nil {
		return dst, err
	}
	n.list.Lock()
	defer n.list.Unlock()
	if n.dir == nil {
		return dst, syscall.EBADF
	}
	if restart {
		if _, err := n.dir.Seek(0, io.SeekStart); err != nil {
			return dst, err
		}
	}
	entries, err := n.dir.ReadDir(batchSize)
	for _, e := range entries {
		dst = append(dst, DirEntry{Name: e.Name(), Kind: kindOf(e.Type())})
	}
	if err == nil && len(entries) == 0 {
		err = io.EOF
	}
	return dst, err
}

// FileSystem implements FileSystemTeller. Only folders are asked.
func (n *portableNode) FileSystem() (FileSystem, error) {
	if err := n.usable(); err != nil {
		return FileSystem{}, err
	}
	f, err := n.in.Open(".")
	if err != nil {
		return FileSystem{}, err
	}
	defer f.Close()
	return fileSystemOfFile(f)
}

// Spelling implements Speller.
func (n *portableNode) Spelling(name string) (string, error) {
	info, err := infoOfName(n.in.Root, name)
	if err != nil {
		return "", err
	}
	return spellingByListing(n, name, info)
}

// portableFile is an opened regular file.
type portableFile struct{ *os.File }

// Info implements OpenFile.
func (f *portableFile) Info() (Info, error) { return infoOfFile(f.File) }

// Lend implements Lender.
func (f *portableFile) Lend(fn func(fd uintptr) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = c.Control(func(fd uintptr) { inner = fn(fd) })
	return errors.Join(err, inner)
}

func infoOfFile(f *os.File) (Info, error) {
	fi, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	return infoOfOpen(f, fi)
}

func kindOf(m os.FileMode) reeve.FileKind {
	switch {
	case m.IsRegular():
		return reeve.File
	case m.IsDir():
		return reeve.Directory
	case m&os.ModeType == os.ModeSymlink:
		return reeve.Symlink
	}
	return reeve.Special
}

// modeBits gives permission bits as Unix numbers them.
func modeBits(m os.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&os.ModeSetuid != 0 {
		bits |= 0o4000
	}
	if m&os.ModeSetgid != 0 {
		bits |= 0o2000
	}
	if m&os.ModeSticky != 0 {
		bits |= 0o1000
	}
	return bits
}
