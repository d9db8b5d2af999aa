//go:build unix

package asking

import (
	"io/fs"
	"os"
	"syscall"
)

// unsafeKey says why a file can't be the owner's own key.
func unsafeKey(st fs.FileInfo) string {
	s, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !st.Mode().IsRegular():
		return "is not a plain file"
	case ok && s.Uid != 0 && int(s.Uid) != os.Geteuid():
		return "belongs to another user"
	case st.Mode().Perm()&0o077 != 0:
		return "is open to other users"
	}
	return ""
}
