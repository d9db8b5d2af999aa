package repotest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"
)

// Finding is one breach: where it is, and why the rule is there.
type Finding struct {
	Where  string // "internal/policy/match.go:12", a package or a file
	Reason string
}

// String is one line.
func (f Finding) String() string { return f.Where + ": " + f.Reason }

// File is one parsed Go file, of any operating system.
type File struct {
	Path  string // slashes, from the module's root
	Test  bool   // a _test.go file
	Lines int
	AST   *ast.File
	// names maps the name under which a package is used in this file to its
	// import path.
	names map[string]string
}

// Package is one folder of Go files, tests included.
type Package struct {
	Dir   string // slashes, from the module's root; "." is the root itself
	Files []*File
}

// Tree is a parsed module.
type Tree struct {
	Module   string
	Packages []*Package // by Dir
	FS       fs.FS
	fset     *token.FileSet
}

// skipped reports whether a folder holds nothing of ours.
func skipped(name string) bool {
	return name == ".git" || name == "node_modules" || name == ".cache"
}

// Load parses every Go file of a module, whatever its build tags, so that a
// breach in a file for another system is seen on this one. Folders named
// testdata, and modules within the module, are left out.
func Load(fsys fs.FS) (*Tree, error) {
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, err
	}
	t := &Tree{FS: fsys, fset: token.NewFileSet()}
	for line := range strings.Lines(string(mod)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			t.Module = strings.TrimSpace(name)
			break
		}
	}
	if t.Module == "" {
		return nil, fmt.Errorf("go.mod names no module")
	}
	byDir := map[string]*Package{}
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(d.Name()) || d.Name() == "testdata" {
				return fs.SkipDir
			}
			if p != "." {
				// A module within the module keeps rules of its own.
				if _, err := fs.Stat(fsys, path.Join(p, "go.mod")); err == nil {
					return fs.SkipDir
				}
			}
			return nil
		}
		if path.Ext(p) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(t.fset, p, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(p)
		if byDir[dir] == nil {
			byDir[dir] = &Package{Dir: dir}
		}
		byDir[dir].Files = append(byDir[dir].Files, &File{
			Path: p, Test: strings.HasSuffix(p, "_test.go"),
			Lines: bytes.Count(src, []byte("\n")), AST: f, names: importNames(f),
		})
		return nil
	})
	for _, p := range byDir {
		t.Packages = append(t.Packages, p)
	}
	sort.Slice(t.Packages, func(i, j int) bool { return t.Packages[i].Dir < t.Packages[j].Dir })
	return t, err
}

func importNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, im := range f.Imports {
		p, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		// A version at the end is not the name: …/go-toml/v2 is "toml".
		if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
			name = path.Base(path.Dir(p))
		}
		name = strings.TrimPrefix(name, "go-")
		if im.Name != nil {
			name = im.Name.Name
		}
		names[name] = p
	}
	return names
}

// local gives the folder of an import path inside the module.
func (t *Tree) local(importPath string) (dir string, ok bool) {
	if importPath == t.Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, t.Module+"/")
}

func (t *Tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// code calls fn for every file that is compiled into something shipped.
func (t *Tree) code(fn func(p *Package, f *File)) {
	for _, p := range t.Packages {
		for _, f := range p.Files {
			if !f.Test {
				fn(p, f)
			}
		}
	}
}

// matches tells whether a folder meets a pattern: exact, or "x/*" for the
// folders directly below x.
func matches(pattern, dir string) bool {
	if below, ok := strings.CutSuffix(pattern, "/*"); ok {
		rest, ok := strings.CutPrefix(dir, below+"/")
		return ok && rest != "" && !strings.Contains(rest, "/")
	}
	return pattern == dir
}

func anyMatches(patterns []string, dir string) bool {
	for _, p := range patterns {
		if matches(p, dir) {
			return true
		}
	}
	return false
}
