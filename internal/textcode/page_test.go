package textcode

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func texts(p Page) []string {
	s := []string{}
	for _, l := range p.Lines {
		s = append(s, l.Text)
	}
	return s
}

func TestWhatALineIs(t *testing.T) {
	for _, c := range []struct {
		name, content string
		lines         []string
		endings       string
		bad           int
	}{
		{"an empty file", "", []string{}, "", 0},
		{"one empty line", "\n", []string{""}, LF, 0},
		{"no ending at the end", "a\nb", []string{"a", "b"}, LF, 0},
		{"an ending at the end", "a\nb\n", []string{"a", "b"}, LF, 0},
		{"empty lines", "\n\n\n", []string{"", "", ""}, LF, 0},
		{"crlf", "a\r\n\r\nb\r\n", []string{"a", "", "b"}, CRLF, 0},
		{"mixed", "a\r\nb\nc", []string{"a", "b", "c"}, Mixed, 0},
		{"a lone cr in a file of lf is data", "a\rb\nc\r\n", []string{"a\rb", "c"}, Mixed, 0},
		{"two cr before lf", "a\r\r\nb\n", []string{"a\r", "b"}, Mixed, 0},
		{"a progress bar", "1%\r2%\rdone\n", []string{"1%\r2%\rdone"}, LF, 0},
		{"classic Mac", "a\rb\r\rc", []string{"a", "b", "", "c"}, CR, 0},
		{"classic Mac, ending at the end", "a\r", []string{"a"}, CR, 0},
		{"only cr", "\r", []string{""}, CR, 0},
		{"no other line ends", "a\u2028b\u2029c\u0085d\fe\vf\x1eg\n", []string{"a\u2028b\u2029c\u0085d\fe\vf\x1eg"}, LF, 0},
		{"invisible characters stay", "\u200b\u202ea\ufeff\x1b[31m\t\x07\n", []string{"\u200b\u202ea\ufeff\x1b[31m\t\x07"}, LF, 0},
		{"a byte order mark is no text", "\xEF\xBB\xBFa\n", []string{"a"}, LF, 0},
		{"a second one is", "\xEF\xBB\xBF\uFEFFa\n", []string{"\uFEFFa"}, LF, 0},
		{"latin-1", "Gr\xFC\xDFe\n", []string{`Gr\xFC\xDFe`}, LF, 2},
		{"a cut character", "a\xF0\x9F\x98\n", []string{`a\xF0\x9F\x98`}, LF, 3},
		{"overlong and surrogate forms", "\xC0\xAF\xED\xA0\x80", []string{`\xC0\xAF\xED\xA0\x80`}, "", 5},
		{"what looks like an escape is text", `\xE9` + "\n", []string{`\xE9`}, LF, 0},
		{"a replacement character is text", "\uFFFD\n", []string{"\uFFFD"}, LF, 0},
		{"a NUL behind the first 8 KiB", strings.Repeat("x", sniffBytes) + "\n\x00\n", []string{strings.Repeat("x", sniffBytes), `\x00`}, LF, 1},
		{"utf-16le", le("Grüße 😀\r\nb\r\n"), []string{"Grüße 😀", "b"}, CRLF, 0},
		{"utf-16be", be("漢\nb"), []string{"漢", "b"}, LF, 0},
		{"utf-16, classic Mac", be("a\rb\r"), []string{"a", "b"}, CR, 0},
		{"utf-16, characters made of 0A and 0D", le("\u0A0A\u0A0D\u0D0A\u0A00\u0D00\n\u0D0A"), []string{"\u0A0A\u0A0D\u0D0A\u0A00\u0D00", "\u0D0A"}, LF, 0},
		{"utf-16be, the same", be("\u0A0A\u0A0D\u0D0A\u0A00\u0D00\n\u0D0A"), []string{"\u0A0A\u0A0D\u0D0A\u0A00\u0D00", "\u0D0A"}, LF, 0},
		{"utf-16, odd length", le("a\nb") + "c", []string{"a", `b\x63`}, LF, 1},
		{"utf-16, half an ending", le("a") + "\n", []string{`a\x0A`}, "", 1},
		{"utf-16, lone surrogates", "\xFF\xFE" + "\x3D\xD8" + "a\x00" + "\x00\xDE" + "\n\x00" + "\x3D\xD8", []string{`\uD83Da\uDE00`, `\uD83D`}, LF, 3},
		{"utf-16, only a mark", "\xFF\xFE", []string{}, "", 0},
	} {
		for _, sz := range []sizes{usual(), {smallFile: -1, head: 64 << 10, scan: 64 << 10}} {
			txt, err := open(t.Context(), text(c.content), Options{Binary: BinaryNUL}, sz)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			p := mustPage(t, txt, Ask{Lines: 100})
			if got := texts(p); !reflect.DeepEqual(got, c.lines) {
				t.Errorf("%s: %q, want %q", c.name, got, c.lines)
			}
			if p.Endings != c.endings && c.endings != Mixed || p.BadBytes != c.bad || !p.Whole || !p.Counted || p.Total != int64(len(c.lines)) || p.Next != nil {
				t.Errorf("%s: endings %q, bad %d, whole %v, total %d", c.name, p.Endings, p.BadBytes, p.Whole, p.Total)
			}
		}
	}
}

