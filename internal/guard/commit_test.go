package guard

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
)

// Whoever stops waiting in the middle of a swap does not change what is said
// of it: the change is carried to its end, noted, and told as made.
func TestCancelDuringTheSwap(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(context.Background())
	r.commit.beforeSwap = func() {
		cancel()
		time.Sleep(60 * time.Millisecond) // longer than a call waits for a worker
	}
	out, err := r.gate.Do(ctx, reeve.Request{Subject: reeve.Subject{Turn: "1"}, Call: &arg{verb: "put", path: "a.txt", text: "beta\n"}})
	if err != nil || out.Result == nil {
		t.Fatalf("a change that was made is told as %v", err)
	}
	if r.bytes(proj+"a.txt") != "beta\n" || r.read.wrote.Load() != 1 {
		t.Fatal("the change or its note is missing")
	}
	if row := r.record.last(); row.Event != "outcome" || row.Verdict != reeve.Allow {
		t.Fatalf("row %+v", row)
	}
}

func TestCancelBeforeTheSwap(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(context.Background())
	r.commit.staged = cancel
	_, err := r.gate.Do(ctx, reeve.Request{Call: &arg{verb: "put", path: "a.txt", text: "beta\n"}})
	if !errors.Is(err, reeve.Cancelled) || r.commit.swaps.Load() != 0 || r.bytes(proj+"a.txt") != "alpha\n" {
		t.Fatalf("%v, %d swaps", err, r.commit.swaps.Load())
	}
	// Nothing is held any more: the next call goes through.
	r.commit.staged = nil
	if _, err := r.do(&arg{verb: "put", path: "a.txt", text: "gamma\n"}); err != nil {
		t.Fatal(err)
	}
}

// failing is a committer whose swap fails with a receipt.
type failing struct {
	capfs.Committer
	receipt capfs.Receipt
}

func (f failing) Swap(context.Context, []capfs.Staged) (capfs.Receipt, error) {
	return f.receipt, &reeve.Error{Kind: reeve.IO, Code: reeve.Failed, What: "could not be written"}
}

func TestWhatCouldNotBePutBackIsNamed(t *testing.T) {
	r := newRig(t)
	r.commit.Committer = failing{r.commit.Committer, capfs.Receipt{Left: []reeve.Place{
		{RootPath: "/home/ann/proj", Components: []reeve.Name{"b.txt"}}}}}
	_, err := r.do(&arg{verb: "put", path: "a.txt", text: "x"})
	if err == nil || !strings.Contains(err.Error(), "/home/ann/proj/b.txt") {
		t.Fatalf("%v", err)
	}
	if row := r.record.last(); !strings.Contains(row.Note, "/home/ann/proj/b.txt") {
		t.Fatalf("row %+v", row)
	}
}

func TestPanicsOutsideTheWorker(t *testing.T) {
	for _, where := range []string{"plan", "after"} {
		r := newRig(t)
		out, err := r.do(&arg{verb: "put", path: "a.txt", text: "beta\n", misbehave: where})
		switch where {
		case "plan":
			r.wantCode(err, reeve.Failed)
		case "after":
			if err != nil || len(out.Result.Notes) == 0 || r.record.last().Event != "outcome" {
				t.Errorf("%+v %v %+v", out.Result, err, r.record.last())
			}
		}
		for _, row := range r.record.list {
			if strings.Contains(row.Note, "CANARY") {
				t.Error("the panic's text is on record")
			}
		}
	}
}

// One call of a hundred paths leaves a row that tells of each of them.
func TestEachRefusedPathIsOnRecord(t *testing.T) {
	r := newRig(t)
	if _, err := r.do(&arg{verb: "peek", path: "a.txt", optionalPath: "secret"}); err != nil {
		t.Fatal(err)
	}
	row := r.record.last()
	if len(row.Effects) != 2 || row.Effects[1].Refused != reeve.Protected || row.Effects[1].Path != "secret" || row.Effects[1].Rule == "" {
		t.Fatalf("row %+v", row)
	}
}

func TestRefusalsInAnAnswerKeepToTheBudget(t *testing.T) {
	r := newReply(2000, func(s string) string { return strings.ReplaceAll(s, "HUSH", "•") })
	total := 0
	for range 100 {
		e := r.Refusal(&reeve.Error{Path: "/p/HUSH", Code: reeve.NotFound, What: strings.Repeat("w", 300) + "HUSH"})
		if strings.Contains(e.Error(), "HUSH") || e.Code != reeve.NotFound {
			t.Fatalf("%+v", e)
		}
		total += len(e.Error())
	}
	if total > 6000 {
		t.Fatalf("%d bytes of refusals in a budget of 2000", total)
	}
}

func TestRefusalOfADoorIsOnRecord(t *testing.T) {
	r := newRig(t)
	err := r.gate.Refused(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "t"}, Call: &arg{verb: "peek"}},
		&reeve.Error{Kind: reeve.Input, Code: reeve.Invalid, What: "there is no parameter"})
	r.wantCode(err, reeve.Invalid)
	if row := r.record.last(); row.Verb != "peek" || row.Code != reeve.Invalid || row.Subject.Agent != "t" {
		t.Fatalf("row %+v", row)
	}
	r.record.fail = errors.New("full")
	r.wantCode(r.gate.Refused(context.Background(), reeve.Request{}, &reeve.Error{Code: reeve.Invalid}), reeve.RecordFailed)
}

