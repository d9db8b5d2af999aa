package dialect

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"reeve"
)

// probe is a tool with a parameter of each type.
func probe() *Tool {
	return &Tool{
		Name: "probe",
		Params: func(reeve.Settings) []Param {
			return []Param{
				{Name: "path", Type: OneString, Required: true, Bytes: 20},
				{Name: "paths", Type: ManyStrings, Min: 1, Max: 3, Bytes: 5},
				{Name: "offset", Type: Whole, Min: -100, Max: 1_000_000, NotZero: true},
				{Name: "recursive", Type: YesNo},
				{Name: "sort", Type: OneString, Enum: []string{"path", "newest"}},
			}
		},
		Call: func(a Args) (reeve.Call, error) {
			return &reeve.ReadFile{Paths: append([]string{a.String("path"), a.String("sort")}, a.Strings("paths")...), Offset: a.Int("offset")}, nil
		},
	}
}

func TestBadArgumentsAreRefusedByName(t *testing.T) {
	const offset = `"offset" must be a whole number from -100 to 1,000,000, not 0`
	long := strings.Repeat("x", 10<<20)
	for name, c := range map[string]struct{ args, want string }{
		"nothing":                     {``, `"path" is missing`},
		"null":                        {`null`, `"path" is missing`},
		"no object":                   {`["path"]`, "not a JSON object"},
		"a string":                    {`"path"`, "not a JSON object"},
		"cut off":                     {`{"path":"a"`, "not a JSON object"},
		"more after the end":          {`{"path":"a"} {}`, "not a JSON object"},
		"a trailing comma":            {`{"path":"a",}`, "not a JSON object"},
		"a raw newline":               {"{\"path\":\"a\nb\"}", "not a JSON object"},
		"a bad escape":                {`{"path":"\x41"}`, "not a JSON object"},
		"single quotes":               {`{'path':'a'}`, "not a JSON object"},
		"missing":                     {`{"offset":1}`, `"path" is missing; it must be a string of up to 20 bytes`},
		"unknown":                     {`{"path":"a","zebra":1}`, `no parameter "zebra". Nothing was done. It takes path, paths, offset`},
		"odd case":                    {`{"Path":"a"}`, `no parameter "Path". Nothing was done. Did you mean "path"?`},
		"a near miss":                 {`{"path":"a","recursve":true}`, `Did you mean "recursive"?`},
		"a name from elsewhere":       {`{"file_path":"a"}`, `Did you mean "path"?`},
		"camel case":                  {`{"path":"a","off-set":1}`, `Did you mean "offset"?`},
		"an unknown key that hides":   {`{"path":"a","\u0000\u202e":1}`, `no parameter`},
		"a huge unknown key":          {`{"` + long + `":1}`, `no parameter`},
		"twice":                       {`{"path":"a","path":"b"}`, `"path" is given twice`},
		"twice, once escaped":         {`{"path":"a","p\u0061th":"b"}`, `"path" is given twice`},
		"null for a required one":     {`{"path":null}`, `"path" is null; it must be a string`},
		"null for an optional one":    {`{"path":"a","offset":null}`, `"offset" is null; leave it out, or give a whole number`},
		"a number for a string":       {`{"path":5}`, `"path" is a number; it must be a string`},
		"a list for a string":         {`{"path":["a"]}`, `"path" is an array; it must be a string`},
		"an object for a string":      {`{"path":{"a":1}}`, `"path" is an object; it must be a string`},
		"a string for a number":       {`{"path":"a","offset":"5"}`, `"offset" is a string; it must be a whole number`},
		"a string for yes or no":      {`{"path":"a","recursive":"true"}`, `"recursive" is a string; it must be true or false`},
		"a number for yes or no":      {`{"path":"a","recursive":1}`, `"recursive" is a number; it must be true or false`},
		"a string for a list":         {`{"path":"a","paths":"b"}`, `"paths" is a string; it must be a list of 1 to 3 strings`},
		"zero":                        {`{"path":"a","offset":0}`, offset},
		"zero with a sign":            {`{"path":"a","offset":-0}`, offset},
		"zero with a point":           {`{"path":"a","offset":0.0}`, offset},
		"too small":                   {`{"path":"a","offset":-101}`, offset},
		"10^18":                       {`{"path":"a","offset":1000000000000000000}`, offset},
		"10^400":                      {`{"path":"a","offset":1e400}`, offset},
		"-10^400":                     {`{"path":"a","offset":-1e400}`, offset},
		"many digits":                 {`{"path":"a","offset":` + strings.Repeat("9", 5000) + `}`, offset},
		"a huge exponent":             {`{"path":"a","offset":1e999999999999}`, offset},
		"a fraction":                  {`{"path":"a","offset":1.5}`, offset},
		"a leading zero":              {`{"path":"a","offset":01}`, "not a JSON object"},
		"NaN":                         {`{"path":"a","offset":NaN}`, "not a JSON object"},
		"hexadecimal":                 {`{"path":"a","offset":0x10}`, "not a JSON object"},
		"NUL":                         {`{"path":"a\u0000b"}`, `"path" holds a NUL character`},
		"half a pair":                 {`{"path":"a\ud800"}`, `"path" holds half of a surrogate pair`},
		"half a pair, then text":      {`{"path":"\ud800\u0041"}`, `"path" holds half of a surrogate pair`},
		"the wrong half":              {`{"path":"\udc00"}`, `"path" holds half of a surrogate pair`},
		"two first halves":            {`{"path":"\ud800\ud800"}`, `"path" holds half of a surrogate pair`},
		"a surrogate as bytes":        {"{\"path\":\"\xed\xa0\x80\"}", `"path" is not valid UTF-8`},
		"bytes that are no text":      {"{\"path\":\"caf\xe9\"}", `"path" is not valid UTF-8`},
		"too long":                    {`{"path":"123456789012345678901"}`, `"path" is too long; it must be a string of up to 20 bytes`},
		"ten megabytes":               {`{"path":"` + long + `"}`, `"path" is too long`},
		"ten megabytes of escapes":    {`{"path":"` + strings.Repeat(`\u0041`, 1<<20) + `"}`, `"path" is too long`},
		"not in the list":             {`{"path":"a","sort":"size"}`, `"sort" must be "path" or "newest"`},
		"odd case in the list":        {`{"path":"a","sort":"Path"}`, `"sort" must be "path" or "newest"`},
		"an empty list":               {`{"path":"a","paths":[]}`, `"paths" must be a list of 1 to 3 strings`},
		"a long list":                 {`{"path":"a","paths":["1","2","3","4"]}`, `"paths" must be a list of 1 to 3 strings`},
		"a million in a list":         {`{"path":"a","paths":[` + strings.Repeat(`"1",`, 1<<20) + `"1"]}`, `"paths" must be a list of 1 to 3 strings`},
		"a number in a list":          {`{"path":"a","paths":["1",2]}`, `item 2 of "paths" is a number`},
		"a list in a list":            {`{"path":"a","paths":[["1"]]}`, `item 1 of "paths" is an array`},
		"too long in a list":          {`{"path":"a","paths":["123456"]}`, `item 1 of "paths" is too long`},
		"NUL in a list":               {`{"path":"a","paths":["1","\u0000"]}`, `item 2 of "paths" holds a NUL`},
		"nested 100,000 deep":         {`{"path":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, "nest deeper than 16 levels"},
		"nested deep and never ended": {`{"path":` + strings.Repeat(`{"a":[`, 100_000), "not a JSON object"},
	} {
		_, err := probe().Decode([]byte(c.args), reeve.Settings{})
		e, ok := err.(*reeve.Error)
		if !ok {
			t.Errorf("%s: not refused: %v", name, err)
			continue
		}
		if e.Kind != reeve.Input || e.Code != reeve.Invalid {
			t.Errorf("%s: kind %s, code %s", name, e.Kind, e.Code)
		}
		text := Refusal(e)
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in %q", name, c.want, text)
		}
		if !strings.HasPrefix(text, "Refused: probe: ") || !strings.Contains(text, "Nothing was done.") || !strings.HasSuffix(text, "\n(input: invalid_argument)") {
			t.Errorf("%s: not in the form of a refusal: %q", name, text)
		}
		if len(text) > 600 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\u202e") {
			t.Errorf("%s: %d bytes of refusal", name, len(text))
		}
	}
}

// FuzzDecode: arguments are read as any reader of JSON reads them, or refused
// as a caller's mistake; nothing else ever happens.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{``, `null`, `{}`, `{"path":"a"}`, `{"path":"\ud83d\ude00","paths":["1"],"offset":-5e0,"recursive":false,"sort":"path"}`,
		`{"path":"\ud800"}`, "{\"path\":\"\xff\"}", `{"path":"a","offset":1e400}`, `{"path":[[[]]]}`, `{"path":{"a":{}}}`, `[{"path":1}]`, `{"path":"a"}x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		call, err := probe().Decode(raw, reeve.Settings{})
		if err != nil {
			if e, ok := err.(*reeve.Error); !ok || e.Kind != reeve.Input || !utf8.ValidString(Refusal(e)) || len(Refusal(e)) > 600 {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		var want struct {
			Path   string
			Paths  []string
			Offset json.Number
			Sort   string
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("%q was taken, and is not JSON: %v", raw, err)
		}
		got := call.(*reeve.ReadFile)
		if got.Paths[0] != want.Path || got.Paths[1] != want.Sort || strings.Join(got.Paths[2:], "\x00") != strings.Join(want.Paths, "\x00") {
			t.Fatalf("%q: %q", raw, got.Paths)
		}
		if n, err := want.Offset.Float64(); want.Offset != "" && (err != nil || int(n) != got.Offset) {
			t.Fatalf("%q: offset %d", raw, got.Offset)
		}
	})
}

// FuzzSplit: the grammar is JSON's own, to the letter.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":[1,{"c":null}],"a":"\u0000"}`, `{"a":-0.5e+7}`, `{"a":.5}`, `{"a":1.}`, `{"a":tru}`, `{"a":1e}`,
		"{\"a\":\"\x7f\xff\"}", `{"a":[1,]}`, `{"a":[}`, `{"a":{]}`, ` { "a" : [ ] } `, `{"":{}}`, `[1]`, `[[],{},"x"]`, `[`, `{"a":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var object map[string]json.RawMessage
		members, depth, err := Split(raw)
		isObject := json.Valid(raw) && json.Unmarshal(raw, &object) == nil && object != nil
		if (err == nil) != isObject && len(raw) < 5000 { // encoding/json gives up at 10,000 levels
			t.Fatalf("%q: %v", raw, err)
		}
		if err == nil {
			if depth < 1 {
				t.Fatalf("%q: depth %d", raw, depth)
			}
			last := map[string][]byte{}
			for _, m := range members {
				if !json.Valid(m.Raw) {
					t.Fatalf("%q: %q", raw, m.Raw)
				}
				last[m.Key] = m.Raw
			}
			for k, v := range object {
				if got, ok := last[k]; !ok || !bytes.Equal(bytes.TrimSpace(got), bytes.TrimSpace(v)) {
					t.Fatalf("%q: member %q is %q", raw, k, got)
				}
			}
		}
		var array []json.RawMessage
		list, err := SplitArray(raw, 1000)
		isArray := json.Valid(raw) && json.Unmarshal(raw, &array) == nil && array != nil
		if (err == nil) != isArray && len(raw) < 2000 || err == nil && isArray && len(array) != len(list) && len(list) <= 1000 {
			t.Fatalf("%q: %v, %d of %d", raw, err, len(list), len(array))
		}
	})
}

// FuzzAppendString: what is written is read back by any reader of JSON.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\r\t\x00\x1f\x7f", "é😀\u2028\u2029", "\xff\xed\xa0\x80x", "</script>&"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		var want strings.Builder // each bad byte becomes one U+FFFD
		for _, r := range s {
			want.WriteRune(r)
		}
		if back != want.String() {
			t.Fatalf("%q came back as %q", s, back)
		}
		if bytes.ContainsAny(b, "\n\r") || bytes.Contains(b, []byte("\u2028")) {
			t.Fatalf("%q breaks a line", b)
		}
		if text, flaw := Text(b); text != back || flaw != Sound {
			t.Fatalf("our own reader reads %q, %s", text, flaw)
		}
	})
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", 1234567: "1,234,567", -1 << 63: "-9,223,372,036,854,775,808"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
}
