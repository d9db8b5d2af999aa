package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
	"reeve/internal/dialect"
)

// versions are both generations of the protocol, and an old one.
func versions() []string { return []string{"2026-07-28", "2025-11-25", "2024-11-05"} }

// connect runs the SDK's own client against a server.
func connect(t *testing.T, s *Server, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		err := s.Run(ctx, inR, outW)
		outW.Close()
		done <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, o)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: outR, Writer: inW}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Run: %v", err)
			}
		case <-time.After(patience):
			t.Error("the server did not end with its client")
		}
		stop()
	})
	return session
}

func TestBothGenerationsAreServedAlike(t *testing.T) {
	for _, version := range versions() {
		t.Run(version, func(t *testing.T) {
			cs := connect(t, New(options(answers)), version, nil)
			hello := cs.InitializeResult()
			if hello.ProtocolVersion != version {
				t.Fatalf("agreed on %s", hello.ProtocolVersion)
			}
			if !strings.Contains(hello.Instructions, "/r") || !strings.Contains(hello.Instructions, "model provider") {
				t.Errorf("instructions: %q", hello.Instructions)
			}
			caps := hello.Capabilities
			if caps.Tools == nil || !caps.Tools.ListChanged || caps.Logging != nil || caps.Prompts != nil || caps.Resources != nil || caps.Completions != nil { //nolint:staticcheck // it must not be there
				b, _ := json.Marshal(caps)
				t.Errorf("advertised: %s", b)
			}
			list, err := cs.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if b, _ := json.Marshal(list); len(b) >= 12_000 {
				t.Errorf("the list of tools takes %d bytes", len(b))
			}
			for _, tool := range list.Tools {
				snapshot(t, tool)
			}
			if len(list.Tools) != 5 {
				t.Errorf("%d tools", len(list.Tools))
			}
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "/r/a"}})
			if err != nil {
				t.Fatal(err)
			}
			if text := res.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "1\tthe marker /r/a\n") || res.IsError {
				t.Errorf("%q", text)
			}
			res, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_file", Arguments: map[string]any{"Path": "/r/a"}})
			if err != nil || !res.IsError {
				t.Errorf("%v, %+v", err, res)
			}
			if _, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "format_disk"}); err == nil || !strings.Contains(err.Error(), "The tools are list_directory") && !strings.Contains(err.Error(), "The tools are list_roots, list_directory") {
				t.Errorf("an unknown tool: %v", err)
			}
		})
	}
}

