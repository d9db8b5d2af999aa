package native

import (
	_ "embed"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed move_path.md
var movePathProse string

func movePath() dialect.Tool {
	return dialect.Tool{
		Name:  "move_path",
		Title: "Move a file or folder",
		Label: "Moving a file",
		Prose: dialect.ParseProse(movePathProse),
		Params: func(reeve.Settings) []dialect.Param {
			return []dialect.Param{
				place("from"),
				place("to"),
			}
		},
		Call: func(a dialect.Args) (reeve.Call, error) {
			return &reeve.MovePath{From: a.String("from"), To: a.String("to")}, nil
		},
		Render:      renderChanged,
		Destructive: true,
	}
}
