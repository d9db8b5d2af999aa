package textcode

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Lines of 1 to 300 bytes, so that no block ends where a line does.
func TestEveryLineOfAFileOfUnevenLines(t *testing.T) {
	var b strings.Builder
	want := []string{}
	for i := range 8000 {
		line := fmt.Sprintf("%d %s", i+1, strings.Repeat("x", i*37%290))
		want = append(want, line)
		b.WriteString(line + "\n")
	}
	for _, content := range []string{b.String()[:len(strings.Join(want[:4000], "\n"))+1], b.String(), le(b.String())} {
		src := text(content)
		x := NewIndex()
		for n := 1; n <= 4000; n += 13 {
			for _, o := range []Options{{Binary: BinaryNUL}, {Binary: BinaryNUL, Index: x}} {
				p := mustPage(t, mustOpen(t, src, o), Ask{Offset: int64(n), Lines: 1})
				if got := p.Lines[0].Text; got != want[n-1] {
					t.Fatalf("line %d is %.40q", n, got)
				}
			}
		}
	}
}

func TestColumnsOfTwoLongLinesAreKeptApart(t *testing.T) {
	one, two := strings.Repeat("ä", 400_000), strings.Repeat("0123456789", 60_000)
	src := text(one + "\n" + two + "\n")
	x := NewIndex()
	for range 2 {
		for n, line := range []string{one, two} {
			for _, col := range []int{399_001, 200_001, 5} {
				p := mustPage(t, mustOpen(t, src, Options{Binary: BinaryNUL, Index: x}), Ask{Offset: int64(n + 1), Column: col, Lines: 1, Bytes: 41})
				want := string([]rune(line)[col-1:])[:40]
				if got := p.Lines[0]; got.Text != want || got.Column != col || !got.Cut {
					t.Fatalf("line %d, column %d: %+v", n+1, col, got)
				}
			}
		}
	}
}

func TestAFailedReadLeavesNoOldBytes(t *testing.T) {
	src := &numbered{lines: 200_000, ending: "\n"}
	txt := mustOpen(t, src, Options{Binary: BinaryNUL})
	broken := errors.New("input/output error")
	fail := false
	src.each = func(int64) error {
		if fail {
			fail = false
			return broken
		}
		return nil
	}
	for _, n := range []int64{150_000, 9, 100_000, 9} {
		fail = true
		if _, err := txt.Page(t.Context(), Ask{Offset: n, Lines: 3}); err != nil && !errors.Is(err, broken) {
			t.Fatal(err)
		}
		fail = false
		p := mustPage(t, txt, Ask{Offset: n, Lines: 3})
		for i, l := range p.Lines {
			if l.Text != src.want(n+int64(i)) {
				t.Fatalf("line %d is %q after a failed read", n+int64(i), l.Text)
			}
		}
	}
}

func TestAnIndexStaysSmall(t *testing.T) {
	x := NewIndex()
	x.lines.stride = 1
	for i := range int64(100_000) {
		x.sawLine(mark{i * 2, i + 1})
	}
	if n := len(x.lines.list); n > maxMarks {
		t.Errorf("%d marks", n)
	}
}

func TestAnOverheadBelowZeroBuysNothing(t *testing.T) {
	p := mustPage(t, mustOpen(t, text("abc\ndef\n"), Options{}), Ask{Lines: 9, Bytes: 3, Overhead: func(int64) int { return -9 }})
	if len(p.Lines) != 1 {
		t.Errorf("%d lines in a budget of 3 bytes", len(p.Lines))
	}
}

func TestWhatATextTellsOfItself(t *testing.T) {
	for _, c := range []struct {
		content string
		enc     string
		bom     bool
	}{{"a", "utf-8", false}, {"\xEF\xBB\xBFa", "utf-8", true}, {le("a"), "utf-16le", true}, {be("a"), "utf-16be", true}} {
		txt := mustOpen(t, text(c.content), Options{Binary: BinaryNUL})
		if txt.Encoding().Name() != c.enc || txt.BOM() != c.bom {
			t.Errorf("%q: %s, mark %v", c.content, txt.Encoding().Name(), txt.BOM())
		}
	}
}

// What reaches a person or a model has to say what happened in plain words.
func TestErrorsSayWhatHappened(t *testing.T) {
	for want, err := range map[string]error{
		"is not text: 7 bytes of image/png":                                              &BinaryError{7, "image/png"},
		"is not text: 3 bytes of no type that is known":                                  &BinaryError{3, unknownType},
		"is not text: 1 byte of no type that is known":                                   &BinaryError{1, unknownType},
		"is not text in an encoding that is read here: 10 bytes, by their look utf-16be": &BinaryError{10, "text/plain; charset=utf-16be"},
		"is not text in an encoding that is read here: 7 bytes, some of them not UTF-8":  &BinaryError{7, "text/plain; charset=unknown-8bit"},
		"is too large to be checked as UTF-8: 9 bytes, at most 8 are":                    &SizeError{9, 8},
		"the file became shorter while it was read":                                      ErrShort,
		"utf-16le cannot hold U+FFFD '\uFFFD' (byte 3)":                                  &EncodeError{"utf-16le", 3, 0xFFFD},
		"a page needs at least one line":                                                 Ask{}.check(),
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
