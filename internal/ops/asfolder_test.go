package ops

import (
	"errors"
	"strings"
	"testing"

	"reeve"
)

// `write_file new/` made a file named new, where the next call wanted to put
// something in.
func TestAPathWrittenAsAFoldersIsNoFile(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha\n")
	d.file("dir/x", "x\n")
	d.make("link", "link", "dir")
	edit := one("a.txt/", "alpha", "beta")
	for name, c := range map[string]struct {
		call reeve.Call
		code reeve.Code
		say  string
	}{
		"write a new one":           {&reeve.WriteFile{Path: "new/", Content: "x"}, reeve.Invalid, "give the file's name behind it"},
		"write one in a new folder": {&reeve.WriteFile{Path: "new/deep//", Content: "x"}, reeve.Invalid, "with / at the end"},
		"write with a dot":          {&reeve.WriteFile{Path: "new/.", Content: "x"}, reeve.Invalid, "with . at the end"},
		"write over a file":         {&reeve.WriteFile{Path: "a.txt/", Content: "x"}, reeve.NotDirectory, "is no folder"},
		"write over a folder":       {&reeve.WriteFile{Path: "dir/", Content: "x"}, reeve.IsDirectory, "Give the path of a file in it"},
		"edit a file":               {edit, reeve.NotDirectory, "To mean the file, leave the / out."},
		"edit a new one":            {&reeve.EditFile{Path: "new/", Create: true, Edits: []reeve.Edit{{New: "x"}}}, reeve.Invalid, "leave the / out"},
		"read a file":               {&reeve.ReadFile{Paths: []string{"a.txt/"}}, reeve.NotDirectory, "Nothing was read."},
		"stat a file":               {&reeve.Stat{Path: "a.txt/."}, reeve.NotDirectory, "is no folder"},
		"list a file":               {&reeve.ListDirectory{Path: "a.txt/"}, reeve.NotDirectory, "is no"},
		"search a file":             {&reeve.SearchFiles{Path: "a.txt/", Pattern: "*"}, reeve.NotDirectory, "is no folder"},
		"delete a file":             {&reeve.DeletePath{Path: "a.txt/"}, reeve.NotDirectory, "Nothing was deleted."},
		"delete a link":             {&reeve.DeletePath{Path: "link/"}, reeve.NotDirectory, "To mean the link itself"},
		"move a file":               {&reeve.MovePath{From: "a.txt/", To: "b.txt"}, reeve.NotDirectory, "is no folder"},
		"move to a new one":         {&reeve.MovePath{From: "a.txt", To: "new/"}, reeve.Invalid, "give the file's name behind it"},
		"move into a folder":        {&reeve.MovePath{From: "a.txt", To: "dir/"}, reeve.Exists, "to " + deskDir + "/dir/a.txt."},
		"move onto a folder":        {&reeve.MovePath{From: "a.txt", To: "dir"}, reeve.Exists, "to " + deskDir + "/dir/a.txt."},
		"copy a file":               {&reeve.CopyPath{From: "a.txt/", To: "b.txt"}, reeve.NotDirectory, "is no folder"},
		"copy to a new one":         {&reeve.CopyPath{From: "a.txt", To: "new/"}, reeve.Invalid, "give the file's name behind it"},
		"copy into a folder":        {&reeve.CopyPath{From: "a.txt", To: "dir/"}, reeve.IsDirectory, "to " + deskDir + "/dir/a.txt."},
		"copy onto a folder":        {&reeve.CopyPath{From: "a.txt", To: "dir"}, reeve.IsDirectory, "to " + deskDir + "/dir/a.txt."},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			if got := d.refuses(c.call, c.code); !strings.Contains(got, c.say) {
				t.Errorf("text %q lacks %q", got, c.say)
			}
		})
	}
}

// A slash at the end of what is a folder, or is to be one, is as good as none.
func TestFoldersMayEndInASlash(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("dir/x", "x\n")
	d.make("link", "link", "dir")
	for _, c := range []reeve.Call{
		&reeve.ListDirectory{Path: "dir/"}, &reeve.ListDirectory{Path: "link/"}, &reeve.Stat{Path: "dir/"}, &reeve.SearchFiles{Path: "dir/.", Pattern: "*"},
		&reeve.CreateDirectory{Path: "made/"}, &reeve.CopyPath{From: "dir/", To: "copy/"}, &reeve.MovePath{From: "copy/", To: "moved/"},
		&reeve.DeletePath{Path: "moved/", Recursive: true}, &reeve.ListDirectory{Path: "."}, &reeve.ReadFile{Paths: []string{"link/./x"}},
	} {
		if out, err := d.try(c); err != nil || out.Result == nil {
			t.Errorf("%+v: %+v %v", c, out.Pending, err)
		}
	}
	if _, err := d.try(&reeve.ReadFile{Paths: []string{"dir/"}}); !errors.Is(err, reeve.IsDirectory) {
		t.Error(err)
	}
}
