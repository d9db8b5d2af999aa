//go:build !linux

package attack

func newExchange(a, b string) (*dance, error) { return newDance(a, b) }
