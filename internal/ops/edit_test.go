package ops

import (
	"fmt"
	"strings"
	"testing"

	"reeve"
)

func one(path, old, new string) *reeve.EditFile {
	return &reeve.EditFile{Path: path, Edits: []reeve.Edit{{Old: old, New: new}}}
}

func excerptText(f reeve.ChangedFile) string {
	var b strings.Builder
	for _, l := range f.Excerpt {
		fmt.Fprintf(&b, "%d %s\n", l.N, l.Text)
	}
	return b.String()
}

func TestEditShowsTheChangedLines(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n")
	a, res := d.did(&reeve.EditFile{Path: "a.txt", Edits: []reeve.Edit{{Old: "4\n5", New: "four\nand\nfive"}, {Old: "12", New: "twelve"}}})
	d.holds("a.txt", "1\n2\n3\nfour\nand\nfive\n6\n7\n8\n9\n10\n11\ntwelve\n")
	f := a.Files[0]
	if f.Did != reeve.DidEdit || f.Replacements != 2 || f.More != 0 || f.Version.IsZero() {
		t.Errorf("%+v", f)
	}
	if got, want := excerptText(f), "2 2\n3 3\n4 four\n5 and\n6 five\n7 6\n8 7\n11 10\n12 11\n13 twelve\n"; got != want {
		t.Errorf("excerpt\n%swant\n%s", got, want)
	}
	same(t, "file access", textsOf(res.FileAccess), []string{deskDir + "/a.txt"})
}

func TestExcerptsAreBounded(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("many", strings.Repeat("x y\n", 500))
	a, _ := d.did(&reeve.EditFile{Path: "many", Edits: []reeve.Edit{{Old: "x", New: "z", All: true}}})
	if f := a.Files[0]; f.Replacements != 500 || len(f.Excerpt) != excerptLines || f.More != 500-excerptLines {
		t.Errorf("%d replacements, %d lines shown, %d not", f.Replacements, len(f.Excerpt), f.More)
	}
	d.file("long", strings.Repeat("a", 50_000)+"needle"+strings.Repeat("b", 50_000)+"\n")
	a, _ = d.did(one("long", "needle", "NEEDLE"))
	f := a.Files[0]
	if len(f.Excerpt) != 1 || !strings.Contains(f.Excerpt[0].Text.String(), "NEEDLE") || len(f.Excerpt[0].Text.String()) > excerptBytes {
		t.Errorf("the change in a long line is not shown: %d lines, %.80q", len(f.Excerpt), excerptText(f))
	}
}

// Only what was asked for changes.
func TestEditChangesNothingElse(t *testing.T) {
	for name, c := range map[string]struct{ old, find, put, want string }{
		"crlf":                    {"a\r\nb\r\nc", "b", "x\ny", "a\r\nx\r\ny\r\nc"},
		"crlf found by lf":        {"a\r\nb\r\nc\r\n", "a\nb", "z", "z\r\nc\r\n"},
		"mixed line ends":         {"a\nb\r\nc\n", "c", "d", "a\nb\r\nd\n"},
		"a lone CR":               {"a\rb\nc\n", "c", "d", "a\rb\nd\n"},
		"a byte order mark":       {"\xEF\xBB\xBFa\n", "a", "b", "\xEF\xBB\xBFb\n"},
		"utf-16":                  {"\xFF\xFEa\x00\n\x00b\x00", "b", "ü", "\xFF\xFEa\x00\n\x00\xFC\x00"},
		"bytes that are no text":  {"caf\xe9\nplain\n", "plain", "simple", "caf\xe9\nsimple\n"},
		"patterns in the new":     {"a b", "b", `$& $1 \1 %s`, `a $& $1 \1 %s`},
		"patterns in the old":     {"a.*b a..b", "a.*b", "x", "x a..b"},
		"tabs":                    {"\tif x {\n", "if x", "if y", "\tif y {\n"},
		"no newline at the end":   {"a\nb", "b", "c", "a\nc"},
		"deleting":                {"a\nb\nc\n", "b\n", "", "a\nc\n"},
		"a needle at both ends":   {"ab", "ab", "ba", "ba"},
		"a new that has the old":  {"a", "a", "aa", "aa"},
		"a line of two in a file": {"x\nxx\n", "xx", "y", "x\ny\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "default", nil)
			d.file("f", c.old)
			d.did(one("f", c.find, c.put))
			d.holds("f", c.want)
		})
	}
}

