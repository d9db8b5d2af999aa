package capfs

import (
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"reeve"
)

func systemLayer() Layer { return NewLinux(LinuxOptions{}) }

// LinuxOptions switch off what a system may lack. The zero value uses what is
// there.
type LinuxOptions struct {
	// NoOpenat2 walks by single names always.
	NoOpenat2 bool
	// NoProc opens by name in the held parent and compares identities.
	NoProc bool
}

// NewLinux makes the Linux layer: things are held by descriptors that open
// nothing (O_PATH), and opened by opening that very descriptor again.
func NewLinux(o LinuxOptions) Layer {
	l := &linuxLayer{}
	l.noOpenat2.Store(o.NoOpenat2)
	if o.NoProc {
		l.procOnce.Do(func() {})
	}
	return l
}

type linuxLayer struct {
	noOpenat2 atomic.Bool

	procOnce sync.Once
	procDesc *desc // /proc/self/fd, or nil

	kinds mountKinds
}

const (
	holdFlags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	statMask  = unix.STATX_BASIC_STATS | unix.STATX_BTIME | unix.STATX_MNT_ID
)

// Top implements Layer.
func (l *linuxLayer) Top(volume string) (Node, error) {
	fd, err := retry(func() (int, error) { return unix.Open(volume, holdFlags, 0) })
	if err != nil {
		return nil, err
	}
	return l.node(fd, nil, ""), nil
}

// Stat implements Layer.
func (l *linuxLayer) Stat(path string, follow bool) (Info, error) {
	flags := unix.AT_STATX_DONT_SYNC
	if !follow {
		flags |= unix.AT_SYMLINK_NOFOLLOW
	}
	return statx(unix.AT_FDCWD, path, flags)
}

// Real implements Layer. The kernel tells the path of what it finds, without
// asking the file system that it lies on.
func (l *linuxLayer) Real(path string) (string, error) {
	proc := l.proc()
	if proc == nil {
		return filepath.EvalSymlinks(path)
	}
	if err := proc.take(); err != nil {
		return "", err
	}
	defer proc.give()
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0) })
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	b := make([]byte, 2*unix.PathMax)
	n, err := retry(func() (int, error) { return unix.Readlinkat(proc.fd, strconv.Itoa(fd), b) })
	if err != nil {
		return "", err
	}
	real := string(b[:n])
	was, err1 := statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC)
	now, err2 := statx(unix.AT_FDCWD, real, unix.AT_SYMLINK_NOFOLLOW|unix.AT_STATX_DONT_SYNC)
	if err1 == nil && err2 == nil && was.SameFile(now.Identity) && filepath.IsAbs(real) {
		return real, nil
	}
	// Removed meanwhile, or in a part of the tree that this process cannot
	// see by that name.
	return filepath.EvalSymlinks(path)
}

// proc gives /proc/self/fd, or nil where that is not what it should be.
func (l *linuxLayer) proc() *desc {
	l.procOnce.Do(func() {
		fd, err := unix.Open("/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return
		}
		var st unix.Statfs_t
		if unix.Fstatfs(fd, &st) != nil || st.Type != unix.PROC_SUPER_MAGIC {
			unix.Close(fd)
			return
		}
		l.procDesc = &desc{fd: fd}
	})
	return l.procDesc
}

// Close lets go of what the layer itself holds; what it gave stays held, but
// cannot be opened any more.
func (l *linuxLayer) Close() error {
	if p := l.proc(); p != nil {
		p.close()
	}
	l.kinds.close()
	return nil
}

// node wraps a descriptor. Without /proc the parent is kept too, since the
// thing can then only be opened by its name in there.
func (l *linuxLayer) node(fd int, parent *linuxNode, name string) *linuxNode {
	n := &linuxNode{layer: l, desc: desc{fd: fd}}
	if parent != nil && l.proc() == nil && parent.desc.take() == nil {
		n.up = &upward{&parent.desc, name}
	}
	return n
}

// linuxNode is a thing held by an O_PATH descriptor, or a folder opened for
// listing.
type linuxNode struct {
	layer *linuxLayer
	desc  desc
	up    *upward
	dirs  *direntReader // opened folders only
}

