package capfstest

import "golang.org/x/sys/unix"

func systemLacks() []string { return nil }

func fifo(path string) error { return unix.Mkfifo(path, 0o644) }

func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
