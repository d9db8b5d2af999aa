package capfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// tellsHoles knows the file systems that are trusted to tell where a file's
// holes are. Others have called bytes a hole that were still on their way to
// the disk.
func tellsHoles(fd int) bool {
	var st unix.Statfs_t
	if _, err := retry(func() (int, error) { return 0, unix.Fstatfs(fd, &st) }); err != nil {
		return false
	}
	switch uint32(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC:
		return true
	}
	return false
}

// clone makes a new file share the blocks of another one.
func clone(src int, to *os.File) error {
	return withFD(to, func(fd int) error {
		_, err := retry(func() (int, error) { return 0, unix.IoctlFileClone(fd, src) })
		return err
	})
}

// copyRange has the file system copy bytes by itself.
func copyRange(src int, to *os.File, at int64, n int) (done int, err error) {
	err = withFD(to, func(fd int) (err error) {
		done, err = retry(func() (int, error) {
			a, b := at, at
			return unix.CopyFileRange(src, &a, fd, &b, n, 0)
		})
		return err
	})
	return done, err
}
