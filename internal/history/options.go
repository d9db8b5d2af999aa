package history

import (
	"fmt"
	"sync"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
)

// The bounds that hold where Options name none.
const (
	FileBytes  = 64 << 20
	TotalBytes = 2 << 30
	Days       = 30
)

// Options are copied by New. Dir must be set; each bound that is zero is the
// constant of its name.
type Options struct {
	// Dir is the state folder, absolute. Everything goes under Dir/history.
	Dir string
	// FileBytes is the largest file that is kept, TotalBytes what is kept in
	// all, and Days how long.
	FileBytes, TotalBytes int64
	Days                  int
	// Machine names this computer, as its journals and segments do, when the
	// state folder may be shared with others.
	Machine string
	Now     func() time.Time // nil means time.Now
	// Report is told of what is damaged or ignored, and why; nil drops it. It
	// may be called by several goroutines.
	Report func(file, what string)
}

// Store is one history. Its methods may be called by many goroutines at once.
type Store struct {
	o Options

	mu     sync.Mutex // guards the rest
	last   int64      // the latest order given or seen
	seen   bool       // last knows of the segments of others
	cur    *segment
	closed bool
	own    *notes  // of this process, nil until it stages something
	home   *house  // nil until something is kept
	count  counted // guarded by mu too

	chunks  sync.Pool // of *[]byte, to read with
	hashers sync.Pool // of *blake3.Hasher
	pruning sync.Mutex
}

// New gives the history of a state folder. It touches no disk.
func New(o Options) *Store {
	if o.FileBytes <= 0 {
		o.FileBytes = FileBytes
	}
	if o.TotalBytes <= 0 {
		o.TotalBytes = TotalBytes
	}
	if o.Days <= 0 {
		o.Days = Days
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(string, string) {}
	}
	return &Store{o: o,
		chunks:  sync.Pool{New: func() any { b := make([]byte, chunk); return &b }},
		hashers: sync.Pool{New: func() any { return blake3.New() }},
	}
}

// life is how long a copy is kept.
func (s *Store) life() time.Duration { return time.Duration(s.o.Days) * 24 * time.Hour }

// Would tells for how long a copy of a file of so many bytes would be kept.
// Zero means not at all; why then says the bound, as a clause. It touches no
// disk: a full history makes room by letting go of what is oldest.
func (s *Store) Would(bytes int64) (kept time.Duration, why string) {
	if why := s.tooLarge(bytes); why != "" {
		return 0, why
	}
	return s.life(), ""
}

// WouldTree is Would for a folder: the largest file in it and the bytes of
// all. A folder with one file too large is kept without that file.
func (s *Store) WouldTree(largest, all int64) (kept time.Duration, why string) {
	if why := s.tooLarge(largest); why != "" {
		return 0, "a file in it is larger than " + size(s.o.FileBytes)
	}
	if all > s.o.TotalBytes {
		return 0, "it holds more than the " + size(s.o.TotalBytes) + " that are kept in all"
	}
	return s.life(), ""
}

func (s *Store) tooLarge(bytes int64) string {
	switch {
	case bytes > s.o.FileBytes:
		return "it is larger than " + size(s.o.FileBytes)
	case bytes > s.o.TotalBytes:
		return "it is larger than the " + size(s.o.TotalBytes) + " that are kept in all"
	}
	return ""
}

// size is a bound in words.
func size(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d %s", n/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

func failed(op, what string, err error) error {
	return &reeve.Error{Op: op, Kind: reeve.IO, Code: reeve.Failed, What: what + ": " + err.Error(),
		Instead: "The owner can look with `reeve doctor`.", Cause: err}
}
