package attack

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Thing is one file, folder or link as it stands in a folder.
type Thing struct {
	Mode fs.FileMode
	Body string // of a file; the text of a link
	// Note is the extended attribute user.note, where there are any.
	Note string
}

// Tree is what a folder holds: things by their paths below it, with "/".
type Tree map[string]Thing

// ScanTree looks at a folder as it is on disk. Everything is read into
// memory.
func ScanTree(dir string) (Tree, error) {
	t := Tree{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		st, err := os.Lstat(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		x := Thing{Mode: st.Mode()}
		switch {
		case st.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			x.Body, x.Note = string(b), readNote(p)
		case st.Mode()&fs.ModeSymlink != 0:
			if x.Body, err = os.Readlink(p); err != nil {
				return err
			}
		}
		t[filepath.ToSlash(rel)] = x
		return nil
	})
	return t, err
}

// Differs says in what the other tree differs, a line for each path, empty
// when it does not.
func (t Tree) Differs(other Tree) []string {
	var out []string
	for p, a := range t {
		b, ok := other[p]
		switch {
		case !ok:
			out = append(out, p+": missing")
		case a.Mode != b.Mode:
			out = append(out, fmt.Sprintf("%s: mode %v, not %v", p, b.Mode, a.Mode))
		case a.Body != b.Body:
			out = append(out, fmt.Sprintf("%s: %d bytes %.40q, not %d bytes %.40q", p, len(b.Body), b.Body, len(a.Body), a.Body))
		case a.Note != b.Note:
			out = append(out, fmt.Sprintf("%s: attribute %q, not %q", p, b.Note, a.Note))
		}
	}
	for p := range other {
		if _, ok := t[p]; !ok {
			out = append(out, p+": is there")
		}
	}
	slices.Sort(out)
	return out
}

// below gives the paths of what is in a folder, the folder first.
func (t Tree) below(p string) []string {
	var out []string
	for k := range t {
		if k == p || strings.HasPrefix(k, p+"/") {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// names gives the paths of things of one kind, in order.
func (t Tree) names(want func(Thing) bool) []string {
	var out []string
	for _, p := range slices.Sorted(maps.Keys(t)) {
		if want(t[p]) {
			out = append(out, p)
		}
	}
	return out
}

func (t Tree) files() []string { return t.names(func(x Thing) bool { return x.Mode.IsRegular() }) }

func (t Tree) folders() []string { return t.names(func(x Thing) bool { return x.Mode.IsDir() }) }

// with is a copy that a change has been made to.
func (t Tree) with(fn func(Tree)) Tree {
	c := maps.Clone(t)
	fn(c)
	return c
}

// parents makes the folders above p that are missing.
func (t Tree) parents(p string) {
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if _, ok := t[d]; !ok {
			t[d] = Thing{Mode: fs.ModeDir | 0o755}
		}
	}
}
