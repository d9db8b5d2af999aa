package capfstest

import (
	"os"

	"golang.org/x/sys/unix"
)

func systemLacks() []string { return []string{"bytes"} }

func fifo(path string) error { return unix.Mkfifo(path, 0o644) }

func exchange(a, b string) error {
	return renameThree(a, b, os.Rename)
}
