package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
)

func TestBadArgumentsAreRefusedByNameAndNothingIsDone(t *testing.T) {
	var done atomic.Int32
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		done.Add(1)
		return answers(ctx, r)
	}))
	w.hello("2025-11-25")
	for name, c := range map[string]struct{ tool, args, want string }{
		"no arguments":              {"read_file", ``, `neither "path" nor "paths"`},
		"arguments that are a list": {"stat", `["a"]`, "not a JSON object"},
		"arguments that are text":   {"stat", `"a"`, "not a JSON object"},
		"both ways to name a file":  {"read_file", `{"path":"a","paths":["b"]}`, `both "path" and "paths"`},
		"no path":                   {"stat", `{}`, `"path" is missing`},
		"a number for a path":       {"stat", `{"path":7}`, `"path" is a number`},
		"odd case":                  {"stat", `{"Path":"a"}`, `Did you mean "path"?`},
		"an unknown key":            {"list_directory", `{"path":"a","follow":true}`, `no parameter "follow"`},
		"twice":                     {"stat", `{"path":"a","path":"b"}`, `"path" is given twice`},
		"ten megabytes of a path":   {"stat", `{"path":"` + strings.Repeat("a", 10<<20) + `"}`, `"path" is too long`},
		"NUL":                       {"stat", `{"path":"a\u0000"}`, "NUL"},
		"half a pair":               {"stat", `{"path":"\ud800"}`, "surrogate"},
		"no text":                   {"stat", "{\"path\":\"\xff\"}", "UTF-8"},
		"limit of 0":                {"read_file", `{"path":"a","limit":0}`, `"limit" must be a whole number from 1 to 1,000,000`},
		"limit of -1":               {"search_files", `{"pattern":"a","limit":-1}`, `"limit" must be a whole number from 1 to 1,000,000`},
		"limit of 10^18":            {"read_file", `{"path":"a","limit":1000000000000000000}`, `"limit" must be`},
		"limit of 10^400":           {"read_file", `{"path":"a","limit":1e400}`, `"limit" must be`},
		"limit of 1.5":              {"read_file", `{"path":"a","limit":1.5}`, `"limit" must be`},
		"offset of 0":               {"read_file", `{"path":"a","offset":0}`, `not 0`},
		"depth of 33":               {"list_directory", `{"path":"a","recursive":true,"depth":33}`, `"depth" must be a whole number from 1 to 32`},
		"depth alone":               {"list_directory", `{"path":"a","depth":2}`, `"recursive": true`},
		"51 paths":                  {"read_file", `{"paths":[` + strings.Repeat(`"a",`, 50) + `"a"]}`, `"paths" must be a list of 1 to 50`},
		"a type that is none":       {"search_files", `{"pattern":"a","type":"socket"}`, `"type" must be "file", "directory" or "symlink"`},
		"nested 300 deep":           {"stat", `{"path":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, "nest deeper"},
		"an argument too many":      {"list_roots", `{"path":"a"}`, "It takes no arguments."},
	} {
		if racing && len(c.args) > 2<<20 {
			continue
		}
		r := w.call(c.tool, c.args, "")
		text := r.text()
		if !r.IsError || !strings.Contains(text, c.want) || !strings.HasPrefix(text, "Refused: "+c.tool+": ") || !strings.HasSuffix(text, "(input: invalid_argument)") {
			t.Errorf("%s: %v %q", name, r.IsError, text)
		}
		if e := r.Meta.Result.Error; e == nil || e.Kind != reeve.Input || e.Code != reeve.Invalid {
			t.Errorf("%s: _meta says %+v", name, r.Meta.Result)
		}
		if len(text) > 700 {
			t.Errorf("%s: %d bytes of refusal", name, len(text))
		}
	}
	for meta, want := range map[string]string{
		`{"reeve/session":5}`:                               `_meta["reeve/session"]`,
		`{"reeve/session":""}`:                              `_meta["reeve/session"]`,
		`{"reeve/turn":{"a":1}}`:                            `_meta["reeve/turn"]`,
		`{"reeve/turn":"a\nb"}`:                             `_meta["reeve/turn"]`,
		`{"reeve/turn":"\ud800"}`:                           `_meta["reeve/turn"]`,
		`{"reeve/turn":"` + strings.Repeat("x", 200) + `"}`: `_meta["reeve/turn"]`,
	} {
		if r := w.call("stat", `{"path":"a"}`, meta); !r.IsError || !strings.Contains(r.text(), want) {
			t.Errorf("%.40s: %s", meta, r.text())
		}
	}
	if n := done.Load(); n != 0 {
		t.Errorf("%d of these calls reached the gate", n)
	}
	if r := w.call("stat", `{"path":"a"}`, ""); r.IsError {
		t.Error(r.text())
	}
}

func TestTheGateIsToldWhoAsks(t *testing.T) {
	got := make(chan reeve.Request, 10)
	d := func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		got <- r
		return answers(ctx, r)
	}
	w := dial(t, options(d))
	w.write(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":" ann\u202e\n\u0000\tcode ` + strings.Repeat("x", 500) + `","version":"1"}}}`)
	w.answer(`"hello"`)
	w.call("stat", `{"path":"a"}`, "")
	first := <-got
	if a := first.Subject.Agent; !strings.HasPrefix(a, "anncode x") && !strings.HasPrefix(a, "ann code x") || len(a) > agentBytes {
		t.Errorf("the agent is called %q", a)
	}
	if s := first.Subject; s.IsOwner() || s.Door != "stdio" || len(s.Session) < 16 || s.SessionTold || s.Turn != "" || first.Target != reeve.Local || first.ID == "" {
		t.Errorf("%+v", first)
	}
	w.call("stat", `{"path":"b"}`, `{"reeve/session":"s-1","reeve/turn":"t-9"}`)
	second := <-got
	if s := second.Subject; s.Session != "s-1" || !s.SessionTold || s.Turn != "t-9" || s.Connection != first.Subject.Connection || second.ID == first.ID {
		t.Errorf("%+v", second)
	}
	w.call("stat", `{"path":"c"}`, "")
	if third := <-got; third.Subject.Session != first.Subject.Session || third.Subject.Turn != "" {
		t.Errorf("a told session stayed: %+v", third.Subject)
	}
	o := options(d)
	o.Agent = "configured"
	w = dial(t, o)
	w.hello("2025-11-25")
	w.call("stat", `{"path":"a"}`, "")
	if r := <-got; r.Subject.Agent != "configured" || r.Subject.Session == first.Subject.Session {
		t.Errorf("%+v", r.Subject)
	}
}

