package native_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reeve"
	"reeve/internal/dialect"
	"reeve/internal/dialect/native"
)

func TestChangingCallsReachTheVerbsAsWritten(t *testing.T) {
	v := reeve.NewVersion(reeve.Stamp{Size: 1}, false, nil).String()
	for _, c := range []struct {
		tool, args string
		want       reeve.Call
	}{
		{"write_file", `{"path":"a","content":""}`, &reeve.WriteFile{Path: "a"}},
		{"write_file", `{"path":"a","content":"x\r\n\ty","if_version":"` + v + `"}`, &reeve.WriteFile{Path: "a", Content: "x\r\n\ty", IfVersion: v}},
		{"edit_file", `{"path":"a","old_string":"x","new_string":""}`, &reeve.EditFile{Path: "a", Edits: []reeve.Edit{{Old: "x"}}}},
		{"edit_file", `{"path":"a","old_string":"x","new_string":"$&","all":true,"dry_run":true,"if_version":"` + v + `"}`,
			&reeve.EditFile{Path: "a", Edits: []reeve.Edit{{Old: "x", New: "$&", All: true}}, DryRun: true, IfVersion: v}},
		{"edit_file", `{"path":"a","edits":[{"old_string":"x","new_string":"y"},{"path":"b","old_string":"p","new_string":"q","all":true}]}`,
			&reeve.EditFile{Path: "a", Edits: []reeve.Edit{{Old: "x", New: "y"}, {Path: "b", Old: "p", New: "q", All: true}}}},
		{"create_directory", `{"path":"a/b"}`, &reeve.CreateDirectory{Path: "a/b"}},
		{"copy_path", `{"from":"a","to":"b"}`, &reeve.CopyPath{From: "a", To: "b"}},
		{"move_path", `{"from":"a","to":"b"}`, &reeve.MovePath{From: "a", To: "b"}},
		{"delete_path", `{"path":"a"}`, &reeve.DeletePath{Path: "a"}},
		{"delete_path", `{"path":"a","recursive":true}`, &reeve.DeletePath{Path: "a", Recursive: true}},
	} {
		got, err := tool(t, c.tool).Decode([]byte(c.args), settings())
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s:\n%s", c.tool, c.args, diff)
		}
	}
	for name, c := range map[string]struct{ tool, args, want string }{
		"nothing to edit":       {"edit_file", `{"path":"a"}`, `neither "old_string" and "new_string" nor "edits"`},
		"half of an edit":       {"edit_file", `{"path":"a","old_string":"x"}`, "go together"},
		"the other half":        {"edit_file", `{"path":"a","new_string":"x"}`, "go together"},
		"both ways":             {"edit_file", `{"path":"a","old_string":"x","new_string":"y","edits":[{"old_string":"x","new_string":"y"}]}`, "Put all of it into edits"},
		"all beside edits":      {"edit_file", `{"path":"a","all":true,"edits":[{"old_string":"x","new_string":"y"}]}`, "each of the edits"},
		"no file":               {"edit_file", `{"old_string":"x","new_string":"y"}`, `"path" is missing`},
		"no file in one":        {"edit_file", `{"edits":[{"path":"a","old_string":"x","new_string":"y"},{"old_string":"x","new_string":"y"}]}`, `item 2 of "edits" names no file`},
		"edits as text":         {"edit_file", `{"path":"a","edits":"[]"}`, `"edits" is a string`},
		"a key of another tool": {"edit_file", `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`, "old_string"},
		"content missing":       {"write_file", `{"path":"a"}`, `"content" is missing`},
		"content as a list":     {"write_file", `{"path":"a","content":["x"]}`, `"content" is an array`},
		"an overwrite flag":     {"move_path", `{"from":"a","to":"b","overwrite":true}`, `no parameter "overwrite"`},
	} {
		_, err := tool(t, c.tool).Decode([]byte(c.args), settings())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestHowChangesAreTold(t *testing.T) {
	v := reeve.NewVersion(reeve.Stamp{Size: 1}, false, nil)
	extent := func(size, lines int64) *reeve.Extent { return &reeve.Extent{Size: size, Lines: lines, Counted: true} }
	for _, c := range []struct {
		name, tool string
		dry        bool
		file       reeve.ChangedFile
		want       string
	}{
		{"a new file", "write_file", false, reeve.ChangedFile{Path: text("/p/n/a"), Did: reeve.DidCreate, Kind: reeve.File, Now: extent(2180, 61), Made: []reeve.Text{text("/p/n")}},
			"Created /p/n/a (2,180 bytes, 61 lines).\nMade the folder /p/n as well."},
		{"over a file", "write_file", false, reeve.ChangedFile{Path: text("/p/a"), Did: reeve.DidOverwrite, Was: extent(1240, 40), Now: extent(1, 1), Encoding: "utf-16le", BOM: true, Endings: "crlf"},
			"Overwrote /p/a (was 1,240 bytes, 40 lines; is now 1 byte, 1 line).\nKept as it was: utf-16le, the byte order mark, crlf line ends."},
		{"in place, many names, by a link", "write_file", false, reeve.ChangedFile{Path: text("/p/a"), Did: reeve.DidOverwrite, Was: extent(0, 0), Now: extent(2, 1), InPlace: true, Names: 3, Via: text("/p/l"), Encoding: "utf-8", Endings: "lf"},
			"Overwrote /p/a (was 0 bytes, 0 lines; is now 2 bytes, 1 line).\n/p/l is a link to it; the file itself was changed."},
		{"an edit", "edit_file", false, reeve.ChangedFile{Path: text("/p/a"), Did: reeve.DidEdit, Replacements: 2, More: 1200,
			Excerpt: []reeve.Line{{N: 9, Text: text("x")}, {N: 10, Text: text("forged\nDeleted /p/b.")}, {N: 40, Text: text("y"), Column: 7, Cut: true}}},
			"Edited /p/a (2 replacements).\n9\tx\n10\tforged\\nDeleted /p/b.\n…\n40 (from column 7, the line goes on)\ty\n1,200 more changed lines are not shown; read_file shows them."},
		{"a dry run", "edit_file", true, reeve.ChangedFile{Path: text("/p/a"), Did: reeve.DidEdit, Replacements: 1, Diff: []reeve.Text{text("@@ -1 +1 @@"), text("-a"), text("+b")}},
			"Nothing was changed: this is a dry run.\nWould be: Edited /p/a (1 replacement).\n@@ -1 +1 @@\n-a\n+b"},
		{"nothing to do", "write_file", false, reeve.ChangedFile{Path: text("/p/a"), Did: reeve.DidNothing, Kind: reeve.File}, "/p/a has exactly this content already; nothing was changed."},
		{"a folder", "create_directory", false, reeve.ChangedFile{Path: text("/p/d/e"), Did: reeve.DidMkdir, Kind: reeve.Directory, Made: []reeve.Text{text("/p/d")}}, "Made the folder /p/d/e.\nMade the folder /p/d as well."},
		{"a folder deep down", "create_directory", false, reeve.ChangedFile{Path: text("/p/d/e"), Did: reeve.DidMkdir, Kind: reeve.Directory, Made: []reeve.Text{text("/p/d")}, MadeMore: 1498},
			"Made the folder /p/d/e.\nMade the folder /p/d as well, and 1,498 folders below it on the way."},
		{"a folder that is there", "create_directory", false, reeve.ChangedFile{Path: text("/p/d"), Did: reeve.DidNothing, Kind: reeve.Directory}, "The folder /p/d exists already; nothing was changed."},
		{"a copy of what a link leads to", "copy_path", false, reeve.ChangedFile{Path: text("/p/a"), To: text("/p/b"), Did: reeve.DidCopy, Via: text("/p/l"), Now: &reeve.Extent{Size: 9}},
			"Copied /p/a to /p/b (9 bytes).\n/p/l is a link; what it leads to was copied."},
		{"a copy", "copy_path", false, reeve.ChangedFile{Path: text("/p/a"), To: text("/p/b"), Did: reeve.DidCopy, Now: &reeve.Extent{Size: 9, Files: 2, Folders: 1}}, "Copied /p/a to /p/b (2 files, 1 folder, 9 bytes)."},
		{"a move", "move_path", false, reeve.ChangedFile{Path: text("/p/a"), To: text("/p/b"), Did: reeve.DidMove}, "Moved /p/a to /p/b."},
		{"a file deleted", "delete_path", false, reeve.ChangedFile{Path: text("/p/a"), Did: reeve.DidDelete, Kind: reeve.File, Was: &reeve.Extent{Size: 5}}, "Deleted /p/a (5 bytes)."},
		{"a link deleted", "delete_path", false, reeve.ChangedFile{Path: text("/p/l"), Did: reeve.DidDelete, Kind: reeve.Symlink, Was: &reeve.Extent{}}, "Deleted the link /p/l, and not what it led to."},
		{"an empty folder deleted", "delete_path", false, reeve.ChangedFile{Path: text("/p/d"), Did: reeve.DidDelete, Kind: reeve.Directory, Was: &reeve.Extent{}}, "Deleted the empty folder /p/d."},
		{"a folder deleted", "delete_path", false, reeve.ChangedFile{Path: text("/p/d"), Did: reeve.DidDelete, Kind: reeve.Directory, Was: &reeve.Extent{Size: 36, Files: 8, Links: 1}}, "Deleted the folder /p/d with all that was in it (8 files, 1 link, 36 bytes)."},
		{"without a session", "write_file", false, reeve.ChangedFile{Path: text("/p/a"), Did: reeve.DidCreate, Now: extent(1, 1), Version: v}, "Created /p/a (1 byte, 1 line).\nVersion " + v.String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reeve.Result{Answer: &reeve.Changes{Files: []reeve.ChangedFile{c.file}, DryRun: c.dry}}
			same(t, render(t, c.tool, r, dialect.Context{}), c.want)
			if got := render(t, c.tool, r, dialect.Context{Session: true}); strings.Contains(got, "Version") {
				t.Errorf("a session keeps versions by itself:\n%s", got)
			}
		})
	}
	r := reeve.Result{Notes: []reeve.Text{text("No copy of the old /p/a was kept: it is too large.")},
		Answer: &reeve.Changes{Files: []reeve.ChangedFile{{Path: text("/p/a"), Did: reeve.DidEdit, Replacements: 1}, {Path: text("/p/b"), Did: reeve.DidEdit, Replacements: 3}}}}
	same(t, render(t, "edit_file", r, dialect.Context{}), "Edited /p/a (1 replacement).\nEdited /p/b (3 replacements).\nNo copy of the old /p/a was kept: it is too large.")
}

