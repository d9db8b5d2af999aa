package repotest

import (
	"fmt"
	"strconv"
	"strings"
)

// Imports checks the import table: every package stands on a floor and
// imports only what its line allows. Tests may use their own floor, all below
// it and the kits; kits are imported by tests and kits alone.
func Imports(t *Tree, table []Floor) []Finding {
	var out []Finding
	find := func(dir string) *Floor {
		for i := range table {
			if matches(table[i].Package, dir) {
				return &table[i]
			}
		}
		return nil
	}
	for _, p := range t.Packages {
		own := find(p.Dir)
		if own == nil {
			out = append(out, Finding{p.Dir, "stands on no floor. Decide what it may import and give it a line with the reason in " + floorFile})
			continue
		}
		for _, f := range p.Files {
			for _, im := range f.AST.Imports {
				path, _ := strconv.Unquote(im.Path.Value)
				dir, ok := t.local(path)
				if !ok || dir == p.Dir {
					continue
				}
				to := find(dir)
				switch {
				case to == nil:
					out = append(out, Finding{t.at(im), fmt.Sprintf("imports %s, which stands on no floor; give it a line in %s", dir, floorFile)})
				case f.Test:
					if to.Floor > own.Floor && to.Floor != kitFloor {
						out = append(out, Finding{t.at(im), fmt.Sprintf("a test of floor %d imports %s of floor %d: a part must be testable without what is built on it", own.Floor, dir, to.Floor)})
					}
				case to.Floor == kitFloor && own.Floor != kitFloor:
					out = append(out, Finding{t.at(im), "imports the kit " + dir + ": kits are for tests and would be shipped"})
				case !anyMatches(own.May, dir):
					out = append(out, Finding{t.at(im), fmt.Sprintf("imports %s: %s (the table is in %s)", dir, own.Why, floorFile)})
				}
			}
		}
	}
	return out
}

// ExternalImports checks what is imported from elsewhere. The longest
// matching line decides. Third-party modules need a line; the standard
// library is free where no line speaks of it.
func ExternalImports(t *Tree, list []External) []Finding {
	var out []Finding
	for _, p := range t.Packages {
		for _, f := range p.Files {
			for _, im := range f.AST.Imports {
				path, _ := strconv.Unquote(im.Path.Value)
				if _, ours := t.local(path); ours {
					continue
				}
				var line *External
				for i := range list {
					x := &list[i]
					if (path == x.Prefix || strings.HasPrefix(path, x.Prefix+"/")) && (line == nil || len(x.Prefix) > len(line.Prefix)) {
						line = x
					}
				}
				first, _, _ := strings.Cut(path, "/")
				switch {
				case line == nil && strings.Contains(first, "."):
					out = append(out, Finding{t.at(im), "imports " + path + ", which has no line yet: say in Externals (" + floorFile + ") who may use it and why, and add it to docs/dependencies.md"})
				case line == nil, anyMatches(line.By, p.Dir):
				case f.Test && (anyMatches(line.Tests, p.Dir) || len(line.Tests) > 0 && line.Tests[0] == "*"):
				case path == "net/url" || path == "net/netip":
					// Parsing only.
				default:
					out = append(out, Finding{t.at(im), fmt.Sprintf("imports %s: %s (Externals in %s)", path, line.Why, floorFile)})
				}
			}
		}
	}
	return out
}

// PureImports keeps the packages that work on what they are handed away from
// everything that reaches the system.
func PureImports(t *Tree, packages []string) []Finding {
	var out []Finding
	t.code(func(p *Package, f *File) {
		if !anyMatches(packages, p.Dir) {
			return
		}
		for _, im := range f.AST.Imports {
			path, _ := strconv.Unquote(im.Path.Value)
			if path == "os" || strings.HasPrefix(path, "os/") || path == "syscall" || strings.HasPrefix(path, "golang.org/x/sys") {
				out = append(out, Finding{t.at(im), fmt.Sprintf("%s imports %s: it works on what it is handed, so that nothing it decides or shows can depend on a disk it looked at by itself", p.Dir, path)})
			}
		}
	})
	return out
}
