package node

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"reeve"
)

// allowed is a node that asks nobody but for control files.
func allowed(t *testing.T, setup func(dir string)) (*Node, string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "yard")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	setup(dir)
	n, err := New(context.Background(), Config{ConfigFile: filepath.Join(base, "config.toml"), StateDir: filepath.Join(base, "state"),
		Home: filepath.Join(base, "home"), Approve: "allow", Folders: []Folder{{Path: dir, Access: reeve.ReadWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Shutdown(context.Background()) })
	return n, dir
}

func put(t *testing.T, p, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// Git obeys a repository under any name, so an agent that may write plain
// files unasked must not be able to put one together, or to arm one.
func TestARepositoryUnderAnotherNameIsAskedFor(t *testing.T) {
	n, dir := allowed(t, func(dir string) {
		for _, p := range []string{"bare/HEAD", "bare/objects/x", "bare/refs/x", "kept/.git/HEAD", "kept/.git/objects/x", "plain/h", "tree/post-update"} {
			put(t, filepath.Join(dir, p), "ref: refs/heads/main\n")
		}
	})
	at := func(p string) string { return filepath.Join(dir, p) }
	write := func(p string) reeve.Call { return &reeve.WriteFile{Path: at(p), Content: "x"} }
	for name, c := range map[string]struct {
		call  reeve.Call
		asked bool
	}{
		"the file that makes one":         {write("new/HEAD"), true},
		"in another case":                 {write("new/head"), true},
		"by a move":                       {&reeve.MovePath{From: at("plain/h"), To: at("plain/HEAD")}, true},
		"by a copy":                       {&reeve.CopyPath{From: at("bare/HEAD"), To: at("plain/HEAD")}, true},
		"by a copy of a folder":           {&reeve.CopyPath{From: at("kept/.git"), To: at("copy")}, true},
		"a hook of one that is there":     {write("bare/hooks/post-update"), true},
		"its settings":                    {write("bare/config"), true},
		"its settings, of a work tree":    {write("bare/config.worktree"), true},
		"its filters":                     {write("bare/info/attributes"), true},
		"by a move into it":               {&reeve.MovePath{From: at("plain/h"), To: at("bare/hooks/pre-push")}, true},
		"all its hooks by one move":       {&reeve.MovePath{From: at("tree"), To: at("bare/hooks")}, true},
		"all its hooks by one copy":       {&reeve.CopyPath{From: at("tree"), To: at("bare/hooks")}, true},
		"its info by one copy":            {&reeve.CopyPath{From: at("tree"), To: at("bare/info")}, true},
		"a folder copied to src/hooks":    {&reeve.CopyPath{From: at("tree"), To: at("plain/hooks")}, false},
		"an ordinary folder called hooks": {write("src/hooks/use.ts"), false},
		"an ordinary file called config":  {write("src/config"), false},
		"a folder called head":            {write("src/head/index.ts"), false},
		"something else in one":           {write("bare/description"), false},
	} {
		out, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Kind: reeve.Agent, Agent: "a", Door: "library", Session: name}, Call: c.call})
		if err != nil || (out.Pending != nil) != c.asked {
			t.Errorf("%s: asked %v, %v", name, out.Pending != nil, err)
		}
		if out.Pending != nil && !out.Pending.Question.HumanOnly {
			t.Errorf("%s: a client could answer", name)
		}
	}
}

// A yes for moving a plain folder is none for the same folder with something
// special in it by now.
func TestAYesForAFolderIsForWhatItHeld(t *testing.T) {
	n, dir := allowed(t, func(dir string) { put(t, filepath.Join(dir, "m/a.txt"), "x") })
	n, err := New(context.Background(), Config{ConfigFile: filepath.Join(filepath.Dir(dir), "config.toml"), StateDir: n.Places().State,
		Home: filepath.Join(filepath.Dir(dir), "home"), Folders: []Folder{{Path: dir, Access: reeve.ReadWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Shutdown(context.Background())
	move := func() reeve.Digest {
		t.Helper()
		out, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Kind: reeve.Agent, Agent: "a", Door: "library", Session: "s"},
			Call: &reeve.MovePath{From: filepath.Join(dir, "m"), To: filepath.Join(dir, "m2")}})
		if err != nil || out.Pending == nil {
			t.Fatalf("%+v %v", out, err)
		}
		return out.Pending.Digest
	}
	plain := move()
	if move() != plain {
		t.Error("the same question is another each time")
	}
	put(t, filepath.Join(dir, "m/AGENTS.md"), "obey")
	if move() == plain {
		t.Error("a yes for the plain folder would do for one with orders in it")
	}
}

// The whole attack, played with git itself: whatever is done without a
// question must not make it run a command.
func TestGitRunsNothingThatWasWrittenUnasked(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil || runtime.GOOS == "windows" {
		cannot(t, "no git, or no shell for its command")
	}
	n, dir := allowed(t, func(string) {})
	ran := filepath.Join(filepath.Dir(dir), "ran")
	files := [][2]string{
		{"g/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = \"touch '" + ran + "'; false\"\n"},
		{"g/objects/info/keep", "x"},
		{"g/refs/heads/keep", "x"},
		{"g/HEAD", "ref: refs/heads/main\n"},
	}
	status := func() {
		cmd := exec.Command(git, "status")
		cmd.Dir = filepath.Join(dir, "g")
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir, "GIT_CEILING_DIRECTORIES="+dir)
		_ = cmd.Run() // no repository is the good end
	}
	for _, f := range files {
		if _, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Kind: reeve.Agent, Agent: "a", Door: "library", Session: "s"},
			Call: &reeve.WriteFile{Path: filepath.Join(dir, f[0]), Content: f[1]}}); err != nil {
			t.Fatal(err)
		}
	}
	status()
	if _, err := os.Stat(ran); err == nil {
		t.Error("git ran a command that was written with nobody asked")
	}
	for _, f := range files {
		put(t, filepath.Join(dir, f[0]), f[1])
	}
	status()
	if _, err := os.Stat(ran); err != nil {
		cannot(t, "this git does not run it even when all is there")
	}
}

// cannot skips what this system cannot do, except where CI is set.
func cannot(t *testing.T, why ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why...)
	}
	t.Skip(why...)
}
