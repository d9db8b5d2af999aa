package capfs

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"reeve"
)

// File is an opened regular file. It is safe for use by several goroutines of
// the call that opened it, whose deadline holds for it.
type File struct {
	fs     *FS
	ctx    context.Context
	m      *mount
	open   OpenFile
	info   Info
	coarse bool
	opened time.Time
	place  reeve.Place
	shown  string
	closed atomic.Bool
}

// Place is where the file really is, with its state at opening.
func (f *File) Place() reeve.Place { return f.place }

// Info is the file's state at opening.
func (f *File) Info() Info { return f.info }

// Size is in bytes, at opening.
func (f *File) Size() int64 { return f.info.Size }

// ReadAt implements io.ReaderAt. Errors other than io.EOF are *reeve.Error.
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	err = f.fs.touch(f.ctx, f.m, func() (err error) { n, err = f.open.ReadAt(b, off); return err })
	return n, f.err("read", err)
}

// Fresh asks the file system for the file's state now. It differs from Info
// when the file was changed since it was opened; a reader that finds them
// equal after its last read has seen one state of the file, as far as the
// clock of the file system tells (see Version).
func (f *File) Fresh() (info Info, err error) {
	err = f.fs.touch(f.ctx, f.m, func() (err error) { info, err = f.open.Info(); return err })
	return info, f.err("stat", err)
}

func (f *File) err(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return failure(op, f.shown, err)
}

// Lend gives the open descriptor to fn, for handing it to the worker process;
// it stays open until fn returns and must not be closed by it. Only what the
// import rules list may call it.
func (f *File) Lend(fn func(fd uintptr) error) error {
	l, ok := f.open.(Lender)
	if !ok {
		return f.err("lend", errUnable)
	}
	return f.err("lend", l.Lend(fn))
}

// Close lets go. A second Close does nothing; what is used after it fails.
func (f *File) Close() error {
	if f == nil || f.closed.Swap(true) {
		return nil
	}
	return f.open.Close()
}

// Version is the file's version as of its opening. Hash is the BLAKE3 hash of
// the whole content if that was read, else nil.
func (f *File) Version(hash *[32]byte) reeve.Version {
	return reeve.NewVersion(f.info.Stamp, racy(f.info.Stamp, f.opened, f.coarse), hash)
}

const (
	// tickWindow is how near to the clock a stamp may be so that a later write
	// could still get the same one: kernels stamp files with the time of the
	// last tick, at most 10 ms old (HZ=100), and two ticks are allowed.
	tickWindow = 20 * time.Millisecond
	// coarseWindow is for file systems that stamp in whole seconds (two on
	// FAT), or with another computer's clock.
	coarseWindow = 2*time.Second + tickWindow
)

// racy reports that a change after the stamp was taken could leave the stamp
// as it is. A time in the future is as good as now.
func racy(s reeve.Stamp, now time.Time, coarse bool) bool {
	window := tickWindow
	if coarse || s.MTime%int64(time.Second) == 0 && s.CTime%int64(time.Second) == 0 {
		window = coarseWindow
	}
	last := max(s.MTime, s.CTime)
	return now.UnixNano()-last < int64(window)
}
