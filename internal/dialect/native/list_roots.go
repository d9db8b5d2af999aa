package native

import (
	_ "embed"
	"strings"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed list_roots.md
var listRootsProse string

func listRoots() dialect.Tool {
	return dialect.Tool{
		Name:   "list_roots",
		Title:  "List granted folders",
		Label:  "Looking up the granted folders",
		Prose:  dialect.ParseProse(listRootsProse),
		Params: func(reeve.Settings) []dialect.Param { return nil },
		Call:   func(dialect.Args) (reeve.Call, error) { return &reeve.ListRoots{}, nil },
		Render: func(r reeve.Result, c dialect.Context) string {
			return renderRoots(r.Answer.(*reeve.Roots), r.Notes)
		},
		ReadOnly: true, Idempotent: true,
	}
}

// renderRoots shows a line for each root: path, access, and its state when
// it can't be used as it is.
func renderRoots(a *reeve.Roots, notes []reeve.Text) string {
	var b strings.Builder
	if len(a.Roots) == 0 {
		b.WriteString("No folder is granted.\n")
	}
	for _, r := range a.Roots {
		b.WriteString(r.Path.String())
		b.WriteString("  ")
		b.WriteString(string(r.Access))
		if r.Target != "" && r.Target != reeve.Local {
			b.WriteString("  on " + string(r.Target))
		}
		switch r.State {
		case "", reeve.StateOpen:
		case reeve.StatePending:
			b.WriteString("  pending: does not exist yet")
		case reeve.StateSuspended:
			b.WriteString("  suspended: the owner must confirm it")
		case reeve.StateLost:
			b.WriteString("  lost: does not answer")
		default:
			b.WriteString("  " + string(r.State))
		}
		if !r.Note.IsZero() {
			b.WriteString("  (" + r.Note.String() + ")")
		}
		b.WriteByte('\n')
	}
	if !a.Relative.IsZero() {
		b.WriteString("Relative paths start at " + a.Relative.String() + "\n")
	}
	for i, l := range a.Limits {
		if i == 0 {
			b.WriteString("Limits: ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(l.Name + " " + dialect.Thousands(l.Value))
		if l.Unit != "" && !strings.HasSuffix(l.Name, l.Unit) {
			b.WriteString(" " + l.Unit)
		}
	}
	if len(a.Limits) > 0 {
		b.WriteByte('\n')
	}
	return finish(&b, notes)
}
