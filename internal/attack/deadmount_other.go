//go:build !linux

package attack

import "errors"

// DeadMount is there on Linux alone.
type DeadMount struct{ Dir string }

// MountDead says that this system cannot.
func MountDead(dir string, alive bool) (*DeadMount, error) {
	return nil, errors.New("a mount that stops answering can be made on Linux only")
}

// Die does nothing here.
func (m *DeadMount) Die() {}

// Revive does nothing here.
func (m *DeadMount) Revive() {}

// Abort does nothing here.
func (m *DeadMount) Abort() error { return nil }
