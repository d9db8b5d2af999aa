package node

import (
	"time"

	"golang.org/x/sys/unix"
)

// bootTime is when this computer started, zero if that is not known.
func bootTime() time.Time {
	var up unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(up.Nano()))
}
