//go:build !windows

package capfs

const (
	separator  = "/"
	separators = "/"
)
