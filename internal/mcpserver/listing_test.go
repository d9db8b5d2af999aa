package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve/internal/dialect"
)

// What stands in for the tools inside is not seen from outside: not in a list,
// not as a name that can be called, not in an error.
func TestTheStandInIsNotSeen(t *testing.T) {
	for _, version := range versions() {
		o := options(answers)
		cs := connect(t, New(o), version, nil)
		list, err := cs.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if schema, err := json.Marshal(tool.InputSchema); err != nil || !strings.Contains(string(schema), `"properties"`) {
				t.Errorf("%s has lost its schema: %s %v", tool.Name, schema, err)
			}
		}
		if slices.Contains(names, standIn) || !slices.IsSorted(names) || list.NextCursor != "" {
			t.Errorf("listed: %q, next %q", names, list.NextCursor)
		}
		_, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: standIn})
		if err == nil || !strings.Contains(err.Error(), `no tool \"reeve\"`) && !strings.Contains(err.Error(), `no tool "reeve"`) {
			t.Errorf("called: %v", err)
		}
		if _, err := cs.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "forged"}); err == nil {
			t.Error("a page that was never offered is given")
		}
		o.Source.(*source).set(func(f *dialect.Facts) { f.Enabled = false; f.Generation++ })
		if list, err = cs.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 0 {
			t.Errorf("switched off: %d tools, %v", len(list.Tools), err)
		}
	}
}

// The list is written by hand: it must be what the protocol's own types write.
func TestAToolIsWrittenAsTheProtocolWritesIt(t *testing.T) {
	o := options(answers)
	facts, err := o.Source.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range o.Dialect.Tools {
		tool := &o.Dialect.Tools[i]
		text, err := describe(tool, facts)
		if err != nil {
			t.Fatal(err)
		}
		var told mcp.Tool
		if err := json.Unmarshal(text, &told); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		s, err := tool.Surface(facts.Settings)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(want, &a) != nil || json.Unmarshal(text, &b) != nil {
			t.Fatal(tool.Name)
		}
		wa, _ := json.Marshal(a)
		wb, _ := json.Marshal(b)
		if string(wa) != string(wb) || told.Annotations == nil || *told.Annotations.DestructiveHint != tool.Destructive {
			t.Errorf("%s:\n%s\nwant\n%s", tool.Name, wb, wa)
		}
	}
}
