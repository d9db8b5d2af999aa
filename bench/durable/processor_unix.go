//go:build unix

package main

import (
	"syscall"
	"time"
)

// processor is the time this process has used so far, on all its threads.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
