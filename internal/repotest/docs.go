package repotest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"unicode"
)

// Guarding are the packages whose comment must say what they do not protect
// from: a reader takes the rest for promised.
func Guarding() []string {
	return []string{".", "internal/capfs", "internal/guard", "internal/policy", "internal/record", "internal/approval", "internal/ops",
		"internal/mcpserver", "internal/history", "internal/readstate", "internal/secret", "internal/worker", "internal/console", "internal/bus", "node"}
}

// PackageComments checks that each package has a comment of at least two
// sentences, in doc.go or (for a package of one file) beside the code.
func PackageComments(t *Tree, guarding []string) []Finding {
	var out []Finding
	for _, p := range t.Packages {
		var text string
		sources := 0
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			sources++
			if f.AST.Doc != nil {
				text += f.AST.Doc.Text() + "\n"
			}
		}
		if sources == 0 {
			continue // tests alone
		}
		flat := strings.Join(strings.Fields(text), " ")
		switch {
		case flat == "":
			out = append(out, Finding{p.Dir, "has no package comment: say in doc.go what it is, what to call first and what it does not protect from"})
		case sentences(flat) < 2:
			out = append(out, Finding{p.Dir, "its package comment is a single sentence: say what to call first, and what it does not do"})
		case anyMatches(guarding, p.Dir) && !saysLimits(flat):
			out = append(out, Finding{p.Dir, "its package comment does not say what the package does not protect from; readers take everything else for promised"})
		}
	}
	return out
}

func sentences(s string) int {
	n := 0
	for i := range len(s) {
		if strings.IndexByte(".!?", s[i]) >= 0 && (i+1 == len(s) || s[i+1] == ' ') {
			n++
		}
	}
	return n
}

func saysLimits(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "not protect") || strings.Contains(s, "protects from nothing")
}

// wellKnown are methods that the standard library explains.
func wellKnown() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields("Error String Is As Unwrap Read ReadAt Write WriteTo ReadFrom Close Seek Len Less Swap Push Pop Format GoString " +
		"MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalTOML UnmarshalTOML IsZero Name Size Mode ModTime IsDir Sys Type Info ServeHTTP RoundTrip Set") {
		m[n] = true
	}
	return m
}

// Documented finds exported names without a comment. A constant is explained
// by its own comment, its group's, or by the documented type that it belongs
// to; a method also by the interface of this module that declares it.
func Documented(t *Tree) []Finding {
	known := wellKnown()
	for _, p := range t.Packages {
		for _, f := range p.Files {
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if it, ok := n.(*ast.InterfaceType); ok {
					for _, m := range it.Methods.List {
						for _, name := range m.Names {
							known[name.Name] = true
						}
					}
				}
				return true
			})
		}
	}
	var out []Finding
	for _, p := range t.Packages {
		types := documentedTypes(p)
		for _, f := range p.Files {
			if f.Test || f.AST.Name.Name == "main" {
				continue
			}
			for _, d := range f.AST.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if !d.Name.IsExported() || d.Doc != nil || d.Recv != nil && (!exportedReceiver(d) || known[d.Name.Name]) {
						continue
					}
					out = append(out, Finding{t.at(d.Name), fmt.Sprintf("exported %s has no comment: what does it give, in which units, and which errors?", d.Name.Name)})
				case *ast.GenDecl:
					out = append(out, t.undocumented(d, types)...)
				}
			}
		}
	}
	return out
}

func documentedTypes(p *Package) map[string]bool {
	types := map[string]bool{}
	for _, f := range p.Files {
		for _, d := range f.AST.Decls {
			gd, ok := d.(*ast.GenDecl)
			if !ok || gd.Tok != token.TYPE {
				continue
			}
			for _, s := range gd.Specs {
				ts := s.(*ast.TypeSpec)
				if gd.Doc != nil || ts.Doc != nil || ts.Comment != nil {
					types[ts.Name.Name] = true
				}
			}
		}
	}
	return types
}

func (t *Tree) undocumented(d *ast.GenDecl, types map[string]bool) []Finding {
	var out []Finding
	// One comment may tell several names of a group.
	told := map[string]bool{}
	for _, s := range d.Specs {
		if vs, ok := s.(*ast.ValueSpec); ok {
			for _, word := range strings.FieldsFunc(vs.Doc.Text(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
				told[word] = true
			}
		}
	}
	lastType := ""
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				out = append(out, Finding{t.at(s.Name), "exported type " + s.Name.Name + " has no comment: what is it, and what is its zero value?"})
			}
		case *ast.ValueSpec:
			if id, ok := s.Type.(*ast.Ident); ok {
				lastType = id.Name
			} else if s.Values != nil {
				lastType = ""
			}
			if d.Doc != nil || s.Doc != nil || s.Comment != nil || types[lastType] {
				continue
			}
			for _, n := range s.Names {
				if n.IsExported() && !told[n.Name] {
					out = append(out, Finding{t.at(n), "exported " + n.Name + " has no comment"})
				}
			}
		}
	}
	return out
}

func exportedReceiver(d *ast.FuncDecl) bool {
	e := d.Recv.List[0].Type
	for {
		switch v := e.(type) {
		case *ast.StarExpr:
			e = v.X
		case *ast.IndexExpr:
			e = v.X
		case *ast.IndexListExpr:
			e = v.X
		case *ast.Ident:
			return v.IsExported()
		default:
			return false
		}
	}
}
