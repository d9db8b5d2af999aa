package policy

import (
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

// SplitRoots reads a list of folders as one text: split at newlines and
// commas, trimmed, a leading ~ or ~/ replaced by home, empty entries dropped,
// repeated ones counted once. A folder that does not exist yet is kept, since
// it may be created later. An entry that is not absolute is reported and
// disables no other.
func SplitRoots(value, home string) (roots []string, problems []string) {
	sys := system{windows: !strings.HasPrefix(home, "/") && home != ""}
	seen := map[string]bool{}
	for _, entry := range strings.FieldsFunc(value, func(r rune) bool { return r == '\n' || r == ',' }) {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		path, _ := sys.expand(entry, home)
		if strings.ContainsRune(path, 0) || !sys.isAbs(path) {
			problems = append(problems, pathname.Escape(entry)+" is not an absolute path")
			continue
		}
		if path = sys.clean(path); !seen[path] {
			seen[path] = true
			roots = append(roots, path)
		}
	}
	return roots, problems
}

// Source says who granted a root.
type Source string

const (
	FromCommandLine Source = "command line"
	FromConfig      Source = "configuration"
	FromProfile     Source = "profile"
)

// Root is one granted folder.
type Root struct {
	Path   string // absolute, clean, raw bytes
	Access reeve.Access
	Source Source
	// Create: the folder need not exist yet; the first approved write makes it.
	Create bool
}

// grants adds roots of one source. Within a source a folder that is named
// twice counts once, with the narrower access unless writable says that a
// write root is simply readable too.
type grants struct {
	sys   system
	roots []Root
	at    map[string]int
}

func (g *grants) add(r Root, narrower bool) (conflict bool) {
	r.Path = g.sys.clean(r.Path)
	key := r.Path
	if g.sys.windows {
		key = string(canon(nil, r.Path))
	}
	if g.at == nil {
		g.at = map[string]int{}
	}
	i, ok := g.at[key]
	if !ok {
		g.at[key] = len(g.roots)
		g.roots = append(g.roots, r)
		return false
	}
	old := &g.roots[i]
	conflict = old.Access != r.Access
	if narrower && conflict {
		old.Access = reeve.Read
	} else if r.Access == reeve.ReadWrite {
		old.Access, old.Source, old.Create = r.Access, r.Source, old.Create || r.Create
	}
	return conflict && narrower
}
