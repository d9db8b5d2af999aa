package edit

import (
	"strings"
	"testing"

	"reeve"
	"reeve/internal/textcode"
)

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name, file string
		edits      []Edit
		want       string
	}{
		{"one line of a CRLF file", "a\r\nb\r\nc\r\n", one("b", "B"), "a\r\nB\r\nc\r\n"},
		{"lines of a CRLF file, sent with LF", "a\r\nb\r\nc\r\n", one("a\nb\n", "a\nx\ny\n"), "a\r\nx\r\ny\r\nc\r\n"},
		{"lines of an LF file, sent with CRLF", "a\nb\nc\n", one("a\r\nb\r\n", "a\r\nx\r\ny\r\n"), "a\nx\ny\nc\n"},
		{"new lines in one line of a CRLF file", "a\r\nb\r\n", one("b", "x\ny"), "a\r\nx\r\ny\r\n"},
		{"new lines in a file without any", "a", one("a", "x\ny"), "x\ny"},
		{"mixed endings stay as they are", "a\r\nb\nc\r\nd\n", one("b", "B"), "a\r\nB\nc\r\nd\n"},
		{"each line of a mixed region keeps its ending", "a\r\nb\nc\r\nd\n", one("a\nb\nc\nd\n", "a\nB\nc\nd\n"), "a\r\nB\nc\r\nd\n"},
		{"a line put into a mixed region", "a\r\nb\nc\r\nd", one("a\nb\nc\nd", "a\nb\nnew\nc\nD"), "a\r\nb\nnew\r\nc\r\nD"},
		{"lines at both ends of a mixed region", "a\nb\r\nc\r\nd\n", one("a\nb\nc\nd\n", "0\na\nb\nc\nd\n9\n"), "0\na\nb\r\nc\r\nd\n9\n"},
		{"the most frequent ending where there is none", "a\r\nb\r\nc\nd", one("d", "x\ny"), "a\r\nb\r\nc\nx\r\ny"},
		{"a lone CR is data", "a\rb\nc\n", one("c", "C"), "a\rb\nC\n"},
		{"a lone CR is data in the old text", "a\rb\nc\n", one("a\rb", "x\ry"), "x\ry\nc\n"},
		{"a lone CR in the old text is not half a CRLF", "x\r\nx\ry\n", one("x\r", "z\r"), "x\r\nz\ry\n"},
		{"CR CR LF", "a\r\r\nb\n", one("a\r\nb", "x"), ""},
		{"CR CR LF, told right", "a\r\r\nb\n", one("a\r\r\nb", "x"), "x\n"},
		{"a file of lone CRs", "a\rb\rc\r", one("a\nb", "a\nx\ny"), "a\rx\ry\rc\r"},
		{"dollar and ampersand", "price\n", one("price", "$& $1 $$ \\1 \\0 ${x} %s"), "$& $1 $$ \\1 \\0 ${x} %s\n"},
		{"characters of patterns in the old text", "a.*b [x] a+b\n", one(".*b [x] a+", "-"), "a-b\n"},
		{"tabs stay tabs", "\tif x {\n\t\ty\n\t}\n", one("\t\ty", "\t\tz"), "\tif x {\n\t\tz\n\t}\n"},
		{"NBSP is not a space", "a\u00a0b a b\n", one("a b", "c"), "a\u00a0b c\n"},
		{"no newline at the end stays so", "a\nb", one("b", "c"), "a\nc"},
		{"the newline at the end stays", "a\nb\n", one("b", "c"), "a\nc\n"},
		{"the newline at the end taken away", "a\nb\n", one("b\n", "b"), "a\nb"},
		{"old text at the start", "needle x", one("needle", "n"), "n x"},
		{"old text at the end", "x needle", one("needle", "n"), "x n"},
		{"the whole file", "needle", one("needle", ""), ""},
		{"deleting a line", "a\nb\nc\n", one("b\n", ""), "a\nc\n"},
		{"deleting a line of a CRLF file", "a\r\nb\r\nc\r\n", one("b\n", ""), "a\r\nc\r\n"},
		{"old text that begins with an ending", "a\r\nb\r\nc", one("\nb", "\nB"), "a\r\nB\r\nc"},
		{"all of them", "a b a b a", []Edit{{"a", "xx", true}}, "xx b xx b xx"},
		{"all of overlapping ones, from the left", "aaaa", []Edit{{"aa", "b", true}}, "bb"},
		{"all, one of them", "abc", []Edit{{"b", "x", true}}, "axc"},
		{"all of them across mixed endings", "a\nb\na\r\nb\n", []Edit{{"a\nb", "x\ny", true}}, "x\ny\nx\r\ny\n"},
		{"several edits", "one two three", []Edit{{"one", "1", false}, {"two", "2", false}, {"three", "3", false}}, "1 2 3"},
		{"an edit of what an edit made", "one", []Edit{{"one", "two two", false}, {"two two", "three", false}}, "three"},
		{"an edit that makes the next one unique", "a a", []Edit{{"a a", "b a", false}, {"a", "c", false}}, "b c"},
		{"UTF-8 with a mark", "\uFEFFa\r\nb\r\n", one("a\nb", "x\ny"), "\uFEFFx\r\ny\r\n"},
		{"UTF-16, little", utf16("a\r\nbé😀\r\n", false), one("bé😀\n", "ü\n𝄞\n"), utf16("a\r\nü\r\n𝄞\r\n", false)},
		{"UTF-16, big", utf16("a\nbé😀\n", true), one("a\nbé", "x"), utf16("x😀\n", true)},
		{"UTF-16 found between the units is not there", utf16("Aa\n", false), one("\u6100", "y"), ""},
		{"UTF-16 found between the units before it is there", utf16("Aa\u6100\r\n", false), one("\u6100", "y"), utf16("Aay\r\n", false)},
		{"UTF-16 with half a unit at its end", utf16("ab", false) + "z", one("b", "c"), utf16("ac", false) + "z"},
		{"an ASCII edit among Latin-1", "caf\xe9\nna\xefve\nx = 1\n", one("x = 1", "x = 2"), "caf\xe9\nna\xefve\nx = 2\n"},
		{"an ASCII edit among GBK", "\xc4\xe3\xba\xc3 x = 1\n", one("x = 1", "x = 2"), "\xc4\xe3\xba\xc3 x = 2\n"},
		{"one bad byte in UTF-8", "äöü é \xff x\n", one("é", "è"), "äöü è \xff x\n"},
		{"escapes of bad bytes are not their text", "\xe9 \\xE9\n", one("\\xE9", "e"), "\xe9 e\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Apply([]byte(c.file), c.edits, loose())
			if c.want == "" && c.edits[0].New != "" {
				refusal(t, err, reeve.NoMatch)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(p.New) != c.want {
				t.Errorf("%q\nwant %q", p.New, c.want)
			}
			if string(p.Old) != c.file || !p.Changed {
				t.Errorf("old %q, changed %v", p.Old, p.Changed)
			}
			outside(t, p)
		})
	}
}

