package capfs

import (
	"errors"
	"io"

	"reeve"
)

// Layer reaches one kind of file system by absolute path. Only granted paths
// and narrowings pass through it; everything else is walked from a Node. Its
// methods are called by many goroutines at once and may block. Errors are the
// system's own (syscall.Errno or an error around one, fs.ErrNotExist and its
// kin included).
type Layer interface {
	// Top holds the topmost folder of a volume: "/", or `C:\`.
	Top(volume string) (Node, error)
	// Stat looks once, at the thing or, with follow, at what links lead to.
	Stat(path string, follow bool) (Info, error)
	// Real gives the link-free spelling of a path, as on disk.
	Real(path string) (string, error)
}

// PlainHolder is a Layer that has its own way to hold a folder at an absolute
// path that must not pass a link, where walking from the top would need
// rights that users do not have. It gives ErrNotPlain for a link, or anything
// else that is no folder, on the way.
type PlainHolder interface {
	HoldPlain(path string) (Node, error)
}

// ErrNotPlain: a link, or something that is no folder, stands on the way.
var ErrNotPlain = errors.New("not reached by plain folders alone")

// Node is one held thing: a folder, a file, a link or anything else. It is
// safe for use by several goroutines; after Close every method fails with
// fs.ErrClosed.
type Node interface {
	// Child holds one entry of a folder. It never follows a link and never
	// opens what could notice.
	Child(name string) (Node, error)
	// Info is the thing's state now. Without fresh, what the system knows
	// already will do, so that a dead network is not asked.
	Info(fresh bool) (Info, error)
	// Close lets go. A second Close does nothing.
	Close() error
}

// The following are what a Node may also be able to do.

// LinkReader gives a held link's text.
type LinkReader interface {
	ReadLink() (string, error)
}

// FileOpener opens the held regular file for reading.
type FileOpener interface {
	OpenFile() (OpenFile, error)
}

// OpenFile is an opened regular file.
type OpenFile interface {
	io.ReaderAt
	// Info is the state of the opened file, asked anew.
	Info() (Info, error)
	Close() error
}

// FolderOpener opens the held folder for listing. The Node it gives is a
// Lister too.
type FolderOpener interface {
	OpenFolder() (Node, error)
}

// Lister lists an opened folder.
type Lister interface {
	// List appends the next entries to dst, "." and ".." left out, as many as
	// one question to the system gives, and io.EOF after the last. With
	// restart it begins from the first entry.
	List(dst []DirEntry, restart bool) ([]DirEntry, error)
}

// Stater looks at an entry without holding it. A Node that is none is asked
// with Child.
type Stater interface {
	StatChild(name string) (Info, error)
}

// Jumper holds what lies several names below at once, failing on any link,
// mount or ".." on the way (a link at the end is held itself). Any failure
// makes the resolver walk by single names.
type Jumper interface {
	Jump(path string) (Node, error)
}

// Speller gives a name as it is spelled on disk, for file systems that fold.
type Speller interface {
	Spelling(name string) (string, error)
}

// FileSystemTeller tells what kind of file system a node lies on.
type FileSystemTeller interface {
	FileSystem() (FileSystem, error)
}

// Lender lends the descriptor of an opened file for the time of fn.
type Lender interface {
	Lend(fn func(fd uintptr) error) error
}

// FileSystem is what matters about a kind of file system.
type FileSystem struct {
	Name string
	// Pseudo file systems show the kernel, not files.
	Pseudo bool
	// Folds: two spellings may name one entry.
	Folds bool
	// Coarse: times come from another clock than this system's tick, or in
	// whole seconds.
	Coarse bool
}

// Info is the state of one thing. Times are Unix nanoseconds.
type Info struct {
	Kind reeve.FileKind
	reeve.Stamp
	// Mode is permission bits with setuid (04000), setgid (02000) and sticky
	// (01000), as Unix numbers them.
	Mode  uint32
	Links uint64
	ATime int64
	UID   uint32
	GID   uint32
	// Mount tells two mounts of one device apart, 0 where nothing does.
	Mount uint64
	// Link is a link's own text, filled in for a Held link.
	Link string
	// Seal is a mark that forbids changes whatever the mode says.
	Seal Seal
}

// Seal is a mark by which a file system forbids changes of one file or folder.
type Seal uint8

const (
	Unsealed   Seal = iota
	Immutable       // nothing of it changes
	AppendOnly      // a file only grows; a folder only gets new names
)

// DirEntry is one name in a folder. Kind is empty only between a Lister and
// Folder, where the file system does not tell it.
type DirEntry struct {
	Name string
	Kind reeve.FileKind
}
