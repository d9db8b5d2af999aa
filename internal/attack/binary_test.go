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
// start it, with a whole planted home granted, and storms its tools: in both
// generations of the protocol, and in every profile. No marker may stand in
// any line it sends, in its standard error, or in its record.
func TestProgramKeepsSecretsOnTheWire(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	exe := buildReeve(t)
	for _, w := range []wire{
		{profile: "default", gen: attack.Gen2025, wide: true},
		{profile: "default", gen: attack.Gen2026, wide: true},
		{profile: "lam", gen: attack.Gen2025},
		{profile: "arinova", gen: attack.Gen2026},
		{profile: "elowen", gen: attack.Gen2025},
		{profile: "llm-chat-file", gen: attack.Gen2026},
	} {
		t.Run(w.profile+" "+string(w.gen), func(t *testing.T) {
			t.Parallel()
			w.storm(t, exe)
		})
	}
}

// wire is one run of the program.
type wire struct {
	profile string
	gen     attack.Generation
	wide    bool // more paths and more options
}

func (w wire) storm(t *testing.T, exe string) {
	canary := attack.NewCanary("wire" + w.profile + string(w.gen))
	h, err := attack.BuildHome(t.TempDir(), canary, attack.HomeOptions{BigFile: 64 << 10, Narrow: w.profile == "lam"})
	if err != nil {
		t.Fatal(err)
	}
	// A protected file whose name is a marker too: of another canary, since a
	// listing may tell it, and nothing else may.
	names := attack.NewCanary("names" + w.profile + string(w.gen))
	named := filepath.Join(h.Project, "src", ".env."+names.Marker("the name of a protected file"))
	if err := os.WriteFile(named, []byte(canary.Marker(named)), 0o600); err != nil {
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
	cmd := exec.Command(exe, "mcp", "--profile", w.profile, h.Home)
	cmd.Dir = h.Home
	cmd.Env = append(os.Environ(), "HOME="+h.Home, "USERPROFILE="+h.Home, "REEVE_CONFIG="+filepath.Join(h.Config, "config.toml"), "REEVE_STATE="+h.State)
	c, err := attack.StartLine(cmd, attack.LineOptions{Generation: w.gen})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Open(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, c.Stderr())
	}
	paths := slices.Concat(h.Secrets[:20], h.Nasty, h.Readable[:4], []string{h.Home, h.Project, h.Outside})
	axes := attack.Axes{Patterns: []string{"*", "**/*.pem"}, Contains: []string{"", canary.Probe()}, Offsets: []int{0, -3}, Columns: []int{0, 7},
		Limits: []int{0, 2}, Depths: []int{0}, Cursors: []string{""}, Times: []string{""}, Sizes: []int64{-1}}
	if !w.wide {
		paths = slices.Concat(h.Secrets[:10], h.Nasty[:min(12, len(h.Nasty))], h.Readable[:2], []string{h.Home, h.Project, h.Outside})
		axes.Patterns, axes.Offsets, axes.Columns = []string{"*"}, []int{0}, []int{0}
	}
	// The answer to a question for a name repeats the name.
	paths = slices.DeleteFunc(paths, func(p string) bool { return canary.Check([]byte(p)) != nil })
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
	// Searches page through the folder of that file, one name at a time: each
	// cursor in turn stands at an entry, and one of them at the protected one.
	search := attack.Storm{Check: func(b []byte) error {
		if err := names.Check(b); err != nil {
			return err
		}
		return canary.Check(b)
	}, Pages: 20, Workers: 1}
	hidden := true
	m, err := search.Run(t.Context(), attack.OnTools(c), slices.Values([]reeve.Call{
		&reeve.SearchFiles{Pattern: "*", Path: filepath.Dir(named), Hidden: &hidden, Limit: 1},
		&reeve.SearchFiles{Pattern: "*", Path: filepath.Dir(named), Hidden: &hidden, Limit: 1, Sort: "newest"},
		&reeve.SearchFiles{Pattern: "*" + names.Probe() + "*", Path: h.Project, Hidden: &hidden},
	}))
	if err != nil {
		t.Fatalf("a search tells the name of a protected file: %v", err)
	}
	if m < 10 {
		t.Errorf("only %d pages were looked at", m)
	}
	everyClientSees(t, c, h, w.profile)
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
}