type upward struct {
	desc *desc
	name string
}

// Close implements Node.
func (n *linuxNode) Close() error {
	if n.desc.close() && n.up != nil {
		n.up.desc.give()
	}
	return nil
}

// Child implements Node.
func (n *linuxNode) Child(name string) (Node, error) {
	if err := n.desc.take(); err != nil {
		return nil, err
	}
	defer n.desc.give()
	fd, err := retry(func() (int, error) { return unix.Openat(n.desc.fd, name, holdFlags, 0) })
	if err != nil {
		return nil, err
	}
	return n.layer.node(fd, n, name), nil
}

// Info implements Node.
func (n *linuxNode) Info(fresh bool) (Info, error) {
	if err := n.desc.take(); err != nil {
		return Info{}, err
	}
	defer n.desc.give()
	flags := unix.AT_EMPTY_PATH | unix.AT_SYMLINK_NOFOLLOW
	if !fresh {
		flags |= unix.AT_STATX_DONT_SYNC
	}
	return statx(n.desc.fd, "", flags)
}

// StatChild implements Stater.
func (n *linuxNode) StatChild(name string) (Info, error) {
	if err := n.desc.take(); err != nil {
		return Info{}, err
	}
	defer n.desc.give()
	return statx(n.desc.fd, name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT)
}

// ReadLink implements LinkReader.
func (n *linuxNode) ReadLink() (string, error) {
	if err := n.desc.take(); err != nil {
		return "", err
	}
	defer n.desc.give()
	for size := 256; ; size *= 4 {
		b := make([]byte, size)
		got, err := retry(func() (int, error) { return unix.Readlinkat(n.desc.fd, "", b) })
		if err != nil {
			return "", err
		}
		if got < size {
			return string(b[:got]), nil
		}
	}
}

// againMax bounds how often openat2 is asked again when something was renamed
// under it.
const againMax = 8

