//go:build !linux

package history

// linkFile gives a file in the tmp folder a second name among the blobs.
func linkFile(h *house, tmp, name string) error { return h.root.Link(tmp, name) }

// missing says that a name is not among the blobs.
func missing(h *house, name string) bool {
	_, err := h.root.Lstat(name)
	return err != nil
}
