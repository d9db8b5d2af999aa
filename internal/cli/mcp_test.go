package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"reeve"
)

func serverFor(t testing.TB, env []string, args ...string) *peer {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"mcp"}, args...)...)
	cmd.Env = env
	p, err := startPeer(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill(); p.gone() })
	return p
}

// Many calls at once, answered each with its own file.
func TestCallsAtOnce(t *testing.T) {
	home, env := place(t)
	const files, calls = 20, 200
	for i := range files {
		write(t, filepath.Join(home, "notes", fmt.Sprintf("file%d.txt", i)), fmt.Sprintf("only in %d.\n", i))
	}
	for _, era := range []string{before2026, since2026} {
		t.Run(era, func(t *testing.T) {
			p := serverFor(t, env, "--read", filepath.Join(home, "notes"))
			if _, err := p.hello(era); err != nil {
				t.Fatal(err)
			}
			for i := range calls {
				if err := p.request(strconv.Itoa(100+i), "tools/call", map[string]any{"name": "read_file",
					"arguments": map[string]any{"path": fmt.Sprintf("file%d.txt", i%files)}}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range calls {
				l, err := p.reply(strconv.Itoa(100 + i))
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(l, fmt.Sprintf("only in %d.", i%files)) {
					t.Fatalf("call %d got another file: %s", i, l)
				}
			}
			if err := p.end(); err != nil {
				t.Fatal(err)
			}
		})
	}
	out := command(t, env, 0, "log", "--json")
	if n := strings.Count(out, `"verb":"read_file"`); n != 2*calls {
		t.Errorf("the record has %d of %d calls", n, 2*calls)
	}
	command(t, env, 0, "log", "verify")
}

// Several clients start their own servers over one state folder.
func TestServersAtOnce(t *testing.T) {
	home, env := place(t)
	const servers, calls = 5, 20
	var peers []*peer
	for range servers {
		p := serverFor(t, env, "--read", filepath.Join(home, "notes"))
		if _, err := p.hello(before2026); err != nil {
			t.Fatal(err)
		}
		peers = append(peers, p)
	}
	for i := range calls {
		for _, p := range peers {
			p.request(strconv.Itoa(1+i), "tools/call", map[string]any{"name": "stat", "arguments": map[string]any{"path": "plan.txt"}})
		}
	}
	for i := range calls {
		for _, p := range peers {
			if _, err := p.reply(strconv.Itoa(1 + i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	peers[0].cmd.Process.Kill()
	peers[0].gone()
	for _, p := range peers[1:] {
		if err := p.end(); err != nil {
			t.Error(err)
		}
	}
	out := command(t, env, 0, "log", "--json")
	if n := strings.Count(out, `"verb":"stat"`); n != servers*calls {
		t.Errorf("the record has %d of %d calls", n, servers*calls)
	}
	command(t, env, 0, "log", "verify")
}

// Nothing but protocol ever comes out, whatever goes in.
func TestOnlyProtocolComesOut(t *testing.T) {
	home, env := place(t)
	p := serverFor(t, env, "--read", filepath.Join(home, "notes"), filepath.Join(home, "not-there"))
	if _, err := p.hello(before2026); err != nil {
		t.Fatal(err)
	}
	for _, l := range []string{"", " ", "{", "}", "null", "true", "[]", `"x"`, "\x00", strings.Repeat("[", 5000), `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"1.0","id":5,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"id":6}`, "Content-Length: 5"} {
		p.send(l)
	}
	if err := p.request("77", "tools/call", map[string]any{"name": "read_file", "arguments": map[string]any{"path": filepath.Join(home, "notes", "plan.txt")}}); err != nil {
		t.Fatal(err)
	}
	if l, err := p.reply("77"); err != nil || !strings.Contains(l, "first line") {
		t.Fatalf("after bad lines: %s, %v", l, err)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
	for _, l := range p.received() {
		var m struct {
			JSONRPC string `json:"jsonrpc"`
		}
		if json.Unmarshal([]byte(l), &m) != nil || m.JSONRPC != "2.0" {
			t.Errorf("this is no protocol: %s", l)
		}
	}
}

// A client that goes away without reading ends the server in order.
func TestClientThatStopsReading(t *testing.T) {
	home, env := place(t)
	cmd := exec.Command(program(t), "mcp", "--read", filepath.Join(home, "notes"))
	cmd.Env = env
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r.Close()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"story","version":"1"}}}`)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	command(t, env, 0, "log", "verify")
}

// command runs the program and gives what it printed.
func command(t testing.TB, env []string, code int, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Env = env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	got := 0
	if err != nil {
		got = exitCode(err)
	}
	if got != code {
		t.Fatalf("reeve %q exited with %d, not %d:\n%s%s", args, got, code, out, errs.String())
	}
	return string(out)
}

// BenchmarkStart is what a client waits for at the start: from nothing to the
// answer of initialize, in a new process.
func BenchmarkStart(b *testing.B) {
	home, env := place(b)
	for b.Loop() {
		p := serverFor(b, env, "--read", filepath.Join(home, "notes"))
		if _, err := p.hello(before2026); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		p.end()
		b.StartTimer()
	}
}

// What --json prints is the outcome that other programs can read back.
func TestOutcomeForPrograms(t *testing.T) {
	home, env := place(t)
	notes := filepath.Join(home, "notes")
	for _, args := range [][]string{
		{"read_file", "path=" + filepath.Join(notes, "plan.txt")}, {"stat", "path=" + notes}, {"list_directory", "path=" + notes},
		{"search_files", "pattern=*", "path=" + notes}, {"list_roots"},
	} {
		out := command(t, env, 0, append(append([]string{"call"}, args...), "--json", "--read", notes)...)
		var o reeve.Outcome
		if err := json.Unmarshal([]byte(out), &o); err != nil || o.Result == nil || o.Pending != nil {
			t.Errorf("%q printed what is no outcome (%v):\n%s", args, err, out)
		}
	}
	out := command(t, env, 1, "call", "read_file", "path="+home, "--json", "--read", notes)
	var refusal struct{ Error *reeve.Error }
	if err := json.Unmarshal([]byte(out), &refusal); err != nil || refusal.Error == nil || refusal.Error.Code != reeve.OutsideRoots {
		t.Errorf("a refusal printed (%v):\n%s", err, out)
	}
}
