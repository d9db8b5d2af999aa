package record

import (
	"errors"
	"os"
	"syscall"
)

// openRead opens a plain file of Reeve's own for reading. Anything else in
// its place is refused without waiting on it.
func openRead(root *os.Root, name string) (*os.File, error) {
	st, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("is not a plain file")}
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(st, now) {
		f.Close()
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("changed while it was opened")}
	}
	return f, nil
}
