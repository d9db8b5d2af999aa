package capfs

import (
	"strings"

	"reeve"
)

// view is one consistent state of grants and narrowings. It never changes; a
// change puts another one in its place.
type view struct {
	roots  []root
	narrow []*narrowing
	index  map[fileID][]known // what narrows, by identity
}

type root struct {
	grant Grant
	now   *taken
	// nested are the granted folders whose path lies below this one's.
	nested []int
	// jump: nothing below this root can narrow access, so several names may
	// be passed at once.
	jump bool
	// marks hold for everything in the root.
	marks []reeve.Mark
	// elsewhere: the root stands on another mount of a file system that also
	// holds a folder that narrows access. It may lie in that folder, whatever
	// its path says.
	elsewhere bool
}

// fileID is what a map can find an identity by; birth is compared after.
type fileID struct{ device, inode uint64 }

func idOf(i reeve.Identity) fileID { return fileID{i.Device, i.Inode} }

// known is one thing that narrows access: a root or a narrowing.
type known struct {
	identity reeve.Identity
	root     int // index into view.roots, -1 for a narrowing
	narrow   *narrowing
}

func (r *root) status() Status { return status(r.grant, r.now) }

func status(g Grant, t *taken) Status {
	return Status{Grant: g, Real: t.real, State: t.state, Note: t.note, Held: t.was}
}

func (v *view) find(id reeve.RootID) int {
	for i := range v.roots {
		if v.roots[i].grant.ID == id {
			return i
		}
	}
	return -1
}

func (v *view) root(id reeve.RootID) *root {
	if i := v.find(id); i >= 0 {
		return &v.roots[i]
	}
	return nil
}

// settle computes what follows from roots and narrowings.
func (v *view) settle() {
	v.index = make(map[fileID][]known, len(v.roots)+len(v.narrow))
	add := func(i reeve.Identity, k known) {
		k.identity = i
		v.index[idOf(i)] = append(v.index[idOf(i)], k)
	}
	for i := range v.roots {
		r := &v.roots[i]
		fold := r.now.fsys.Folds
		r.nested, r.jump, r.marks, r.elsewhere = nil, !fold, r.now.marks, false
		for j := range v.roots {
			if i != j && r.now.real != v.roots[j].now.real && contains(r.now.real, v.roots[j].now.real, fold) {
				r.nested = append(r.nested, j)
				r.jump = false
			}
		}
		for _, n := range v.narrow {
			real := n.Path
			if s := n.seen.Load(); s != nil {
				real = s.real
				if s.exists && r.now.state == reeve.StateOpen {
					if s.info.SameFile(r.now.info.Identity) {
						r.marks = withMark(r.marks, n.mark())
					}
					if s.info.Device == r.now.info.Device && mountOf(s.info) != mountOf(r.now.info) {
						r.elsewhere, r.jump = true, false
					}
				}
			}
			if contains(r.now.real, n.Path, true) || contains(r.now.real, real, true) {
				r.jump = false
			}
			if n.Folder && contains(real, r.now.real, fold) {
				r.marks = withMark(r.marks, n.mark())
			}
		}
		if r.now.state == reeve.StateOpen {
			add(r.now.info.Identity, known{root: i})
		}
	}
	for _, n := range v.narrow {
		if s := n.seen.Load(); s != nil && s.exists {
			add(s.info.Identity, known{root: -1, narrow: n})
		}
	}
}

// contains reports that path is base or lies below it, by whole components.
func contains(base, path string, fold bool) bool {
	_, ok := below(base, path, fold)
	return ok
}

// below gives the part of path below base. Fold is for file systems on which
// letter case does not tell two names apart.
func below(base, path string, fold bool) (string, bool) {
	if base == "" || len(path) < len(base) {
		return "", false
	}
	if head := path[:len(base)]; head != base && !(fold && strings.EqualFold(head, base)) {
		return "", false
	}
	rest := path[len(base):]
	switch {
	case rest == "":
		return "", true
	case strings.IndexByte(separators, rest[0]) >= 0:
		return rest[1:], true
	case strings.HasSuffix(base, separator): // the top of a volume
		return rest, true
	}
	return "", false
}

// match finds the deepest root with a spelling that contains the path, and
// what remains below it. It looks at text alone.
func (v *view) match(path string) (index int, rest string, ok bool) {
	depth := -1
	for i := range v.roots {
		r := &v.roots[i]
		for _, spelling := range [2]string{r.grant.Path, r.now.real} {
			if part, in := below(spelling, path, r.now.fsys.Folds); in && len(spelling) > depth {
				index, rest, depth, ok = i, part, len(spelling), true
			}
		}
	}
	if !ok {
		return 0, "", false
	}
	// One folder granted twice is one root: the first grant's.
	for i := range v.roots[:index] {
		if v.roots[i].now.real == v.roots[index].now.real {
			return i, rest, true
		}
	}
	return index, rest, true
}
