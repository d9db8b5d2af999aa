//go:build unix

package node

import (
	"io/fs"
	"syscall"
)

// fileID tells a replaced file from the one before.
func fileID(st fs.FileInfo) any {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return [2]uint64{uint64(sys.Dev), uint64(sys.Ino)}
	}
	return nil
}