// outside checks that all outside the regions is the same.
func outside(t failer, p *Plan) {
	t.Helper()
	var a, b int64
	var lineA, lineB int64
	for i, r := range p.Regions {
		if r.Old.From < a || r.New.From < b || r.Old.To < r.Old.From || r.New.To < r.New.From ||
			i > 0 && (r.Old.From == a || r.New.From == b) {
			t.Fatalf("regions out of order, or touching: %+v", p.Regions)
		}
		if string(p.Old[a:r.Old.From]) != string(p.New[b:r.New.From]) {
			t.Fatalf("%q before a region became %q", p.Old[a:r.Old.From], p.New[b:r.New.From])
		}
		if r.Old.First < lineA || r.New.First < lineB || r.Old.Last < r.Old.First || r.New.Last < r.New.First {
			t.Fatalf("lines out of order: %+v", p.Regions)
		}
		a, b, lineA, lineB = r.Old.To, r.New.To, r.Old.Last, r.New.Last
	}
	if string(p.Old[a:]) != string(p.New[b:]) {
		t.Fatalf("%q behind the regions became %q", p.Old[a:], p.New[b:])
	}
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func TestRefusedEdits(t *testing.T) {
	for _, c := range []struct {
		name, file string
		edits      []Edit
		code       reeve.Code
		says       []string
	}{
		{"no edits", "a", nil, reeve.Invalid, []string{"no edits"}},
		{"empty old text", "a", one("", "b"), reeve.Invalid, []string{"empty", "exists"}},
		{"empty old text, empty file", "", one("", "b"), reeve.Invalid, []string{"empty"}},
		{"blank old text", "a b", one(" ", "_"), reeve.Invalid, []string{"blank"}},
		{"old text of line ends", "a\n\nb", one("\n\n", "\n"), reeve.Invalid, []string{"blank"}},
		{"old text that nobody sees", "a\u200bb", one("\u200b\u00a0", ""), reeve.Invalid, []string{"blank"}},
		{"the same text", "a", one("a", "a"), reeve.Invalid, []string{"nothing would change"}},
		{"the same but for line ends", "a\r\nb", one("a\r\nb", "a\nb"), reeve.Invalid, []string{"line endings"}},
		{"old text that is no text", "a", one("\xff", "b"), reeve.Invalid, []string{"UTF-8"}},
		{"new text with NUL", "a", one("a", "\x00"), reeve.Invalid, []string{"NUL"}},
		{"not there, empty file", "", one("x", "y"), reeve.NoMatch, []string{"does not hold"}},
		{"a needle longer than the file", "ab", one("abc", "y"), reeve.NoMatch, nil},
		{"two", "x\ny\nx\n", one("x", "z"), reeve.Ambiguous, []string{"2 times", "lines 1, 3", "all"}},
		{"eleven", strings.Repeat("x\n", 11), one("x", "z"), reeve.Ambiguous, []string{"11 times", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more"}},
		{"three in one line", "x x x", one("x", "z"), reeve.Ambiguous, []string{"3 times", "in line 1"}},
		{"overlapping", "aaaa", one("aaa", "b"), reeve.Ambiguous, []string{"overlap"}},
		{"overlapping lines in CRLF", "a\r\na\r\na\r\n", one("a\na\n", "b"), reeve.Ambiguous, []string{"overlap", "lines 1, 2"}},
		{"in UTF-16", utf16("x\nx\n", true), one("x", "y"), reeve.Ambiguous, []string{"lines 1, 2"}},
		{"the second of three", "a b c", []Edit{{"a", "1", false}, {"q", "2", false}, {"c", "3", false}}, reeve.NoMatch, []string{"edit 2 of 3"}},
		{"the third taken by the first", "abc d", []Edit{{"abc", "x", false}, {"d", "y", false}, {"bc", "z", false}}, reeve.NoMatch, []string{"edit 3 of 3", "edit 1 changed it before"}},
		{"made ambiguous by the first", "a b", []Edit{{"a", "b", false}, {"b", "z", false}}, reeve.Ambiguous, []string{"edit 2 of 2", "after the edits before it"}},
		{"a bad edit behind a good one", "a b", []Edit{{"a", "x", false}, {"b", "b", false}}, reeve.Invalid, []string{"edit 2 of 2"}},
		{"binary", "a\x00b", one("a", "x"), reeve.Binary, []string{"not text"}},
		{"UTF-16 without a mark", "a\x00b\x00", one("a", "x"), reeve.Binary, []string{"utf-16le"}},
		{"umlauts into Latin-1", "caf\xe9 x\n", one("x", "ü"), reeve.Encoding, []string{"line 1", "0xe9", "ASCII"}},
		{"the second half of a Shift-JIS character", "\n\x95\x5c = 1\n", one("\\", "/"), reeve.Encoding, []string{"line 2", "middle of a character"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := []byte(c.file)
			_, err := Apply(file, c.edits, loose())
			e := refusal(t, err, c.code)
			for _, s := range c.says {
				if !strings.Contains(e.Error(), s) {
					t.Errorf("%q does not say %q", e.Error(), s)
				}
			}
			if string(file) != c.file {
				t.Error("the bytes handed in were changed")
			}
		})
	}
}

func TestTheStrictestOptionsTakeUTF8Only(t *testing.T) {
	_, err := Apply([]byte("caf\xe9 x"), one("x", "y"), Options{})
	refusal(t, err, reeve.Binary)
	_, err = Apply([]byte(utf16("x", false)), one("x", "y"), Options{})
	refusal(t, err, reeve.Binary)
	_, err = Rewrite([]byte("caf\xe9"), "y", Options{})
	refusal(t, err, reeve.Binary)
	_, err = Apply([]byte(utf16("x", false)), one("x", "y"), Options{Binary: textcode.BinaryNULByte})
	refusal(t, err, reeve.Binary)
}

func TestSizesAreBounded(t *testing.T) {
	o := loose()
	o.MaxBytes = 10
	_, err := Apply([]byte("12345678901"), one("1", "2"), o)
	refusal(t, err, reeve.TooLarge)
	_, err = Apply([]byte("a a a"), []Edit{{"a", "aaaa", true}}, o)
	refusal(t, err, reeve.TooLarge)
	_, err = Rewrite([]byte("a"), "12345678901", o)
	refusal(t, err, reeve.TooLarge)
	if _, err = Apply([]byte("a a a"), []Edit{{"a", "bbb", false}}, o); err == nil {
		t.Error("took an ambiguous edit")
	}
	if p, err := Apply([]byte("a a"), []Edit{{"a", "bbbb", true}}, o); err != nil || string(p.New) != "bbbb bbbb" {
		t.Error(err)
	}
}

func TestRegionsTellLines(t *testing.T) {
	for _, c := range []struct {
		name, file string
		edits      []Edit
		want       []Region
	}{
		{"inside a line", "a\nbcd\ne\n", one("c", "xx"), []Region{{Span{3, 4, 2, 2}, Span{3, 5, 2, 2}}}},
		{"a whole line", "a\nb\nc\n", one("b\n", "x\ny\n"), []Region{{Span{2, 4, 2, 2}, Span{2, 6, 2, 3}}}},
		{"a line taken out", "a\nb\nc\n", one("b\n", ""), []Region{{Span{2, 4, 2, 2}, Span{2, 2, 2, 2}}}},
		{"two lines", "a\r\nb\r\nc", one("a\nb", "x"), []Region{{Span{0, 4, 1, 2}, Span{0, 1, 1, 1}}}},
		{"behind a mark", "\uFEFFa\nb", one("b", "c"), []Region{{Span{5, 6, 2, 2}, Span{5, 6, 2, 2}}}},
		{"two edits apart", "a b c", []Edit{{"a", "xx", false}, {"c", "y", false}}, []Region{{Span{0, 1, 1, 1}, Span{0, 2, 1, 1}}, {Span{4, 5, 1, 1}, Span{5, 6, 1, 1}}}},
		{"from the back", "a b c", []Edit{{"c", "yyy", false}, {"a", "\n", false}}, []Region{{Span{0, 1, 1, 1}, Span{0, 1, 1, 1}}, {Span{4, 5, 1, 1}, Span{4, 7, 2, 2}}}},
		{"two that touch", "abc", []Edit{{"a", "x", false}, {"b", "y", false}}, []Region{{Span{0, 2, 1, 1}, Span{0, 2, 1, 1}}}},
		{"one inside another", "abc", []Edit{{"b", "xyz", false}, {"y", "", false}}, []Region{{Span{1, 2, 1, 1}, Span{1, 3, 1, 1}}}},
		{"over another", "abcd", []Edit{{"b", "xyz", false}, {"axyzc", "q", false}}, []Region{{Span{0, 3, 1, 1}, Span{0, 1, 1, 1}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustApply(t, c.file, c.edits...)
			if len(p.Regions) != len(c.want) {
				t.Fatalf("%+v, want %+v", p.Regions, c.want)
			}
			for i := range c.want {
				if p.Regions[i] != c.want[i] {
					t.Errorf("%+v, want %+v", p.Regions[i], c.want[i])
				}
			}
			outside(t, p)
		})
	}
}

func TestEditsThatUndoEachOther(t *testing.T) {
	p := mustApply(t, "a b", Edit{Old: "a", New: "x"}, Edit{Old: "x", New: "a"})
	if p.Changed || p.Regions != nil || string(p.New) != "a b" {
		t.Errorf("%+v", p)
	}
	if len(p.Counts) != 2 || p.Counts[0] != 1 || p.Counts[1] != 1 {
		t.Error(p.Counts)
	}
}

func TestManyReplacementsShareRegions(t *testing.T) {
	file := strings.Repeat("a b\n", 3*MaxRegions+5)
	p := mustApply(t, file, Edit{"a", "xyz", true})
	if string(p.New) != strings.ReplaceAll(file, "a", "xyz") || p.Counts[0] != 3*MaxRegions+5 {
		t.Error("not all were replaced")
	}
	if len(p.Regions) > MaxRegions || len(p.Regions) < MaxRegions/2 {
		t.Error(len(p.Regions))
	}
	outside(t, p)
	p = mustApply(t, file, Edit{"a", "xyz", true}, Edit{"b", "q", true})
	if len(p.Regions) > MaxRegions {
		t.Error(len(p.Regions))
	}
	outside(t, p)
}

func TestWhatWasKeptIsTold(t *testing.T) {
	for _, c := range []struct {
		file string
		want Kept
	}{
		{"x", Kept{Encoding: "utf-8"}},
		{"x\n", Kept{Encoding: "utf-8", Endings: "lf", Ending: "lf", Now: "lf"}},
		{"\uFEFFx\r\n", Kept{Encoding: "utf-8", BOM: true, Endings: "crlf", Ending: "crlf", Now: "crlf"}},
		{"x\r\na\r\nb\n", Kept{Encoding: "utf-8", Endings: "mixed", Ending: "crlf", Now: "mixed"}},
		{"x\ra\rb", Kept{Encoding: "utf-8", Endings: "cr", Ending: "cr", Now: "cr"}},
		{"x\ra\n\xff", Kept{Encoding: "utf-8", Endings: "lf", Ending: "lf", Now: "lf", BadBytes: 1}},
		{utf16("x\r\n", true), Kept{Encoding: "utf-16be", BOM: true, Endings: "crlf", Ending: "crlf", Now: "crlf"}},
	} {
		if p := mustApply(t, c.file, one("x", "y")...); p.Kept != c.want {
			t.Errorf("%q: %+v", c.file, p.Kept)
		}
	}
}
