package history

import (
	"io/fs"
	"syscall"
	"time"
)

// keptSince is when a blob got its name, or was last wanted again: what was
// taken keeps its own time of change.
func keptSince(st fs.FileInfo) time.Time {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctimespec.Unix())
	}
	return st.ModTime()
}
