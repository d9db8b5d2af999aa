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