func TestEditRefusals(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha\nbeta\nalpha\n\tgamma  \n")
	d.file("pic.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	d.file(".env", "KEY=CANARY\n")
	d.make("link", "innocent", ".env")
	for name, c := range map[string]struct {
		call *reeve.EditFile
		code reeve.Code
		say  string
	}{
		"twice there":            {one("a.txt", "alpha", "x"), reeve.Ambiguous, "2"},
		"not there":              {one("a.txt", "delta", "x"), reeve.NoMatch, "a.txt"},
		"nearly there":           {one("a.txt", "    gamma", "x"), reeve.NoMatch, "4"},
		"empty old text":         {one("a.txt", "", "x"), reeve.Invalid, ""},
		"blank old text":         {one("a.txt", " \n", "x"), reeve.Invalid, ""},
		"nothing would change":   {one("a.txt", "beta", "beta"), reeve.Invalid, ""},
		"a picture":              {one("pic.png", "PNG", "x"), reeve.Binary, ""},
		"a protected file":       {one(".env", "CANARY", "x"), reeve.Protected, ""},
		"guessing at a secret":   {one(".env", "KEY=WRONG", "x"), reeve.Protected, ""},
		"through a link":         {one("innocent", "KEY=WRONG", "x"), reeve.Protected, ""},
		"missing":                {one("none.txt", "a", "b"), reeve.NotFound, "To make a new file, use write_file."},
		"missing, empty old":     {one("none.txt", "", "b"), reeve.NotFound, "Nothing was changed."},
		"missing, other case":    {one("A.TXT", "a", "b"), reeve.NotFound, "a.txt is there"},
		"for reading only":       {one("/home/ann/docs/fixed.txt", "fixed", "x"), reeve.ReadOnlyRoot, ""},
		"outside":                {one("/home/ann/outside.txt", "CANARY", "x"), reeve.OutsideRoots, ""},
		"no edits":               {&reeve.EditFile{Path: "a.txt"}, reeve.Invalid, "edits is empty"},
		"no path":                {&reeve.EditFile{Edits: []reeve.Edit{{Old: "a", New: "b"}}}, reeve.Invalid, "edit 1 of 1"},
		"a version, two files":   {&reeve.EditFile{IfVersion: reeve.NewVersion(reeve.Stamp{}, false, nil).String(), Edits: []reeve.Edit{{Path: "a.txt", Old: "a", New: "b"}, {Path: "b.txt", Old: "a", New: "b"}}}, reeve.Invalid, "single file"},
		"more edits than may be": {&reeve.EditFile{Path: "a.txt", Edits: make([]reeve.Edit, maxEdits+1)}, reeve.Invalid, "1001"},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			got := d.refuses(c.call, c.code)
			if !strings.Contains(got, c.say) {
				t.Errorf("text %q lacks %q", got, c.say)
			}
		})
	}
}

