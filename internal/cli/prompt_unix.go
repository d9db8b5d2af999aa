//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// deviceTTY is the terminal that controls a process.
type deviceTTY struct{ *os.File }

// controlling opens the terminal that controls this process, if this process
// is in front of it: one in the background would be stopped by reading.
func controlling() (tty, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, errNoTerminal
	}
	front, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	if err != nil || front != unix.Getpgrp() {
		f.Close()
		return nil, errNoTerminal
	}
	return deviceTTY{f}, nil
}

// Forget implements tty.
func (d deviceTTY) Forget() { forget(int(d.Fd())) }
