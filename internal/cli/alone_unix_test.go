//go:build unix

package cli

import (
	"os"
	"syscall"
)

// alone leaves the terminal that the tests were started from, so that a
// question that a test brings about does not appear there.
func alone() {
	if f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		f.Close()
		_, _ = syscall.Setsid()
	}
}
