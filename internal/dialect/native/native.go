// Package native is Reeve's own vocabulary of tools: one tool for each verb,
// under the verb's name, with numbered lines and one voice for refusals.
//
// Call New. Each tool is x.go (parameters and rendering) and x.md (what a
// model is told), and its surface stands in snap/x.json.
//
// It protects nobody: it reads arguments strictly and shows results as they
// are. What may be asked and what may leave is for the gate.
package native

import (
	"reeve"
	"reeve/internal/dialect"
)

// New makes the dialect. It is safe for concurrent use.
func New() *dialect.Dialect {
	d := &dialect.Dialect{
		Name: "native",
		Tools: []dialect.Tool{
			listRoots(),
			listDirectory(),
			searchFiles(),
			stat(),
			readFile(),
			writeFile(),
			editFile(),
			createDirectory(),
			copyPath(),
			movePath(),
			deletePath(),
		},
		Refusal: dialect.Refusal,
	}
	for i := range d.Tools {
		d.Tools[i].Verb = reeve.Verb(d.Tools[i].Name)
	}
	d.Instructions = func(f dialect.Facts) string { return instructions(f, d.Changes()) }
	return d
}

// Bounds of arguments. Paths may be as long in the escaped form as package
// pathname takes them; it judges the real length.
const (
	pathBytes    = 5 * 4096
	patternBytes = 1000
	textBytes    = 4096
	cursorBytes  = 4096
	timeBytes    = 64
	manyPaths    = 50
	manyEdits    = 100
	versionBytes = 64
	contentBytes = 16 << 20 // what the transport takes at most
	lineMax      = 2_000_000_000
	sizeMax      = 1<<53 - 1
)

func path(required bool) dialect.Param {
	return dialect.Param{Name: "path", Type: dialect.OneString, Required: required, Bytes: pathBytes, Path: true}
}

// place is a path under a name of its own.
func place(name string) dialect.Param {
	return dialect.Param{Name: name, Type: dialect.OneString, Required: true, Bytes: pathBytes, Path: true}
}

func version() dialect.Param {
	return dialect.Param{Name: "if_version", Type: dialect.OneString, Bytes: versionBytes}
}

func cursor() dialect.Param {
	return dialect.Param{Name: "cursor", Type: dialect.OneString, Bytes: cursorBytes}
}

func yesNo(name string) dialect.Param { return dialect.Param{Name: name, Type: dialect.YesNo} }

// most is a bound of the settings, or the widest there is where they are
// silent.
func most(n, widest int) int64 {
	if n <= 0 || n > widest {
		n = widest
	}
	return int64(n)
}
