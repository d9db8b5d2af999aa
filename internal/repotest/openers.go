package repotest

import (
	"fmt"
	"go/ast"
	"strings"
)

// May is an exception with its reason.
type May struct{ Package, Why string }

// OpensFiles lists who may name files to the system, and why. The way to a
// user's file is capfs alone; the others open files of Reeve's own.
func OpensFiles() []May {
	return []May{
		{"internal/capfs", "the one door to user files: it walks held descriptors"},
		{"internal/record", "it writes segments in Reeve's own state folder"},
		{"internal/approval", "it keeps cards and answers in Reeve's own state folder"},
		{"internal/asking", "it keeps the signs of open pages and its key in Reeve's own state folder"},
		{"internal/approval/*", "a channel reaches its socket or its helper program"},
		{"internal/history", "it keeps blobs in Reeve's own state folder"},
		{"internal/worker", "it starts from Reeve's own program file"},
		{"internal/hub", "it keeps its own store"},
		{"internal/console", "it keeps its own socket in the state folder"},
		{"node", "it reads the configuration and the generation file"},
		{"internal/cli", "it reads key=@FILE for the person at the keyboard, and edits the configuration"},
		{"internal/capfstest", "kit: it builds the trees that the walker is tested on"},
		{"internal/attack", "kit: it builds the trees that are attacked"},
		{"internal/repotest", "it reads the repository"},
		{"reevetest", "kit: it builds the trees that a Doer is tested on"},
	}
}

// openers are the functions that reach a file by its name, by import path.
// "*" stands for all of them, "x*" for all that begin so.
func openers() map[string][]string {
	system := []string{"Open*", "Creat*", "Stat", "Lstat", "Statx", "Fstatat", "Newfstatat", "Rename*", "Mkdir*", "Mknod*", "Mkfifo*", "Unlink*", "Rmdir",
		"Link*", "Symlink*", "Readlink*", "Truncate", "Chmod", "Chown", "Lchown", "Fchmodat*", "Fchownat*", "Access", "Faccessat*", "Utimes*", "Mount", "Chdir", "Chroot",
		"Exec*", "Setxattr", "Lsetxattr", "Getxattr", "Lgetxattr", "Listxattr", "Llistxattr", "NameToHandleAt", "CreateFile*", "DeleteFile*", "MoveFile*", "FindFirstFile*",
		"GetFileAttributes*", "SetFileAttributes*", "RemoveDirectory*", "CreateDirectory*", "CreateHardLink*", "CreateSymbolicLink*", "ReplaceFile*", "CopyFile*", "NtCreateFile", "Statfs", "Syscall*", "RawSyscall*"}
	return map[string][]string{
		"os": {"Open*", "Create*", "ReadFile", "WriteFile", "ReadDir", "Mkdir*", "Remove*", "Rename", "Link", "Symlink", "Readlink", "Stat", "Lstat",
			"Chmod", "Chown", "Lchown", "Chtimes", "Chdir", "Truncate", "DirFS", "CopyFS", "StartProcess"},
		"syscall":                  system,
		"golang.org/x/sys/unix":    system,
		"golang.org/x/sys/windows": system,
		"path/filepath":            {"Walk*", "EvalSymlinks", "Glob"},
		"archive/zip":              {"OpenReader"},
		"text/template":            {"ParseFiles", "ParseGlob"},
		"html/template":            {"ParseFiles", "ParseGlob"},
		"net/http":                 {"Dir", "ServeFile", "FileServer", "NewFileTransport"},
		"crypto/tls":               {"LoadX509KeyPair"},
		"debug/elf":                {"Open"},
		"debug/macho":              {"Open*"},
		"debug/pe":                 {"Open"},
		"go/parser":                {"ParseFile", "ParseDir"},
	}
}

// Openers finds functions that reach a file by name in packages that may not.
// Passing such a function on counts as much as calling it.
func Openers(t *Tree, may []May) []Finding {
	table := openers()
	var out []Finding
	t.code(func(p *Package, f *File) {
		for _, m := range may {
			if matches(m.Package, p.Dir) {
				return
			}
		}
		for _, im := range f.AST.Imports {
			if im.Name != nil && im.Name.Name == "." {
				if _, ok := table[strings.Trim(im.Path.Value, "`\"")]; ok {
					out = append(out, Finding{t.at(im), "dot-imports " + im.Path.Value + ", which hides what opens files"})
				}
			}
		}
		f.selectors(func(sel *ast.SelectorExpr, path string) {
			for _, pattern := range table[path] {
				prefix, open := strings.CutSuffix(pattern, "*")
				if sel.Sel.Name == pattern || open && strings.HasPrefix(sel.Sel.Name, prefix) {
					out = append(out, Finding{t.at(sel), fmt.Sprintf("%s uses %s.%s: user files are reached through capfs alone, which walks held descriptors; a name given to the system can lead anywhere by then. An exception needs a reason in OpensFiles (internal/repotest/openers.go)", p.Dir, path, sel.Sel.Name)})
					return
				}
			}
		})
	})
	return out
}

// selectors calls fn for each package-qualified name in a file.
func (f *File) selectors(fn func(sel *ast.SelectorExpr, importPath string)) {
	ast.Inspect(f.AST, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok {
			if path, ok := f.names[id.Name]; ok {
				fn(sel, path)
			}
		}
		return true
	})
}

// Cleared keeps the making of cleared text in the gate. Tests make their own.
func Cleared(t *Tree) []Finding {
	const why = "text that leaves is made by the gate's Reply alone, where policy, redaction and the byte budget act"
	var out []Finding
	t.code(func(p *Package, f *File) {
		if p.Dir == "internal/guard" {
			return
		}
		f.selectors(func(sel *ast.SelectorExpr, path string) {
			if path == t.Module && sel.Sel.Name == "Cleared" {
				out = append(out, Finding{t.at(sel), "uses reeve.Cleared: " + why})
			}
		})
		if p.Dir != "." {
			return
		}
		for _, d := range f.AST.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == "Cleared" {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == "Cleared" {
					out = append(out, Finding{t.at(id), "uses Cleared inside the words: " + why})
				}
				return true
			})
		}
	})
	return out
}
