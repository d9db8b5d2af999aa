package capfs

import (
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"reeve"
)

// site implements siter.
func (n *linuxNode) site() (site, error) {
	c, err := n.Child(".")
	if err != nil {
		return site{}, err
	}
	return newLinuxSite(c.(*linuxNode)), nil
}

func newLinuxSite(n *linuxNode) site {
	s := &linuxSite{n}
	return site{s, s, s, s, s, s}
}

type linuxSite struct{ n *linuxNode }

// use runs fn with the folder's descriptor.
func (s *linuxSite) use(fn func(fd int) error) error {
	if err := s.n.desc.take(); err != nil {
		return err
	}
	defer s.n.desc.give()
	for {
		if err := fn(s.n.desc.fd); err != syscall.EINTR {
			return err
		}
	}
}

func (s *linuxSite) look(name string) (info Info, err error) {
	err = s.use(func(fd int) (err error) {
		info, err = statx(fd, name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT)
		return err
	})
	return info, err
}

func (s *linuxSite) open(name string, write bool) (*os.File, Info, error) {
	c, err := s.n.Child(name)
	if err != nil {
		return nil, Info{}, err
	}
	defer c.Close()
	info, err := c.Info(true)
	if err != nil {
		return nil, info, err
	}
	if info.Kind != reeve.File {
		return nil, info, syscall.ESTALE
	}
	flags := unix.O_RDONLY
	if write {
		flags = unix.O_RDWR
	}
	fd, err := c.(*linuxNode).reopen(flags | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY)
	if err != nil {
		return nil, info, err
	}
	return os.NewFile(uintptr(fd), "file"), info, nil
}

func (s *linuxSite) enter(name string) (site, error) {
	c, err := s.n.Child(name)
	if err != nil {
		return site{}, err
	}
	info, err := c.Info(false)
	if err == nil && info.Kind != reeve.Directory {
		err = syscall.ENOTDIR
	}
	if err != nil {
		c.Close()
		return site{}, err
	}
	return newLinuxSite(c.(*linuxNode)), nil
}

func (s *linuxSite) both(to site, fn func(from, to int) error) error {
	t, ok := to.keeper.(*linuxSite)
	if !ok {
		return syscall.EXDEV
	}
	return s.use(func(from int) error { return t.use(func(to int) error { return fn(from, to) }) })
}

func (s *linuxSite) shift(name string, to site, as string, how shift) error {
	flags := uint(0)
	switch how {
	case keep:
		flags = unix.RENAME_NOREPLACE
	case exchange:
		flags = unix.RENAME_EXCHANGE
	}
	err := s.both(to, func(from, to int) error { return unix.Renameat2(from, name, to, as, flags) })
	if how != over && (err == syscall.EINVAL || err == syscall.ENOSYS) {
		return errUnable
	}
	return err
}

func (s *linuxSite) link(name string, to site, as string) error {
	return s.both(to, func(from, to int) error { return unix.Linkat(from, name, to, as, 0) })
}

func (s *linuxSite) remove(name string, folder bool) error {
	flags := 0
	if folder {
		flags = unix.AT_REMOVEDIR
	}
	return s.use(func(fd int) error { return unix.Unlinkat(fd, name, flags) })
}

func (s *linuxSite) mkdir(name string) error {
	return s.use(func(fd int) error { return unix.Mkdirat(fd, name, 0o777) })
}

func (s *linuxSite) fresh(hidden string, mode uint32) (f *os.File, err error) {
	err = s.use(func(fd int) error {
		var got int
		var err error
		if hidden == "" {
			if s.n.layer.proc() == nil {
				return errUnable // it could never be named
			}
			got, err = unix.Openat(fd, ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, mode)
			switch err {
			case syscall.EOPNOTSUPP, syscall.EISDIR, syscall.ENOENT, syscall.EINVAL:
				return errUnable
			}
		} else {
			got, err = unix.Openat(fd, hidden, unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_RDWR|unix.O_CLOEXEC, mode)
		}
		if err == nil {
			f = os.NewFile(uintptr(got), "new file")
		}
		return err
	})
	return f, err
}

func (s *linuxSite) publish(f *os.File, as string) error {
	proc := s.n.layer.proc()
	if proc == nil {
		return errUnable
	}
	if err := proc.take(); err != nil {
		return err
	}
	defer proc.give()
	return withFD(f, func(fd int) error {
		return s.use(func(dir int) error {
			return unix.Linkat(proc.fd, strconv.Itoa(fd), dir, as, unix.AT_SYMLINK_FOLLOW)
		})
	})
}

func (s *linuxSite) text(link string) (string, error) {
	c, err := s.n.Child(link)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return c.(*linuxNode).ReadLink()
}

func (s *linuxSite) symlink(text, name string) error {
	return s.use(func(fd int) error { return unix.Symlinkat(text, fd, name) })
}

func (s *linuxSite) list(most int) ([]DirEntry, error) { return listNode(s.n, most) }

func (s *linuxSite) self() (Info, error) { return s.n.Info(true) }

func (s *linuxSite) folder() (f *os.File, err error) {
	err = s.use(func(fd int) error {
		d, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			f = os.NewFile(uintptr(d), "folder")
		}
		return err
	})
	return f, err
}

func (s *linuxSite) facts(f *os.File) (info Info, err error) {
	err = withFD(f, func(fd int) error {
		info, err = statx(fd, "", unix.AT_EMPTY_PATH)
		return err
	})
	return info, err
}

func (s *linuxSite) writable() bool {
	return s.use(func(fd int) error { return unix.Faccessat(fd, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS) }) == nil
}

func (s *linuxSite) sync() error {
	d, err := s.folder()
	if errors.Is(err, syscall.EACCES) {
		return nil // searchable but not readable: nobody can sync it
	}
	if err != nil {
		return err
	}
	defer d.Close()
	return syncFolder(d)
}

func (s *linuxSite) close() error { return s.n.Close() }

// listNode lists a folder until it has enough.
func listNode(n FolderOpener, most int) ([]DirEntry, error) {
	opened, err := n.OpenFolder()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	l, ok := opened.(Lister)
	if !ok {
		return nil, errUnable
	}
	var all []DirEntry
	for first := true; ; first = false {
		all, err = l.List(all, first)
		if err == io.EOF {
			return all, nil
		}
		if err != nil || len(all) >= most {
			return all, err
		}
	}
}
