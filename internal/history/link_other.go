//go:build !linux

package history

import (
	"errors"
	"os"
)

// linkFile gives a file in the tmp folder a second name among the blobs.
func linkFile(h *house, tmp, name string) error { return h.root.Link(tmp, name) }

// missing says that a name is not among the blobs.
func missing(h *house, name string) bool {
	_, err := h.root.Lstat(name)
	return err != nil
}

// linkFrom is not needed where it can't be known that nobody writes to a file.
func linkFrom(*os.Root, string, *os.File, string) error { return errors.ErrUnsupported }
