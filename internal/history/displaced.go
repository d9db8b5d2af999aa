package history

import (
	"context"
	"io"
	"os"

	"reeve"
)

// Displaced is one thing that a change put out of the way, still whole. It is
// used by one goroutine, until Keep returns.
type Displaced interface {
	Facts() Facts
	// Open opens a file's bytes; it is asked of files only. The caller closes.
	Open(ctx context.Context) (Reader, error)
}

// Reader reads a displaced file.
type Reader interface {
	io.ReaderAt
	io.Closer
}

// Facts are what a displaced thing is beside its bytes.
type Facts struct {
	Kind reeve.FileKind
	Size int64
	Link string // a link's text, raw
	Meta reeve.Meta
}

// Lender is a Reader, or a Displaced folder, that lends its descriptor for the
// time of fn, so that extended attributes can be kept which Facts do not name.
type Lender interface {
	Lend(fn func(fd uintptr) error) error
}

// Taker is a Displaced that can be had without copying.
type Taker interface {
	// TakeInto moves the thing itself into the folder under the name, a
	// folder with everything in it. It says false, and has moved nothing,
	// where that is not possible: another file system, another program that
	// has the file open for writing, a second name of it. What is in a
	// Displaced folder is not asked.
	TakeInto(dir *os.File, name string) (taken bool, err error)
}

// Folder is a Displaced folder that shows what is in it.
type Folder interface {
	// Walk calls fn for everything below, a folder before what is in it. Rel
	// is the path from the folder, raw names with "/" between them; d is
	// valid until fn returns. An error of fn ends the walk.
	Walk(ctx context.Context, fn func(rel string, d Displaced) error) error
}
