package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/attack"
	"reeve/internal/dialect"
)

type dialectFacts = dialect.Facts

const (
	waitingText = "The owner has not answered yet. Nothing was written. Call again with the same arguments.\n(approval: waiting)"
	canAsk      = `{"elicitation":{}}`
)

func generations(t *testing.T, do func(t *testing.T, g attack.Generation)) {
	for _, g := range []attack.Generation{attack.Gen2025, attack.Gen2026} {
		t.Run(string(g), func(t *testing.T) { do(t, g) })
	}
}

// A client that cannot be asked gets a sentence, never a protocol error.
func TestAClientWithoutElicitationGetsASentence(t *testing.T) {
	for name, capabilities := range map[string]string{"none": `{}`, "only links": `{"elicitation":{"url":{}}}`, "other things": `{"roots":{},"sampling":{}}`} {
		t.Run(name, func(t *testing.T) {
			generations(t, func(t *testing.T, g attack.Generation) {
				d := newDesk(t)
				o := d.options()
				o.Waiter = nobody{}
				c := talk(t, o, attack.LineOptions{Generation: g, Capabilities: json.RawMessage(capabilities)})
				open(t, c)
				r := change(t, c, "first", nil)
				cards, err := d.table.Waiting(t.Context())
				if err != nil || len(cards) != 1 {
					t.Fatal(cards, err)
				}
				want := "No console, terminal or window of the owner's is open, so the owner was not asked yet. Nothing was written. " +
					"Wait for the owner, who can answer with `reeve approve " + cards[0].ID + "`; call again with the same arguments after a minute.\n(approval: no_channel)"
				if d.mu.Lock(); d.asks != 1 {
					t.Errorf("one call asked %d times", d.asks)
				}
				d.mu.Unlock()
				if !r.IsError || r.text() != want || r.Meta.Result.Error.Code != reeve.NoChannel || len(r.Meta.Result.Question) == 0 {
					t.Errorf("%q %+v", r.text(), r.Meta)
				}
				d.owner(t, true) // from another shell
				if r := change(t, c, "first", nil); r.IsError || d.count("first") != 1 {
					t.Errorf("called again after the answer: %s", r.text())
				}
			})
		})
	}
}

