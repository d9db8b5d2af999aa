//go:build unix && !linux && !darwin

package cli

func forget(int) {}
