package native

import (
	_ "embed"
	"strings"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed search_files.md
var searchFilesProse string

const widestLimit = 1_000_000

func searchFiles() dialect.Tool {
	return dialect.Tool{
		Name:   "search_files",
		Title:  "Search for files",
		Label:  "Searching your files",
		Prose:  dialect.ParseProse(searchFilesProse),
		Params: searchParams,
		Call: func(a dialect.Args) (reeve.Call, error) {
			return &reeve.SearchFiles{
				Pattern:        a.String("pattern"),
				Path:           a.String("path"),
				Contains:       a.String("contains"),
				Type:           a.String("type"),
				ModifiedAfter:  a.String("modified_after"),
				ModifiedBefore: a.String("modified_before"),
				CreatedAfter:   a.String("created_after"),
				CreatedBefore:  a.String("created_before"),
				LargerThan:     a.Int64("larger_than"),
				SmallerThan:    a.Int64("smaller_than"),
				Sort:           a.String("sort"),
				Hidden:         a.BoolOr("hidden"),
				Ignored:        a.Bool("ignored"),
				Limit:          a.Int("limit"),
				Cursor:         a.String("cursor"),
			}, nil
		},
		Render: func(r reeve.Result, c dialect.Context) string {
			return renderFound(r.Answer.(*reeve.Found), r.Notes, c)
		},
		ReadOnly: true, Idempotent: true,
	}
}

func searchParams(s reeve.Settings) []dialect.Param {
	when := func(name string) dialect.Param {
		return dialect.Param{Name: name, Type: dialect.OneString, Bytes: timeBytes}
	}
	bytes := func(name string) dialect.Param {
		return dialect.Param{Name: name, Type: dialect.Whole, Min: 0, Max: sizeMax}
	}
	return []dialect.Param{
		{Name: "pattern", Type: dialect.OneString, Required: true, Bytes: patternBytes},
		path(false),
		{Name: "contains", Type: dialect.OneString, Bytes: textBytes},
		{Name: "type", Type: dialect.OneString, Enum: []string{"file", "directory", "symlink"}},
		when("modified_after"), when("modified_before"),
		when("created_after"), when("created_before"),
		bytes("larger_than"), bytes("smaller_than"),
		{Name: "sort", Type: dialect.OneString, Enum: []string{"path", "newest"}},
		yesNo("hidden"),
		yesNo("ignored"),
		{Name: "limit", Type: dialect.Whole, Min: 1, Max: most(s.MaxLimit, widestLimit)},
		cursor(),
	}
}

// renderFound shows size and time only where the search was about them.
func renderFound(f *reeve.Found, notes []reeve.Text, c dialect.Context) string {
	facts := false
	if q, ok := c.Call.(*reeve.SearchFiles); ok {
		facts = q.Sort == "newest" || q.LargerThan != nil || q.SmallerThan != nil ||
			q.ModifiedAfter != "" || q.ModifiedBefore != ""
	}
	var b strings.Builder
	b.Grow(128 + 48*len(f.Entries))
	if len(f.Entries) == 0 {
		b.WriteString("No match below ")
	} else if f.Cursor != "" {
		// How many there are is not known before the last page.
		b.WriteString(count(len(f.Entries), "match", "matches") + " shown, below ")
	} else {
		b.WriteString(count(len(f.Entries), "match", "matches") + " below ")
	}
	b.WriteString(f.Path.String() + "\n")
	for i := range f.Entries {
		entry(&b, &f.Entries[i], c, facts)
	}
	b.WriteString("Looked at " + count(f.Looked, "entry", "entries") + ".\n")
	skipped(&b, f.Skipped, "hidden", "ignored")
	if f.Changed {
		b.WriteString("Something has changed since the page before: a match may be missing or stand twice.\n")
	}
	if len(f.Incomplete) > 0 {
		stoppedBy(&b, f.Incomplete...)
	}
	more(&b, 0, f.Cursor)
	return finish(&b, notes)
}
