package attack

import (
	"errors"

	"golang.org/x/sys/unix"
)

const noteName = "user.note"

func readNote(path string) string {
	b := make([]byte, 256)
	n, err := unix.Lgetxattr(path, noteName, b)
	if err != nil {
		return ""
	}
	return string(b[:n])
}

// writeNote does nothing where the file system has no attributes.
func writeNote(path, note string) error {
	err := unix.Lsetxattr(path, noteName, []byte(note), 0)
	if errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}
