package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInspector drives the server with the protocol's own inspector, a client
// that nobody here wrote. REEVE_INSPECTOR is its command line program.
func TestInspector(t *testing.T) {
	inspector := os.Getenv("REEVE_INSPECTOR")
	if inspector == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("REEVE_INSPECTOR does not name the MCP Inspector, which must be there")
		}
		t.Skip("REEVE_INSPECTOR does not name the MCP Inspector")
	}
	home, env := place(t)
	notes := filepath.Join(home, "notes")
	try := func(args ...string) (string, error) {
		// The server's own flags would be taken for the inspector's, so the
		// folder is given without one.
		line := append(strings.Fields(inspector), "--cli", program(t), "mcp", notes)
		line = append(line, args...)
		cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	ask := func(args ...string) string {
		t.Helper()
		out, err := try(args...)
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return out
	}
	tools := ask("--method", "tools/list")
	for _, name := range []string{"list_roots", "list_directory", "search_files", "stat", "read_file"} {
		if !strings.Contains(tools, `"name": "`+name+`"`) {
			t.Errorf("the inspector does not see %s:\n%s", name, tools)
		}
	}
	if got := ask("--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=plan.txt", "--tool-arg", "limit=1"); !strings.Contains(got, "first line") || strings.Contains(got, "second line") {
		t.Errorf("reading one line gave:\n%s", got)
	}
	if got := ask("--method", "tools/call", "--tool-name", "list_directory", "--tool-arg", "path="+notes); !strings.Contains(got, "plan.txt") {
		t.Errorf("listing gave:\n%s", got)
	}
	// The inspector makes a refusal its own failure.
	got, err := try("--method", "tools/call", "--tool-name", "stat", "--tool-arg", "path="+filepath.Join(home, "cfg"))
	if err == nil || !strings.Contains(got, "outside_roots") || !strings.Contains(got, `"isError": true`) {
		t.Errorf("a path outside gave %v:\n%s", err, got)
	}
}
