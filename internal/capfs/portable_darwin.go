package capfs

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func statTimes(st *syscall.Stat_t) (mtime, ctime, atime, birth int64) {
	return st.Mtimespec.Nano(), st.Ctimespec.Nano(), st.Atimespec.Nano(), st.Birthtimespec.Nano()
}

func statSeal(st *syscall.Stat_t) Seal {
	const userImmutable, userAppend, systemImmutable, systemAppend = 0x2, 0x4, 0x20000, 0x40000
	switch {
	case st.Flags&(userImmutable|systemImmutable) != 0:
		return Immutable
	case st.Flags&(userAppend|systemAppend) != 0:
		return AppendOnly
	}
	return Unsealed
}

func fileSystemOfFile(f *os.File) (FileSystem, error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return FileSystem{}, err
	}
	switch name := unix.ByteSliceToString(st.Fstypename[:]); name {
	case "devfs", "fdesc", "procfs", "nullfs":
		return FileSystem{Name: name, Pseudo: name != "nullfs"}, nil
	case "apfs":
		return FileSystem{Name: name, Folds: true}, nil
	case "hfs", "msdos", "exfat", "smbfs", "afpfs", "webdav":
		return FileSystem{Name: name, Folds: true, Coarse: true}, nil
	case "nfs", "macfuse", "osxfuse":
		return FileSystem{Name: name, Coarse: true}, nil
	default:
		return FileSystem{Name: name}, nil
	}
}
