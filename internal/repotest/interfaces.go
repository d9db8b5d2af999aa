package repotest

import (
	"fmt"
	"go/ast"
)

// WideInterfaces lists interfaces of more than three methods, as
// "folder.Name", with the reason.
func WideInterfaces() []May {
	return []May{}
}

// Interfaces finds declared interfaces of more than three methods. Embedded
// interfaces of the same package count with their methods, others as one.
func Interfaces(t *Tree, may []May) []Finding {
	var out []Finding
	for _, p := range t.Packages {
		decls := map[string]*ast.InterfaceType{}
		for _, f := range p.Files {
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if ts, ok := n.(*ast.TypeSpec); ok {
					if it, ok := ts.Type.(*ast.InterfaceType); ok {
						decls[ts.Name.Name] = it
					}
				}
				return true
			})
		}
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			ast.Inspect(f.AST, func(n ast.Node) bool {
				ts, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				it, ok := ts.Type.(*ast.InterfaceType)
				if !ok || listed(may, p.Dir+"."+ts.Name.Name) {
					return true
				}
				if n := methods(it, decls, 0); n > 3 {
					out = append(out, Finding{t.at(ts.Name), fmt.Sprintf("interface %s has %d methods: with one to three it can be met by a test in a few lines and replaced as a part. Split it where it is used, or give the reason in WideInterfaces (internal/repotest/interfaces.go)", ts.Name.Name, n)})
				}
				return true
			})
		}
	}
	return out
}

func methods(it *ast.InterfaceType, decls map[string]*ast.InterfaceType, depth int) int {
	n := 0
	for _, m := range it.Methods.List {
		switch {
		case len(m.Names) > 0:
			n += len(m.Names)
		default:
			switch e := m.Type.(type) {
			case *ast.Ident:
				if inner := decls[e.Name]; inner != nil && depth < 8 {
					n += methods(inner, decls, depth+1)
					continue
				}
				if e.Name != "comparable" {
					n++
				}
			case *ast.SelectorExpr:
				n++
			}
		}
	}
	return n
}

// LongFiles reports files that have grown beyond what is read in one go. It
// is told, not failed: the gate, for one, stays in one file.
func LongFiles(t *Tree, code, test int) []Finding {
	var out []Finding
	for _, p := range t.Packages {
		for _, f := range p.Files {
			limit := code
			if f.Test {
				limit = test
			}
			if f.Lines > limit && f.Path != "internal/guard/gate.go" {
				out = append(out, Finding{f.Path, fmt.Sprintf("has %d lines (guide: %d); does it hold two things?", f.Lines, limit)})
			}
		}
	}
	return out
}