// Every lie is refused in words, and nothing is done.
func TestLies(t *testing.T) {
	for _, lie := range attack.Lies() {
		t.Run(lie.Name, func(t *testing.T) {
			generations(t, func(t *testing.T, g attack.Generation) {
				if lie.Generation != "" && lie.Generation != g {
					t.Skip("not in this generation")
				}
				d := newDesk(t)
				o := d.options()
				o.Waiter = nobody{}
				a := &attack.Asker{
					Dial: func(lo attack.LineOptions) (*attack.LineClient, error) { return talk(t, o, lo), nil },
					Done: func(c attack.ToolCall) int { return d.count(c.Args["path"].(string)) },
				}
				for path, c := range map[string]*attack.ToolCall{"first": &a.First, "path": &a.Path, "content": &a.Content, "human": &a.Human} {
					*c = attack.ToolCall{Name: "stat", Args: map[string]any{"path": path}}
				}
				if err := lie.Tell(t.Context(), a, g); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAnExpiredTicketIsRefused(t *testing.T) {
	d := newDesk(t)
	o := d.options()
	o.Waiter = nobody{}
	c := talk(t, o, attack.LineOptions{Generation: attack.Gen2026, Capabilities: json.RawMessage(canAsk)})
	open(t, c)
	r := change(t, c, "first", nil)
	d.pass(11 * time.Minute) // the question itself waits for 15
	if again := change(t, c, "first", says(r.RequestState, "accept")); !again.IsError || !strings.Contains(again.text(), "bad_answer") || d.count("first") != 0 {
		t.Errorf("%s", again.text())
	}
}

// An honest client's yes is a yes, its no a no, in both generations.
func TestAnHonestClientIsBelieved(t *testing.T) {
	for action, want := range map[string]int{"accept": 1, "decline": 0} {
		t.Run(action, func(t *testing.T) {
			generations(t, func(t *testing.T, g attack.Generation) {
				d := newDesk(t)
				o := d.options()
				o.Waiter = nobody{}
				var message string
				c := talk(t, o, attack.LineOptions{Generation: g, Capabilities: json.RawMessage(canAsk), Answer: func(method string, params json.RawMessage) (any, error) {
					if method != "elicitation/create" {
						return nil, errors.New(method)
					}
					var p struct{ Message string }
					err := json.Unmarshal(params, &p)
					message = p.Message
					return map[string]any{"action": action}, err
				}})
				open(t, c)
				r := change(t, c, "first", nil)
				if g == attack.Gen2026 {
					ask := r.InputRequests[inputKey]
					if ask.Method != "elicitation/create" || ask.Params.Mode != "form" || len(r.Content) != 0 || r.ResultType != "input_required" {
						t.Fatalf("%+v", r)
					}
					message = ask.Params.Message
					r = change(t, c, "first", says(r.RequestState, action))
				}
				if message != "Overwrite first?\n/r/first" {
					t.Errorf("shown: %q", message)
				}
				if d.count("first") != want || r.IsError != (want == 0) || want == 0 && r.Meta.Result.Error.Code != reeve.Declined {
					t.Errorf("%d times, %s", d.count("first"), r.text())
				}
			})
		})
	}
}

// The owner's rules can keep clients out of it altogether.
func TestElicitationNever(t *testing.T) {
	generations(t, func(t *testing.T, g attack.Generation) {
		d := newDesk(t)
		o := d.options()
		o.Waiter = nobody{}
		o.Source.(*source).set(func(f *dialect.Facts) { f.Elicit = false })
		var asked atomic.Int32
		c := talk(t, o, attack.LineOptions{Generation: g, Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
			asked.Add(1)
			return map[string]any{"action": "accept"}, nil
		}})
		open(t, c)
		if r := change(t, c, "first", nil); !r.IsError || !strings.Contains(r.text(), "no_channel") || asked.Load() != 0 || d.count("first") != 0 {
			t.Errorf("%+v", r)
		}
	})
}

// What only the owner may answer is not even shown by the agent's client.
func TestOwnersQuestionsStayWithTheOwner(t *testing.T) {
	generations(t, func(t *testing.T, g attack.Generation) {
		d := newDesk(t)
		o := d.options()
		o.Waiter = nobody{}
		c := talk(t, o, attack.LineOptions{Generation: g, Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
			t.Error("the client was asked")
			return map[string]any{"action": "accept"}, nil
		}})
		open(t, c)
		if r := change(t, c, "human", nil); !r.IsError || r.RequestState != "" || len(r.InputRequests) != 0 || !strings.Contains(r.text(), "no_channel") {
			t.Errorf("%+v", r)
		}
		if d.owner(t, true); change(t, c, "human", nil).IsError || d.count("human") != 1 {
			t.Error("the owner's own answer does not count")
		}
	})
}

// A client that shows nothing, or is broken, is asked once in a session; what
// it did stands on record, and its call ends in words.
func TestAClientThatBringsNoAnswerIsNotAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		answer func() (any, error)
		noted  string
		told   string
	}{
		"dismissed":  {func() (any, error) { return map[string]any{"action": "cancel"}, nil }, "dismissed the question", "The question was shown by the agent's client, and dismissed there without an answer."},
		"an error":   {func() (any, error) { return nil, errors.New("no window") }, "did not show the question", "The agent's client did not show the question."},
		"nonsense":   {func() (any, error) { return map[string]any{"action": "perhaps"}, nil }, "without an answer", "The agent's client was given the question to show, and came back without an answer."},
		"no answer":  {func() (any, error) { return "what?", nil }, "did not show the question", "The agent's client did not show the question."},
		"never ends": {nil, "no answer in time", "The agent's client was given the question to show, and brought no answer in time."},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			o := d.options()
			o.Waiter = nobody{}
			var asked atomic.Int32
			hang := make(chan struct{})
			defer close(hang)
			if c.answer == nil {
				o.WaitFor = 30 * time.Millisecond
			}
			l := talk(t, o, attack.LineOptions{Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
				asked.Add(1)
				if c.answer == nil {
					<-hang
					return nil, errors.New("late")
				}
				return c.answer()
			}})
			open(t, l)
			for i := range 3 {
				told := c.told
				if i > 0 {
					told = "The agent's client brought no answer to an earlier question, so it is not asked again in this session."
				}
				r := change(t, l, "first", nil)
				cards, err := d.table.Waiting(t.Context())
				if err != nil || len(cards) != 1 {
					t.Fatal(cards, err)
				}
				if want := told + " Nothing was written. Wait for the owner, who can answer with `reeve approve " + cards[0].ID +
					"`; call again with the same arguments after a minute.\n(approval: no_channel)"; !r.IsError || r.text() != want {
					t.Fatalf("%q, want %q", r.text(), want)
				}
			}
			if asked.Load() != 1 || !strings.Contains(d.noted(), "attack: the client ") || !strings.Contains(d.noted(), c.noted) || strings.Count(d.noted(), "\n") != 0 {
				t.Errorf("asked %d times; noted %q", asked.Load(), d.noted())
			}
			if d.count("first") != 0 {
				t.Error("it was done")
			}
			other := talk(t, o, attack.LineOptions{Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
				return map[string]any{"action": "accept"}, nil
			}})
			open(t, other)
			if change(t, other, "first", nil); d.count("first") != 1 {
				t.Error("another session is not asked either")
			}
		})
	}
}

