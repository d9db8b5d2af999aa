package history

import (
	"io/fs"
	"os"
	"path/filepath"
)

// house is the history's folder with those in it, held open for what every
// change needs: opened by name each time they would cost more than the rest.
type house struct {
	root *os.Root // the history's folder
	tmp  *os.Root
	// folders are all of them, in the order of names, and how they were.
	names []string
	was   []fs.FileInfo
	// tmpDir and blobs are descriptors, for what needs one.
	tmpDir, blobs *os.File
}

// house gives the one that is held, opened anew when what stands at its place
// is another. What is no longer used is closed when nobody holds it: another
// goroutine may be at work in it.
func (s *Store) house() (*house, error) {
	s.mu.Lock()
	h, closed := s.home, s.closed
	s.mu.Unlock()
	if closed {
		return nil, fs.ErrClosed
	}
	if h != nil && h.stands(s.o.Dir) {
		return h, nil
	}
	root, err := s.open(true)
	if err != nil {
		return nil, err
	}
	if h, err = newHouse(root); err != nil {
		root.Close()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fs.ErrClosed
	}
	s.home = h
	return h, nil
}

func newHouse(root *os.Root) (*house, error) {
	h := &house{root: root, names: []string{".", blobsDir, entriesDir, tmpDir}}
	for _, name := range h.names {
		st, err := root.Lstat(name)
		if err != nil {
			return nil, err
		}
		h.was = append(h.was, st)
	}
	var err error
	if h.tmp, err = root.OpenRoot(tmpDir); err != nil {
		return nil, err
	}
	if h.blobs, err = root.Open(blobsDir); err != nil {
		return nil, err
	}
	h.tmpDir, err = h.tmp.Open(".")
	return h, err
}

// stands says that the folders are still the ones at their places, and the
// owner's alone.
func (h *house) stands(state string) bool {
	st, err := os.Lstat(filepath.Join(state, top))
	if err != nil || !os.SameFile(st, h.was[0]) || foreign(st) != "" {
		return false
	}
	for i, name := range h.names[1:] {
		if st, err := h.root.Lstat(name); err != nil || !os.SameFile(st, h.was[i+1]) || foreign(st) != "" {
			return false
		}
	}
	return true
}
