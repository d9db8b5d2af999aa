package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"reeve/internal/pathname"
)

func testSchema(t testing.TB) schema {
	var s schema
	err := json.Unmarshal([]byte(`{"properties":{"path":{"type":"string"},"paths":{"type":"array"},"limit":{"type":"integer"},
		"hidden":{"type":"boolean"},"pattern":{"type":"string"},"since":{"type":["string","null"]}}}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatTypedWordsBecome(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "text"), "from a file")
	j := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for _, c := range []struct {
		name  string
		words []string
		want  string // "" is a refusal
	}{
		{"nothing", nil, `{}`},
		{"a path is relative to here", []string{"path=a/b"}, `{"path":` + j(filepath.Join(here, "a/b")) + `}`},
		{"dots go", []string{"path=./a/../b"}, `{"path":` + j(filepath.Join(here, "b")) + `}`},
		{"a home path is left alone", []string{"path=~/x"}, `{"path":"~/x"}`},
		{"an absolute path is left alone", []string{"path=" + filepath.Join(dir, "x")}, `{"path":` + j(filepath.Join(dir, "x")) + `}`},
		{"an empty path is the gate's to refuse", []string{"path="}, `{"path":""}`},
		{"numbers", []string{"limit=20"}, `{"limit":20}`},
		{"a negative number", []string{"limit=-5"}, `{"limit":-5}`},
		{"no number stays text", []string{"limit=many"}, `{"limit":"many"}`},
		{"hex is no JSON", []string{"limit=0x10"}, `{"limit":"0x10"}`},
		{"infinity is no JSON", []string{"limit=Inf"}, `{"limit":"Inf"}`},
		{"true", []string{"hidden=true"}, `{"hidden":true}`},
		{"yes is not true", []string{"hidden=yes"}, `{"hidden":"yes"}`},
		{"digits where text is taken", []string{"pattern=12"}, `{"pattern":"12"}`},
		{"text or null", []string{"since=7d"}, `{"since":"7d"}`},
		{"an equals sign in the value", []string{"pattern=a=b"}, `{"pattern":"a=b"}`},
		{"unknown keys are passed on", []string{"nonsense=1"}, `{"nonsense":"1"}`},
		{"one of a list", []string{"paths=a"}, `{"paths":[` + j(filepath.Join(here, "a")) + `]}`},
		{"a list", []string{"paths=a", "paths=b"}, `{"paths":[` + j(filepath.Join(here, "a")) + `,` + j(filepath.Join(here, "b")) + `]}`},
		{"a list as JSON", []string{`paths:=["a"]`}, `{"paths":[` + j(filepath.Join(here, "a")) + `]}`},
		{"twice where one is taken", []string{"limit=1", "limit=2"}, `{"limit":1,"limit":2}`},
		{"JSON as it is", []string{`limit:={"a": 1}`}, `{"limit":{"a": 1}}`},
		{"a path of the wrong type goes to the check", []string{`path:=7`}, `{"path":7}`},
		{"a file", []string{"pattern=@text"}, `{"pattern":"from a file"}`},
		{"the standard input", []string{"pattern=@-"}, `{"pattern":"typed"}`},
		{"no key", []string{"=x"}, ""},
		{"no equals sign", []string{"path"}, ""},
		{"only a colon", []string{":=1"}, ""},
		{"bad JSON", []string{"limit:=many"}, ""},
		{"a missing file", []string{"pattern=@nowhere"}, ""},
		{"a folder as a file", []string{"pattern=@."}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			args, err := parseArguments(c.words, strings.NewReader("typed"))
			var got []byte
			if err == nil {
				got, err = object(args, testSchema(t))
			}
			if c.want == "" {
				if err == nil {
					t.Fatalf("%q became %s", c.words, got)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Fatalf("%q became %s, %v; want %s", c.words, got, err, c.want)
			}
		})
	}
}

// Bytes that are no text take the escaped form, and the gate reads the very
// same name out of it.
func TestBytesOfAShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names are text there")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"caf\xe9.txt", "\xff\xfe", "sub/\x80\x81/x", "plain", "$'caf\\xE9.txt'"} {
		got, err := fromHere(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pathname.Parse(got, pathname.Context{})
		if err != nil {
			t.Fatalf("%q became %q, which does not parse: %v", name, got, err)
		}
		want := name
		if name[0] == '$' {
			want = "caf\xe9.txt"
		}
		if !strings.HasSuffix(p.Abs(), "/"+want) {
			t.Errorf("%q became %q, which names %q", name, got, p.Abs())
		}
	}
}

// No word can break out of its place in the object.
func FuzzObject(f *testing.F) {
	f.Add("path=x", "limit:=1")
	f.Add(`a","b=c`, `paths=]}`)
	f.Add("path=\xff", "paths:=[\"\xff\"]")
	f.Add("k:=[1]", "k:= 2 ")
	s := testSchema(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a+b, "=@") {
			return // names a file
		}
		args, err := parseArguments([]string{a, b}, strings.NewReader(""))
		if err != nil {
			return
		}
		got, err := object(args, s)
		if err != nil {
			return
		}
		var back map[string]json.RawMessage
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q, %q became %s: %v", a, b, got, err)
		}
		for k := range back {
			found := false
			for _, x := range args {
				found = found || strings.ToValidUTF8(x.key, "\uFFFD") == strings.ToValidUTF8(k, "\uFFFD")
			}
			if !found && !strings.ContainsRune(k, '\uFFFD') {
				t.Fatalf("%q, %q made the key %q", a, b, k)
			}
		}
	})
}

func TestFoldersOfTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	here, _ := os.Getwd()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	for in, want := range map[string]string{
		"a": filepath.Join(here, "a"), "./a/": filepath.Join(here, "a"), "~": dir, "~/a": filepath.Join(dir, "a"),
		"~other": filepath.Join(here, "~other"),
	} {
		if got, err := absolute(in); err != nil || got != want {
			t.Errorf("absolute(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := absolute(""); err == nil {
		t.Error("an empty name became a folder")
	}
	// Which access holds is for the rules to say, where it is told.
	f := runFlags{read: []string{"a", "b", "./b"}, root: []string{"a", "c"}}
	c, err := f.config()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range c.Folders {
		got = append(got, filepath.Base(x.Path)+" "+string(x.Access))
	}
	if want := []string{"a readwrite", "c readwrite", "a read", "b read"}; !slices.Equal(got, want) {
		t.Errorf("the folders became %v, not %v", got, want)
	}
}

// A path in JSON may be nested deeper than any tool takes: it is passed on,
// and nothing runs out of stack.
func TestDeepJSON(t *testing.T) {
	deep := "paths:=" + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	args, err := parseArguments([]string{deep}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := object(args, testSchema(t)); err != nil {
		t.Fatal(err)
	}
}
