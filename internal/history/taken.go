package history

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"

	"reeve"
)

// A folder that was taken as a whole lies in the tmp folder, and is emptied
// into blobs and a manifest there. Where that failed for a part, it stays there
// for a day, and until the next start; what is too large, and was said to be
// not kept, goes.

// takeFolder says false where the folder could not be taken.
func (b *batch) takeFolder(t Taker, l *note) (f takenFolder, taken bool) {
	name, ok := b.s.noteTaken(b.h, b.s.tmp(b.root), l)
	if !ok {
		return f, false
	}
	if taken, _ := t.TakeInto(b.h.tmpDir, path.Base(name)); !taken {
		return f, false
	}
	st, err := b.root.Lstat(name)
	if err == nil && !st.IsDir() {
		err = fs.ErrInvalid
	}
	return takenFolder{takenThing{root: b.root, name: name, st: st, n: b.notes}}, err == nil
}

// takeLink reads a link's text by taking the link.
func (b *batch) takeLink(t Taker, l *note) (text string) {
	name, ok := b.s.noteTaken(b.h, b.s.tmp(b.root), l)
	if !ok {
		return ""
	}
	if taken, _ := t.TakeInto(b.h.tmpDir, path.Base(name)); !taken {
		return ""
	}
	text, _ = b.root.Readlink(name)
	b.folders = append(b.folders, name) // it goes when its entry is written
	return text
}

// takenThing is one thing in a taken folder, or taken by itself by a process
// that ended.
type takenThing struct {
	root *os.Root
	name string // in the root
	st   fs.FileInfo
	n    *notes // where it is written down what is changed on it; may be nil
	// key is its name in the notes, if that is not name without the tmp folder.
	key string
}

// below is its name in the notes.
func (t takenThing) below() string {
	if t.key != "" {
		return t.key
	}
	return strings.TrimPrefix(t.name, tmpDir+"/")
}

// before writes down how it was before it is changed.
func (t takenThing) before() {
	if t.n != nil {
		t.n.write(note{Name: t.below(), noted: notedOf(t.Facts())})
	}
}

// Facts implements Displaced.
func (t takenThing) Facts() Facts {
	m := t.st.Mode()
	f := Facts{Kind: reeve.Special, Meta: reeve.Meta{Mode: modeOf(m), MTime: t.st.ModTime().UnixNano(), Owner: owner(t.st)}}
	if t.n != nil {
		if was, ok := t.n.was[t.below()]; ok {
			f.Meta.Mode, f.Meta.MTime, f.Meta.Owner = was.Mode, was.MTime, was.Owner
		}
	}
	switch {
	case m.IsRegular():
		f.Kind, f.Size = reeve.File, t.st.Size()
	case m.IsDir():
		f.Kind = reeve.Directory
		if d, err := t.root.Open(t.name); err == nil {
			f.Meta.XAttrs = xattrs(d.Fd())
			d.Close()
		}
	case m&fs.ModeSymlink != 0:
		f.Kind = reeve.Symlink
		f.Link, _ = t.root.Readlink(t.name)
	}
	return f
}

// modeOf numbers a mode as Unix does.
func modeOf(m fs.FileMode) uint32 {
	n := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		n |= 0o4000
	}
	if m&fs.ModeSetgid != 0 {
		n |= 0o2000
	}
	if m&fs.ModeSticky != 0 {
		n |= 0o1000
	}
	return n
}

// Open implements Displaced.
func (t takenThing) Open(context.Context) (Reader, error) { return t.open() }

func (t takenThing) open() (*os.File, error) {
	f, err := t.root.Open(t.name)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || !os.SameFile(st, t.st) {
		f.Close()
		return nil, fs.ErrInvalid
	}
	return f, nil
}

// TakeInto implements Taker: a file that nobody has open for writing, and
// that has no other name, is kept itself. It keeps its name too, so that what
// was taken is still whole when this process ends in the middle.
func (t takenThing) TakeInto(tmp *os.File, name string) (bool, error) {
	if names(t.st) > 1 {
		return false, nil
	}
	f, err := t.open()
	if err != nil {
		return false, err
	}
	defer f.Close()
	if !unwritten(f) {
		return false, nil
	}
	t.before()
	err = linkFrom(t.root, t.name, tmp, name)
	return err == nil, err
}

// takenFolder is a taken folder.
type takenFolder struct{ takenThing }

// Walk implements Folder.
func (t takenFolder) Walk(ctx context.Context, fn func(rel string, d Displaced) error) error {
	return t.walk(ctx, "", 1, fn)
}

// hopEvery is after how many levels a folder is opened to go on from: by its
// whole path each thing would cost as much as it lies deep.
const hopEvery = 32

// walk goes through the folder, which is rel below the one that was taken.
func (t takenFolder) walk(ctx context.Context, rel string, depth int, fn func(rel string, d Displaced) error) error {
	// The owner of what was taken may have closed it against himself.
	if st, err := t.root.Lstat(t.name); err == nil && st.IsDir() && st.Mode().Perm()&0o700 != 0o700 {
		t.st = st
		t.before()
		if err := t.root.Chmod(t.name, 0o700); err != nil {
			return err
		}
	}
	names, err := readNames(t.root, t.name)
	if err != nil {
		return err
	}
	if depth%hopEvery == 0 {
		in, err := t.root.OpenRoot(t.name)
		if err != nil {
			return err
		}
		defer in.Close()
		t.key, t.root, t.name = t.below(), in, "."
	}
	for _, n := range names {
		in := n
		if rel != "" {
			in = rel + "/" + n
		}
		d := takenThing{root: t.root, name: path.Join(t.name, n), n: t.n, key: t.below() + "/" + n}
		if d.st, err = t.root.Lstat(d.name); err != nil {
			return err
		}
		if err := fn(in, d); err != nil {
			return err
		}
		if d.st.IsDir() {
			if err := (takenFolder{d}).walk(ctx, in, depth+1, fn); err != nil {
				return err
			}
		}
	}
	return nil
}
