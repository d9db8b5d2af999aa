package native

import (
	_ "embed"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed read_file.md
var readFileProse string

func readFile() dialect.Tool {
	return dialect.Tool{
		Name:  "read_file",
		Title: "Read files",
		Label: "Reading a file",
		Prose: dialect.ParseProse(readFileProse),
		Params: func(s reeve.Settings) []dialect.Param {
			return []dialect.Param{
				path(false),
				{Name: "paths", Type: dialect.ManyStrings, Min: 1, Max: manyPaths, Bytes: pathBytes, Path: true},
				{Name: "offset", Type: dialect.Whole, Min: -lineMax, Max: lineMax, NotZero: true},
				{Name: "column", Type: dialect.Whole, Min: 1, Max: lineMax},
				{Name: "limit", Type: dialect.Whole, Min: 1, Max: most(s.MaxLimit, widestLimit)},
			}
		},
		Call: readCall,
		Render: func(r reeve.Result, c dialect.Context) string {
			return renderPages(r.Answer.(*reeve.Pages), r.Notes, c)
		},
		ReadOnly: true, Idempotent: true,
	}
}

func readCall(a dialect.Args) (reeve.Call, error) {
	paths := a.Strings("paths")
	switch {
	case a.Has("path") && a.Has("paths"):
		return nil, dialect.Invalid(a.Tool(), `both "path" and "paths" are given`, "Give one of them.")
	case a.Has("path"):
		paths = []string{a.String("path")}
	case !a.Has("paths"):
		return nil, dialect.Invalid(a.Tool(), `neither "path" nor "paths" is given`,
			`Give "path" for one file, or "paths" for several.`)
	}
	return &reeve.ReadFile{Paths: paths, Offset: a.Int("offset"), Column: a.Int("column"), Limit: a.Int("limit")}, nil
}
