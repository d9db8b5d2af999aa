package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/asking"
	"reeve/internal/attack"
)

// desk is a Doer that asks about every stat, with the real table of
// questions: its changes are counted instead of made.
type desk struct {
	table *approval.Table
	state string

	mu    sync.Mutex
	now   time.Time
	done  map[string]int
	said  []string // what was noted of clients
	body  string
	about []reeve.Subject // who asked
	left  string          // what the last dialog left out
	asks  int             // how often a call came to a question
	diff  string          // the change of each question
}

func newDesk(t *testing.T) *desk {
	d := &desk{state: filepath.Join(t.TempDir(), "state"), done: map[string]int{}, now: time.Now(), body: "/r/first"}
	d.table = approval.NewTable(approval.TableOptions{Dir: d.state, Now: d.clock})
	return d
}

func (d *desk) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

func (d *desk) count(path string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done[path]
}

func (d *desk) noted() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.said, "\n")
}

func (d *desk) Do(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
	path := r.Call.(*reeve.Stat).Path
	session := ""
	if r.Subject.SessionTold {
		session = r.Subject.Session
	}
	digest := reeve.Digest(sha256.Sum256(fmt.Append(nil, path, "|", r.Subject.Door, "|", r.Subject.Agent, "|", session)))
	a, ok, err := d.table.Take(ctx, digest)
	if err != nil {
		return reeve.Outcome{}, err
	}
	if ok && !a.Yes {
		return reeve.Outcome{}, &reeve.Error{Op: "stat", Path: path, Kind: reeve.Approval, Code: reeve.Declined,
			What: "was not changed: the owner declined", Not: "Nothing was written.", Instead: "Ask before trying again."}
	}
	if !ok {
		d.mu.Lock()
		q := reeve.Question{Title: "Overwrite " + path + "?", Body: d.body, Detail: d.diff, HumanOnly: path == "human"}
		d.asks++
		d.mu.Unlock()
		p, err := d.table.Ask(ctx, digest, q, r.Subject)
		return reeve.Outcome{Pending: &p}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done[path]++
	return reeve.Outcome{Result: &reeve.Result{Answer: &reeve.Facts{Path: cleared(path), Kind: reeve.File, Access: reeve.Read}}}, nil
}

// Answer implements Answers.
func (d *desk) Answer(ctx context.Context, p reeve.Pending, _ reeve.Subject, yes bool, left string) error {
	d.mu.Lock()
	d.left = left
	d.mu.Unlock()
	return d.table.Answer(ctx, p.ID, approval.Answer{Yes: yes, Channel: "elicitation"})
}

// Unanswered implements Answers.
func (d *desk) Unanswered(_ context.Context, p reeve.Pending, s reeve.Subject, how string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said = append(d.said, s.Agent+": "+how)
}

func (d *desk) givenUp(ctx context.Context, id string) {
	if err := d.table.GivenUp(ctx, id); err != nil {
		panic(err)
	}
}

// Open implements Answers.
func (d *desk) Open(ctx context.Context, id string) (bool, error) { return d.table.Open(ctx, id) }

// owner answers the one question that waits, as the owner does.
func (d *desk) owner(t *testing.T, yes bool) {
	t.Helper()
	for range 2000 {
		list, err := d.table.Waiting(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 {
			if err := d.table.Answer(context.Background(), list[0].ID, approval.Answer{Yes: yes, Channel: "console"}); err != nil {
				t.Fatal(err)
			}
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal("no question came")
}

func (d *desk) options() Options {
	o := options(d.Do)
	source := enabled()
	source.set(func(f *dialectFacts) { f.Elicit = true })
	o.Source = source
	o.Answers, o.GivenUp = d, d.givenUp
	o.Tickets = asking.NewTickets(asking.TicketOptions{Now: d.clock, Key: func() ([]byte, error) { return asking.Key(d.state) }})
	o.WaitFor = patience
	return o
}

// nobody is an owner without a channel.
type nobody struct{}

func (nobody) Wait(context.Context, reeve.Pending) error {
	return &reeve.Error{Kind: reeve.Approval, Code: reeve.NoChannel}
}

// present is an owner who has a channel, and looks at the table as the real
// waiting does.
type present struct{ d *desk }

func (p present) Wait(ctx context.Context, q reeve.Pending) error {
	return asking.New(asking.Options{Cards: p.d.table, Channels: []asking.Channel{&chair{}}, Every: time.Millisecond}).Wait(ctx, q)
}

type chair struct{ _ byte }

func (*chair) There(context.Context) bool               { return true }
func (*chair) Ask(ctx context.Context, _ reeve.Pending) { <-ctx.Done() }

type duplex struct {
	io.Reader
	io.WriteCloser
}

// talk runs a server and gives a client of it.
func talk(t *testing.T, o Options, lo attack.LineOptions) *attack.LineClient {
	t.Helper()
	return talkTo(t, New(o), lo)
}

func talkTo(t *testing.T, s *Server, lo attack.LineOptions) *attack.LineClient {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		_ = s.Run(ctx, inR, outW)
		outW.Close()
	})
	c := attack.DialLine(duplex{outR, inW}, lo)
	t.Cleanup(func() {
		c.Close()
		stop()
		running.Wait()
	})
	return c
}

// open does the handshake.
func open(t *testing.T, c *attack.LineClient) {
	t.Helper()
	if _, err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// change makes a call that is asked about.
func change(t *testing.T, c *attack.LineClient, path string, more map[string]any) elicited {
	t.Helper()
	p := map[string]any{"name": "stat", "arguments": map[string]any{"path": path}}
	for k, v := range more {
		p[k] = v
	}
	raw, err := c.Call(t.Context(), "tools/call", p)
	if err != nil {
		t.Fatalf("a protocol error: %v", err)
	}
	var r elicited
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return r
}

// elicited is a result that may be a question.
type elicited struct {
	toolResult
	InputRequests map[string]struct {
		Method string
		Params struct{ Message, Mode string }
	}
	RequestState string
}

func says(state, action string) map[string]any {
	return map[string]any{"requestState": state, "inputResponses": map[string]any{inputKey: map[string]any{"action": action}}}
}
