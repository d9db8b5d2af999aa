//go:build linux || darwin

package capfs

import (
	"os"
	"syscall"
)

// openNonBlock keeps an open from waiting, whatever has come in a file's
// place.
const openNonBlock = syscall.O_NONBLOCK

func infoOfRoot(r *os.Root) (Info, error) {
	fi, err := r.Stat(".")
	if err != nil {
		return Info{}, err
	}
	return infoOfStat(fi)
}

func infoOfName(r *os.Root, name string) (Info, error) {
	fi, err := r.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOfStat(fi)
}

func infoOfPath(_ string, fi os.FileInfo) (Info, error) { return infoOfStat(fi) }

func infoOfOpen(_ *os.File, fi os.FileInfo) (Info, error) { return infoOfStat(fi) }

func infoOfStat(fi os.FileInfo) (Info, error) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return Info{}, errUnable
	}
	i := Info{Kind: kindOf(fi.Mode()), Mode: modeBits(fi.Mode()), Links: uint64(st.Nlink), UID: st.Uid, GID: st.Gid}
	i.Device, i.Inode, i.Size = uint64(st.Dev), st.Ino, st.Size
	i.MTime, i.CTime, i.ATime, i.Birth = statTimes(st)
	i.Seal = statSeal(st)
	return i, nil
}
