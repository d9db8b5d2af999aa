package repotest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Globals lists package-level variables that are allowed although they are
// neither errors nor fixed tables, as "folder.name", with the reason.
func Globals() []May {
	return []May{}
}

// Unsafe lists files that may import unsafe, with the reason.
func Unsafe() []May {
	return []May{}
}

// NoInit finds init functions: what runs before main is paid at every start,
// in an order nobody reads, and registers things nobody listed.
func NoInit(t *Tree) []Finding {
	var out []Finding
	t.code(func(p *Package, f *File) {
		for _, d := range f.AST.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == "init" {
				out = append(out, Finding{t.at(fd), "func init: it runs at every start and registers behind the reader's back; use a function that returns the value"})
			}
		}
	})
	return out
}

// NoUnsafe finds cgo anywhere and unsafe outside the listed files.
func NoUnsafe(t *Tree, may []May) []Finding {
	var out []Finding
	for _, p := range t.Packages {
		for _, f := range p.Files {
			for _, im := range f.AST.Imports {
				switch path, _ := strconv.Unquote(im.Path.Value); path {
				case "C":
					out = append(out, Finding{t.at(im), "uses cgo: Reeve is built for every system from any other, without a C compiler"})
				case "unsafe":
					if !listed(may, f.Path) {
						out = append(out, Finding{t.at(im), "imports unsafe: memory faults in the gate are holes in it. An exception needs a reason in Unsafe (internal/repotest/state.go)"})
					}
				}
			}
			for _, c := range f.AST.Comments {
				for _, l := range c.List {
					if strings.HasPrefix(l.Text, "//go:linkname") && !listed(may, f.Path) {
						out = append(out, Finding{t.at(l), "uses go:linkname: it reaches what other packages keep to themselves"})
					}
				}
			}
		}
	}
	return out
}

func listed(may []May, what string) bool {
	for _, m := range may {
		if m.Package == what {
			return true
		}
	}
	return false
}

// NoGlobals finds package-level variables that could carry state or cost time
// at the start. Allowed are: error values made by errors.New, interface
// assertions, embedded files, and tables of plain values that no code of the
// package changes or takes the address of.
func NoGlobals(t *Tree, may []May) []Finding {
	var out []Finding
	for _, p := range t.Packages {
		changed := changedNames(p)
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, d := range f.AST.Decls {
				gd, ok := d.(*ast.GenDecl)
				if !ok || gd.Tok != token.VAR {
					continue
				}
				for _, s := range gd.Specs {
					vs := s.(*ast.ValueSpec)
					for i, name := range vs.Names {
						var value ast.Expr
						if i < len(vs.Values) {
							value = vs.Values[i]
						}
						why := f.globalProblem(gd, vs, name.Name, value, changed)
						if why == "" || listed(may, p.Dir+"."+name.Name) {
							continue
						}
						out = append(out, Finding{t.at(name), fmt.Sprintf("package-level var %s %s; use a function that returns the value, or a field. An exception needs a reason in Globals (internal/repotest/state.go)", name.Name, why)})
					}
				}
			}
		}
	}
	return out
}

func (f *File) globalProblem(gd *ast.GenDecl, vs *ast.ValueSpec, name string, value ast.Expr, changed map[string]bool) string {
	if name == "_" {
		return ""
	}
	if embedded(gd.Doc) || embedded(vs.Doc) {
		return ""
	}
	if changed[name] {
		return "is changed, or its address is taken: two nodes in one process would share it"
	}
	switch v := value.(type) {
	case nil:
		return "has no value, so something must set it later"
	case *ast.CallExpr:
		if sel, ok := v.Fun.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && f.names[id.Name] == "errors" && sel.Sel.Name == "New" {
				return ""
			}
		}
		return "is computed at every start"
	}
	if plain(value) {
		return ""
	}
	return "is more than a table of plain values"
}

func embedded(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//go:embed ") {
			return true
		}
	}
	return false
}

// plain tells whether an expression is laid out by the linker: literals,
// names, conversions-free arithmetic, and arrays, slices and structs of them.
// Maps are built when the program starts and are not plain.
func plain(e ast.Expr) bool {
	switch v := e.(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.SelectorExpr:
		_, ok := v.X.(*ast.Ident)
		return ok
	case *ast.ParenExpr:
		return plain(v.X)
	case *ast.UnaryExpr:
		return v.Op != token.AND && plain(v.X)
	case *ast.BinaryExpr:
		return plain(v.X) && plain(v.Y)
	case *ast.KeyValueExpr:
		return plain(v.Value)
	case *ast.CompositeLit:
		if _, isMap := v.Type.(*ast.MapType); isMap {
			return false
		}
		for _, x := range v.Elts {
			if !plain(x) {
				return false
			}
		}
		return true
	}
	return false
}

// changedNames collects the names that any code of a package assigns to, in
// whole or in part, or takes the address of. A local variable of the same
// name counts too: the check errs on the strict side.
func changedNames(p *Package) map[string]bool {
	names := map[string]bool{}
	note := func(e ast.Expr) {
		for {
			switch v := e.(type) {
			case *ast.IndexExpr:
				e = v.X
			case *ast.SelectorExpr:
				e = v.X
			case *ast.ParenExpr:
				e = v.X
			case *ast.StarExpr:
				e = v.X
			case *ast.Ident:
				names[v.Name] = true
				return
			default:
				return
			}
		}
	}
	for _, f := range p.Files {
		if f.Test {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch v := n.(type) {
			case *ast.AssignStmt:
				if v.Tok != token.DEFINE {
					for _, l := range v.Lhs {
						note(l)
					}
				}
			case *ast.IncDecStmt:
				note(v.X)
			case *ast.UnaryExpr:
				if v.Op == token.AND {
					note(v.X)
				}
			}
			return true
		})
	}
	return names
}
