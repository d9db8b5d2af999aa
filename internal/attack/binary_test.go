package attack_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"reeve"
	"reeve/internal/attack"
)

// buildReeve builds the program once for a test.
func buildReeve(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "reeve")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", exe, "reeve/cmd/reeve").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// TestProgramKeepsSecretsOnTheWire runs the built program as a client would
// start it, with a whole planted home granted, and storms its tools in both
// generations of the protocol. No marker may stand in any line it sends, in
// its standard error, or in its record.
func TestProgramKeepsSecretsOnTheWire(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	exe := buildReeve(t)
	for _, g := range []attack.Generation{attack.Gen2025, attack.Gen2026} {
		t.Run(string(g), func(t *testing.T) {
			canary := attack.NewCanary("wire" + string(g))
			h, err := attack.BuildHome(t.TempDir(), canary, attack.HomeOptions{BigFile: 64 << 10})
			if err != nil {
				t.Fatal(err)
			}
			if h.FIFO != "" {
				writer := waitOnFIFO(h.FIFO)
				defer func() {
					if err := writer.Stop(); err != nil || writer.Disturbed() {
						t.Errorf("a writer that waited on the pipe: disturbed %v, %v", writer.Disturbed(), err)
					}
				}()
			}
			cmd := exec.Command(exe, "mcp", h.Home)
			cmd.Dir = h.Home
			cmd.Env = append(os.Environ(), "HOME="+h.Home, "USERPROFILE="+h.Home, "REEVE_CONFIG="+filepath.Join(h.Config, "config.toml"), "REEVE_STATE="+h.State)
			c, err := attack.StartLine(cmd, attack.LineOptions{Generation: g})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := c.Open(t.Context()); err != nil {
				t.Fatalf("%v\n%s", err, c.Stderr())
			}
			paths := slices.Concat(h.Secrets[:20], h.Nasty, h.Readable[:4], []string{h.Home, h.Project, h.Outside})
			// The answer to a question for a name repeats the name.
			paths = slices.DeleteFunc(paths, func(p string) bool { return canary.Check([]byte(p)) != nil })
			axes := attack.Axes{Patterns: []string{"*", "**/*.pem"}, Contains: []string{"", canary.Probe()}, Offsets: []int{0, -3}, Columns: []int{0, 7},
				Limits: []int{0, 2}, Depths: []int{0}, Cursors: []string{""}, Times: []string{""}, Sizes: []int64{-1}}
			// A storm of refusals would prove nothing: answers are counted.
			var answers atomic.Int64
			check := func(b []byte) error {
				if !bytes.Contains(b, []byte(`"isError":true`)) {
					answers.Add(1)
				}
				return canary.Check(b)
			}
			storm := attack.Storm{Check: check, Probe: canary.Probe(), Workers: 2, Pages: 1}
			n, err := storm.Run(t.Context(), attack.OnTools(c), attack.Calls(paths, axes))
			if err != nil {
				t.Fatalf("after %d calls: %v", n, err)
			}
			t.Logf("%d calls, %d answers", n, answers.Load())
			if answers.Load() < int64(n)/10 {
				t.Error("hardly anything was answered")
			}
			everyClientSees(t, c, h)
			for _, l := range c.Transcript() {
				if !l.Sent && canary.Check(l.Text) != nil {
					t.Errorf("a line that belongs to no call: %v", canary.Check(l.Text))
				}
			}
			if err := c.Close(); err != nil {
				t.Errorf("%v\n%s", err, c.Stderr())
			}
			if err := canary.Check(c.Stderr()); err != nil {
				t.Error(err)
			}
			recorded(t, h, canary, n)
		})
	}
}

// everyClientSees reads what may be read and shows the result as each kind of
// client would.
func everyClientSees(t *testing.T, c *attack.LineClient, h *attack.Home) {
	t.Helper()
	for _, path := range h.Readable {
		name, args, err := attack.NativeTool(&reeve.ReadFile{Paths: []string{path}, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		result, err := c.Tool(context.Background(), name, args)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, m := range attack.ModelClients() {
			if text, err := m.Sees(result); err != nil || !strings.Contains(text, h.Visible) {
				t.Errorf("%s, %s: the model does not see the file: %.300q, %v", path, m.Name, text, err)
			}
		}
	}
}

// recorded looks through the record, which must hold the calls and no marker.
func recorded(t *testing.T, h *attack.Home, canary *attack.Canary, calls int) {
	t.Helper()
	rows := 0
	err := filepath.WalkDir(filepath.Join(h.State, "record"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || slices.Contains(h.Secrets, p) {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rows += strings.Count(string(b), "\n")
		return canary.Check(b)
	})
	if err != nil {
		t.Error(err)
	}
	if rows < calls/2 {
		t.Errorf("%d rows for %d calls", rows, calls)
	}
}
