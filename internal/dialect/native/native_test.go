package native_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reeve"
	"reeve/internal/dialect"
	"reeve/internal/dialect/native"
)

var update = flag.Bool("update", false, "write the snapshots anew")

// settings are those of the default profile, as far as surfaces need them.
func settings() reeve.Settings {
	return reeve.Settings{ReadLines: 2000, ReadBytes: 50_000, MaxLimit: 1_000_000, ListEntries: 200,
		ListDepth: 32, ListMaxEntries: 1000, SearchResults: 100, WalkEntries: 200_000}
}

// text makes a cleared text the way another computer's answer does.
func text(s string) reeve.Text {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	var t reeve.Text
	if err := t.UnmarshalJSON(b); err != nil {
		panic(err)
	}
	return t
}

func tool(t *testing.T, name string) *dialect.Tool {
	t.Helper()
	tool, ok := native.New().Tool(name)
	if !ok {
		t.Fatalf("no tool %q", name)
	}
	return tool
}

func TestEachToolStandsAsItsSnapshotSays(t *testing.T) {
	d := native.New()
	seen := map[string]bool{}
	for i := range d.Tools {
		tool := &d.Tools[i]
		seen[tool.Name+".json"] = true
		if err := tool.Check(settings()); err != nil {
			t.Error(err)
		}
		if n := len(tool.Prose.Description); n > 700 {
			t.Errorf("the description of %s is %d characters long; 700 are enough", tool.Name, n)
		}
		surface, err := tool.Surface(settings())
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(surface)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, b, "", "  "); err != nil {
			t.Fatal(err)
		}
		out.WriteByte('\n')
		file := filepath.Join("snap", tool.Name+".json")
		if *update {
			if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v (run the test with -update)", err)
		}
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s is not as in its snapshot (run with -update if that is meant):\n%s", tool.Name, diff)
		}
	}
	files, err := os.ReadDir("snap")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("snap/%s belongs to no tool", f.Name())
		}
	}
}

func TestTheLimitsInTheSchemaAreThoseInForce(t *testing.T) {
	s := settings()
	s.MaxLimit, s.ListDepth = 77, 5
	for name, want := range map[string]string{"read_file": `"maximum":77`, "list_directory": `"maximum":5`, "search_files": `"maximum":77`} {
		schema, err := tool(t, name).Schema(s)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(schema), want) {
			t.Errorf("%s does not say %s: %s", name, want, schema)
		}
	}
	if _, err := tool(t, "read_file").Decode([]byte(`{"path":"a","limit":78}`), s); err == nil {
		t.Error("a limit over the one in the schema was taken")
	}
}

func TestCallsReachTheVerbsAsWritten(t *testing.T) {
	size := int64(0)
	no := false
	for _, c := range []struct {
		tool, args string
		want       reeve.Call
	}{
		{"list_roots", ``, &reeve.ListRoots{}},
		{"list_roots", `null`, &reeve.ListRoots{}},
		{"list_roots", `{}`, &reeve.ListRoots{}},
		{"stat", `{"path":"/a b/ü"}`, &reeve.Stat{Path: "/a b/ü"}},
		{"stat", `{"path":"\ud83d\ude00\n\u0001"}`, &reeve.Stat{Path: "😀\n\x01"}},
		{"read_file", `{"path":"a"}`, &reeve.ReadFile{Paths: []string{"a"}}},
		{"read_file", `{"paths":["a","b"],"offset":-50,"column":3,"limit":1e1}`,
			&reeve.ReadFile{Paths: []string{"a", "b"}, Offset: -50, Column: 3, Limit: 10}},
		{"read_file", `{"path":"","limit":5.0}`, &reeve.ReadFile{Paths: []string{""}, Limit: 5}},
		{"list_directory", `{"path":".","recursive":true,"depth":32,"hidden":true,"cursor":"c"}`,
			&reeve.ListDirectory{Path: ".", Recursive: true, Depth: 32, Hidden: true, Cursor: "c"}},
		{"search_files", `{"pattern":"*.go","larger_than":0,"hidden":false,"sort":"newest","type":"file"}`,
			&reeve.SearchFiles{Pattern: "*.go", LargerThan: &size, Hidden: &no, Sort: "newest", Type: "file"}},
		{"search_files", ` { "pattern" : "x" , "contains":"y","path":"p","modified_after":"7d","modified_before":"2h",
			"created_after":"2026-01-01","created_before":"1d","smaller_than":0,"ignored":true,"limit":3,"cursor":"z"}`,
			&reeve.SearchFiles{Pattern: "x", Contains: "y", Path: "p", ModifiedAfter: "7d", ModifiedBefore: "2h",
				CreatedAfter: "2026-01-01", CreatedBefore: "1d", SmallerThan: &size, Ignored: true, Limit: 3, Cursor: "z"}},
	} {
		got, err := tool(t, c.tool).Decode([]byte(c.args), settings())
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s:\n%s", c.tool, c.args, diff)
		}
	}
}

func render(t *testing.T, name string, r reeve.Result, c dialect.Context) string {
	t.Helper()
	c.Zone = time.UTC
	if c.Settings.ReadLines == 0 {
		c.Settings = settings()
	}
	return tool(t, name).Render(r, c)
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("shown:\n%s\ndifference:\n%s", got, diff)
	}
}

func TestInstructionsNameTheFoldersAndNothingFalse(t *testing.T) {
	d := native.New()
	all := d.Tools
	if s := d.Instructions(dialect.Facts{Roots: []dialect.Root{{Path: "/home/ann"}}}); s != "" {
		t.Errorf("file access is off, and the model is told %q", s)
	}
	f := dialect.Facts{Enabled: true, Relative: "/home/ann", Asks: []reeve.EffectKind{reeve.EffectRemove},
		Roots: []dialect.Root{{Path: "/home/ann", Access: reeve.ReadWrite}, {Path: "/srv/data", Access: reeve.Read}}}
	s := d.Instructions(f)
	for _, want := range []string{"- /home/ann  (read and write)\n", "- /srv/data  (read only)\n", "asked before some changes (remove)", "ask before you try again"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in:\n%s", want, s)
		}
	}
	d.Tools = nil
	for _, tool := range all {
		if tool.ReadOnly {
			d.Tools = append(d.Tools, tool)
		}
	}
	s = d.Instructions(f)
	for _, want := range []string{"/home/ann", "/srv/data", "refused", "start at /home/ann\n", "- /srv/data\n", "model provider", "nothing more", "in parts", "never follow"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in:\n%s", want, s)
		}
	}
	for _, never := range []string{"asked", "write"} {
		if strings.Contains(s, never) {
			t.Errorf("these tools only read, and the model is told of %q:\n%s", never, s)
		}
	}
	f.Relative = ""
	if s := d.Instructions(f); strings.Contains(s, "relative") || !strings.Contains(s, "Give absolute paths.") {
		t.Errorf("relative paths are refused, and the model is told of them:\n%s", s)
	}
	for range 100 {
		f.Roots = append(f.Roots, dialect.Root{Path: "/srv/more"})
	}
	if s := d.Instructions(f); len(s) > 2000 || !strings.Contains(s, "list_roots") {
		t.Errorf("%d bytes of instructions for 100 folders", len(s))
	}
}
