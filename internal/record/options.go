package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"reeve"
)

// Process is who writes a segment.
type Process struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PID     int    `json:"pid"`
}

// Options are what a segment needs. Dir must be set.
type Options struct {
	// Dir is the state folder, absolute. Segments go under
	// Dir/record/YYYY-MM/.
	Dir     string
	Process Process
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Reserve is how many bytes are kept allocated ahead for rows that must
	// still be written when the disk is full; 0 means 64 KiB.
	Reserve int64

	hooks hooks
}

// hooks let tests fail what a disk can fail.
type hooks struct {
	write    func(f *os.File, b []byte, at int64) (int, error)
	sync     func(f *os.File) error
	allocate func(f *os.File, from, size int64) error
}

const defaultReserve = 64 << 10

// Segment is this process's part of the record. Its methods may be called by
// many goroutines at once.
type Segment struct {
	o       Options
	started time.Time
	bodies  sync.Pool

	mu     sync.Mutex
	closed bool
	cur    *file // nil until the first row
}

// Open prepares a segment. It creates nothing until the first row, but looks
// whether the folder is there, or could be made, and can be written. The
// error names the place and the variable that moves it.
func Open(o Options) (*Segment, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Reserve <= 0 {
		o.Reserve = defaultReserve
	}
	if o.Process.PID == 0 {
		o.Process.PID = os.Getpid()
	}
	o.Process.Name, o.Process.Version = cutText(o.Process.Name, 64), cutText(o.Process.Version, 64)
	if o.hooks.write == nil {
		o.hooks.write = (*os.File).WriteAt
	}
	if o.hooks.sync == nil {
		o.hooks.sync = syncData
	}
	if o.hooks.allocate == nil {
		o.hooks.allocate = allocate
	}
	if !filepath.IsAbs(o.Dir) {
		return nil, placeError(o.Dir, errors.New("it is not an absolute path"))
	}
	if err := usable(filepath.Join(o.Dir, recordDir)); err != nil {
		return nil, placeError(o.Dir, err)
	}
	s := &Segment{o: o, started: o.Now().UTC()}
	s.bodies.New = func() any { b := make([]byte, 0, 1024); return &b }
	return s, nil
}

// usable looks whether dir, or the nearest folder above it that exists, is a
// folder that this process can write to.
func usable(dir string) error {
	for {
		st, err := os.Stat(dir)
		switch {
		case err == nil && !st.IsDir():
			return &fs.PathError{Op: "stat", Path: dir, Err: errors.New("is not a folder")}
		case err == nil:
			return writable(dir)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if _, err := os.Lstat(dir); err == nil {
			return &fs.PathError{Op: "stat", Path: dir, Err: errors.New("is a link to nothing")}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return err
		}
		dir = up
	}
}

func placeError(dir string, err error) error {
	return &reeve.Error{Op: "record", Path: dir, Kind: reeve.IO, Code: reeve.RecordFailed,
		What: "can't hold the record: " + err.Error(), Not: "Nothing is done without a record.",
		Instead: "Make that folder writable, or set REEVE_STATE to another folder.", Cause: err}
}

func rowError(err error, full bool) error {
	e := &reeve.Error{Op: "record", Kind: reeve.IO, Code: reeve.RecordFailed,
		What: "the record can't be written: " + err.Error(), Not: "Nothing is done without a record.",
		Instead: "Tell the owner; `reeve doctor` shows the place.", Cause: err}
	if full {
		e.Instead = "Tell the owner: the disk that holds Reeve's state is full."
	}
	return e
}