// In the newer generation the client has to come back by itself.
func TestAClientThatTakesTheQuestionAndForgetsIt(t *testing.T) {
	d := newDesk(t)
	o := d.options()
	o.Waiter = nobody{}
	c := talk(t, o, attack.LineOptions{Generation: attack.Gen2026, Capabilities: json.RawMessage(canAsk)})
	open(t, c)
	if r := change(t, c, "first", nil); r.RequestState == "" {
		t.Fatal(r.text())
	}
	if r := change(t, c, "first", nil); r.RequestState != "" || !strings.Contains(r.text(), "no_channel") {
		t.Errorf("asked again: %+v", r)
	}
	if !strings.Contains(d.noted(), "took the question") {
		t.Error(d.noted())
	}
}

// The owner's channels come first: while one is there, the client is not
// asked, and is told that the call waits.
func TestTheOwnersChannelsComeFirst(t *testing.T) {
	generations(t, func(t *testing.T, g attack.Generation) {
		d := newDesk(t)
		o := d.options()
		o.Waiter = present{d}
		c := talk(t, o, attack.LineOptions{Generation: g, Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
			t.Error("the client was asked")
			return map[string]any{"action": "decline"}, nil
		}})
		open(t, c)
		done := make(chan elicited, 1)
		go func() {
			done <- change(t, c, "first", map[string]any{"_meta": map[string]any{"progressToken": "p"}})
		}()
		d.owner(t, true)
		if r := <-done; r.IsError || d.count("first") != 1 {
			t.Errorf("%+v", r)
		}
		told := false
		for _, l := range c.Transcript() {
			told = told || strings.Contains(string(l.Text), "Waiting for the owner")
		}
		if !told {
			t.Error("the client was not told that the call waits")
		}
	})
}

