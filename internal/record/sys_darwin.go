package record

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func syncData(f *os.File) error { return f.Sync() } // F_FULLFSYNC

// allocate gives the file room on disk beyond its end; its size stays.
func allocate(f *os.File, _, size int64) error {
	return unix.FcntlFstore(f.Fd(), unix.F_PREALLOCATE, &unix.Fstore_t{
		Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: size,
	})
}

// bootID tells one start of the computer from another.
func bootID() string {
	t, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return noBoot
	}
	return short(strconv.FormatInt(t.Sec, 10), 8)
}

// systemID is the computer's own name for itself, if it has one.
func systemID() string {
	id, err := unix.Sysctl("kern.uuid")
	if err != nil {
		return ""
	}
	return id
}

func errQuota() error { return syscall.EDQUOT }
