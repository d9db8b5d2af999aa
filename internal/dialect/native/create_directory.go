package native

import (
	_ "embed"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed create_directory.md
var createDirectoryProse string

func createDirectory() dialect.Tool {
	return dialect.Tool{
		Name:  "create_directory",
		Title: "Make a folder",
		Label: "Making a folder",
		Prose: dialect.ParseProse(createDirectoryProse),
		Params: func(reeve.Settings) []dialect.Param {
			return []dialect.Param{
				path(true),
			}
		},
		Call: func(a dialect.Args) (reeve.Call, error) {
			return &reeve.CreateDirectory{Path: a.String("path")}, nil
		},
		Render:     renderChanged,
		Idempotent: true,
	}
}
