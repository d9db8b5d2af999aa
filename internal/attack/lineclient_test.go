package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
)

// TestMain turns the test binary into a server when it is asked to be one.
func TestMain(m *testing.M) {
	switch os.Getenv("ATTACK_BE") {
	case "server":
		beServer()
	case "deaf":
		select {}
	case "noise":
		fmt.Println("this is not JSON")
		fmt.Println(`{"jsonrpc":"2.0","id":999,"result":{}}`)
		io.Copy(io.Discard, os.Stdin)
	default:
		os.Exit(m.Run())
	}
}

func beServer() {
	s := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
	s.AddTool(&mcp.Tool{Name: "read_file", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: os.Getenv("ATTACK_SECRET")}}}, nil
	})
	s.AddTool(&mcp.Tool{Name: "slow", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	fmt.Fprintln(os.Stderr, "server up")
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(t *testing.T, be string, o LineOptions, env ...string) *LineClient {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), "ATTACK_BE="+be), env...)
	c, err := StartLine(cmd, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestLineClientSpeaksBothGenerations(t *testing.T) {
	for _, g := range []Generation{Gen2025, Gen2026} {
		t.Run(string(g), func(t *testing.T) {
			c := start(t, "server", LineOptions{Generation: g})
			hello, err := c.Open(t.Context())
			if err != nil || !bytes.Contains(hello, []byte(string(g))) {
				t.Fatalf("%s, %v", hello, err)
			}
			tools, err := c.Call(t.Context(), "tools/list", nil)
			if err != nil || !bytes.Contains(tools, []byte(`"echo"`)) {
				t.Fatalf("%s, %v", tools, err)
			}
			got, err := c.Tool(t.Context(), "echo", map[string]any{"a": "b"})
			if err != nil {
				t.Fatal(err)
			}
			if s, err := ModelClients()[0].Sees(got); err != nil || s != `{"a":"b"}` {
				t.Errorf("%q, %v", s, err)
			}
			var rpc *RPCError
			if _, err := c.Call(t.Context(), "no/such", nil); !errors.As(err, &rpc) || rpc.Code == 0 {
				t.Errorf("an unknown method gave %v", err)
			}
			// A line that is no JSON must not be taken for an answer, and what
			// follows is up to the server; the transcript has it.
			lines := c.Transcript()
			if len(lines) < 6 || !lines[0].Sent || !json.Valid(lines[0].Text) {
				t.Errorf("the transcript has %d lines, first %q", len(lines), lines[0].Text)
			}
			if !bytes.Contains(c.Stderr(), []byte("server up")) {
				t.Errorf("standard error: %q", c.Stderr())
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if _, err := c.Call(t.Context(), "ping", nil); err == nil {
				t.Error("a call after Close succeeded")
			}
		})
	}
}

func TestLineClientCancels(t *testing.T) {
	c := start(t, "server", LineOptions{})
	if _, err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Tool(ctx, "slow", map[string]any{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if _, err := c.Tool(t.Context(), "echo", map[string]any{}); err != nil {
		t.Errorf("after a cancelled call: %v", err)
	}
	var said bool
	for _, l := range c.Transcript() {
		said = said || l.Sent && bytes.Contains(l.Text, []byte("notifications/cancelled"))
	}
	if !said {
		t.Error("the server was not told")
	}
}

func TestLineClientOutlivesBadServers(t *testing.T) {
	c := start(t, "noise", LineOptions{Wait: 5 * time.Second})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Open(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an answer out of nothing: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	c = start(t, "deaf", LineOptions{Wait: 100 * time.Millisecond})
	if err := c.Close(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a program that never ends: %v", err)
	}
}

func TestLineClientAnswersTheServer(t *testing.T) {
	a, b := net.Pipe()
	c := DialLine(a, LineOptions{Answer: func(method string, params json.RawMessage) (any, error) {
		if method != "elicitation/create" {
			return nil, errors.New("no")
		}
		return map[string]string{"action": "accept"}, nil
	}})
	defer c.Close()
	defer b.Close()
	for ask, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{}}`: `"accept"`,
		`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"}`:            `"error"`,
		`{"jsonrpc":"2.0","id":8,"method":"ping"}`:                              `"result":{}`,
	} {
		if _, err := io.WriteString(b, ask+"\n"); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4096)
		n, err := b.Read(buf)
		if err != nil || !bytes.Contains(buf[:n], []byte(want)) {
			t.Errorf("%s got %q, %v", ask, buf[:n], err)
		}
	}
}

func TestStormOverTools(t *testing.T) {
	canary := NewCanary("tools")
	one := func(yield func(reeve.Call) bool) {
		_ = yield(&reeve.ReadFile{Paths: []string{"/x"}}) && yield(&reeve.Stat{Path: "/x"})
	}
	good := start(t, "server", LineOptions{}, "ATTACK_SECRET=nothing")
	bad := start(t, "server", LineOptions{}, "ATTACK_SECRET="+canary.Marker("planted"))
	for _, c := range []*LineClient{good, bad} {
		if _, err := c.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := Storm{Check: canary.Check, Workers: 1}
	// The tool `stat` is not there: that is said by the protocol, and checked.
	if n, err := s.Run(t.Context(), OnTools(good), one); err != nil || n != 2 {
		t.Errorf("%d calls, %v", n, err)
	}
	var leak *Leak
	if _, err := s.Run(t.Context(), OnTools(bad), one); !errors.As(err, &leak) || leak.What != "planted" {
		t.Errorf("the planted leak: %v", err)
	}
}

func TestNativeToolNamesOnePath(t *testing.T) {
	name, args, err := NativeTool(&reeve.ReadFile{Paths: []string{"/x"}, Limit: 2})
	if err != nil || name != "read_file" || args["path"] != "/x" || args["paths"] != nil || args["limit"] != 2.0 {
		t.Errorf("%s %v, %v", name, args, err)
	}
	_, args, err = NativeTool(&reeve.ListDirectory{Path: "/x", MaxEntries: 3})
	if err != nil || args["max_entries"] != nil || args["path"] != "/x" {
		t.Errorf("%v, %v", args, err)
	}
	_, args, err = NativeTool(&reeve.ReadFile{Paths: []string{"/x", "/y"}})
	if err != nil || len(args["paths"].([]any)) != 2 {
		t.Errorf("%v, %v", args, err)
	}
}
