//go:build !linux

package node

import "time"

// bootTime is not known here.
func bootTime() time.Time { return time.Time{} }