// snapshot compares a tool as it came over the wire with its stored surface.
func snapshot(t *testing.T, tool *mcp.Tool) {
	t.Helper()
	stored, err := os.ReadFile(filepath.Join("..", "dialect", "native", "snap", tool.Name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(stored, &want); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(tool)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s over the wire is not its snapshot:\n%s", tool.Name, diff)
	}
}

// The stateless generation in raw lines: no handshake, everything in _meta.
func TestTheNewGenerationNeedsNoHandshake(t *testing.T) {
	got := make(chan reeve.Subject, 1)
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		got <- r.Subject
		return answers(ctx, r)
	}))
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"fresh","version":"2"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	r := w.call("stat", `{"path":"/r/a"}`, meta)
	if r.IsError || r.ResultType != "complete" {
		t.Errorf("%+v", r)
	}
	if s := <-got; s.Agent != "fresh" {
		t.Errorf("the agent is %q", s.Agent)
	}
	r = w.call("stat", `{"path":7}`, meta)
	if !r.IsError || r.ResultType != "complete" {
		t.Errorf("%+v", r)
	}
	w.write(`{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":` + meta + `}}`)
	d := w.answer(`"d"`)
	if !strings.Contains(string(d.Result), `"name":"reeve"`) || !strings.Contains(string(d.Result), `"version":"1.2.3"`) || !strings.Contains(string(d.Result), "model provider") {
		t.Errorf("%s", d.Result)
	}
	w.write(`{"jsonrpc":"2.0","id":"v","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	if r := w.answer(`"v"`); r.Error == nil || r.Error.Code != -32022 {
		t.Errorf("a version of the future: %+v", r)
	}
}

func TestAnOldResultHasNoResultType(t *testing.T) {
	w := dial(t, options(answers))
	hello := w.hello("2025-06-18")
	if !strings.Contains(string(hello.Result), `"serverInfo":{"name":"reeve","title":"Reeve","version":"1.2.3"}`) {
		t.Errorf("%s", hello.Result)
	}
	if r := w.call("stat", `{"path":"a"}`, ""); r.ResultType != "" {
		t.Errorf("%q", r.ResultType)
	}
}

// Clients differ in what of a result they show to the model. Whatever they
// do, it must see the file.
func TestEveryKindOfClientSeesTheFile(t *testing.T) {
	models := map[string]func(*mcp.CallToolResult) string{
		"content only": func(r *mcp.CallToolResult) string {
			var b strings.Builder
			for _, c := range r.Content {
				if t, ok := c.(*mcp.TextContent); ok {
					b.WriteString(t.Text)
				}
			}
			return b.String()
		},
	}
	models["structured only, if there is any"] = func(r *mcp.CallToolResult) string {
		if r.StructuredContent != nil {
			b, _ := json.Marshal(r.StructuredContent)
			return string(b)
		}
		return models["content only"](r)
	}
	models["both"] = func(r *mcp.CallToolResult) string {
		b, _ := json.Marshal(r.StructuredContent)
		return string(b) + models["content only"](r)
	}
	const content = "the 1st line \"quoted\" \\ \t<é😀\u2028>"
	for _, version := range versions() {
		cs := connect(t, New(options(func(_ context.Context, r reeve.Request) (reeve.Outcome, error) {
			return file("/r/a", content, "2nd"), nil
		})), version, nil)
		list, err := cs.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if tool.OutputSchema != nil {
				t.Errorf("%s declares an output schema", tool.Name)
			}
		}
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "a"}})
		if err != nil {
			t.Fatal(err)
		}
		for name, sees := range models {
			if text := sees(res); !strings.Contains(text, "1\t"+content+"\n2\t2nd\n") || strings.Count(text, "2nd") != 1 {
				t.Errorf("%s, %s: the model sees %q", version, name, text)
			}
		}
	}
}

func TestToolsComeAndGoWithThePolicy(t *testing.T) {
	for _, version := range versions() {
		t.Run(version, func(t *testing.T) {
			src := enabled()
			src.facts.Enabled = false
			o := options(func(context.Context, reeve.Request) (reeve.Outcome, error) {
				return reeve.Outcome{}, &reeve.Error{Kind: reeve.Policy, Code: reeve.Disabled, What: "File access is off"}
			})
			o.Source, o.Watch = src, time.Millisecond
			changed := make(chan struct{}, 100)
			cs := connect(t, New(o), version, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
				changed <- struct{}{}
			}})
			if s := cs.InitializeResult().Instructions; s != "" {
				t.Errorf("file access is off, and the model is told %q", s)
			}
			count := func() int {
				t.Helper()
				list, err := cs.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				return len(list.Tools)
			}
			hear := func(what string) {
				t.Helper()
				select {
				case <-changed:
				case <-time.After(patience):
					t.Fatalf("the client did not hear that %s", what)
				}
			}
			if n := count(); n != 0 {
				t.Errorf("file access is off, and there are %d tools", n)
			}
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "stat", Arguments: map[string]any{"path": "a"}})
			if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "(policy: disabled)") {
				t.Errorf("a call without tools: %v %+v", err, res)
			}
			src.set(func(f *dialect.Facts) { f.Enabled = true })
			hear("tools came")
			if n := count(); n != 5 {
				t.Errorf("%d tools", n)
			}
			src.set(func(f *dialect.Facts) { f.Settings.MaxLimit = 99 })
			hear("limits changed")
			src.fail(errors.New("the file is torn"))
			src.set(func(*dialect.Facts) {})
			if n := count(); n != 0 {
				t.Errorf("the policy can't be read, and there are %d tools", n)
			}
			src.fail(nil)
			if n := count(); n != 5 {
				t.Errorf("the policy is back, and there are %d tools", n)
			}
		})
	}
}

func TestAnEqualSurfaceIsNoNews(t *testing.T) {
	src := enabled()
	o := options(answers)
	o.Source = src
	w := dial(t, o)
	w.hello("2025-11-25")
	src.set(func(f *dialect.Facts) { f.Roots = append(f.Roots, dialect.Root{Path: "/more"}) })
	w.call("stat", `{"path":"a"}`, "")
	time.Sleep(50 * time.Millisecond) // longer than the SDK gathers changes
	w.write(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	if r := w.message(); string(r.ID) != `"alive"` {
		t.Errorf("the tools did not change, and the client heard %+v", r)
	}
}

func TestAServerNeedsItsParts(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a server without a gate was made")
		}
	}()
	New(Options{})
}