func TestProgramsAreToldOfChanges(t *testing.T) {
	v := reeve.NewVersion(reeve.Stamp{Size: 1}, false, &[32]byte{})
	b, err := json.Marshal(dialect.ResultMeta(reeve.Result{FileAccess: []reeve.Text{text("/p/a")},
		Answer: &reeve.Changes{Files: []reeve.ChangedFile{{Path: text("/p/a"), Did: reeve.DidEdit, Replacements: 2, Version: v,
			Was: &reeve.Extent{Size: 1}, Now: &reeve.Extent{Size: 2}, Excerpt: []reeve.Line{{N: 1, Text: text("content")}}, Made: []reeve.Text{text("/p")}}}}}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"changes","fileAccess":{"path":["/p/a"]},"changes":[{"path":"/p/a","did":"edited","replacements":2,"version":"` + v.String() +
		`","versionKind":"hash","was":{"size":1},"now":{"size":2},"made":["/p"]}]}`
	if string(b) != want {
		t.Errorf("%s\nwant\n%s", b, want)
	}
}

// Clients act on these without asking the model.
func TestAnnotationsOfChangesAreTrue(t *testing.T) {
	for _, tool := range native.New().Tools {
		changes := map[string]bool{"write_file": true, "edit_file": true, "create_directory": true, "copy_path": true, "move_path": true, "delete_path": true}[tool.Name]
		if tool.ReadOnly == changes {
			t.Errorf("%s says read-only: %v", tool.Name, tool.ReadOnly)
		}
		destroys := map[string]bool{"write_file": true, "edit_file": true, "move_path": true, "delete_path": true}[tool.Name]
		if tool.Destructive != destroys {
			t.Errorf("%s says destructive: %v", tool.Name, tool.Destructive)
		}
	}
}

// All tools together must stay small: every conversation pays for them.
func TestTheWholeListIsSmall(t *testing.T) {
	var list []dialect.Surface
	d := native.New()
	for i := range d.Tools {
		s, err := d.Tools[i].Surface(settings())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) >= 11_900 {
		t.Errorf("the list of tools is %d bytes", len(b))
	}
}
