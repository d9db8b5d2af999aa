package node_test

func roles() map[string]func(base string, n int) error {
	return map[string]func(string, int) error{
		"crowd":                crowd,
		"full disk":            fullDisk,
		"full disk with state": fullDiskWithState,
		"read only":            readOnly,
		"mischief":             mischief,
		"state elsewhere":      stateElsewhere,
	}
}
