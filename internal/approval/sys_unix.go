//go:build unix

package approval

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign says why a file or folder can't be trusted to be the owner's: it is
// another user's, or others may write to it.
func foreign(st fs.FileInfo) string {
	if s, ok := st.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Geteuid() {
		return "belongs to another user"
	}
	if st.Mode().Perm()&0o022 != 0 {
		return "can be written by other users"
	}
	return ""
}

func syncFolder(d *os.File) error { return d.Sync() }
