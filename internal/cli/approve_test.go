package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"reeve/internal/attack"
)

// answerQuestion yes|no FLAG…: answers the one question that waits with
// `reeve approve`, and keeps its ID in $ID.
func answerQuestion(ts *testscript.TestScript, bin string, code int, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: answer yes|no [FLAG…]")
	}
	ts.Check(ts.Exec(bin, "approve", "--json"))
	var cards []struct{ ID string }
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &cards); err != nil || len(cards) != 1 {
		ts.Fatalf("%d questions wait, not one: %v", len(cards), err)
	}
	ts.Setenv("ID", cards[0].ID)
	runReeve(ts, bin, code, append([]string{"approve", cards[0].ID, "--" + args[0]}, args[1:]...))
}

// waitingOne gives the ID of the one question that waits in a place.
func waitingOne(t testing.TB, env []string) string {
	t.Helper()
	cmd := exec.Command(program(t), "approve", "--json")
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var cards []struct{ ID string }
	if err := json.Unmarshal(out, &cards); err != nil || len(cards) != 1 {
		t.Fatalf("%d questions wait, not one: %v", len(cards), err)
	}
	return cards[0].ID
}

func answerFrom(t testing.TB, env []string, id, how string) {
	t.Helper()
	cmd := exec.Command(program(t), "approve", id, how)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// served starts the program as a client would.
func served(t testing.TB, env []string, o attack.LineOptions, args ...string) *attack.LineClient {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"mcp"}, args...)...)
	cmd.Env = env
	c, err := attack.StartLine(cmd, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func toolText(t testing.TB, c *attack.LineClient, tool string, args map[string]any) (string, bool) {
	t.Helper()
	raw, err := c.Tool(t.Context(), tool, args)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("%v: %s", err, raw)
	}
	return r.Content[0].Text, r.IsError
}

// A client that can't show questions gets a sentence with the owner's way to
// answer; the call made again finds the answer, also in another process.
func TestAskedOverMCP(t *testing.T) {
	for _, g := range []attack.Generation{attack.Gen2025, attack.Gen2026} {
		t.Run(string(g), func(t *testing.T) {
			home, env := place(t)
			notes := filepath.Join(home, "notes")
			write := map[string]any{"path": "new.txt", "content": "text"}
			c := served(t, env, attack.LineOptions{Generation: g}, notes)
			if _, err := c.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			text, failed := toolText(t, c, "write_file", write)
			id := waitingOne(t, env)
			want := "No console, terminal or window of the owner's is open, so the owner was not asked yet. Nothing was written. Wait for the owner, who can answer with `reeve approve " + id + "`; call again with the same arguments after a minute.\n(approval: no_channel)"
			if !failed || text != want {
				t.Errorf("%q", text)
			}
			answerFrom(t, env, id, "--yes")
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			again := served(t, env, attack.LineOptions{Generation: g}, notes)
			if _, err := again.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			if text, failed := toolText(t, again, "write_file", write); failed || !strings.HasPrefix(text, "Created ") {
				t.Errorf("after the answer: %s", text)
			}
			if b, err := os.ReadFile(filepath.Join(notes, "new.txt")); string(b) != "text" {
				t.Errorf("%q %v", b, err)
			}
		})
	}
}

// Every lie, told to the program as it is shipped: nothing is changed.
func TestLiesToldToTheProgram(t *testing.T) {
	for _, lie := range attack.Lies() {
		for _, g := range []attack.Generation{attack.Gen2025, attack.Gen2026} {
			if lie.Generation != "" && lie.Generation != g {
				continue
			}
			t.Run(fmt.Sprint(lie.Name, " ", g), func(t *testing.T) {
				home, env := place(t)
				notes := filepath.Join(home, "notes")
				call := func(tool string, args ...any) attack.ToolCall {
					m := map[string]any{}
					for i := 0; i < len(args); i += 2 {
						m[args[i].(string)] = args[i+1]
					}
					return attack.ToolCall{Name: tool, Args: m}
				}
				a := &attack.Asker{
					First:   call("write_file", "path", "new.txt", "content", "first"),
					Path:    call("write_file", "path", "other.txt", "content", "first"),
					Content: call("write_file", "path", "new.txt", "content", "changed"),
					Human:   call("delete_path", "path", "plan.txt"),
					Dial: func(o attack.LineOptions) (*attack.LineClient, error) {
						cmd := exec.Command(program(t), "mcp", notes)
						cmd.Env = env
						return attack.StartLine(cmd, o)
					},
					Done: func(c attack.ToolCall) int {
						b, err := os.ReadFile(filepath.Join(notes, c.Args["path"].(string)))
						if c.Name == "delete_path" && err != nil || c.Name == "write_file" && string(b) == c.Args["content"] {
							return 1
						}
						return 0
					},
				}
				if err := lie.Tell(context.Background(), a, g); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// An honest client's user is believed, and what a silent one did is told.
func TestWhatAClientDidIsTold(t *testing.T) {
	home, env := place(t)
	notes := filepath.Join(home, "notes")
	actions := make(chan string, 2)
	c := served(t, env, attack.LineOptions{Name: "silent-client", Capabilities: json.RawMessage(`{"elicitation":{}}`), Answer: func(string, json.RawMessage) (any, error) {
		return map[string]any{"action": <-actions}, nil
	}}, notes)
	if _, err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	actions <- "accept"
	if text, failed := toolText(t, c, "write_file", map[string]any{"path": "a.txt", "content": "a"}); failed {
		t.Fatal(text)
	}
	actions <- "cancel"
	if text, _ := toolText(t, c, "write_file", map[string]any{"path": "b.txt", "content": "b"}); !strings.Contains(text, "no_channel") {
		t.Error(text)
	}
	for command, want := range map[string][]string{
		"log":    {"silent-client", "yes: elicitation", "no answer from its"},
		"doctor": {"silent-client", "dismissed the question"},
	} {
		cmd := exec.Command(program(t), command)
		cmd.Env = env
		out, _ := cmd.CombinedOutput()
		for _, w := range want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s does not say %q:\n%s", command, w, out)
			}
		}
	}
}
