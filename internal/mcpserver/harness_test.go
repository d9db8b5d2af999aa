package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reeve"
	"reeve/internal/dialect"
	"reeve/internal/dialect/native"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come. It is no measure of
// speed: nothing here depends on how soon it comes.
const patience = 20 * time.Second

// doer is a scripted Doer.
type doer func(context.Context, reeve.Request) (reeve.Outcome, error)

func (d doer) Do(ctx context.Context, r reeve.Request) (reeve.Outcome, error) { return d(ctx, r) }

// source is a policy that a test can change.
type source struct {
	mu    sync.Mutex
	facts dialect.Facts
	err   error
}

func (s *source) Facts(context.Context) (dialect.Facts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.facts, s.err
}

func (s *source) set(change func(*dialect.Facts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts.Generation++
	change(&s.facts)
}

func (s *source) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func enabled() *source {
	return &source{facts: dialect.Facts{Enabled: true, Generation: 1, Relative: "/r",
		Roots: []dialect.Root{{Path: "/r", Access: reeve.Read}},
		Settings: reeve.Settings{ReadLines: 2000, ReadBytes: 50_000, MaxLimit: 1_000_000, ListDepth: 32,
			ListEntries: 200, ListMaxEntries: 1000, SearchResults: 100, WalkEntries: 200_000}}}
}

func cleared(s string) reeve.Text {
	b, _ := json.Marshal(s)
	var t reeve.Text
	if err := t.UnmarshalJSON(b); err != nil {
		panic(err)
	}
	return t
}

// file answers with a file of the given lines.
func file(path string, lines ...string) reeve.Outcome {
	p := reeve.Page{Path: cleared(path), Size: 1, Total: int64(len(lines)), Counted: true, Whole: true, Encoding: "utf-8", Endings: "lf"}
	for i, l := range lines {
		p.Lines = append(p.Lines, reeve.Line{N: int64(i + 1), Text: cleared(l)})
	}
	return reeve.Outcome{Result: &reeve.Result{Answer: &reeve.Pages{Pages: []reeve.Page{p}}, FileAccess: []reeve.Text{cleared(path)}}}
}

// answers is a Doer for every verb of the reading half.
func answers(_ context.Context, r reeve.Request) (reeve.Outcome, error) {
	result := func(a reeve.Answer) (reeve.Outcome, error) {
		return reeve.Outcome{Result: &reeve.Result{Answer: a}}, nil
	}
	switch c := r.Call.(type) {
	case *reeve.ReadFile:
		return file(c.Paths[0], "the marker "+c.Paths[0]), nil
	case *reeve.ListRoots:
		return result(&reeve.Roots{Roots: []reeve.RootInfo{{Path: cleared("/r"), Access: reeve.Read}}})
	case *reeve.ListDirectory:
		return result(&reeve.Listing{Path: cleared(c.Path), Entries: []reeve.Entry{{Name: cleared("a"), Kind: reeve.File}}})
	case *reeve.SearchFiles:
		return result(&reeve.Found{Path: cleared("/r"), Entries: []reeve.Entry{{Name: cleared("a"), Kind: reeve.File}}})
	case *reeve.Stat:
		return result(&reeve.Facts{Path: cleared(c.Path), Kind: reeve.File, Access: reeve.Read})
	}
	return reeve.Outcome{}, errors.New("an unknown call")
}

func options(d doer) Options {
	return Options{Doer: d, Dialect: native.New(), Source: enabled(), Version: "1.2.3", Watch: -1}
}

// wire is a client that speaks in raw lines.
type wire struct {
	t    *testing.T
	in   *io.PipeWriter
	got  chan string
	done chan error
	stop context.CancelFunc
	sent sync.WaitGroup
	next int
	// other holds lines that were passed over while waiting for an answer.
	other []string
}

// dial runs a server over pipes until the test ends.
func dial(t *testing.T, o Options) *wire {
	t.Helper()
	return dialServer(t, New(o))
}

func dialServer(t *testing.T, s *Server) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	w := &wire{t: t, in: inW, got: make(chan string, 100_000), done: make(chan error, 1), stop: stop}
	go func() {
		defer close(w.got)
		lines := bufio.NewReader(outR)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			w.got <- strings.TrimSuffix(line, "\n")
		}
	}()
	go func() {
		err := s.Run(ctx, inR, outW)
		outW.Close()
		w.done <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		w.end(patience)
		stop()
		w.sent.Wait()
	})
	return w
}

// end waits for Run and gives its error.
func (w *wire) end(d time.Duration) error {
	w.t.Helper()
	select {
	case err := <-w.done:
		w.done <- err
		return err
	case <-time.After(d):
		w.t.Error("the server did not end")
		w.stop()
		return nil
	}
}

// send writes a line without waiting for it to be read.
func (w *wire) send(line string) {
	w.sent.Add(1)
	prev := make(chan struct{})
	go func() {
		defer w.sent.Done()
		close(prev)
		w.in.Write([]byte(line + "\n"))
	}()
	<-prev
}

// write writes a line and waits until it is read.
func (w *wire) write(line string) {
	w.t.Helper()
	if _, err := w.in.Write([]byte(line + "\n")); err != nil {
		w.t.Fatalf("the server reads no more: %v", err)
	}
}

func (w *wire) line() string {
	w.t.Helper()
	select {
	case l, ok := <-w.got:
		if !ok {
			w.t.Fatal("the server is gone")
		}
		return l
	case <-time.After(patience):
		w.t.Fatal("no line came")
	}
	return ""
}

// reply is a message from the server.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int
		Message string
	} `json:"error"`
}

func (w *wire) message() reply {
	w.t.Helper()
	line := w.line()
	var r reply
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.JSONRPC != "2.0" {
		w.t.Fatalf("not a message: %.200q: %v", line, err)
	}
	return r
}

// answer waits for the message with this id.
func (w *wire) answer(id string) reply {
	w.t.Helper()
	for {
		line := w.line()
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.JSONRPC != "2.0" {
			w.t.Fatalf("not a message: %.200q: %v", line, err)
		}
		if string(r.ID) == id && r.Method == "" {
			return r
		}
		w.other = append(w.other, line)
	}
}

// hello shakes hands in an older version.
func (w *wire) hello(version string) reply {
	w.t.Helper()
	w.write(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	r := w.answer(`"hello"`)
	w.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r
}

// toolResult is a tool's result as a client reads it.
type toolResult struct {
	Content []struct {
		Type string
		Text string
	}
	StructuredContent json.RawMessage
	IsError           bool
	ResultType        string
	Meta              struct {
		Result dialect.Meta `json:"reeve/result"`
	} `json:"_meta"`
}

func (r toolResult) text() string {
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		return fmt.Sprintf("not one text: %+v", r.Content)
	}
	return r.Content[0].Text
}

// call calls a tool with raw arguments, and meta if it is not empty.
func (w *wire) call(tool, args, meta string) toolResult {
	w.t.Helper()
	w.next++
	id := fmt.Sprint(w.next)
	if args != "" {
		args = `,"arguments":` + args
	}
	if meta != "" {
		meta = `,"_meta":` + meta
	}
	w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"` + args + meta + `}}`)
	return w.result(w.answer(id))
}

func (w *wire) result(r reply) toolResult {
	w.t.Helper()
	var out toolResult
	if r.Error != nil {
		w.t.Fatalf("a protocol error: %+v", r.Error)
	}
	if err := json.Unmarshal(r.Result, &out); err != nil {
		w.t.Fatalf("not a tool's result: %v", err)
	}
	return out
}