// everyClientSees makes a call of every kind that answers, and of every kind
// that is refused, and shows the result as each kind of client would.
func everyClientSees(t *testing.T, c *attack.LineClient, h *attack.Home, profile string) {
	t.Helper()
	main := filepath.Join(h.Project, "src", "main.go")
	type look struct {
		call  reeve.Call
		wants []string
	}
	looks := []look{
		{&reeve.ListRoots{}, []string{h.Home}},
		{&reeve.ListDirectory{Path: filepath.Dir(main)}, []string{"main.go", "crlf.txt"}},
		{&reeve.ListDirectory{Path: filepath.Join(h.Project, "many")}, []string{"f000.txt", "cursor"}},
		{&reeve.ListDirectory{Path: h.Project, Hidden: true}, []string{".env", "protected"}},
		{&reeve.ListDirectory{Path: filepath.Join(h.Project, "src"), Recursive: true}, []string{"main.go"}},
		{&reeve.SearchFiles{Pattern: "main.go", Path: h.Project}, []string{"src/main.go"}},
		{&reeve.SearchFiles{Pattern: "*.txt", Path: filepath.Join(h.Project, "many"), Limit: 1}, []string{"f000.txt", "cursor"}},
		{&reeve.SearchFiles{Pattern: "no-such-name", Path: h.Project}, []string{"No match"}},
		{&reeve.Stat{Path: main}, []string{"main.go", "2020-02-03"}},
		{&reeve.ReadFile{Paths: []string{main, filepath.Join(h.Project, ".env")}}, []string{h.Visible, "protected"}},
		{&reeve.ReadFile{Paths: []string{filepath.Join(h.Project, ".env")}}, []string{"policy: protected", "Nothing was read"}},
		{&reeve.ReadFile{Paths: []string{h.Outside + "/plain.txt"}}, []string{"policy: outside_roots", "Nothing was read"}},
		{&reeve.ReadFile{Paths: []string{filepath.Join(h.Project, "none.txt")}}, []string{"io: not_found"}},
		{&reeve.ReadFile{Paths: []string{filepath.Join(h.Project, "image.png")}}, []string{"io: binary"}},
		{&reeve.ReadFile{Paths: []string{main}, Column: -1}, []string{"input: invalid_argument", "column"}},
		{&reeve.ListDirectory{Path: filepath.Join(h.Home, ".ssh")}, []string{"policy: protected", "Nothing was listed"}},
		{&reeve.ListDirectory{Path: main}, []string{"io: not_a_directory"}},
		{&reeve.SearchFiles{Pattern: "*", Path: h.Outside}, []string{"policy: outside_roots"}},
		{&reeve.SearchFiles{Pattern: "*", Path: h.Project, Cursor: "x"}, []string{"input: invalid_argument", "cursor"}},
		{&reeve.Stat{Path: h.State}, []string{"policy: reeve_own"}},
	}
	for _, path := range h.Readable {
		if profile == "arinova" && strings.HasSuffix(path, "latin1.txt") {
			looks = append(looks, look{&reeve.ReadFile{Paths: []string{path}}, []string{"io: binary"}}) // it reads UTF-8 only
			continue
		}
		looks = append(looks, look{&reeve.ReadFile{Paths: []string{path}, Limit: 5}, []string{h.Visible}})
	}
	for _, l := range looks {
		name, args, err := attack.NativeTool(l.call)
		if err != nil {
			t.Fatal(err)
		}
		result, err := c.Tool(context.Background(), name, args)
		if err != nil {
			t.Fatalf("%s %v: %v", name, args, err)
		}
		for _, m := range attack.ModelClients() {
			text, err := m.Sees(result)
			if err != nil {
				t.Errorf("%s %v, %s: %v", name, args, m.Name, err)
			}
			for _, want := range l.wants {
				if !strings.Contains(text, want) {
					t.Errorf("%s %v, %s: the model does not see %q: %.400q", name, args, m.Name, want, text)
				}
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
