//go:build !linux && !darwin

package history

import (
	"io/fs"
	"time"
)

// keptSince is when a blob was made: nothing is taken here, only copied.
func keptSince(st fs.FileInfo) time.Time { return st.ModTime() }
