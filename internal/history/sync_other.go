//go:build !linux

package history

import "os"

func syncData(f *os.File) error { return f.Sync() }
