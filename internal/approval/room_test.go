package approval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reeve"
)

func session(agent, name string) reeve.Subject {
	return reeve.Subject{Kind: reeve.Agent, Door: "stdio", Agent: agent, Session: name}
}

func (d *desk) fill(t *testing.T, from, n int, s reeve.Subject) (ids []string) {
	t.Helper()
	for i := range n {
		p, err := d.Ask(context.Background(), digest(from+i), reeve.Question{Title: "t"}, s)
		if err != nil {
			t.Fatalf("question %d: %v", i, err)
		}
		ids = append(ids, p.ID)
		d.now = d.now.Add(time.Millisecond) // so that the oldest is known
	}
	return ids
}

func (d *desk) full(t *testing.T, i int, s reeve.Subject, of string) {
	t.Helper()
	_, err := d.Ask(context.Background(), digest(i), reeve.Question{}, s)
	if !errors.Is(err, reeve.Waiting) || !errors.Is(err, reeve.Approval) || !strings.Contains(err.Error(), of) || !strings.Contains(err.Error(), "`reeve approve`") {
		t.Fatalf("a question too many %s: %v", of, err)
	}
}

// One session that asks without end blocks itself, and neither the same
// agent's other sessions nor other agents.
func TestOneSessionCannotFloodTheOwner(t *testing.T) {
	d := newDesk(t)
	d.fill(t, 0, mostOfSession, session("claude", "1"))
	d.full(t, 9000, session("claude", "1"), "32 questions of this session")
	d.fill(t, 3, 1, session("claude", "1")) // a card that is there is found all the same
	d.fill(t, 1000, 1, session("claude", "2"))
	d.fill(t, 2000, 1, session("other", "1"))
	list, err := d.Waiting(context.Background())
	if err != nil || len(list) != mostOfSession+2 {
		t.Errorf("%d %v", len(list), err)
	}
	if _, err := d.Ask(context.Background(), digest(3000), reeve.Question{Body: strings.Repeat("x", 2<<20)}, session("third", "1")); err == nil {
		t.Error("a question without end was kept")
	}
}

// An agent can call itself and its sessions what it likes: there is a bound
// for each agent, and one for all.
func TestManyNamesCannotFloodTheOwner(t *testing.T) {
	d := newDesk(t)
	d.fill(t, 8000, 1, session("agent0", "0"))
	root, err := d.open(true)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	n := 1
	for a := range mostCards / mostOfAgent {
		for n < mostOfAgent*(a+1) {
			s := session(fmt.Sprint("agent", a), fmt.Sprint(n/mostOfSession))
			c := Card{ID: newID(), Digest: digest(n), Subject: s, Made: d.now, Expires: d.now.Add(QuestionLife)}
			if err := create(root, cardName(c.Digest, 0), c); err != nil { // quicker than asking
				t.Fatal(err)
			}
			n++
		}
		if a == 0 {
			d.full(t, 9000, session("agent0", "new"), "128 questions of this agent")
		}
	}
	d.full(t, 9000, session("new", "new"), "512 questions of all agents")
}