func TestRefusalsFaultsAndPanicsAreToldInWords(t *testing.T) {
	var logged []string
	o := options(func(_ context.Context, r reeve.Request) (reeve.Outcome, error) {
		switch path := r.Call.(*reeve.Stat).Path; path {
		case "refused":
			return reeve.Outcome{}, &reeve.Error{Op: "stat", Path: path, Kind: reeve.Policy, Code: reeve.OutsideRoots,
				What: "is outside the granted folders", Not: "Nothing was read.", Instead: "Do not try other spellings of it."}
		case "failed":
			return reeve.Outcome{}, fmt.Errorf("wrapped: %w", &reeve.Error{Path: path, Kind: reeve.IO, Code: reeve.NotFound, What: "does not exist"})
		case "strange":
			return reeve.Outcome{}, errors.New("a secret of the gate")
		case "panic":
			var m map[string]int
			m["a\nb"] = 1
		case "empty":
			return reeve.Outcome{}, nil
		case "no answer":
			return reeve.Outcome{Result: &reeve.Result{}}, nil
		case "another answer":
			return reeve.Outcome{Result: &reeve.Result{Answer: &reeve.Roots{}}}, nil
		}
		return answers(context.Background(), r)
	})
	o.Log = func(line string) { logged = append(logged, line) }
	w := dial(t, o)
	w.hello("2025-11-25")
	for path, want := range map[string]string{
		"refused":        "Refused: refused is outside the granted folders. Nothing was read. Do not try other spellings of it.\n(policy: outside_roots)",
		"failed":         "Failed: failed does not exist.\n(io: not_found)",
		"strange":        "Failed: there is a fault in Reeve. There is no answer to this call. Tell the user.\n(io: failed)",
		"panic":          "Failed: there is a fault in Reeve. There is no answer to this call. Tell the user; `reeve log` shows what was done before it.\n(io: failed)",
		"empty":          "(io: failed)",
		"no answer":      "(io: failed)",
		"another answer": "(io: failed)",
	} {
		r := w.call("stat", `{"path":"`+path+`"}`, "")
		if !r.IsError || !strings.HasSuffix(r.text(), want) {
			t.Errorf("%s: %v %q", path, r.IsError, r.text())
		}
	}
	if r := w.call("stat", `{"path":"fine"}`, ""); r.IsError {
		t.Error(r.text())
	}
	w.in.Close()
	w.end(patience) // logged is still now
	all := strings.Join(logged, "\n")
	if len(logged) != 5 || !strings.Contains(all, "call_test.go:") {
		t.Errorf("the log says:\n%s", all)
	}
	for _, l := range logged {
		if strings.ContainsAny(l, "\n\t") || len(l) > logBytes+10 {
			t.Errorf("not a short line: %q", l)
		}
	}
}

