package reeve

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// same sends v through JSON and compares.
func same[T any](t interface{ Fatalf(string, ...any) }, v T) {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	var back T
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatalf("%T: %v in %s", v, err, b)
	}
	if d := cmp.Diff(v, back, cmp.AllowUnexported(Text{}, Version{})); d != "" {
		t.Fatalf("%T changed in JSON: %s\n%s", v, d, b)
	}
}

func TestEveryWordSurvivesJSON(t *testing.T) {
	t.Run("request", rapid.MakeCheck(func(t *rapid.T) {
		same(t, Request{rapid.String().Draw(t, "id"), Target(rapid.String().Draw(t, "target")), genSubject().Draw(t, "subject"), genCall().Draw(t, "call")})
	}))
	t.Run("place", rapid.MakeCheck(func(t *rapid.T) { same(t, genPlace().Draw(t, "place")) }))
	t.Run("outcome", rapid.MakeCheck(func(t *rapid.T) { same(t, genOutcome().Draw(t, "outcome")) }))
	t.Run("error", rapid.MakeCheck(func(t *rapid.T) { same(t, genError().Draw(t, "error")) }))
	t.Run("version", rapid.MakeCheck(func(t *rapid.T) { same(t, genVersion().Draw(t, "version")) }))
	t.Run("effect", rapid.MakeCheck(func(t *rapid.T) {
		to := genPlace().Draw(t, "to")
		same(t, Effect{EffectSend, genPlace().Draw(t, "place"), &to})
	}))
}

// A field that is forgotten in a generator would go unseen above.
func TestGeneratorsFillEveryField(t *testing.T) {
	unset := map[string]bool{}
	var note func(v reflect.Value, name string)
	seen := map[string]bool{}
	note = func(v reflect.Value, name string) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				note(v.Elem(), name)
			}
		case reflect.Slice:
			for i := range v.Len() {
				note(v.Index(i), name)
			}
		case reflect.Struct:
			if v.Type().PkgPath() != reflect.TypeFor[Request]().PkgPath() {
				return
			}
			for i := range v.NumField() {
				f := v.Type().Field(i)
				full := v.Type().Name() + "." + f.Name
				if f.IsExported() && f.Tag.Get("json") != "-" {
					if unset[full] = true; !v.Field(i).IsZero() {
						seen[full] = true
					}
				}
				note(v.Field(i), full)
			}
		}
	}
	for i := range 300 {
		note(reflect.ValueOf(genOutcome().Example(i)), "")
		note(reflect.ValueOf(genCall().Example(i)), "")
		note(reflect.ValueOf(genSubject().Example(i)), "")
	}
	for name := range unset {
		if !seen[name] && name != "SearchFiles.ModifiedBefore" && name != "SearchFiles.CreatedAfter" {
			t.Errorf("no generator ever fills %s", name)
		}
	}
}

func TestEveryVerbHasACall(t *testing.T) {
	for _, v := range []Verb{VerbListRoots, VerbListDirectory, VerbSearchFiles, VerbStat, VerbReadFile,
		VerbWriteFile, VerbEditFile, VerbCreateDirectory, VerbCopyPath, VerbMovePath, VerbDeletePath} {
		c := NewCall(v)
		if c == nil || c.Verb() != v {
			t.Errorf("%s gives %T", v, c)
		}
		same(t, Request{Call: c})
	}
	if NewCall("rm") != nil {
		t.Error("a verb that does not exist has a call")
	}
}

func TestRequestsThatAreNotUnderstoodAreRefused(t *testing.T) {
	for name, in := range map[string]string{
		"unknown verb":       `{"verb":"run","args":{},"subject":{}}`,
		"no verb":            `{"args":{},"subject":{}}`,
		"no arguments":       `{"verb":"stat","subject":{}}`,
		"unknown argument":   `{"verb":"stat","args":{"path":"a","follow":true},"subject":{}}`,
		"argument of kind":   `{"verb":"stat","args":{"path":7},"subject":{}}`,
		"other verb's":       `{"verb":"stat","args":{"paths":["a"]},"subject":{}}`,
		"unknown field":      `{"verb":"stat","args":{"path":"a"},"subject":{},"approved":true}`,
		"unknown in who":     `{"verb":"stat","args":{"path":"a"},"subject":{"root":true}}`,
		"number too large":   `{"verb":"read_file","args":{"paths":["a"],"limit":1e18},"subject":{}}`,
		"not an object":      `[]`,
		"cut off":            `{"verb":"stat","args":{"path":"a"`,
		"arguments a list":   `{"verb":"stat","args":[],"subject":{}}`,
		"arguments a string": `{"verb":"stat","args":"path","subject":{}}`,
	} {
		var r Request
		if err := json.Unmarshal([]byte(in), &r); err == nil {
			t.Errorf("%s: taken as %+v", name, r)
		}
	}
	for name, in := range map[string]string{
		"unknown answer": `{"kind":"secrets","answer":{}}`,
		"no answer":      `{"kind":"facts"}`,
		"unknown field":  `{"kind":"facts","answer":{"pwned":1}}`,
	} {
		var r Result
		if err := json.Unmarshal([]byte(in), &r); err == nil {
			t.Errorf("%s: taken as %+v", name, r)
		}
	}
}