// When nobody answers in time, the client is asked; without one that can be,
// the text says to call again, and the later answer counts then.
func TestNobodyAnswersInTime(t *testing.T) {
	generations(t, func(t *testing.T, g attack.Generation) {
		d := newDesk(t)
		o := d.options()
		o.Waiter = present{d}
		o.Source.(*source).set(func(f *dialect.Facts) { f.Wait = 5 * time.Millisecond })
		c := talk(t, o, attack.LineOptions{Generation: g, Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
			return map[string]any{"action": "accept"}, nil
		}})
		open(t, c)
		r := change(t, c, "first", nil)
		if g == attack.Gen2026 {
			r = change(t, c, "first", says(r.RequestState, "accept"))
		}
		if r.IsError || d.count("first") != 1 {
			t.Errorf("%+v", r)
		}
		mute := talk(t, o, attack.LineOptions{Generation: g})
		open(t, mute)
		if r := change(t, mute, "first", nil); r.text() != waitingText || r.Meta.Result.Error.Code != reeve.Waiting {
			t.Errorf("%q", r.text())
		}
		d.pass(61 * time.Second)
		d.owner(t, true)
		if r := change(t, mute, "first", nil); r.IsError || d.count("first") != 2 {
			t.Errorf("after 61 s: %s", r.text())
		}
		d.pass(time.Minute)
		if r := change(t, mute, "first", nil); !r.IsError || d.count("first") != 2 {
			t.Errorf("one answer did for two calls: %s", r.text())
		}
	})
}

// Whoever answers late is told what was decided.
func TestALateAnswerIsToldWhatWasDecided(t *testing.T) {
	for name, c := range map[string]struct {
		owner bool
		late  string
		done  int
		want  string
	}{
		"allowed before a no":   {true, "decline", 1, "The owner had allowed it elsewhere"},
		"declined before a yes": {false, "accept", 0, "the owner had declined it elsewhere"},
		"both say yes":          {true, "accept", 1, ""},
		"both say no":           {false, "decline", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			generations(t, func(t *testing.T, g attack.Generation) {
				d := newDesk(t)
				o := d.options()
				o.Waiter = nobody{}
				l := talk(t, o, attack.LineOptions{Generation: g, Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
					d.owner(t, c.owner)
					return map[string]any{"action": c.late}, nil
				}})
				open(t, l)
				r := change(t, l, "first", nil)
				if g == attack.Gen2026 {
					d.owner(t, c.owner)
					r = change(t, l, "first", says(r.RequestState, c.late))
				}
				if d.count("first") != c.done || r.IsError != (c.done == 0) {
					t.Errorf("%d: %s", d.count("first"), r.text())
				}
				// Called off in time, an older client's answer is not heard.
				if g == attack.Gen2026 && (!strings.Contains(r.text(), c.want) || c.want == "" && strings.Contains(r.text(), "Note:")) {
					t.Error(r.text())
				}
			})
		})
	}
}

// The owner answers elsewhere while an older client shows its dialog: the call
// goes on at once, whatever the client does.
func TestADialogIsCalledOff(t *testing.T) {
	d := newDesk(t)
	o := d.options()
	o.Waiter = nobody{}
	hang := make(chan struct{})
	defer close(hang)
	shown := make(chan struct{})
	c := talk(t, o, attack.LineOptions{Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
		close(shown)
		<-hang
		return nil, errors.New("late")
	}})
	open(t, c)
	go func() {
		<-shown
		d.owner(t, true)
	}()
	if r := change(t, c, "first", nil); r.IsError || d.count("first") != 1 {
		t.Error(r.text())
	}
	if d.noted() != "" {
		t.Errorf("the client is blamed: %s", d.noted())
	}
}

