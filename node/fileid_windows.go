//go:build windows

package node

import (
	"io/fs"
	"syscall"
)

// fileID tells a replaced file from the one before.
func fileID(st fs.FileInfo) any {
	if sys, ok := st.Sys().(*syscall.Win32FileAttributeData); ok {
		return sys.CreationTime
	}
	return nil
}
