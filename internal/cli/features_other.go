//go:build !linux

package cli

// features tells how files are reached where Linux's own calls are missing.
func features(string) []feature {
	return []feature{
		{"openat2", "paths are walked by the kernel in one step", "paths are walked one folder at a time, which is as safe and slower", false},
	}
}
