//go:build !linux && !darwin && !windows

package record

import (
	"errors"
	"os"
	"syscall"
)

func syncData(f *os.File) error { return f.Sync() }

func allocate(*os.File, int64, int64) error { return errors.ErrUnsupported }

func bootID() string { return noBoot }

func systemID() string { return "" }

func errQuota() error { return syscall.EDQUOT }
