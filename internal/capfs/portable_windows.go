package capfs

import (
	"os"

	"golang.org/x/sys/windows"

	"reeve"
)

const openNonBlock = 0

func infoOfRoot(r *os.Root) (Info, error) {
	f, err := r.Open(".")
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	return infoOfFile(f)
}

// infoOfName opens the thing to learn its identity, which Windows tells of a
// handle only. Links and whatever else is neither file nor folder are told by
// their attributes alone.
func infoOfName(r *os.Root, name string) (Info, error) {
	fi, err := r.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	if k := kindOf(fi.Mode()); k != reeve.File && k != reeve.Directory {
		return infoOfAttributes(fi), nil
	}
	f, err := r.Open(name)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	info, err := infoOfFile(f)
	if err == nil && info.Kind != kindOf(fi.Mode()) {
		err = windows.ERROR_FILE_NOT_FOUND
	}
	return info, err
}

func infoOfPath(path string, fi os.FileInfo) (Info, error) {
	if k := kindOf(fi.Mode()); k != reeve.File && k != reeve.Directory {
		return infoOfAttributes(fi), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	return infoOfFile(f)
}

func infoOfAttributes(fi os.FileInfo) Info {
	i := Info{Kind: kindOf(fi.Mode()), Mode: modeBits(fi.Mode()), Links: 1}
	i.Size, i.MTime = fi.Size(), fi.ModTime().UnixNano()
	i.CTime = i.MTime
	return i
}

func infoOfOpen(f *os.File, fi os.FileInfo) (Info, error) {
	var h windows.ByHandleFileInformation
	c, err := f.SyscallConn()
	if err != nil {
		return Info{}, err
	}
	var inner error
	err = c.Control(func(fd uintptr) { inner = windows.GetFileInformationByHandle(windows.Handle(fd), &h) })
	if err == nil {
		err = inner
	}
	if err != nil {
		return Info{}, err
	}
	i := Info{Kind: kindOf(fi.Mode()), Mode: modeBits(fi.Mode()), Links: uint64(h.NumberOfLinks)}
	i.Device = uint64(h.VolumeSerialNumber)
	i.Inode = uint64(h.FileIndexHigh)<<32 | uint64(h.FileIndexLow)
	i.Birth = h.CreationTime.Nanoseconds()
	i.Size = fi.Size()
	i.MTime, i.ATime = h.LastWriteTime.Nanoseconds(), h.LastAccessTime.Nanoseconds()
	// The change time is not told with the rest. A writer can set back the
	// time of the last write, so a hash is the better version here.
	i.CTime = i.MTime
	return i, nil
}

func fileSystemOfFile(*os.File) (FileSystem, error) {
	return FileSystem{Name: "windows", Folds: true}, nil
}
