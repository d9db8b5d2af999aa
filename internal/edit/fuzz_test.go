package edit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"reeve"
)

func FuzzApply(f *testing.F) {
	for _, s := range [][3]string{
		{"a\r\nb\r\n", "b", "c"}, {"a\r\nb\n", "a\nb", "x\ny\nz"}, {"a\rb\n", "a\rb", "$&"}, {"aaaa", "aaa", ""},
		{"\xff\xfea\x00\n\x00", "a", "é\n"}, {"\xfe\xff\x00a\x00\n", "a\n", "\n"}, {"\uFEFFx", "x", "\uFEFF"}, {"caf\xe9 x\n", "x", "y"},
		{"\tif x\n", "    if x", ""}, {"", "a", "b"}, {"\x95\\", "\\", "/"}, {"a\r\r\nb", "a\r\nb", "x\r"},
	} {
		f.Add([]byte(s[0]), s[1], s[2], true)
		f.Add([]byte(s[0]), s[1], s[2], false)
	}
	f.Fuzz(func(t *testing.T, file []byte, old, new string, all bool) {
		before := string(file)
		p, err := Apply(file, []Edit{{old, new, all}}, loose())
		if string(file) != before {
			t.Fatal("the bytes handed in were changed")
		}
		if err != nil {
			e, ok := reeve.AsError(err)
			if !ok || e.Not != notWritten || !utf8.ValidString(e.Error()) {
				t.Fatalf("%#v", err)
			}
			return
		}
		outside(t, p)
		if d := p.Diff(20); !utf8.ValidString(d) || strings.Count(d, "\n") >= 20 {
			t.Fatalf("diff %q", d)
		}
		if s := Preview(old, new); !utf8.ValidString(s) {
			t.Fatal("a preview that is no text")
		}
		if p.Kept.BOM && string(p.New[:2]) != before[:2] {
			t.Fatal("the mark is gone")
		}
	})
}

func FuzzRewrite(f *testing.F) {
	for _, s := range [][2]string{{"a\r\nb\n", "a\nc\n"}, {"a\rb\r", "x\ny"}, {"\xff\xfea\x00", "é"}, {"", "a"}, {"\uFEFF", "\uFEFF"}, {"caf\xe9", "a"}} {
		f.Add([]byte(s[0]), s[1])
	}
	f.Fuzz(func(t *testing.T, file []byte, content string) {
		before := string(file)
		p, err := Rewrite(file, content, loose())
		if string(file) != before {
			t.Fatal("the bytes handed in were changed")
		}
		if err != nil {
			if e, ok := reeve.AsError(err); !ok || e.Not != notWritten || !utf8.ValidString(e.Error()) {
				t.Fatalf("%#v", err)
			}
			return
		}
		outside(t, p)
		if d := p.Diff(20); !utf8.ValidString(d) {
			t.Fatalf("diff %q", d)
		}
	})
}