// pendingUntil asks the owner until yes, and notes how often it was asked.
func pendingUntil(yes func() bool, asked *atomic.Int32) doer {
	return func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		asked.Add(1)
		if yes() {
			return answers(ctx, r)
		}
		return reeve.Outcome{Pending: &reeve.Pending{ID: "k7", Digest: reeve.Digest{1}, Expires: time.Unix(1e9, 0).UTC(),
			Question: reeve.Question{Title: "Delete secret-plans.txt?"}}}, nil
	}
}

func TestAnUnansweredQuestionSaysToCallAgain(t *testing.T) {
	var asked atomic.Int32
	w := dial(t, options(pendingUntil(func() bool { return false }, &asked)))
	w.hello("2025-11-25")
	r := w.call("stat", `{"path":"a"}`, "")
	if want := "The owner has not answered yet. Nothing was written. Call again with the same arguments.\n(approval: waiting)"; !r.IsError || r.text() != want {
		t.Errorf("%q", r.text())
	}
	if b, _ := json.Marshal(r.Meta.Result); string(b) != `{"error":{"kind":"approval","code":"waiting"},"question":{"id":"k7","expires":"2001-09-09T01:46:40Z"}}` {
		t.Errorf("%s", b)
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times with nothing to wait on", asked.Load())
	}
}

type waiter func(context.Context, reeve.Pending) error

func (w waiter) Wait(ctx context.Context, p reeve.Pending) error { return w(ctx, p) }

func TestTheDoorWaitsForTheOwner(t *testing.T) {
	var asked atomic.Int32
	var yes atomic.Bool
	o := options(pendingUntil(yes.Load, &asked))
	o.Waiter = waiter(func(_ context.Context, p reeve.Pending) error {
		if p.ID != "k7" {
			t.Errorf("waiting for %q", p.ID)
		}
		// The first wake is for a question that has changed meanwhile.
		yes.Store(asked.Load() == 2)
		return nil
	})
	w := dial(t, o)
	w.hello("2025-11-25")
	if r := w.call("stat", `{"path":"a"}`, `{"progressToken":"p"}`); r.IsError || asked.Load() != 3 {
		t.Errorf("%s, asked %d times", r.text(), asked.Load())
	}

	asked.Store(0)
	yes.Store(false)
	o.Waiter = waiter(func(ctx context.Context, _ reeve.Pending) error { <-ctx.Done(); return ctx.Err() })
	o.WaitFor = 3 * progressEvery
	w = dial(t, o)
	w.hello("2025-11-25")
	r := w.call("stat", `{"path":"a"}`, `{"progressToken":"p"}`)
	if len(w.other) == 0 || !strings.Contains(w.other[0], "Waiting for the owner's answer") {
		t.Errorf("the client did not hear that its call waits: %q", w.other)
	}
	if !strings.Contains(r.text(), "Call again") || asked.Load() != 2 {
		t.Errorf("%s, asked %d times", r.text(), asked.Load())
	}
}