// Questions of calls that were given up block nothing: the oldest go, and only
// as many as must. The others can be answered still, and a call that is made
// again finds its question.
func TestGivenUpQuestionsMakeRoom(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	s := session("claude", "1")
	ids := d.fill(t, 0, mostOfSession, s)
	for _, i := range []int{2, 5, 7} {
		if err := d.GivenUp(ctx, ids[i]); err != nil {
			t.Fatal(err)
		}
	}
	if again := d.fill(t, 2, 1, s); again[0] != ids[2] { // made again: it is wanted
		t.Fatal("the call that was made again is asked anew")
	}
	if list, _ := d.Waiting(ctx); len(list) != mostOfSession {
		t.Errorf("%d wait: a question went although there was room", len(list))
	}
	d.fill(t, 100, 1, s)
	if open, err := d.Open(ctx, ids[5]); open || err != nil {
		t.Error("whoever waits for the question that went is not told", err)
	}
	if _, state, a, _ := d.Look(ctx, ids[5]); state != Expired || a != nil {
		t.Errorf("the question that went: %s %v", state, a)
	}
	if err := d.Answer(ctx, ids[5], Answer{Yes: true, Channel: "console"}); !errors.Is(err, reeve.NotFound) || !strings.Contains(err.Error(), "given up") {
		t.Errorf("it was answered: %v", err)
	}
	if _, ok := d.take(t, 5); ok {
		t.Fatal("a question that nobody answered has an answer")
	}
	d.yes(t, ids[7]) // still there; and one that is answered needs no room
	if _, ok := d.take(t, 7); !ok {
		t.Error("the answer to a given-up call is lost")
	}
	if fresh := d.fill(t, 5, 1, s); fresh[0] == ids[5] { // takes the room of 7
		t.Error("the question that went came back under its old name")
	}
	d.full(t, 9000, s, "32 questions of this session")
	if len(d.reports) > 0 {
		t.Error(d.reports)
	}
	d.now = d.now.Add(time.Hour)
	d.fill(t, 200, 1, s)
	for _, end := range []string{droppedEnd, answerEnd, cardEnd} {
		if left := d.names(end); len(left) > 1 {
			t.Errorf("left over: %v", left)
		}
	}
}

// Large changes of calls that were given up take no room from others either.
func TestGivenUpChangesMakeRoom(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	large := func(i int) (reeve.Pending, error) {
		return d.AskWith(ctx, digest(i), reeve.Question{Title: "t", Left: &reeve.Left{}}, session("claude", "1"), func() string { return "+a\n" })
	}
	p, err := large(1)
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(d.dir, tableDir, changeName(p.ID))
	if err := os.Truncate(whole, maxChanges); err != nil { // a hole, which takes no room on the disk
		t.Fatal(err)
	}
	if _, err := large(2); !errors.Is(err, reeve.Waiting) {
		t.Fatalf("there is no bound on changes: %v", err)
	}
	if err := d.GivenUp(ctx, p.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := large(2); err != nil {
		t.Errorf("a call that was given up blocks others: %v", err)
	}
	if _, err := os.Stat(whole); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the change of the question that went is still there: %v", err)
	}
}

// Given up and answered at once: one of the two counts.
func TestTheOwnersAnswerIsFirstOrNotAtAll(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	s := session("claude", "1")
	ids := d.fill(t, 0, mostOfSession, s)
	for _, id := range ids {
		if err := d.GivenUp(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	said := make(chan error, len(ids))
	go func() {
		for i := len(ids) - 1; i >= 0; i-- {
			said <- d.Answer(ctx, ids[i], Answer{Yes: true, Channel: "console", At: noon})
		}
	}()
	other := NewTable(TableOptions{Dir: d.dir, Now: d.Table.o.Now})
	for i := range len(ids) {
		if _, err := other.Ask(ctx, digest(1000+i), reeve.Question{}, s); err != nil {
			t.Fatal(err)
		}
	}
	for i := len(ids) - 1; i >= 0; i-- {
		err := <-said
		_, ok := d.take(t, i)
		if ok != (err == nil) {
			t.Errorf("question %d: the owner was told %v, and the answer counts: %v", i, err, ok)
		}
	}
}

// Two calls wait with one question, and one of them is given up: the card
// stays for the other.
func TestAQuestionThatOneStillWaitsForStays(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	s := session("claude", "1")
	ids := d.fill(t, 0, mostOfSession, s)
	if err := d.GivenUp(ctx, ids[3]); err != nil {
		t.Fatal(err)
	}
	if open, err := d.Open(ctx, ids[3]); !open || err != nil { // the other one looks
		t.Fatal(open, err)
	}
	if err := d.GivenUp(ctx, ids[9]); err != nil {
		t.Fatal(err)
	}
	d.fill(t, 100, 1, s)
	if open, err := d.Open(ctx, ids[3]); !open || err != nil {
		t.Error("the question went under the one who waits for it", err)
	}
	if open, _ := d.Open(ctx, ids[9]); open {
		t.Error("the question that nobody waits for stayed")
	}
}
