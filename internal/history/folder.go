package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// open gives the history's folder. With make it and what is in it are made
// where they are missing; without it an error of fs.ErrNotExist says that
// nothing was ever kept.
func (s *Store) open(make bool) (*os.Root, error) {
	if !filepath.IsAbs(s.o.Dir) {
		return nil, errors.New("the state folder is not an absolute path")
	}
	state, err := os.OpenRoot(s.o.Dir)
	if err != nil && make && errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(s.o.Dir, 0o700); err != nil {
			return nil, err
		}
		state, err = os.OpenRoot(s.o.Dir)
	}
	if err != nil {
		return nil, err
	}
	defer state.Close()
	if err := ready(state, make, top); err != nil {
		return nil, err
	}
	root, err := state.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	if err := ready(root, make, blobsDir, entriesDir, tmpDir); err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// ready makes sure of folders: they are there, and the owner's alone.
func ready(root *os.Root, make bool, dirs ...string) error {
	for _, dir := range dirs {
		st, err := root.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) && make {
			if err = root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			if err := syncFolder(root, "."); err != nil {
				return err
			}
			st, err = root.Lstat(dir)
		}
		if err != nil {
			return err
		}
		if why := foreign(st); why != "" {
			return errors.New("the folder " + dir + " of the history " + why)
		}
	}
	return nil
}

// syncFolder makes the names in a folder durable.
func syncFolder(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(syncDir(d), d.Close())
}

// readNames lists a folder; one that is not there is empty.
func readNames(root *os.Root, dir string) ([]string, error) {
	d, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}
