package cli

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A server that is killed in the middle of its calls leaves a record that
// verifies, and in it every call that was answered.
func TestKilledInTheMiddle(t *testing.T) {
	home, env := place(t)
	answered := 0
	for round := range 12 {
		p := serverFor(t, env, "--read", filepath.Join(home, "notes"))
		if _, err := p.hello(before2026); err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			if err := p.request(strconv.Itoa(1+i), "tools/call", map[string]any{"name": "read_file", "arguments": map[string]any{"path": "plan.txt"}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.await(func(l string) bool { return strings.Contains(l, `"id":`+strconv.Itoa(1+4*round)+",") }); err != nil {
			t.Fatal(err)
		}
		p.cmd.Process.Kill()
		p.gone()
		for _, l := range p.received() {
			if strings.Contains(l, "first line") {
				answered++
			}
		}
	}
	out := command(t, env, 0, "log", "--json")
	if n := strings.Count(out, `"verb":"read_file"`); n < answered {
		t.Errorf("%d calls were answered and %d are on the record", answered, n)
	}
	if out := command(t, env, 0, "log", "verify"); !strings.Contains(out, "no fault") {
		t.Errorf("verify says %s", out)
	}
}
