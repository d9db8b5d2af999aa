//go:build unix

package history

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"reeve"
)

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

// private says that a file is this user's own, for nobody else.
func private(st fs.FileInfo) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && st.Mode().Perm() == 0o600 && st.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) == 0
}

// names is how many names a file has.
func names(st fs.FileInfo) uint64 {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

func owner(st fs.FileInfo) *reeve.Ownership {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return &reeve.Ownership{UID: s.Uid, GID: s.Gid}
	}
	return nil
}

// unlinkable: the file system has no links at all.
func unlinkable(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EMLINK)
}

func syncDir(d *os.File) error { return d.Sync() }
