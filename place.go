package reeve

import (
	"strings"

	"reeve/internal/pathname"
)

// FileKind is what a held thing is, as the file system tells it without
// opening it.
type FileKind string

const (
	File      FileKind = "file"
	Directory FileKind = "directory"
	Symlink   FileKind = "symlink"
	// Special is a FIFO, socket, device or anything else that is never opened.
	Special FileKind = "special"
	// Absent is a name that nothing has yet, in a folder that is held.
	Absent FileKind = ""
)

// Identity tells one file from another while both exist, and with Birth also
// from a later file that was given the same number.
type Identity struct {
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	// Birth is the creation time in Unix nanoseconds, 0 where the file system
	// does not tell it.
	Birth int64 `json:"birth,omitempty"`
}

// IsZero reports whether the identity is unknown.
func (i Identity) IsZero() bool { return i == Identity{} }

// SameFile compares by device and inode, and by birth time where both know it.
func (i Identity) SameFile(o Identity) bool {
	if i.Device != o.Device || i.Inode != o.Inode || i.IsZero() {
		return false
	}
	return i.Birth == 0 || o.Birth == 0 || i.Birth == o.Birth
}

// Stamp is what a file system tells about a file's state for nothing: no
// content is read for it. Times are Unix nanoseconds.
type Stamp struct {
	Identity
	Size  int64 `json:"size,omitempty"`
	MTime int64 `json:"mtime,omitempty"`
	CTime int64 `json:"ctime,omitempty"`
}

// IsZero reports that nothing is known of the state.
func (s Stamp) IsZero() bool { return s == Stamp{} }

// RootID names a root within one target. It is derived from the granted path
// and stays the same while that grant stands.
type RootID string

// Name is one component as it is spelled on disk, any bytes. In JSON it
// stands in the escaped form of package pathname, so that it survives.
type Name string

// MarshalText implements encoding.TextMarshaler.
func (n Name) MarshalText() ([]byte, error) { return []byte(pathname.Escape(string(n))), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *Name) UnmarshalText(b []byte) error {
	s, err := pathname.Unescape(string(b))
	if err != nil {
		return err
	}
	*n = Name(s)
	return nil
}

// MarkKind says why something narrows access.
type MarkKind string

const (
	// MarkProtected: a folder of secrets, or a file that is also a name in one.
	MarkProtected MarkKind = "protected"
	// MarkOwn: Reeve's own configuration, state or socket.
	MarkOwn MarkKind = "own"
	// MarkPseudo: a file system that shows the kernel, not files (proc, sys).
	MarkPseudo MarkKind = "pseudo"
)

// Mark is one thing on the way to a place, or the place itself, that narrows
// access to it.
type Mark struct {
	Kind MarkKind `json:"kind"`
	Rule string   `json:"rule"` // the rule as the owner knows it: "~/.ssh", "proc"
}

// Place is where a path really is, as plain data. Policy sees places only;
// the open descriptor lives in capfs.Held, which carries its place.
type Place struct {
	Target Target `json:"target"`
	Root   RootID `json:"root"`
	// RootPath is the real path of the root's folder, as on disk. Empty for
	// a place that came from another computer.
	RootPath Name `json:"root_path,omitempty"`
	// Components lead from the root to the place without any link. The last
	// Missing of them do not exist.
	Components []Name   `json:"components,omitempty"`
	Missing    int      `json:"missing,omitempty"`
	Kind       FileKind `json:"kind,omitempty"`
	Links      uint64   `json:"links,omitempty"` // number of names of a file
	Mode       uint32   `json:"mode,omitempty"`  // Unix permission bits
	Stamp
	// Access is what the deciding root, the deepest that holds the place,
	// was granted for.
	Access Access `json:"access,omitempty"`
	// Marks are what narrows access on the way from the root to here,
	// outermost first: found by the identity of what was walked through.
	Marks []Mark `json:"marks,omitempty"`
	// Via is the link that was followed to get here, as written, if any. It
	// stands in shown form (package pathname), since it is for telling.
	Via string `json:"via,omitempty"`
}

// Exists reports whether something is at the place.
func (p Place) Exists() bool { return p.Kind != Absent }

// Path is the absolute real path in the target's own spelling, raw bytes.
func (p Place) Path() string {
	sep, root := "/", string(p.RootPath)
	if len(p.Components) == 0 && root != "" {
		return root // "C:\" keeps its backslash: "C:" is something else
	}
	if strings.Contains(root, `\`) && !strings.HasPrefix(root, "/") {
		sep = `\`
	}
	root = strings.TrimSuffix(root, sep)
	n := len(root)
	for _, c := range p.Components {
		n += len(sep) + len(c)
	}
	if n == 0 {
		return sep
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(root)
	for _, c := range p.Components {
		b.WriteString(sep)
		b.WriteString(string(c))
	}
	return b.String()
}

// Display is Path with odd names escaped, fit for a person or a model.
func (p Place) Display() string {
	if len(p.Components) == 0 && p.RootPath == "" {
		return "/"
	}
	return pathname.EscapePath(p.Path())
}

// Base is the last component, or the root's own name.
func (p Place) Base() string {
	if n := len(p.Components); n > 0 {
		return string(p.Components[n-1])
	}
	return pathname.Base(string(p.RootPath))
}

// Key is the ledger and read-state key: target, root folder and link-free
// components as spelled on disk. Never inode, size, version or bytes, since
// each of these changes with every write (ruling: two names of one file are
// two keys, two spellings of one name are one).
func (p Place) Key() string {
	var b strings.Builder
	b.WriteString(string(p.Target))
	b.WriteByte(0)
	b.WriteString(p.Path())
	return b.String()
}
