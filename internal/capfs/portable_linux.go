package capfs

import (
	"os"
	"syscall"
)

func statTimes(st *syscall.Stat_t) (mtime, ctime, atime, birth int64) {
	return st.Mtim.Nano(), st.Ctim.Nano(), st.Atim.Nano(), 0
}

func fileSystemOfFile(f *os.File) (FileSystem, error) { return fileSystemOfFD(int(f.Fd())) }
