package native

import (
	_ "embed"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed delete_path.md
var deletePathProse string

func deletePath() dialect.Tool {
	return dialect.Tool{
		Name:  "delete_path",
		Title: "Delete a file or folder",
		Label: "Deleting a file",
		Prose: dialect.ParseProse(deletePathProse),
		Params: func(reeve.Settings) []dialect.Param {
			return []dialect.Param{
				path(true),
				yesNo("recursive"),
			}
		},
		Call: func(a dialect.Args) (reeve.Call, error) {
			return &reeve.DeletePath{Path: a.String("path"), Recursive: a.Bool("recursive")}, nil
		},
		Render:      renderChanged,
		Destructive: true,
	}
}
