package node_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/node"
)

// lamHouse is a home as Lam sees it: all of it readable, three folders
// writable.
type lamHouse struct {
	t    *testing.T
	home string
	n    *node.Node
}

func newLamHouse(t *testing.T) *lamHouse {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(base, "me")
	if err := os.MkdirAll(filepath.Join(home, "Downloads"), 0o755); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(base, "own")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(own, "config.toml")
	if err := os.WriteFile(config, []byte("enabled = true\nprofile = \"lam\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &lamHouse{t, home, open(t, node.Config{Home: home, ConfigFile: config, StateDir: filepath.Join(own, "state")})}
}

func (h *lamHouse) path(name string) string { return filepath.Join(h.home, filepath.FromSlash(name)) }

func (h *lamHouse) do(turn string, call reeve.Call) (reeve.Outcome, error) {
	h.t.Helper()
	return h.n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "lam", Door: "library", Session: "s", Turn: turn}, Call: call})
}

// asked makes a call that must be asked about, and gives the question.
func (h *lamHouse) asked(turn string, call reeve.Call) reeve.Pending {
	h.t.Helper()
	out, err := h.do(turn, call)
	if err != nil || out.Pending == nil {
		h.t.Fatalf("not asked: %+v %v", out.Result, err)
	}
	return *out.Pending
}

// allowed makes a call that must go through without a question.
func (h *lamHouse) allowed(turn string, call reeve.Call) *reeve.Result {
	h.t.Helper()
	out, err := h.do(turn, call)
	if err != nil || out.Result == nil {
		h.t.Fatalf("did not go through: pending %v, %v", out.Pending, err)
	}
	return out.Result
}

func (h *lamHouse) answer(p reeve.Pending, yes bool) {
	h.t.Helper()
	if err := h.n.Questions().Answer(context.Background(), p.ID, node.Answer{Yes: yes, Channel: "approve"}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *lamHouse) waiting() int {
	cards, err := h.n.Questions().Waiting(context.Background())
	if err != nil {
		h.t.Fatal(err)
	}
	return len(cards)
}

func write(path, text string) *reeve.WriteFile { return &reeve.WriteFile{Path: path, Content: text} }

func TestLamAsksOncePerPathAndTurn(t *testing.T) {
	h := newLamHouse(t)
	report := h.path("Downloads/report.md")
	first := h.asked("1", write("~/Downloads/report.md", "a\n"))
	if first.Question.Title != "Create report.md?" || first.Question.Body != report+"\nNew content is 2 bytes, 1 line." {
		t.Fatalf("%q\n%s", first.Question.Title, first.Question.Body)
	}
	if !strings.Contains(first.Question.Detail, "1 a") {
		t.Fatalf("the new content is not shown: %q", first.Question.Detail)
	}
	h.answer(first, true)
	h.allowed("1", write("~/Downloads/report.md", "a\n"))
	// Three more passes at one file, in three spellings: no more questions.
	if err := os.Symlink(report, h.path("Downloads/latest.md")); err != nil {
		t.Skip("no links here: ", err)
	}
	h.allowed("1", write(report, strings.Repeat("line\n", 40)))
	h.allowed("1", write("Downloads/./report.md", strings.Repeat("line\n", 40)))
	h.allowed("1", write("Downloads/latest.md", strings.Repeat("line\n", 40)))
	h.allowed("1", &reeve.EditFile{Edits: []reeve.Edit{{Path: report, Old: strings.Repeat("line\n", 40), New: "x\n" + strings.Repeat("line\n", 38)}}})
	if n := h.waiting(); n != 0 {
		t.Fatalf("%d questions wait", n)
	}
	// The next answer starts empty.
	again := h.asked("2", write(report, "new\ntext\n"))
	if !strings.HasPrefix(again.Question.Body, report+"\nReplaces 192 bytes, 39 lines, last changed just now.\n") ||
		!strings.Contains(again.Question.Body, "New content is 9 bytes, 2 lines.") || again.Question.Title != "Overwrite report.md?" {
		t.Fatalf("%q\n%s", again.Question.Title, again.Question.Body)
	}
}

func TestLamAsksForEachDeleteAndMove(t *testing.T) {
	h := newLamHouse(t)
	report := h.path("Downloads/report.md")
	h.answer(h.asked("1", write(report, "a\n")), true)
	h.allowed("1", write(report, "a\n"))
	del := h.asked("1", &reeve.DeletePath{Path: report})
	if !del.Question.Destructive || !del.Question.HumanOnly || del.Question.Title != "Delete report.md?" {
		t.Fatalf("%+v", del.Question)
	}
	move := h.asked("1", &reeve.MovePath{From: report, To: "~/Downloads/old.md"})
	if move.Question.Body != report+"\n→ "+h.path("Downloads/old.md")+"\nNothing is there yet." {
		t.Fatalf("%s", move.Question.Body)
	}
	h.answer(move, true)
	h.allowed("1", &reeve.MovePath{From: report, To: "~/Downloads/old.md"})
	// A move leaves no approval behind, at neither end.
	h.asked("1", &reeve.DeletePath{Path: h.path("Downloads/old.md")})
	h.asked("1", &reeve.MovePath{From: h.path("Downloads/old.md"), To: report})
}

func TestLamPolicyRefusalsAreNeverAsked(t *testing.T) {
	h := newLamHouse(t)
	if err := os.MkdirAll(h.path(".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]reeve.Code{
		"/etc/passwd": reeve.OutsideRoots, "~/notes.txt": reeve.ReadOnlyRoot, "~/.ssh/config": reeve.Protected,
		"~/Downloads/.env": reeve.Protected, "~/Downloads/id_rsa": reeve.Protected,
	} {
		if _, err := h.do("1", write(path, "x")); !errors.Is(err, code) || !errors.Is(err, reeve.Policy) {
			t.Errorf("%s: %v, want %s", path, err, code)
		}
	}
	if n := h.waiting(); n != 0 {
		t.Fatalf("%d questions wait", n)
	}
}

func TestLamDeclined(t *testing.T) {
	h := newLamHouse(t)
	draft := h.path("Downloads/draft.md")
	h.answer(h.asked("1", write(draft, "a\n")), false)
	_, err := h.do("1", write(draft, "a\n"))
	if !errors.Is(err, reeve.Declined) || !errors.Is(err, reeve.Approval) {
		t.Fatalf("%v", err)
	}
	if want := draft + " was not changed: the owner declined. Nothing was written. Ask before trying again."; err.Error() != want {
		t.Fatalf("got  %s\nwant %s", err, want)
	}
	if _, err := os.Stat(draft); err == nil {
		t.Fatal("written all the same")
	}
	h.allowed("1", &reeve.ListDirectory{Path: "~/Downloads"}) // the turn goes on
}

// An answer that comes after the client has given up counts when the call is
// made again.
func TestLateAnswerCounts(t *testing.T) {
	h := newLamHouse(t)
	call := write("~/Downloads/late.md", "a\n")
	p := h.asked("1", call)
	time.Sleep(10 * time.Millisecond)
	h.answer(p, true)
	h.allowed("7", call) // another turn: the question was for the change
}
