package dialect

import (
	"slices"
	"strings"
	"testing"

	"reeve"
)

func pathTool() *Tool {
	one := Param{Name: "path", Type: OneString, Bytes: 100, Path: true}
	return &Tool{Name: "t", Params: func(reeve.Settings) []Param {
		return []Param{one, {Name: "paths", Type: ManyStrings, Max: 5, Bytes: 100, Path: true}, {Name: "content", Type: OneString, Bytes: 100},
			{Name: "edits", Type: ManyObjects, Max: 5, Fields: []Param{one, {Name: "new", Type: OneString, Bytes: 100}}}}
	}}
}

// Of arguments that are refused, the paths are told and nothing else.
func TestPathsOfRefusedArguments(t *testing.T) {
	for what, c := range map[string]struct {
		raw  string
		want []string
	}{
		"one":                {`{"path":"a","content":"SECRET"}`, []string{"a"}},
		"several":            {`{"paths":["a",7,"b",null]}`, []string{"a", "b"}},
		"twice":              {`{"path":"a","path":"b"}`, []string{"a", "b"}},
		"in a list":          {`{"edits":[{"path":"a","new":"SECRET"},"SECRET",{"new":"SECRET"},{"path":"b"}]}`, []string{"a", "b"}},
		"a list for one":     {`{"path":["a"]}`, []string{"a"}},
		"an object for one":  {`{"path":{"path":"SECRET"}}`, nil},
		"an unknown key":     {`{"file":"SECRET","Path":"SECRET"}`, nil},
		"half a pair":        {`{"path":"\ud800"}`, nil},
		"no object":          {`["SECRET"]`, nil},
		"cut short":          {`{"path":"SECRET`, nil},
		"nothing":            {``, nil},
		"a megabyte":         {`{"path":"` + strings.Repeat("x", 1<<20) + `"}`, nil},
		"contents in a path": {`{"content":["SECRET"],"edits":{"path":"SECRET"}}`, nil},
	} {
		if got := pathTool().Paths([]byte(c.raw), reeve.Settings{}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", what, got, c.want)
		}
	}
	if got := pathTool().Paths([]byte(`{"paths":[`+strings.Repeat(`"a",`, 9999)+`"a"]}`), reeve.Settings{}); len(got) != pathsMost {
		t.Errorf("%d paths of 10,000", len(got))
	}
}

func FuzzPaths(f *testing.F) {
	for _, s := range []string{`{"path":"a"}`, `{"edits":[{"path":"a"}]}`, `{"paths":[[["a"]]]}`, `{`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, p := range pathTool().Paths(raw, reeve.Settings{}) {
			if p == "" || len(p) > pathsBytes {
				t.Fatalf("%q", p)
			}
		}
	})
}
