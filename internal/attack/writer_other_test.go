//go:build !unix

package attack_test

// writer stands for a program that waits on a named pipe, which this system
// does not have in folders.
type writer struct{}

func waitOnFIFO(string) writer { return writer{} }

func (writer) Stop() error     { return nil }
func (writer) Disturbed() bool { return false }
