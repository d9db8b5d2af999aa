package native

import (
	_ "embed"
	"strconv"

	"reeve"
	"reeve/internal/dialect"
)

//go:embed edit_file.md
var editFileProse string

func editFile() dialect.Tool {
	return dialect.Tool{
		Name:  "edit_file",
		Title: "Edit files",
		Label: "Editing a file",
		Prose: dialect.ParseProse(editFileProse),
		Params: func(reeve.Settings) []dialect.Param {
			return []dialect.Param{
				path(false),
				{Name: "old_string", Type: dialect.OneString, Bytes: contentBytes},
				{Name: "new_string", Type: dialect.OneString, Bytes: contentBytes},
				yesNo("all"),
				{Name: "edits", Type: dialect.ManyObjects, Min: 1, Max: manyEdits, Fields: []dialect.Param{
					path(false),
					{Name: "old_string", Type: dialect.OneString, Required: true, Bytes: contentBytes},
					{Name: "new_string", Type: dialect.OneString, Required: true, Bytes: contentBytes},
					yesNo("all"),
				}},
				yesNo("dry_run"),
				version(),
			}
		},
		Call:        editCall,
		Render:      renderChanged,
		Destructive: true,
	}
}

// editCall reads one edit at the top, or a list.
func editCall(a dialect.Args) (reeve.Call, error) {
	c := &reeve.EditFile{Path: a.String("path"), DryRun: a.Bool("dry_run"), IfVersion: a.String("if_version")}
	one := a.Has("old_string") || a.Has("new_string")
	switch {
	case one && a.Has("edits"):
		return nil, dialect.Invalid(a.Tool(), `both "edits" and "old_string" or "new_string" are given`, "Put all of it into edits.")
	case a.Has("edits") && a.Has("all"):
		return nil, dialect.Invalid(a.Tool(), `"all" stands beside "edits"`, "Give it in each of the edits that needs it.")
	case !one && !a.Has("edits"):
		return nil, dialect.Invalid(a.Tool(), `neither "old_string" and "new_string" nor "edits" are given`, "Give the two, or a list of edits.")
	case one && (!a.Has("old_string") || !a.Has("new_string")):
		return nil, dialect.Invalid(a.Tool(), `"old_string" and "new_string" go together, and one of them is missing`, "Give both; an empty new_string deletes the text.")
	case one && !a.Has("path"):
		return nil, dialect.Invalid(a.Tool(), `"path" is missing`, "Give the file.")
	case one:
		c.Edits = []reeve.Edit{{Old: a.String("old_string"), New: a.String("new_string"), All: a.Bool("all")}}
		return c, nil
	}
	for i, e := range a.Objects("edits") {
		if !e.Has("path") && !a.Has("path") {
			return nil, dialect.Invalid(a.Tool(), "item "+strconv.Itoa(i+1)+` of "edits" names no file, and there is no "path"`, "Give path for all of them, or one in each.")
		}
		c.Edits = append(c.Edits, reeve.Edit{Path: e.String("path"), Old: e.String("old_string"), New: e.String("new_string"), All: e.Bool("all")})
	}
	return c, nil
}
