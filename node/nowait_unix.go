//go:build unix

package node

import "syscall"

// openNoWait keeps an open from waiting for the other end of a pipe.
const openNoWait = syscall.O_NONBLOCK
