package history

import (
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// linkFile gives a file in the tmp folder a second name among the blobs: one
// system call between held folders.
func linkFile(h *house, tmp, name string) error {
	if err := unix.Linkat(int(h.tmpDir.Fd()), path.Base(tmp), int(h.blobs.Fd()), path.Base(name), 0); err != nil {
		return &os.LinkError{Op: "link", Old: tmp, New: name, Err: err}
	}
	return nil
}

// missing says that a name is not among the blobs.
func missing(h *house, name string) bool {
	var st unix.Stat_t
	return unix.Fstatat(int(h.blobs.Fd()), path.Base(name), &st, unix.AT_SYMLINK_NOFOLLOW) != nil
}

// linkFrom gives a file in a root a second name in an opened folder.
func linkFrom(root *os.Root, name string, to *os.File, as string) error {
	dir, err := root.Open(path.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := unix.Linkat(int(dir.Fd()), path.Base(name), int(to.Fd()), as, 0); err != nil {
		return &os.LinkError{Op: "link", Old: name, New: as, Err: err}
	}
	return nil
}