func TestACancelledCallEnds(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return reeve.Outcome{}, ctx.Err()
	}))
	w.hello("2025-11-25")
	w.write(`{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"}}}`)
	<-started
	w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":71,"reason":"enough"}}`)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the call went on")
	}
	if r := w.answer("71"); r.Error == nil {
		if res := w.result(r); !strings.Contains(res.text(), "(io: cancelled)") {
			t.Errorf("%s", res.text())
		}
	}
}

func TestRunEndsItsCallsWhenItIsStopped(t *testing.T) {
	started := make(chan struct{})
	w := dial(t, options(func(ctx context.Context, _ reeve.Request) (reeve.Outcome, error) {
		close(started)
		<-ctx.Done()
		return reeve.Outcome{}, ctx.Err()
	}))
	w.hello("2025-11-25")
	w.write(`{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"}}}`)
	<-started
	w.stop()
	if err := w.end(patience); !errors.Is(err, context.Canceled) {
		t.Errorf("Run ended with %v", err)
	}
}

func TestProgressGoesToWhoAskedForItAndEndsWithTheCall(t *testing.T) {
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		for i := range 1000 {
			reeve.ReportProgress(ctx, reeve.Progress{Done: int64(i / 2), Total: 500, Message: strings.Repeat("é", 300)})
		}
		// Let one out before the end.
		time.Sleep(3 * progressEvery / 2)
		reeve.ReportProgress(ctx, reeve.Progress{Done: 3})
		time.Sleep(progressEvery / 2)
		return answers(ctx, r)
	}))
	w.hello("2025-11-25")
	if r := w.call("stat", `{"path":"a"}`, ""); r.IsError || len(w.other) != 0 {
		t.Errorf("nobody asked, and %d notifications came", len(w.other))
	}
	for _, token := range []string{`"tok"`, `7`} {
		w.other = nil
		if r := w.call("stat", `{"path":"a"}`, `{"progressToken":`+token+`}`); r.IsError {
			t.Error(r.text())
		}
		last := -1.0
		for _, line := range w.other {
			var m struct {
				Method string
				Params struct {
					ProgressToken   json.RawMessage
					Progress, Total float64
					Message         string
				}
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.Method != "notifications/progress" {
				t.Fatalf("%s", line)
			}
			if string(m.Params.ProgressToken) != token || m.Params.Progress <= last || len(m.Params.Message) > 200 {
				t.Errorf("%s after %v", line, last)
			}
			last = m.Params.Progress
		}
		if n := len(w.other); n == 0 || n > 20 {
			t.Errorf("%d notifications for 1001 words", n)
		}
	}
	w.other = nil
	w.call("stat", `{"path":"a"}`, `{"progressToken":{"a":1}}`)
	if len(w.other) != 0 {
		t.Error("a token that is none got notifications")
	}
	w.write(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	if r := w.message(); string(r.ID) != `"alive"` {
		t.Errorf("after the answer came %+v", r)
	}
}

func TestAnIdCanNotBeUsedTwiceAtOnce(t *testing.T) {
	release := make(chan struct{})
	started := make(chan struct{}, 5)
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		started <- struct{}{}
		<-release
		return answers(ctx, r)
	}))
	w.hello("2025-11-25")
	const line = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"}}}`
	w.write(line)
	<-started
	w.write(line)
	if r := w.message(); string(r.ID) != "null" || r.Error == nil || r.Error.Code != -32600 {
		t.Errorf("%+v", r)
	}
	close(release)
	if r := w.message(); string(r.ID) != "5" || r.Error != nil {
		t.Errorf("%+v", r)
	}
	w.write(line)
	if r := w.message(); string(r.ID) != "5" || r.Error != nil {
		t.Errorf("an id whose call has ended: %+v", r)
	}
}