// A client that gives its call up while it shows the question has brought no
// answer.
func TestACallGivenUpWhileItAsks(t *testing.T) {
	d := newDesk(t)
	o := d.options()
	o.Waiter = nobody{}
	hang := make(chan struct{})
	ctx, drop := context.WithCancel(t.Context())
	c := talk(t, o, attack.LineOptions{Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
		drop()
		<-hang
		return nil, errors.New("late")
	}})
	open(t, c)
	if _, err := c.Call(ctx, "tools/call", map[string]any{"name": "stat", "arguments": map[string]any{"path": "first"}}); err == nil {
		t.Fatal("it was answered")
	}
	for range 2000 {
		if d.noted() != "" {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	close(hang)
	if !strings.Contains(d.noted(), "gave up the call") || d.count("first") != 0 {
		t.Errorf("%q", d.noted())
	}
	if r := change(t, c, "first", nil); !strings.Contains(r.text(), "no_channel") {
		t.Error(r.text())
	}
}

// Calls that are cancelled leave their questions for the owner and for the
// same call made again, and block no others.
func TestCancelledCallsBlockNoOthers(t *testing.T) {
	d := newDesk(t)
	o := d.options()
	o.Waiter = present{d}
	c := talk(t, o, attack.LineOptions{})
	open(t, c)
	waiting := func(n int) []approval.Card {
		t.Helper()
		for range 5000 {
			if cards, err := d.table.Waiting(t.Context()); err != nil {
				t.Fatal(err)
			} else if len(cards) == n {
				return cards
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("there are never %d questions", n)
		return nil
	}
	const most = 32 // of one session
	var calls sync.WaitGroup
	ctx, drop := context.WithCancel(t.Context())
	for i := range most {
		calls.Go(func() {
			_, _ = c.Call(ctx, "tools/call", map[string]any{"name": "stat", "arguments": map[string]any{"path": fmt.Sprint("a", i)}})
		})
	}
	waiting(most)
	if r := change(t, c, "one too many", nil); !r.IsError || !strings.Contains(r.text(), "32 questions of this session wait for the owner already") || !strings.Contains(r.text(), "`reeve approve`") {
		t.Error(r.text())
	}
	drop()
	calls.Wait()
	waiting(most)
	for range 5000 { // the server hears of it a moment later
		if list, _ := filepath.Glob(filepath.Join(d.state, "approvals", "*.dropped")); len(list) == most {
			break
		}
		time.Sleep(time.Millisecond)
	}
	again := make(chan elicited, 1)
	go func() { again <- change(t, c, "one more", nil) }()
	asked := false
	for i := 0; i < 5000 && !asked; i++ {
		for _, c := range waiting(most) {
			if c.Question.Title == "Overwrite one more?" {
				asked = true
				if err := d.table.Answer(t.Context(), c.ID, approval.Answer{Yes: true, Channel: "console"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		time.Sleep(time.Millisecond)
	}
	if r := <-again; r.IsError || d.count("one more") != 1 {
		t.Error(r.text())
	}
	// The owner answers one that was given up; its call is made again later.
	left := waiting(most - 1)
	path := strings.TrimSuffix(strings.TrimPrefix(left[0].Question.Title, "Overwrite "), "?")
	if err := d.table.Answer(t.Context(), left[0].ID, approval.Answer{Yes: true, Channel: "console"}); err != nil {
		t.Fatal(err)
	}
	if r := change(t, c, path, nil); r.IsError || d.count(path) != 1 {
		t.Errorf("%s: %s", path, r.text())
	}
}

// The key can't be kept: nobody is asked through the client, and the owner's
// way is named.
func TestNoKeyNoElicitation(t *testing.T) {
	d := newDesk(t)
	o := d.options()
	o.Waiter = nobody{}
	o.Tickets = brokenTickets{}
	var logged atomic.Int32
	o.Log = func(string) { logged.Add(1) }
	c := talk(t, o, attack.LineOptions{Generation: attack.Gen2026, Capabilities: json.RawMessage(canAsk)})
	open(t, c)
	if r := change(t, c, "first", nil); !strings.Contains(r.text(), "no_channel") || logged.Load() == 0 {
		t.Error(r.text())
	}
}

type brokenTickets struct{}

func (brokenTickets) Issue(reeve.Pending, reeve.Subject) (string, error) {
	return "", errors.New("the state folder is read-only")
}

func (brokenTickets) Redeem(string, reeve.Pending, reeve.Subject) error {
	return errors.New("the state folder is read-only")
}
