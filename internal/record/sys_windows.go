package record

import (
	"encoding/binary"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

func syncData(f *os.File) error { return f.Sync() }

// syncFolder: Windows has no way to sync a folder, and keeps names itself.
func syncFolder(*os.File) error { return nil }

// allocate gives the file room on disk beyond its end; its size stays.
func allocate(f *os.File, from, size int64) error {
	var b [8]byte // FILE_ALLOCATION_INFO
	binary.LittleEndian.PutUint64(b[:], uint64(from+size))
	return windows.SetFileInformationByHandle(windows.Handle(f.Fd()), windows.FileAllocationInfo, &b[0], uint32(len(b)))
}

// foreign: on Windows the state folder's own access list keeps others out.
func foreign(st fs.FileInfo) string {
	if !st.IsDir() {
		return "is not a folder"
	}
	return ""
}

// writable: access rights on Windows are only known by trying, which the
// first row does.
func writable(string) error { return nil }

func bootID() string { return noBoot }

func systemID() string { return "" }

func errQuota() error { return windows.ERROR_DISK_FULL }

// linksOf gives how many names an open file has, and its size.
func linksOf(f *os.File) (links uint64, size int64, err error) {
	var i windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &i); err != nil {
		return 0, 0, err
	}
	return uint64(i.NumberOfLinks), int64(i.FileSizeHigh)<<32 | int64(i.FileSizeLow), nil
}