// Jump implements Jumper.
func (n *linuxNode) Jump(path string) (Node, error) {
	if n.layer.noOpenat2.Load() || n.layer.proc() == nil {
		return nil, syscall.ENOSYS
	}
	if err := n.desc.take(); err != nil {
		return nil, err
	}
	defer n.desc.give()
	how := unix.OpenHow{
		Flags:   holdFlags,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	for try := 0; ; try++ {
		fd, err := unix.Openat2(n.desc.fd, path, &how)
		switch {
		case err == nil:
			return n.layer.node(fd, nil, ""), nil
		case err == syscall.EINTR || err == syscall.EAGAIN && try < againMax:
			continue
		case err == syscall.ENOSYS || err == syscall.EPERM:
			// An old kernel, or a sandbox that does not know the call.
			n.layer.noOpenat2.Store(true)
		}
		return nil, err
	}
}

// FileSystem implements FileSystemTeller.
func (n *linuxNode) FileSystem() (FileSystem, error) {
	if err := n.desc.take(); err != nil {
		return FileSystem{}, err
	}
	defer n.desc.give()
	info, err := statx(n.desc.fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC)
	if err != nil {
		return FileSystem{}, err
	}
	if name := n.layer.kinds.of(info.Mount); name != "" {
		return fileSystemNamed(name), nil
	}
	return fileSystemOfFD(n.desc.fd)
}

// Spelling implements Speller.
func (n *linuxNode) Spelling(name string) (string, error) {
	child, err := n.Child(name)
	if err != nil {
		return "", err
	}
	defer child.Close()
	info, err := child.Info(false)
	if err != nil {
		return "", err
	}
	return spellingByListing(n, name, info)
}

// OpenFile implements FileOpener.
func (n *linuxNode) OpenFile() (OpenFile, error) {
	const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY
	fd, err := n.reopen(flags)
	if err != nil {
		return nil, err
	}
	return &linuxFile{desc: desc{fd: fd}}, nil
}

// OpenFolder implements FolderOpener.
func (n *linuxNode) OpenFolder() (Node, error) {
	if err := n.desc.take(); err != nil {
		return nil, err
	}
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	fd, err := retry(func() (int, error) { return unix.Openat(n.desc.fd, ".", flags|unix.O_NOFOLLOW, 0) })
	n.desc.give()
	if errors.Is(err, syscall.EACCES) {
		fd, err = n.reopen(flags) // readable, but not searchable
	}
	if err != nil {
		return nil, err
	}
	return &linuxNode{layer: n.layer, desc: desc{fd: fd}, dirs: &direntReader{}}, nil
}

// reopen opens the held thing itself.
func (n *linuxNode) reopen(flags int) (int, error) {
	if err := n.desc.take(); err != nil {
		return -1, err
	}
	defer n.desc.give()
	if proc := n.layer.proc(); proc != nil {
		if err := proc.take(); err != nil {
			return -1, err
		}
		defer proc.give()
		return retry(func() (int, error) { return unix.Openat(proc.fd, strconv.Itoa(n.desc.fd), flags, 0) })
	}
	if n.up == nil {
		return -1, syscall.ENOSYS
	}
	fd, err := retry(func() (int, error) { return unix.Openat(n.up.desc.fd, n.up.name, flags|unix.O_NOFOLLOW, 0) })
	if err == syscall.ELOOP {
		err = syscall.ESTALE // a link has come in its place
	}
	if err != nil {
		return -1, err
	}
	was, err1 := statx(n.desc.fd, "", unix.AT_EMPTY_PATH)
	now, err2 := statx(fd, "", unix.AT_EMPTY_PATH)
	if err = errors.Join(err1, err2); err == nil && !now.SameFile(was.Identity) {
		err = syscall.ESTALE
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// linuxFile is an opened regular file.
type linuxFile struct{ desc desc }

// ReadAt implements io.ReaderAt.
func (f *linuxFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.desc.take(); err != nil {
		return 0, err
	}
	defer f.desc.give()
	return preadFull(f.desc.fd, b, off)
}

// Info implements OpenFile.
func (f *linuxFile) Info() (Info, error) {
	if err := f.desc.take(); err != nil {
		return Info{}, err
	}
	defer f.desc.give()
	return statx(f.desc.fd, "", unix.AT_EMPTY_PATH)
}

// Lend implements Lender.
func (f *linuxFile) Lend(fn func(fd uintptr) error) error {
	if err := f.desc.take(); err != nil {
		return err
	}
	defer f.desc.give()
	return fn(uintptr(f.desc.fd))
}

// Close implements OpenFile.
func (f *linuxFile) Close() error {
	f.desc.close()
	return nil
}

func statx(dirfd int, path string, flags int) (Info, error) {
	var st unix.Statx_t
	for {
		err := unix.Statx(dirfd, path, flags, statMask, &st)
		if err == nil {
			break
		}
		if err != syscall.EINTR {
			return Info{}, err
		}
	}
	i := Info{
		Mode: uint32(st.Mode) & 0o7777, Links: uint64(st.Nlink),
		UID: st.Uid, GID: st.Gid, ATime: nanos(st.Atime), Mount: st.Mnt_id,
	}
	i.Device = unix.Mkdev(st.Dev_major, st.Dev_minor)
	i.Inode = st.Ino
	i.Size = int64(st.Size)
	i.MTime, i.CTime = nanos(st.Mtime), nanos(st.Ctime)
	if st.Mask&unix.STATX_BTIME != 0 {
		i.Birth = nanos(st.Btime)
	}
	if st.Mask&unix.STATX_MNT_ID == 0 {
		i.Mount = 0
	}
	i.Kind = kindOfMode(uint32(st.Mode))
	switch {
	case st.Attributes&unix.STATX_ATTR_IMMUTABLE != 0:
		i.Seal = Immutable
	case st.Attributes&unix.STATX_ATTR_APPEND != 0:
		i.Seal = AppendOnly
	}
	return i, nil
}

func nanos(t unix.StatxTimestamp) int64 { return t.Sec*1e9 + int64(t.Nsec) }

func kindOfMode(mode uint32) reeve.FileKind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return reeve.File
	case unix.S_IFDIR:
		return reeve.Directory
	case unix.S_IFLNK:
		return reeve.Symlink
	}
	return reeve.Special
}

// retry asks again what a signal interrupted.
func retry(fn func() (int, error)) (int, error) {
	for {
		n, err := fn()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
