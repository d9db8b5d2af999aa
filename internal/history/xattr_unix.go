//go:build linux || darwin

package history

import (
	"strings"

	"golang.org/x/sys/unix"

	"reeve"
)

// xattrs are the extended attributes behind a descriptor, none where the file
// system has none or they are larger than an entry holds.
func xattrs(fd uintptr) []reeve.XAttr {
	if n, err := unix.Flistxattr(int(fd), nil); err != nil || n == 0 {
		return nil // as with most files: nothing is set aside for them
	}
	b := make([]byte, xattrMost)
	n, err := unix.Flistxattr(int(fd), b)
	if err != nil || n == 0 {
		return nil
	}
	var list []reeve.XAttr
	value := make([]byte, xattrMost)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(b[:n]), "\x00"), "\x00") {
		if n, err := unix.Fgetxattr(int(fd), name, value); err == nil {
			list = append(list, reeve.XAttr{Name: name, Value: append([]byte{}, value[:n]...)})
		}
	}
	return list
}
