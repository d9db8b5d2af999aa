package capfstest

import "os"

func systemLacks() []string { return []string{"bytes", "fifo", "owner", "mode", "link"} }

func fifo(string) error { return os.ErrInvalid }

func exchange(a, b string) error { return renameThree(a, b, os.Rename) }
