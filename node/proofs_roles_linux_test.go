package node_test

func roles() map[string]func(base string, n int) error {
	return map[string]func(string, int) error{
		"crowd":    crowd,
		"mischief": mischief,
	}
}
