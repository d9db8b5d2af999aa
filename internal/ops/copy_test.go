package ops

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"reeve"
)

func TestCopyAFile(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha")
	d.make("link", "l", "a.txt")
	a, res := d.did(&reeve.CopyPath{From: "a.txt", To: "new/b.txt"})
	d.holds("new/b.txt", "alpha")
	d.holds("a.txt", "alpha")
	if f := a.Files[0]; f.Did != reeve.DidCopy || f.Path.String() != deskDir+"/a.txt" || f.To.String() != deskDir+"/new/b.txt" || f.Now.Size != 5 || len(f.Made) != 1 || len(res.FileAccess) != 0 {
		t.Errorf("%+v", f)
	}
	d.did(&reeve.CopyPath{From: "l", To: "c.txt"}) // a link is followed
	d.holds("c.txt", "alpha")
	d.did(&reeve.CopyPath{From: "/home/ann/docs/fixed.txt", To: "d.txt"}) // out of a folder for reading
	d.holds("d.txt", "fixed\n")
	q := d.asked(&reeve.CopyPath{From: "a.txt", To: "e.txt"})
	if q.Title != "Create e.txt?" || q.Body != deskDir+"/e.txt\nNew content is a copy of "+deskDir+"/a.txt." {
		t.Errorf("%s\n%s", q.Title, q.Body)
	}
}

func TestCopyRefusals(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha")
	d.file("b.txt", "beta")
	d.file(".env", "CANARY")
	d.file("has/.env", "CANARY")
	d.file("sub/x", "x")
	d.make("fifo", "pipe", "")
	for name, c := range map[string]struct {
		from, to string
		code     reeve.Code
	}{
		"onto a file":            {"a.txt", "b.txt", reeve.Exists},
		"onto itself":            {"a.txt", "a.txt", reeve.Exists},
		"onto a folder":          {"a.txt", "sub", reeve.IsDirectory},
		"a secret to a name":     {".env", "plain.txt", reeve.Protected},
		"to a protected name":    {"a.txt", "x.pem", reeve.Protected},
		"a folder over a secret": {"has", "has2", reeve.Protected},
		"a pipe":                 {"pipe", "p2", reeve.SpecialFile},
		"what is not there":      {"none", "n2", reeve.NotFound},
		"from outside":           {"/home/ann/outside.txt", "o", reeve.OutsideRoots},
		"to outside":             {"a.txt", "/home/ann/o", reeve.OutsideRoots},
		"to for reading":         {"a.txt", "/home/ann/docs/o", reeve.ReadOnlyRoot},
		"a folder into itself":   {"sub", "sub/sub", reeve.Invalid},
		"no source":              {"", "x", reeve.Invalid},
		"no destination":         {"a.txt", "", reeve.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			got := d.refuses(&reeve.CopyPath{From: c.from, To: c.to}, c.code)
			if c.code == reeve.Exists && !strings.Contains(got, "cannot be copied there. Nothing was copied.") ||
				c.from == "has" && !strings.Contains(got, "has holds .env, which is protected. Nothing was changed.") {
				t.Error(got)
			}
		})
	}
}

func TestCopyAFolder(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("src/a", "alpha")
	d.file("src/in/b", "beta")
	d.make("dir", deskDir+"/src/empty", "")
	d.make("fifo", "src/pipe", "")
	q := d.asked(&reeve.CopyPath{From: "src", To: "dst"})
	if q.Title != "Create the folder dst?" || q.Body != deskDir+"/dst\nIt will hold 2 files, 2 folders, 9 bytes in all." {
		t.Errorf("%s\n%s", q.Title, q.Body)
	}
	a, res := d.did(&reeve.CopyPath{From: "src", To: "dst"})
	d.holds("dst/a", "alpha")
	d.holds("dst/in/b", "beta")
	if tree := strings.Join(d.mem.Tree(deskDir), " "); !strings.Contains(tree, "/dst/empty/") || strings.Contains(tree, "/dst/pipe") {
		t.Errorf("%s", tree)
	}
	if f := a.Files[0]; len(a.Files) != 1 || f.Did != reeve.DidCopy || f.Now.Files != 2 || f.Now.Folders != 2 || f.Now.Size != 9 {
		t.Errorf("%+v", f)
	}
	if notes := strings.Join(textsOf(res.Notes), "\n"); !strings.Contains(notes, "Not copied: 1 pipe, socket or device (pipe).") {
		t.Errorf("notes %q", notes)
	}
}

// A copy of a folder is judged file by file where it goes.
func TestAFolderCopiedIsJudgedWhereItGoes(t *testing.T) {
	d := newDesk(t, "llm-chat-file", nil) // asks for control files only
	d.asks.yes = false
	d.file("plain/hooks/pre-commit", "#!/bin/sh\n")
	if out, err := d.try(&reeve.CopyPath{From: deskDir + "/plain", To: deskDir + "/.git"}); err != nil || out.Pending == nil || !out.Pending.Question.HumanOnly {
		t.Errorf("a control folder is made without a question: %+v %v", out, err)
	}
}

func TestTooMuchToCopyAtOnce(t *testing.T) {
	d := newDesk(t, "default", nil)
	for i := range maxCopied + 1 {
		d.file(fmt.Sprintf("big/%d", i), "")
	}
	if got := d.refuses(&reeve.CopyPath{From: "big", To: "big2"}, reeve.TooLarge); !strings.Contains(got, "1,000 entries") {
		t.Error(got)
	}
}

func TestCopyOfWhatChangesMeanwhile(t *testing.T) {
	d := newDesk(t, "default", nil)
	d.file("a.txt", "alpha")
	n := 0
	d.meddl.beforeStage = func() { n++; d.file("a.txt", fmt.Sprint("theirs ", n)) }
	if _, err := d.try(&reeve.CopyPath{From: "a.txt", To: "b.txt"}); !errors.Is(err, reeve.Changed) || n < 2 {
		t.Errorf("%v after %d tries", err, n)
	}
	if tree := d.mem.Tree(deskDir); len(tree) != 1 {
		t.Errorf("left %q", tree)
	}
}