func TestALargeFileOfLoneCRs(t *testing.T) {
	row := strings.Repeat("m", 99)
	for _, c := range []struct {
		name, head string
		mac        bool
	}{
		{"cr from the start", row + "\r", true},
		{"the head ends within a crlf", strings.Repeat("m", 64<<10-1) + "\r\n", false},
		{"no ending in the head", strings.Repeat("m", 70<<10) + "\r\n", false},
	} {
		content := c.head + strings.Repeat(row+"\r", 12_000)
		row := row
		if !c.mac {
			row += "\rdata"
			content = c.head + strings.Repeat(row+"\r\n", 12_000)
		}
		p := mustPage(t, mustOpen(t, text(content), Options{Binary: BinaryNUL}), Ask{Offset: 5000, Lines: 3})
		if got := texts(p); !reflect.DeepEqual(got, []string{row, row, row}) {
			t.Errorf("%s: %.50q", c.name, got)
		}
	}
}

func TestWhereAPageStarts(t *testing.T) {
	content := "one\ntwo\nthree\nfour\nfive\n"
	for _, c := range []struct {
		offset int64
		column int
		first  int64
		texts  []string
	}{
		{0, 0, 1, []string{"one", "two"}},
		{1, 1, 1, []string{"one", "two"}},
		{4, 0, 4, []string{"four", "five"}},
		{5, 0, 5, []string{"five"}},
		{6, 0, 0, []string{}},
		{math.MaxInt64, 0, 0, []string{}},
		{-1, 0, 5, []string{"five"}},
		{-2, 0, 4, []string{"four", "five"}},
		{-5, 0, 1, []string{"one", "two"}},
		{-6, 0, 1, []string{"one", "two"}},
		{math.MinInt64, 0, 1, []string{"one", "two"}},
		{3, 3, 3, []string{"ree", "four"}},
		{3, 6, 3, []string{"", "four"}},
		{3, math.MaxInt, 3, []string{"", "four"}},
		{-1, 5, 5, []string{""}},
	} {
		for _, small := range []int64{SmallFile, -1} {
			txt, err := open(t.Context(), text(content), Options{}, sizes{small, 8, 8})
			if err != nil {
				t.Fatal(err)
			}
			p := mustPage(t, txt, Ask{Offset: c.offset, Column: c.column, Lines: 2})
			if got := texts(p); !reflect.DeepEqual(got, c.texts) {
				t.Errorf("%d:%d: %q, want %q", c.offset, c.column, got, c.texts)
				continue
			}
			if len(c.texts) == 0 {
				if p.Next != nil || p.Stopped != "" || p.Whole || p.Total != 5 || !p.Counted {
					t.Errorf("%d: %+v", c.offset, p)
				}
				continue
			}
			n := p.Lines[0].N
			if p.FromEnd {
				n += 6
			}
			if n != c.first || p.FromEnd && small == SmallFile {
				t.Errorf("%d:%d starts at line %d (from end %v)", c.offset, c.column, p.Lines[0].N, p.FromEnd)
			}
		}
	}
}