func TestEditsOfSeveralFilesAreAllOrNone(t *testing.T) {
	d := newDesk(t, "default", nil)
	files := func() {
		d.file("a.txt", "alpha\n")
		d.file("b.txt", "beta\n")
		d.file("c.txt", "gamma\n")
	}
	files()
	call := func(last string) *reeve.EditFile {
		return &reeve.EditFile{Path: "a.txt", Edits: []reeve.Edit{
			{Old: "alpha", New: "one"},
			{Path: "b.txt", Old: "beta", New: "two"},
			{Path: "./sub/../a.txt", Old: "one", New: "ONE"}, // another spelling of the first
			{Path: "c.txt", Old: last, New: "three"},
		}}
	}
	d.refuses(call("missing"), reeve.NoMatch)
	// Somebody else's save of the last file undoes the first two.
	d.meddl.beforeSwap = func() { d.file("c.txt", "theirs\n") }
	if _, err := d.try(call("gamma")); err == nil {
		t.Error("went through over somebody else's save")
	}
	d.holds("a.txt", "alpha\n")
	d.holds("b.txt", "beta\n")
	d.holds("c.txt", "theirs\n")
	d.meddl.beforeSwap = nil
	files()
	a, res := d.did(call("gamma"))
	d.holds("a.txt", "ONE\n")
	d.holds("b.txt", "two\n")
	d.holds("c.txt", "three\n")
	if len(a.Files) != 3 || a.Files[0].Replacements != 2 || len(res.FileAccess) != 3 {
		t.Errorf("%d files told, %+v", len(a.Files), a.Files)
	}
	// One protected file among them, and none is touched.
	d.file(".env", "KEY=CANARY\n")
	d.refuses(&reeve.EditFile{Edits: []reeve.Edit{{Path: "a.txt", Old: "ONE", New: "x"}, {Path: ".env", Old: "KEY", New: "x"}}}, reeve.Protected)
}

func TestDryRunShowsAndChangesNothing(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.asks.yes = false
	d.file("a.txt", "one\ntwo\nthree\n")
	before := strings.Join(d.mem.Tree(deskDir), "\n")
	c := one("a.txt", "two", "2")
	c.DryRun = true
	a, _ := d.did(c)
	diff := strings.Join(textsOf(a.Files[0].Diff), "\n")
	if !a.DryRun || !strings.Contains(diff, "two") || !strings.Contains(diff, "2") || len(d.asks.list) != 0 {
		t.Errorf("%+v, %d questions", a, len(d.asks.list))
	}
	if after := strings.Join(d.mem.Tree(deskDir), "\n"); after != before {
		t.Errorf("changed:\n%s", after)
	}
	c = one(".env", "CANARY", "x")
	c.DryRun = true
	d.file(".env", "KEY=CANARY\n")
	d.refuses(c, reeve.Protected)
}

func TestEditMakesAFileOnlyWhereItMay(t *testing.T) {
	d := newDesk(t, "elowen", nil)
	c := one("new/a.txt", "", "x y\n")
	d.refuses(c, reeve.NotFound)
	c.Create = true
	c.Edits = append(c.Edits, reeve.Edit{Path: "new/a.txt", Old: "y", New: "z"})
	a, _ := d.did(c)
	d.holds("new/a.txt", "x z\n")
	if a.Files[0].Did != reeve.DidCreate {
		t.Errorf("%+v", a.Files[0])
	}
	d.refuses(c, reeve.Invalid) // it is there now, and the old text is empty
}

func TestEditsThatUndoEachOtherChangeNothing(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.asks.yes = false
	d.file("a.txt", "one\n")
	a, _ := d.did(&reeve.EditFile{Path: "a.txt", Edits: []reeve.Edit{{Old: "one", New: "two"}, {Old: "two", New: "one"}}})
	if a.Files[0].Did != reeve.DidNothing || len(d.asks.list) != 0 {
		t.Errorf("%+v, %d questions", a.Files[0], len(d.asks.list))
	}
}

func TestEditQuestionShowsTheReplacement(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "one\ntwo\n")
	q := d.asked(one("a.txt", "two", "three"))
	if q.Title != "Overwrite a.txt?" || !strings.HasPrefix(q.Body, deskDir+"/a.txt\ntwo → three") || strings.Count(q.Body, deskDir) != 1 {
		t.Errorf("%s\n%s", q.Title, q.Body)
	}
}

func TestSettingsBoundTheFilesThatAreEdited(t *testing.T) {
	d := newDesk(t, "arinova", func(s *reeve.Settings) { s.MaxFileBytes = 10 })
	d.file("a.txt", "one two three\n")
	d.refuses(one(deskDir+"/a.txt", "one", "1"), reeve.TooLarge)
	d.file("b.txt", "caf\xe9\n")
	d.refuses(one(deskDir+"/b.txt", "caf", "x"), reeve.Binary)
}
