package native

import (
	_ "embed"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed copy_path.md
var copyPathProse string

func copyPath() dialect.Tool {
	return dialect.Tool{
		Name:  "copy_path",
		Title: "Copy a file or folder",
		Label: "Copying a file",
		Prose: dialect.ParseProse(copyPathProse),
		Params: func(reeve.Settings) []dialect.Param {
			return []dialect.Param{
				place("from"),
				place("to"),
			}
		},
		Call: func(a dialect.Args) (reeve.Call, error) {
			return &reeve.CopyPath{From: a.String("from"), To: a.String("to")}, nil
		},
		Render: renderChanged,
	}
}