func TestTextThatJSONWouldChangeIsRefusedNotChanged(t *testing.T) {
	for _, r := range []Request{
		{Call: &ReadFile{Paths: []string{"ok", "caf\xe9"}}},
		{Call: &Stat{Path: "\xff"}},
		{Call: &ListRoots{}, Subject: Subject{Agent: "\xff"}},
		{ID: "\xff", Call: &ListRoots{}},
		{},
	} {
		if b, err := json.Marshal(r); err == nil {
			t.Errorf("%+v became %s", r, b)
		}
	}
	if s := Cleared("caf\xe9").String(); s != "caf\ufffd" {
		t.Errorf("cleared text that is not UTF-8: %q", s)
	}
}

func TestNamesThatAreNotUTF8Survive(t *testing.T) {
	for _, n := range []Name{"caf\xe9", "a\nb", "$'x'", "\xff\xfe", `\`, "'", "\u202e", "\x7f"} {
		same(t, Place{Target: Local, RootPath: "/home/\xff", Components: []Name{n, "b"}})
	}
	var p Place
	if err := json.Unmarshal([]byte(`{"target":"local","root":"","components":["$'\\q'"]}`), &p); err == nil {
		t.Error("a broken escape was taken")
	}
}

func TestVersionTokens(t *testing.T) {
	v := NewVersion(Stamp{Size: 1}, false, &[32]byte{1})
	if s := v.String(); len(s) != 45 || !strings.HasPrefix(s, "v1") {
		t.Errorf("token %q", s)
	}
	good := v.String()
	for _, s := range []string{"v1", "v2" + good[2:], good + "A", good[:44], good[:44] + "!", good[:44] + "B", strings.ToUpper(good), "v1" + strings.Repeat("A", 43), " " + good, good + "\n", good[:20] + "\r\r" + good[22:]} {
		got := v
		if err := got.UnmarshalText([]byte(s)); err == nil || !got.IsZero() {
			t.Errorf("%q was taken as a token", s)
		}
	}
	var d Digest
	for _, s := range []string{"", "00", strings.Repeat("0", 63), strings.Repeat("0", 65), strings.Repeat("g", 64)} {
		if err := d.UnmarshalText([]byte(s)); err == nil {
			t.Errorf("%q was taken as a digest", s)
		}
	}
}

func FuzzVersionToken(f *testing.F) {
	f.Add(NewVersion(Stamp{}, true, &[32]byte{}).String())
	f.Add("")
	f.Add("v100000\r\r\r\r0000000000000000000000000000000000")
	f.Fuzz(func(t *testing.T, s string) {
		var v Version
		if v.UnmarshalText([]byte(s)) == nil && v.String() != s {
			t.Fatalf("%q reads as %q", s, v)
		}
	})
}

func FuzzRequestJSON(f *testing.F) {
	f.Add([]byte(`{"verb":"stat","args":{"path":"a"},"subject":{"kind":"owner"}}`))
	f.Add([]byte(`{"verb":"read_file","args":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Request
		if err := json.Unmarshal(b, &r); err != nil {
			return
		}
		same(t, r)
	})
}

func TestErrorsTellAndMatch(t *testing.T) {
	cause := errors.New("EACCES")
	e := &Error{Op: "read", Path: "a.txt", Kind: IO, Code: Permission, What: "can't be opened", Not: "Nothing was read.", Instead: "Ask the owner.", Cause: cause}
	if got := e.Error(); got != "a.txt can't be opened. Nothing was read. Ask the owner." {
		t.Error(got)
	}
	for in, want := range map[*Error]string{
		{What: "What now?"}:                   "What now?",
		{What: "Done."}:                       "Done.",
		{What: "is gone"}:                     "is gone.",
		{Not: "Nothing was read."}:            "Nothing was read.",
		{Path: "a", Not: "Nothing was read."}: "a. Nothing was read.",
		{}:                                    "",
	} {
		if in.Error() != want {
			t.Errorf("%q, want %q", in.Error(), want)
		}
	}
	wrapped := errors.Join(errors.New("x"), e)
	for _, target := range []error{IO, Permission, cause, e} {
		if !errors.Is(wrapped, target) {
			t.Errorf("does not match %v", target)
		}
	}
	for _, target := range []error{Policy, Approval, NotFound, Code("io"), Kind("permission")} {
		if errors.Is(wrapped, target) {
			t.Errorf("matches %#v", target)
		}
	}
	if got, ok := AsError(wrapped); !ok || got != e {
		t.Error("AsError finds nothing")
	}
	if _, ok := AsError(cause); ok {
		t.Error("AsError finds what is not there")
	}
}