// One slow call holds up nobody, and each answer goes to its own call.
func TestCallsRunAtOnce(t *testing.T) {
	release := make(chan struct{})
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		if p := r.Call.(*reeve.ReadFile).Paths[0]; p == "slow" {
			<-release
		}
		return answers(ctx, r)
	}))
	w.hello("2025-11-25")
	w.write(`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"slow"}}}`)
	const n = 200
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 1; i <= n; i++ {
			fmt.Fprintf(w.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"p%[1]d"}}}`+"\n", i)
		}
	})
	seen := map[string]bool{}
	for range n {
		r := w.message()
		if text := w.result(r).text(); !strings.Contains(text, "the marker p"+string(r.ID)+"\n") || seen[string(r.ID)] {
			t.Fatalf("call %s got %q", r.ID, text)
		}
		seen[string(r.ID)] = true
	}
	writing.Wait()
	close(release)
	if r := w.message(); string(r.ID) != "0" {
		t.Errorf("%+v", r)
	}
}

// A simple client writes everything before it reads anything.
func TestAClientMayWriteBeforeItReads(t *testing.T) {
	const n = 500
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- New(options(answers)).Run(t.Context(), inR, outW); outW.Close() }()
	for i := range n {
		if i == 0 {
			io.WriteString(inW, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n")
			continue
		}
		fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"}}}`+"\n", i)
	}
	inW.Close()
	all, err := io.ReadAll(outR)
	if got := bytes.Count(all, []byte("\n")); err != nil || got != n {
		t.Errorf("%d answers to %d calls, %v", got, n, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCallsOverTheBoundWaitTheirTurn(t *testing.T) {
	var now, most atomic.Int32
	o := options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(time.Millisecond)
		defer now.Add(-1)
		return answers(ctx, r)
	})
	o.Calls = 1
	w := dial(t, o)
	w.hello("2025-11-25")
	for i := range 20 {
		w.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"}}}`, i))
	}
	for range 20 {
		w.message()
	}
	if most.Load() != 1 {
		t.Errorf("%d at once", most.Load())
	}
}

func TestACallThatWaitsForItsTurnCanBeCancelled(t *testing.T) {
	release := make(chan struct{})
	started := make(chan struct{}, 5)
	o := options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		started <- struct{}{}
		<-release
		return answers(ctx, r)
	})
	o.Calls = 1
	w := dial(t, o)
	w.hello("2025-11-25")
	for _, id := range []string{"1", "2"} {
		w.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"}}}`)
		if id == "1" {
			<-started
		}
	}
	w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if r := w.message(); string(r.ID) != "2" || r.Error == nil && !strings.Contains(w.result(r).text(), "(io: cancelled)") {
		t.Errorf("%+v", r)
	}
	close(release)
	if r := w.message(); string(r.ID) != "1" || r.Error != nil {
		t.Errorf("%+v", r)
	}
}

func TestAnAnswerThatIsTooLargeBecomesARefusal(t *testing.T) {
	size := 0
	w := dial(t, options(func(_ context.Context, r reeve.Request) (reeve.Outcome, error) {
		// Quotes take twice their size in JSON: measured is what is sent.
		return file("/r/a", strings.Repeat(`"`, size)), nil
	}))
	w.hello("2025-11-25")
	for _, c := range []struct {
		size    int
		refused bool
	}{{4<<20 - envelopeBytes, false}, {4 << 20, true}, {9 << 20, true}, {10, false}} {
		if racing && c.size > 1<<20 {
			continue
		}
		size = c.size
		w.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a"}}}`)
		line := w.line()
		switch refused := strings.Contains(line, `(io: too_large)`); {
		case len(line) > 8<<20:
			t.Fatalf("a message of %d bytes", len(line))
		case refused != c.refused:
			t.Errorf("%d bytes: %.300s", c.size, line)
		case !refused && strings.Count(line, `\"`) < c.size:
			t.Errorf("%d bytes: only a part came", c.size)
		}
	}
}

func TestMetaTellsProgramsWhatWasShown(t *testing.T) {
	w := dial(t, options(answers))
	w.hello("2025-11-25")
	r := w.call("read_file", `{"path":"/r/a"}`, "")
	m := r.Meta.Result
	if m.Kind != "pages" || m.FileAccess == nil || len(m.FileAccess.Path) != 1 || m.FileAccess.Path[0] != "/r/a" ||
		len(m.Files) != 1 || m.Files[0].Total != 1 || !m.Files[0].Whole {
		t.Errorf("%+v", m)
	}
	if r.StructuredContent != nil {
		t.Error("structured content hides the text from some clients")
	}
}
