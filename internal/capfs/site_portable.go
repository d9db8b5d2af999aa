package capfs

import (
	"os"
	"syscall"

	"reeve"
)

// site implements siter.
func (n *portableNode) site() (site, error) {
	if err := n.usable(); err != nil {
		return site{}, err
	}
	if !n.folder || !n.in.keep() {
		return site{}, syscall.ENOTDIR
	}
	return newRootSite(n.in), nil
}

func newRootSite(in *sharedRoot) site {
	s := &rootSite{in}
	return site{s, s, s, s, s, s}
}

// rootSite changes names by os.Root, one at a time.
type rootSite struct{ in *sharedRoot }

func (s *rootSite) look(name string) (Info, error) { return infoOfName(s.in.Root, name) }

func (s *rootSite) open(name string, write bool) (*os.File, Info, error) {
	info, err := s.look(name)
	if err != nil {
		return nil, info, err
	}
	if info.Kind != reeve.File {
		return nil, info, syscall.ESTALE
	}
	flags := os.O_RDONLY
	if write {
		flags = os.O_RDWR
	}
	f, err := s.in.OpenFile(name, flags|openNonBlock, 0)
	if err != nil {
		return nil, info, err
	}
	now, err := infoOfFile(f)
	if err == nil && (now.Kind != reeve.File || !now.SameFile(info.Identity)) {
		err = syscall.ESTALE
	}
	if err != nil {
		f.Close()
		return nil, info, err
	}
	return f, now, nil
}

func (s *rootSite) enter(name string) (site, error) {
	info, err := s.look(name)
	if err != nil {
		return site{}, err
	}
	if info.Kind != reeve.Directory {
		return site{}, syscall.ENOTDIR
	}
	r, err := s.in.OpenRoot(name)
	if err != nil {
		return site{}, err
	}
	now, err := infoOfRoot(r)
	if err == nil && !now.SameFile(info.Identity) {
		err = syscall.ESTALE
	}
	if err != nil {
		r.Close()
		return site{}, err
	}
	return newRootSite(shareRoot(r)), nil
}

func (s *rootSite) shift(name string, to site, as string, how shift) error {
	t, ok := to.keeper.(*rootSite)
	if !ok {
		return syscall.EXDEV
	}
	if how == over && t.in == s.in && !renamesBetween {
		return s.in.Rename(name, as)
	}
	return shiftBetween(s.in.Root, name, t.in.Root, as, how)
}

func (s *rootSite) link(name string, to site, as string) error {
	t, ok := to.keeper.(*rootSite)
	if !ok {
		return syscall.EXDEV
	}
	if t.in == s.in {
		return s.in.Link(name, as)
	}
	return linkBetween(s.in.Root, name, t.in.Root, as)
}

func (s *rootSite) remove(name string, _ bool) error { return s.in.Remove(name) }

func (s *rootSite) mkdir(name string) error { return s.in.Mkdir(name, 0o777) }

func (s *rootSite) fresh(hidden string, mode uint32) (*os.File, error) {
	if hidden == "" {
		return nil, errUnable
	}
	return s.in.OpenFile(hidden, os.O_RDWR|os.O_CREATE|os.O_EXCL, os.FileMode(mode&0o777))
}

func (s *rootSite) publish(*os.File, string) error { return errUnable }

func (s *rootSite) text(link string) (string, error) { return s.in.Readlink(link) }

func (s *rootSite) symlink(text, name string) error { return s.in.Symlink(text, name) }

func (s *rootSite) list(most int) ([]DirEntry, error) {
	d, err := s.in.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []DirEntry
	for len(all) < most {
		entries, err := d.ReadDir(batchSize)
		for _, e := range entries {
			all = append(all, DirEntry{Name: e.Name(), Kind: kindOf(e.Type())})
		}
		if err != nil || len(entries) == 0 {
			break
		}
	}
	return all, nil
}

func (s *rootSite) self() (Info, error) { return infoOfRoot(s.in.Root) }

func (s *rootSite) folder() (*os.File, error) { return s.in.Open(".") }

func (s *rootSite) facts(f *os.File) (Info, error) { return infoOfFile(f) }

func (s *rootSite) writable() bool { return mayWrite(s.in.Root) }

func (s *rootSite) sync() error {
	d, err := s.folder()
	if err != nil {
		return err
	}
	defer d.Close()
	return syncFolder(d)
}

func (s *rootSite) close() error {
	s.in.drop()
	return nil
}
