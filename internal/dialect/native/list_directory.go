package native

import (
	_ "embed"
	"strings"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed list_directory.md
var listDirectoryProse string

const widestDepth = 1000

func listDirectory() dialect.Tool {
	return dialect.Tool{
		Name:  "list_directory",
		Title: "List a folder",
		Label: "Listing a folder",
		Prose: dialect.ParseProse(listDirectoryProse),
		Params: func(s reeve.Settings) []dialect.Param {
			return []dialect.Param{
				path(true),
				yesNo("hidden"),
				yesNo("recursive"),
				{Name: "depth", Type: dialect.Whole, Min: 1, Max: most(s.ListDepth, widestDepth)},
				cursor(),
			}
		},
		Call: func(a dialect.Args) (reeve.Call, error) {
			if a.Has("depth") && !a.Bool("recursive") {
				return nil, dialect.Invalid(a.Tool(), `"depth" only goes with "recursive": true`,
					"Add it, or leave depth out.")
			}
			return &reeve.ListDirectory{
				Path:      a.String("path"),
				Hidden:    a.Bool("hidden"),
				Recursive: a.Bool("recursive"),
				Depth:     a.Int("depth"),
				Cursor:    a.String("cursor"),
			}, nil
		},
		Render: func(r reeve.Result, c dialect.Context) string {
			return renderListing(r.Answer.(*reeve.Listing), r.Notes, c)
		},
		ReadOnly: true, Idempotent: true,
	}
}

func renderListing(l *reeve.Listing, notes []reeve.Text, c dialect.Context) string {
	var b strings.Builder
	b.Grow(64 + 48*len(l.Entries))
	b.WriteString(l.Path.String())
	switch n := len(l.Entries); {
	case n == 0 && l.Cursor == "" && len(l.Skipped) == 0:
		b.WriteString(": empty")
	case n == 0:
		b.WriteString(": nothing to show")
	default:
		b.WriteString(": " + count(n, "entry", "entries"))
		if l.Cursor != "" {
			b.WriteString(" shown")
		}
	}
	b.WriteByte('\n')
	for i := range l.Entries {
		entry(&b, &l.Entries[i], c, true)
	}
	skipped(&b, l.Skipped, "hidden")
	if l.Changed {
		b.WriteString("The folder has changed since the page before: an entry may be missing or stand twice.\n")
	}
	if l.Truncated != "" {
		stoppedBy(&b, l.Truncated)
	}
	more(&b, l.Left, l.Cursor)
	return finish(&b, notes)
}
