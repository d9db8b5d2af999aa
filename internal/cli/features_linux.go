//go:build linux

package cli

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// features tries out what this system and the state folder's file system can
// do. None of it is needed: each has a slower or plainer way beside it.
func features(dir string) []feature {
	return []feature{
		{"openat2", "paths are walked by the kernel in one step", "paths are walked one folder at a time, which is as safe and slower", hasOpenat2()},
		{"birth times", "a file is told from a later one with the same number", "a file that was given a removed one's number may be taken for it", hasBirth(dir)},
		{"unnamed files", "new content is written without a name until it is whole", "new content is written under a passing name", hasUnnamed(dir)},
		{"exchange of names", "a file is replaced and the old one caught in one step", "a file is replaced in two steps, with a check between", hasExchange(dir)},
	}
}

func hasOpenat2() bool {
	fd, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

func hasBirth(dir string) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, dir, unix.AT_STATX_DONT_SYNC, unix.STATX_BTIME, &st)
	return err == nil && st.Mask&unix.STATX_BTIME != 0
}

func hasUnnamed(dir string) bool {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// hasExchange swaps two files of a folder of its own, and looks whether both
// are there: some file systems say yes and lose one.
func hasExchange(dir string) bool {
	tmp, err := os.MkdirTemp(dir, ".probe-*")
	if err != nil {
		return false
	}
	defer os.RemoveAll(tmp)
	a, b := filepath.Join(tmp, "a"), filepath.Join(tmp, "b")
	if err := errors.Join(os.WriteFile(a, []byte("a"), 0o600), os.WriteFile(b, []byte("b"), 0o600)); err != nil {
		return false
	}
	if unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) != nil {
		return false
	}
	inA, errA := os.ReadFile(a)
	inB, errB := os.ReadFile(b)
	return errA == nil && errB == nil && string(inA) == "b" && string(inB) == "a"
}
