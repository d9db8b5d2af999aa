package ops

import (
	"fmt"
	"strings"
	"testing"

	"reeve"
)

func TestCreateDirectory(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "x")
	a, res := d.did(&reeve.CreateDirectory{Path: "x/y/z"})
	if f := a.Files[0]; f.Did != reeve.DidMkdir || f.Path.String() != deskDir+"/x/y/z" || f.Kind != reeve.Directory || len(res.FileAccess) != 0 {
		t.Errorf("%+v", f)
	}
	if tree := strings.Join(d.mem.Tree(deskDir), " "); !strings.Contains(tree, "/x/y/z/") {
		t.Errorf("not made: %s", tree)
	}
	a, _ = d.did(&reeve.CreateDirectory{Path: "x/y/"})
	if a.Files[0].Did != reeve.DidNothing {
		t.Errorf("a folder that is there: %+v", a.Files[0])
	}
	for path, code := range map[string]reeve.Code{
		"a.txt": reeve.Exists, "a.txt/b": reeve.NotDirectory, "": reeve.Invalid, "/home/ann/docs/new": reeve.ReadOnlyRoot,
		"/home/ann/other": reeve.OutsideRoots, ".env": reeve.Protected, "a\u202eb": reeve.Invalid,
	} {
		d.refuses(&reeve.CreateDirectory{Path: path}, code)
	}
	q := d.asked(&reeve.CreateDirectory{Path: "p/q"})
	if q.Title != "Create the folder q?" || q.Body != deskDir+"/p/q\nCreates the folder "+deskDir+"/p as well." {
		t.Errorf("%s\n%s", q.Title, q.Body)
	}
}

func TestMove(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha")
	d.file("b.txt", "beta")
	d.file("sub/x", "x")
	d.make("link", "l", "a.txt")
	a, res := d.did(&reeve.MovePath{From: "l", To: "m"}) // the link itself
	if f := a.Files[0]; f.Did != reeve.DidMove || f.Path.String() != deskDir+"/l" || f.To.String() != deskDir+"/m" || len(res.FileAccess) != 0 {
		t.Errorf("%+v", f)
	}
	if tree := strings.Join(d.mem.Tree(deskDir), " "); !strings.Contains(tree, "/m -> a.txt") {
		t.Errorf("%s", tree)
	}
	d.did(&reeve.MovePath{From: "sub", To: "sub2"})
	d.holds("sub2/x", "x")
	for name, c := range map[string]struct {
		from, to string
		code     reeve.Code
	}{
		"onto a file":         {"a.txt", "b.txt", reeve.Exists},
		"onto a folder":       {"a.txt", "sub2", reeve.Exists},
		"into itself":         {"sub2", "sub2/in", reeve.Invalid},
		"what is not there":   {"none", "c", reeve.NotFound},
		"to a protected name": {"a.txt", "id_rsa", reeve.Protected},
		"outside":             {"a.txt", "/home/ann/a.txt", reeve.OutsideRoots},
		"from outside":        {"/home/ann/outside.txt", "c", reeve.OutsideRoots},
		"from for reading":    {"/home/ann/docs/fixed.txt", "c", reeve.ReadOnlyRoot},
		"to for reading":      {"a.txt", "/home/ann/docs/c", reeve.ReadOnlyRoot},
		"a hidden direction":  {"a.txt", "b\u202etxt", reeve.Invalid},
		"no source":           {"", "c", reeve.Invalid},
		"no destination":      {"a.txt", "", reeve.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			d.refuses(&reeve.MovePath{From: c.from, To: c.to}, c.code)
		})
	}
	q := d.asked(&reeve.MovePath{From: "a.txt", To: "c.txt"})
	if q.Title != "Move a.txt?" || q.Body != deskDir+"/a.txt\n→ "+deskDir+"/c.txt\nNothing is there yet." {
		t.Errorf("%s\n%s", q.Title, q.Body)
	}
}

func TestDelete(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha")
	d.make("link", "l", "a.txt")
	d.make("dir", deskDir+"/empty", "")
	for i := range 7 {
		d.file(fmt.Sprintf("full/%d", i), "12345")
	}
	d.file("full/in/deep", "x")
	d.did(&reeve.DeletePath{Path: "l"})
	d.holds("a.txt", "alpha")
	a, _ := d.did(&reeve.DeletePath{Path: "a.txt"})
	if f := a.Files[0]; f.Did != reeve.DidDelete || f.Was.Size != 5 || !f.Version.IsZero() {
		t.Errorf("%+v", f)
	}
	d.did(&reeve.DeletePath{Path: "empty"})
	got := d.refuses(&reeve.DeletePath{Path: "full"}, reeve.NotEmpty)
	for _, want := range []string{"8 entries", "0, 1, 2, 3, 4, …", "recursive: true", "Nothing was deleted."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	q := d.asked(&reeve.DeletePath{Path: "full", Recursive: true})
	if q.Title != "Delete full?" || !q.Destructive || !q.HumanOnly || !strings.Contains(q.Body, "8 files, 1 folder, 36 bytes in all") {
		t.Errorf("%s\n%s", q.Title, q.Body)
	}
	a, _ = d.did(&reeve.DeletePath{Path: "full", Recursive: true})
	if w := a.Files[0].Was; w.Files != 8 || w.Folders != 1 || w.Size != 36 {
		t.Errorf("%+v", w)
	}
	if tree := d.mem.Tree(deskDir); len(tree) != 0 {
		t.Errorf("left: %q", tree)
	}
}

func TestDeleteRefusals(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file(".env", "CANARY")
	d.file("has/.env", "CANARY")
	d.file("has/a", "x")
	for name, c := range map[string]struct {
		path string
		code reeve.Code
	}{
		"a protected file":         {".env", reeve.Protected},
		"a folder over a secret":   {"has", reeve.Protected},
		"the granted folder":       {deskDir, reeve.OutsideRoots},
		"nothing":                  {"none", reeve.NotFound},
		"outside":                  {"/home/ann/outside.txt", reeve.OutsideRoots},
		"for reading only":         {"/home/ann/docs/fixed.txt", reeve.ReadOnlyRoot},
		"no path":                  {"", reeve.Invalid},
		"the parent by two points": {"..", reeve.OutsideRoots},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			d.refuses(&reeve.DeletePath{Path: c.path, Recursive: true}, c.code)
		})
	}
}

func TestTooMuchToDeleteAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("makes ten thousand files")
	}
	d := newDesk(t, "default", nil)
	for i := range maxBelow + 1 {
		d.file(fmt.Sprintf("big/%d", i), "")
	}
	if got := d.refuses(&reeve.DeletePath{Path: "big", Recursive: true}, reeve.TooLarge); !strings.Contains(got, "10,000") {
		t.Error(got)
	}
}

// A file that somebody else has changed since it was looked at stays.
func TestDeleteOfWhatHasChanged(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha")
	d.meddl.beforeSwap = func() { d.file("a.txt", "theirs, and longer") }
	if _, err := d.try(&reeve.DeletePath{Path: "a.txt"}); err == nil {
		t.Error("deleted")
	}
	d.holds("a.txt", "theirs, and longer")
}