// Numbers and what stopped a page are what a notice is made from.
func TestWhyAPageEnds(t *testing.T) {
	numbers := func(n int64) int { return len(strconv.FormatInt(n, 10)) + 2 }
	ten := strings.Repeat("0123456789\n", 10) // 13 each with its number, the tenth 14
	for _, c := range []struct {
		name, content string
		ask           Ask
		lines         int
		next          *Next
		stopped       string
	}{
		{"all of it", ten, Ask{Lines: 10}, 10, nil, ""},
		{"the profile's lines", ten, Ask{Lines: 9}, 9, &Next{10, 0}, StopLines},
		{"the caller's lines", ten, Ask{Lines: 9, Limited: true}, 9, &Next{10, 0}, StopLimit},
		{"exactly the bytes", ten, Ask{Lines: 99, Bytes: 9*13 + 14}, 10, nil, ""},
		{"one byte less", ten, Ask{Lines: 99, Bytes: 9*13 + 13}, 9, &Next{10, 0}, StopBytes},
		{"the characters", ten, Ask{Lines: 99, Chars: 9*13 + 13}, 9, &Next{10, 0}, StopChars},
		{"characters are not bytes", strings.Repeat("äöüßäöüßäö\n", 10), Ask{Lines: 99, Chars: 9*13 + 14}, 10, nil, ""},
		{"bytes are not characters", strings.Repeat("äöüßäöüßäö\n", 10), Ask{Lines: 99, Bytes: 9*13 + 14}, 5, &Next{6, 0}, StopBytes},
		{"the smaller budget counts", ten, Ask{Lines: 99, Bytes: 130, Chars: 30}, 2, &Next{3, 0}, StopChars},
		{"a window", "abcdefghij\nk\n", Ask{Lines: 99, Bytes: 8}, 1, &Next{1, 6}, StopBytes},
		{"the rest of it, and on", "abcdefghij\nk\n", Ask{Lines: 99, Bytes: 12, Column: 6}, 2, nil, ""},
		{"a window between characters", "ääääää\n", Ask{Lines: 99, Bytes: 8}, 1, &Next{1, 3}, StopBytes},
		{"an escape is not cut", "\xE9\xE9\xE9\n", Ask{Lines: 99, Bytes: 10}, 1, &Next{1, 2}, StopBytes},
		{"one character at least", "ääää\n", Ask{Lines: 99, Bytes: 1}, 1, &Next{1, 2}, StopBytes},
		{"an empty line costs its number only", "\nabc\n", Ask{Lines: 99, Bytes: 1}, 1, &Next{2, 0}, StopBytes},
		{"a long line starts a page of its own", "a\nabcdefghijkl\n", Ask{Lines: 99, Bytes: 9}, 1, &Next{2, 0}, StopBytes},
	} {
		for _, small := range []int64{SmallFile, -1} {
			txt, err := open(t.Context(), text(c.content), Options{Binary: BinaryNUL}, sizes{small, 8, 8})
			if err != nil {
				t.Fatal(err)
			}
			c.ask.Overhead = numbers
			p := mustPage(t, txt, c.ask)
			if len(p.Lines) != c.lines || !reflect.DeepEqual(p.Next, c.next) || p.Stopped != c.stopped {
				t.Errorf("%s: %d lines, next %v, stopped %q", c.name, len(p.Lines), p.Next, p.Stopped)
			}
		}
	}
}

func TestNumbersFromTheEndUntilTheLinesAreCounted(t *testing.T) {
	content := strings.Repeat("line\n", 100)
	x := NewIndex()
	page := func(a Ask) Page {
		txt, err := open(t.Context(), text(content), Options{Index: x}, sizes{-1, 32, 32})
		if err != nil {
			t.Fatal(err)
		}
		return mustPage(t, txt, a)
	}
	p := page(Ask{Offset: -3, Lines: 2, Limited: true})
	if !p.FromEnd || p.Lines[0].N != -3 || *p.Next != (Next{-1, 0}) || p.Counted || p.Total != 3 {
		t.Errorf("first: %+v", p)
	}
	p = page(Ask{Offset: 40, Lines: 2})
	if p.Counted || p.Total < 41 || p.Total > 100 {
		t.Errorf("at least %d", p.Total)
	}
	p = page(Ask{Offset: -200, Lines: 2})
	if p.FromEnd || p.Lines[0].N != 1 || !p.Counted || p.Total != 100 {
		t.Errorf("more lines than there are: %+v", p)
	}
	p = page(Ask{Offset: -3, Lines: 2, Limited: true})
	if p.FromEnd || p.Lines[0].N != 98 || *p.Next != (Next{100, 0}) {
		t.Errorf("once counted: %+v", p)
	}
	if n, counted := x.Total(); n != 100 || !counted {
		t.Errorf("the index knows %d (%v)", n, counted)
	}
}

func TestWhatMakesAPageWhole(t *testing.T) {
	for _, c := range []struct {
		name, content string
		ask           Ask
		whole         bool
	}{
		{"all lines", "a\nb\n", Ask{Lines: 2}, true},
		{"an empty file", "", Ask{Lines: 1, Offset: 5}, true},
		{"not the last line", "a\nb\n", Ask{Lines: 1}, false},
		{"not the first line", "a\nb\n", Ask{Lines: 9, Offset: 2}, false},
		{"not the first column", "a\nb\n", Ask{Lines: 9, Column: 2}, false},
		{"not the last column", "abcdef", Ask{Lines: 9, Bytes: 4}, false},
		{"the end of a window", "abcdef", Ask{Lines: 9, Column: 4}, false},
		{"from the end, but all", "a\nb\n", Ask{Lines: 9, Offset: -2}, true},
		{"behind the end", "a\nb\n", Ask{Lines: 9, Offset: 3}, false},
	} {
		if p := mustPage(t, mustOpen(t, text(c.content), Options{}), c.ask); p.Whole != c.whole {
			t.Errorf("%s: whole is %v", c.name, p.Whole)
		}
	}
}
