package record

import (
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

// allocate gives the file room on disk beyond its end; its size stays.
func allocate(f *os.File, from, size int64) error {
	for {
		if err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, from, size); err != unix.EINTR {
			return err
		}
	}
}

// bootID tells one start of the computer from another.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return noBoot
	}
	return short(string(b), 8)
}

// systemID is the computer's own name for itself, if it has one.
func systemID() string {
	for _, p := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if b, err := os.ReadFile(p); err == nil {
			if id := strings.TrimSpace(string(b)); len(id) == 32 {
				return id
			}
		}
	}
	return ""
}

func errQuota() error { return syscall.EDQUOT }
