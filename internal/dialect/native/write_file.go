package native

import (
	_ "embed"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed write_file.md
var writeFileProse string

func writeFile() dialect.Tool {
	return dialect.Tool{
		Name:  "write_file",
		Title: "Write a file",
		Label: "Writing a file",
		Prose: dialect.ParseProse(writeFileProse),
		Params: func(reeve.Settings) []dialect.Param {
			return []dialect.Param{
				path(true),
				{Name: "content", Type: dialect.OneString, Required: true, Bytes: contentBytes},
				version(),
			}
		},
		Call: func(a dialect.Args) (reeve.Call, error) {
			return &reeve.WriteFile{Path: a.String("path"), Content: a.String("content"), IfVersion: a.String("if_version")}, nil
		},
		Render:      renderChanged,
		Destructive: true, Idempotent: true,
	}
}
