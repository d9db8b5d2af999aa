package edit

import (
	"strings"
	"testing"

	"reeve"
)

func TestRewrite(t *testing.T) {
	for _, c := range []struct {
		name, file, content, want string
		given                     bool
	}{
		{"LF", "a\nb\n", "x\ny\n", "x\ny\n", false},
		{"CRLF is kept", "a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n", false},
		{"CRLF sent to CRLF", "a\r\nb\r\n", "x\r\ny\r\n", "x\r\ny\r\n", false},
		{"CRLF sent to LF is meant", "a\nb\n", "x\r\ny\r\n", "x\r\ny\r\n", true},
		{"a mixture sent is meant", "a\r\nb\r\n", "x\r\ny\n", "x\r\ny\n", true},
		{"lone CRs are kept", "a\rb\r", "x\ny\n", "x\ry\r", false},
		{"lines that stay keep their ending", "a\nb\r\nc\r\nd\n", "a\nb\nX\nd\n", "a\nb\r\nX\r\nd\n", false},
		{"no newline at the end, as given", "a\r\nb\r\n", "x\ny", "x\r\ny", false},
		{"a newline at the end, as given", "a\nb", "x\ny\n", "x\ny\n", false},
		{"no endings there", "a", "x\ny\n", "x\ny\n", false},
		{"no endings there, CRLF sent", "a", "x\r\n", "x\r\n", false},
		{"an empty file", "", "x\n", "x\n", false},
		{"emptied", "a\n", "", "", false},
		{"a mark is kept", "\uFEFFa\r\n", "x\n", "\uFEFFx\r\n", false},
		{"a mark is not doubled", "\uFEFFa\n", "\uFEFFx\n", "\uFEFFx\n", false},
		{"a mark in the text where there was none", "a\n", "\uFEFFx\n", "\uFEFFx\n", false},
		{"nothing but a mark", "\uFEFF", "x\n", "\uFEFFx\n", false},
		{"UTF-16", utf16("a\r\n", false), "é😀\n", utf16("é😀\r\n", false), false},
		{"UTF-16, emptied", utf16("a\r\n", true), "", utf16("", true), false},
		{"a lone CR in the text is data", "a\n", "x\ry\n", "x\ry\n", false},
		{"patterns are text", "a\n", "$& \\1 %d\n", "$& \\1 %d\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Rewrite([]byte(c.file), c.content, loose())
			if err != nil {
				t.Fatal(err)
			}
			if string(p.New) != c.want || p.Kept.Given != c.given || p.Changed != (c.file != c.want) || p.Counts != nil {
				t.Errorf("%q %+v\nwant %q", p.New, p, c.want)
			}
			outside(t, p)
		})
	}
}

func TestRewriteTellsWhatDiffers(t *testing.T) {
	p, err := Rewrite([]byte("a\nb\nc\nd\n"), "a\nB\nC\nc\nd\n", loose())
	if err != nil {
		t.Fatal(err)
	}
	want := Region{Span{2, 4, 2, 2}, Span{2, 6, 2, 3}}
	if len(p.Regions) != 1 || p.Regions[0] != want {
		t.Errorf("%+v, want %+v", p.Regions, want)
	}
	if p, _ = Rewrite([]byte("a\r\n"), "a\n", loose()); p.Changed || p.Regions != nil {
		t.Errorf("%+v", p)
	}
}

func TestRefusedRewrites(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		code                reeve.Code
		says                string
	}{
		{"Latin-1", "a\ncaf\xe9\n", "café\n", reeve.Encoding, "line 2"},
		{"Latin-1, plain ASCII", "caf\xe9\n", "cafe\n", reeve.Encoding, "edits in plain ASCII"},
		{"GBK", "\xc4\xe3\xba\xc3\n", "x\n", reeve.Encoding, "line 1"},
		{"binary", "\x89PNG\r\n\x1a\n\x00\x00", "x", reeve.Binary, "image/png"},
		{"UTF-16 without a mark", "a\x00b\x00c\x00d\x00", "x", reeve.Binary, "utf-16le"},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "x", reeve.Binary, "utf-32le"},
		{"text that is none", "a", "\xff", reeve.Invalid, "UTF-8"},
		{"NUL", "a", "a\x00", reeve.Invalid, "NUL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Rewrite([]byte(c.file), c.content, loose())
			if e := refusal(t, err, c.code); !strings.Contains(e.Error(), c.says) {
				t.Errorf("%q does not say %q", e.Error(), c.says)
			}
		})
	}
}
