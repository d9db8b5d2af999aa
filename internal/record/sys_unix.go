//go:build unix

package record

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func syncFolder(d *os.File) error { return d.Sync() }

// foreign says why a folder can't be trusted to be the owner's.
func foreign(st fs.FileInfo) string {
	s, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !st.IsDir():
		return "is not a folder"
	case ok && s.Uid != 0 && int(s.Uid) != os.Geteuid():
		return "belongs to another user"
	case st.Mode().Perm()&0o022 != 0:
		return "can be written by other users"
	}
	return ""
}

// writable asks the system whether this process may make names in dir.
func writable(dir string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}

// linksOf gives how many names an open file has, and its size.
func linksOf(f *os.File) (links uint64, size int64, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, 0, err
	}
	return uint64(st.Nlink), st.Size, nil
}