// The owner is told why a harmless-looking move is asked, and an answer holds
// for the words that were shown.
func TestQuestionTellsWhatIsInTheFolder(t *testing.T) {
	r := newRig(t)
	r.make("file", proj+"repo/sub/control", "x")
	out, err := r.do(&arg{verb: "shift", path: "repo", to: "repo2"})
	if err != nil || out.Pending == nil {
		t.Fatalf("%+v %v", out, err)
	}
	if body := out.Pending.Question.Body; !strings.Contains(body, "It holds /home/ann/proj/repo/sub/control, which is a control file.") {
		t.Fatalf("body %q", body)
	}
}

func TestAnswerIsForTheWordsShown(t *testing.T) {
	p := reeve.Proposal{Shown: []string{"old → new", "", ""}}
	q := p
	q.Shown = []string{"old → other", "", ""}
	if p.Digest() == q.Digest() {
		t.Fatal("other words, same digest")
	}
}

// A hard link, or another file system's root, is judged by what it is before
// a listing tells its facts.
func TestFactsOfAnEntryAreOfTheJudgedThing(t *testing.T) {
	r := newRig(t)
	r.make("file", "/home/ann/.keys/id", "CANARY")
	r.make("hard", proj+"innocent", "/home/ann/.keys/id")
	r.files.SetGrants([]capfs.Grant{{Path: "/home/ann/proj", Access: reeve.ReadWrite}},
		[]capfs.Narrowing{{Path: "/home/ann/.keys", Kind: reeve.MarkProtected, Rule: "~/.keys", Folder: true}})
	out, err := r.do(&arg{verb: "facts", path: "."})
	if err != nil {
		t.Fatal(err)
	}
	got := out.Result.Answer.(*said).Text.String()
	if !strings.Contains(got, "a.txt:6 ") || strings.Contains(got, "innocent:6") || !strings.Contains(got, "innocent:refused") {
		t.Fatalf("facts %q", got)
	}
}

// A secret that goes over several lines is hidden as a whole, and the page
// that it stood in is no ground for replacing the file.
func TestRedactionSeesWholePages(t *testing.T) {
	r := newReply(0, func(s string) string { return strings.Replace(s, "BEGIN KEY\nabc\nEND KEY", "•\n•\n•", 1) })
	lines, hidden := r.Lines([]string{"x", "BEGIN KEY", "abc", "END KEY", "y"})
	var got []string
	for _, l := range lines {
		got = append(got, l.String())
	}
	if strings.Join(got, "|") != "x|•|•|•|y" || !hidden {
		t.Fatalf("%q %v", got, hidden)
	}
	if _, hidden := r.Lines([]string{"nothing here"}); hidden {
		t.Fatal("said to hide what it did not")
	}
}

func TestReadStateHearsOfReadsOnRecord(t *testing.T) {
	r := newRig(t)
	r.open(Options{Verbs: map[reeve.Verb]Verb{"look": look{}}})
	if _, err := r.do(&arg{verb: "look", path: "a.txt"}); err != nil || r.read.reads.Load() != 1 {
		t.Fatalf("%v, %d reads", err, r.read.reads.Load())
	}
	r.record.fail = errors.New("full")
	if _, err := r.do(&arg{verb: "look", path: "a.txt"}); err == nil || r.read.reads.Load() != 1 {
		t.Fatal("a read that is not on record licenses a change")
	}
}

// look says that it showed a page.
type look struct{ peek }

func (look) Work(_ context.Context, _ reeve.Call, v *View, r *Reply) (Work, error) {
	r.Saw(v.At(0).Place(), reeve.Page{})
	return Work{Answer: &said{r.Text("seen")}}, nil
}

// A link with a protected or controlling name is judged by that name too, and
// so is what lies behind it.
func TestLinksAreJudgedByTheirOwnNameToo(t *testing.T) {
	r := newRig(t)
	r.make("file", proj+"dotfiles/plain", "CANARY\n")
	r.make("link", proj+"box/secret", "../dotfiles/plain")
	r.make("link", proj+"vault", "dotfiles")
	r.make("dir", proj+"x/secret2", "")
	r.make("link", proj+"x/secret", "../dotfiles")
	r.make("link", proj+"x/control", "../dotfiles/plain")
	r.make("link", proj+"harmless", "dotfiles/plain")
	for _, path := range []string{"box/secret", "x/secret/plain", "x/secret/none"} {
		_, err := r.do(&arg{verb: "peek", path: path})
		r.wantCode(err, reeve.Protected)
		_, err = r.do(&arg{verb: "put", path: path, text: "x"})
		r.wantCode(err, reeve.Protected)
	}
	if out, err := r.do(&arg{verb: "peek", path: "harmless"}); err != nil || out.Result == nil {
		t.Fatalf("a harmless link: %v", err)
	}
	out, err := r.do(&arg{verb: "put", path: "x/control", text: "x"})
	if err != nil || out.Pending == nil || !out.Pending.Question.HumanOnly || !strings.Contains(out.Pending.Question.Body, "by the link /home/ann/proj/x/control, and that is a control file") {
		t.Fatalf("%+v %v", out, err)
	}
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	if out, _ := r.do(&arg{verb: "put", path: "harmless", text: "x"}); out.Pending == nil || out.Pending.Question.HumanOnly {
		t.Fatalf("%+v", out)
	}
}
