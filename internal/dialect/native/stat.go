package native

import (
	_ "embed"
	"strconv"
	"strings"
	"time"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed stat.md
var statProse string

func stat() dialect.Tool {
	return dialect.Tool{
		Name:   "stat",
		Title:  "Look up a file's facts",
		Label:  "Looking at a file",
		Prose:  dialect.ParseProse(statProse),
		Params: func(reeve.Settings) []dialect.Param { return []dialect.Param{path(true)} },
		Call: func(a dialect.Args) (reeve.Call, error) {
			return &reeve.Stat{Path: a.String("path")}, nil
		},
		Render: func(r reeve.Result, c dialect.Context) string {
			return renderFacts(r.Answer.(*reeve.Facts), r.Notes, c)
		},
		ReadOnly: true, Idempotent: true,
	}
}

func renderFacts(f *reeve.Facts, notes []reeve.Text, c dialect.Context) string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			b.WriteString(key + ": " + value + "\n")
		}
	}
	line("path", f.Path.String())
	line("type", string(f.Kind))
	if f.Kind == reeve.Symlink {
		line("link to", f.Link.String())
	}
	line("size", size(f.Size))
	line("modified", moment(f.Modified, c))
	line("created", moment(f.Created, c))
	line("accessed", moment(f.Accessed, c))
	line("permissions", f.Permissions)
	if f.Links > 1 && f.Kind == reeve.File {
		line("names", strconv.FormatUint(f.Links, 10)+" (hard links to the same file)")
	}
	line("access", string(f.Access))
	if !f.Version.IsZero() {
		line("version", f.Version.String())
	}
	return finish(&b, notes)
}

// moment is a time to the second, with its zone.
func moment(t time.Time, c dialect.Context) string {
	if t.IsZero() {
		return ""
	}
	zone := c.Zone
	if zone == nil {
		zone = time.Local
	}
	return t.In(zone).Format(time.RFC3339)
}

func size(n int64) string { return dialect.Thousands(n) + " B" }
