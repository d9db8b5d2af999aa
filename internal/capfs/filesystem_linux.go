package capfs

import (
	"strings"

	"golang.org/x/sys/unix"
)

// fileSystemNamed knows the kinds of file system that matter here.
func fileSystemNamed(name string) FileSystem {
	f := FileSystem{Name: name}
	switch name {
	case "proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "cpuset", "debugfs", "tracefs", "securityfs",
		"bpf", "pstore", "efivarfs", "configfs", "fusectl", "mqueue", "binfmt_misc", "nsfs", "selinuxfs", "smackfs",
		"apparmorfs", "resctrl", "xenfs", "openpromfs", "rpc_pipefs", "nfsd", "binder", "functionfs", "usbfs",
		"sockfs", "pipefs", "anon_inodefs", "devfs", "fdescfs", "fdesc", "procfs":
		f.Pseudo = true
	case "vfat", "msdos", "exfat", "hfs", "hfsplus", "cifs", "smb3", "smbfs":
		f.Folds, f.Coarse = true, true
	case "ntfs", "ntfs3":
		f.Folds = true
	case "nfs", "nfs4", "9p", "afs", "coda", "ceph", "ncpfs", "glusterfs", "lustre", "virtiofs", "vboxsf", "prl_fs":
		f.Coarse = true
	default:
		f.Coarse = name == "fuse" || name == "fuseblk" || strings.HasPrefix(name, "fuse.")
	}
	return f
}

// nameOfMagic names what statfs tells by a number. A tmpfs may be devtmpfs.
func nameOfMagic(magic int64) string {
	switch uint32(magic) {
	case unix.PROC_SUPER_MAGIC:
		return "proc"
	case unix.SYSFS_MAGIC:
		return "sysfs"
	case unix.DEVPTS_SUPER_MAGIC:
		return "devpts"
	case unix.CGROUP_SUPER_MAGIC:
		return "cgroup"
	case unix.CGROUP2_SUPER_MAGIC:
		return "cgroup2"
	case unix.DEBUGFS_MAGIC:
		return "debugfs"
	case unix.TRACEFS_MAGIC:
		return "tracefs"
	case unix.SECURITYFS_MAGIC:
		return "securityfs"
	case unix.BPF_FS_MAGIC:
		return "bpf"
	case unix.PSTOREFS_MAGIC:
		return "pstore"
	case unix.EFIVARFS_MAGIC:
		return "efivarfs"
	case unix.SELINUX_MAGIC:
		return "selinuxfs"
	case unix.SMACK_MAGIC:
		return "smackfs"
	case unix.NSFS_MAGIC:
		return "nsfs"
	case unix.SOCKFS_MAGIC:
		return "sockfs"
	case unix.PIPEFS_MAGIC:
		return "pipefs"
	case unix.ANON_INODE_FS_MAGIC:
		return "anon_inodefs"
	case unix.BINFMTFS_MAGIC:
		return "binfmt_misc"
	case unix.RDTGROUP_SUPER_MAGIC:
		return "resctrl"
	case unix.XENFS_SUPER_MAGIC:
		return "xenfs"
	case unix.OPENPROM_SUPER_MAGIC:
		return "openpromfs"
	case 0x62656570:
		return "configfs"
	case 0x65735543:
		return "fusectl"
	case 0x19800202:
		return "mqueue"
	case 0x67596969:
		return "rpc_pipefs"
	case 0x5a3c69f0:
		return "apparmorfs"
	case 0x6c6f6f70:
		return "binder"
	case unix.MSDOS_SUPER_MAGIC:
		return "vfat"
	case 0x2011bab0:
		return "exfat"
	case 0x5346544e:
		return "ntfs"
	case 0x7366746e:
		return "ntfs3"
	case 0x482b:
		return "hfsplus"
	case 0x4244:
		return "hfs"
	case uint32(unix.CIFS_SUPER_MAGIC), uint32(unix.SMB2_SUPER_MAGIC), unix.SMB_SUPER_MAGIC:
		return "cifs"
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.FUSE_SUPER_MAGIC:
		return "fuse"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "afs"
	case unix.CODA_SUPER_MAGIC:
		return "coda"
	case unix.NCP_SUPER_MAGIC:
		return "ncpfs"
	case unix.CEPH_SUPER_MAGIC:
		return "ceph"
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	}
	return ""
}

// fileSystemOfFD asks the file system itself. A dead one does not answer.
func fileSystemOfFD(fd int) (FileSystem, error) {
	var st unix.Statfs_t
	if _, err := retry(func() (int, error) { return 0, unix.Fstatfs(fd, &st) }); err != nil {
		return FileSystem{}, err
	}
	name := nameOfMagic(int64(st.Type))
	if name == "tmpfs" && isDev(fd) {
		name = "devtmpfs"
	}
	return fileSystemNamed(name), nil
}

// isDev: devtmpfs calls itself tmpfs. What lies on the device of /dev is what
// /dev shows.
func isDev(fd int) bool {
	here, err1 := statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC)
	dev, err2 := statx(unix.AT_FDCWD, "/dev", unix.AT_STATX_DONT_SYNC)
	top, err3 := statx(unix.AT_FDCWD, "/", unix.AT_STATX_DONT_SYNC)
	return err1 == nil && err2 == nil && err3 == nil && here.Device == dev.Device && dev.Device != top.Device
}
