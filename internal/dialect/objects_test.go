package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reeve"
)

// nested is a tool with a list of objects.
func nested() *Tool {
	return &Tool{
		Name:  "nested",
		Prose: Prose{Description: "d", Params: map[string]string{"path": "p", "old": "o", "all": "a", "edits": "e"}},
		Params: func(reeve.Settings) []Param {
			fields := []Param{{Name: "path", Type: OneString, Bytes: 20}, {Name: "old", Type: OneString, Required: true, Bytes: 5}, {Name: "all", Type: YesNo}}
			return append(append([]Param(nil), fields[0], Param{Name: "old", Type: OneString, Bytes: 5}, fields[2]),
				Param{Name: "edits", Type: ManyObjects, Min: 1, Max: 2, Fields: fields})
		},
		Call: func(a Args) (reeve.Call, error) {
			c := &reeve.EditFile{}
			for _, e := range a.Objects("edits") {
				c.Edits = append(c.Edits, reeve.Edit{Path: e.String("path"), Old: e.String("old"), All: e.Bool("all")})
			}
			return c, nil
		},
	}
}

func TestObjectsInListsAreReadStrictly(t *testing.T) {
	tool := nested()
	if err := tool.Check(reeve.Settings{}); err != nil {
		t.Error(err)
	}
	got, err := tool.Decode([]byte(`{"edits":[{"old":"a","all":true},{"path":"p","old":"b"}]}`), reeve.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&reeve.EditFile{Edits: []reeve.Edit{{Old: "a", All: true}, {Path: "p", Old: "b"}}}, got); d != "" {
		t.Error(d)
	}
	for name, c := range map[string]struct{ args, want string }{
		"no list":             {`{"edits":{"old":"a"}}`, `"edits" is an object; it must be a list of 1 to 2 objects with path, old, all`},
		"a string of JSON":    {`{"edits":"[]"}`, `"edits" is a string`},
		"an empty list":       {`{"edits":[]}`, `"edits" must be a list of 1 to 2`},
		"too many":            {`{"edits":[{"old":"a"},{"old":"a"},{"old":"a"}]}`, `"edits" must be a list of 1 to 2`},
		"no object":           {`{"edits":["a"]}`, `item 1 of "edits" is a string`},
		"null":                {`{"edits":[{"old":"a"},null]}`, `item 2 of "edits" is null`},
		"an unknown key":      {`{"edits":[{"old":"a","zebra":1}]}`, `no parameter "zebra" in item 1 of "edits"`},
		"a near miss":         {`{"edits":[{"olld":"a"}]}`, `Did you mean "old"?`},
		"another case":        {`{"edits":[{"Old":"a"}]}`, `Did you mean "old"?`},
		"a key twice":         {`{"edits":[{"old":"a","old":"b"}]}`, `"old" is given twice in item 1`},
		"a key twice, hidden": {`{"edits":[{"old":"a","ol\u0064":"b"}]}`, `"old" is given twice in item 1`},
		"missing":             {`{"edits":[{"old":"a"},{"path":"p"}]}`, `"old" is missing in item 2 of "edits"`},
		"another type":        {`{"edits":[{"old":5}]}`, `"old" is a number`},
		"null for a field":    {`{"edits":[{"old":"a","all":null}]}`, `"all" is null; leave it out`},
		"too long":            {`{"edits":[{"old":"abcdef"}]}`, `"old" is too long`},
		"no text":             {`{"edits":[{"old":"\ud800"}]}`, `surrogate`},
		"NUL":                 {`{"edits":[{"old":"\u0000"}]}`, `NUL`},
		"nested in a field":   {`{"edits":[{"old":{"old":"a"}}]}`, `"old" is an object`},
	} {
		_, err := tool.Decode([]byte(c.args), reeve.Settings{})
		e, ok := reeve.AsError(err)
		if !ok || e.Kind != reeve.Input || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if ok && len(err.Error()) > 2000 {
			t.Errorf("%s: %d bytes of refusal", name, len(err.Error()))
		}
	}
}

func TestObjectsInTheSchema(t *testing.T) {
	raw, err := nested().Schema(reeve.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Properties map[string]struct {
			Type     string
			MinItems int
			MaxItems int
			Items    struct {
				Type                 string
				Properties           map[string]struct{ Type string }
				Required             []string
				AdditionalProperties *bool
			}
		}
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	e := s.Properties["edits"]
	if e.Type != "array" || e.MinItems != 1 || e.MaxItems != 2 || e.Items.Type != "object" || len(e.Items.Properties) != 3 ||
		e.Items.AdditionalProperties == nil || *e.Items.AdditionalProperties || len(e.Items.Required) != 1 {
		t.Errorf("%s", raw)
	}
}
