package textcode

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zeebo/blake3"
	"pgregory.net/rapid"
)

// encodings of the property test: how a piece of text becomes bytes.
var bare = []string{"", "\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"}

func drawContent(t *rapid.T) []byte {
	mark := rapid.SampledFrom(bare).Draw(t, "mark")
	var e Encoding
	odd := []string{"\xE9", "\xF0\x9F", "\xE2\x82", "\xC0\xAF", "\xED\xA0\x80", "\xFF"}
	if len(mark) == 2 {
		e, _ = ByMark([]byte(mark))
		unit := func(hi, lo byte) string {
			if e.big {
				return string([]byte{hi, lo})
			}
			return string([]byte{lo, hi})
		}
		// Half pairs, and units in which the bytes of LF and CR mean else.
		odd = []string{unit(0xD8, 0x3D), unit(0xDE, 0), unit(0xDC, 0x0A), unit(0x0A, 0x0A),
			unit(0x0A, 0), unit(0x0D, 0x0A), unit(0x0A, 0x0D), unit(0x0D, 0)}
	}
	plain := []string{"a", "bc", "é", "漢", "😀", " ", "\t", "\u2028", "\x0b", "\uFEFF", "word word word "}
	ending := rapid.SampledFrom([][]string{{"\n"}, {"\r\n"}, {"\r"}, {"\n", "\r\n", "\r"}, {"\r", "\r\n"}, {"x"}}).Draw(t, "endings")
	b := []byte(mark)
	for range rapid.IntRange(0, 40).Draw(t, "pieces") {
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0, 1, 2, 3:
			s, _ := e.Encode(nil, rapid.SampledFrom(ending).Draw(t, "ending"))
			b = append(b, s...)
		case 4:
			b = append(b, rapid.SampledFrom(odd).Draw(t, "odd")...)
		default:
			s, _ := e.Encode(nil, rapid.SampledFrom(plain).Draw(t, "text"))
			b = append(b, s...)
		}
	}
	if len(mark) == 2 && rapid.IntRange(0, 5).Draw(t, "half unit") == 0 {
		b = append(b, '\n')
	}
	return b
}

// drawSizes makes every border of blocks reachable in a few bytes.
func drawSizes(t *rapid.T) (sizes, *Index) {
	x := NewIndex()
	x.lines.stride = int64(rapid.IntRange(1, 40).Draw(t, "stride"))
	return sizes{
		smallFile: rapid.SampledFrom([]int64{-1, -1, SmallFile}).Draw(t, "small"),
		head:      rapid.IntRange(8, 40).Draw(t, "head"),
		scan:      rapid.IntRange(8, 40).Draw(t, "scan"),
	}, x
}

func TestPagesAreTheLinesOfTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawContent(t)
		sz, x := drawSizes(t)
		txt, err := open(context.Background(), bytes.NewReader(content), Options{Binary: BinaryNUL, Index: x}, sz)
		if err != nil {
			var b *BinaryError
			if asBinary(err, &b) {
				t.Skip("a NUL got in")
			}
			t.Fatal(err)
		}
		head := content
		if !txt.small && len(head) > sz.head {
			head = head[:sz.head]
		}
		mac := txt.ends.mac
		if hc, _ := naiveChars(head); txt.small && mac != naiveMac(hc) {
			t.Fatalf("classic Mac endings: %v", mac)
		}
		want := naiveText(content, func([]string) bool { return mac })
		for range rapid.IntRange(1, 4).Draw(t, "reads") {
			readOn(t, txt, content, want, drawAsk(t, len(want.lines)))
		}
	})
}

func drawAsk(t *rapid.T, lines int) Ask {
	over := rapid.SampledFrom([]int{0, 1, 7}).Draw(t, "overhead")
	return Ask{
		Offset:   int64(rapid.IntRange(-lines-3, lines+3).Draw(t, "offset")),
		Column:   rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, 9, 50}).Draw(t, "column"),
		Lines:    rapid.IntRange(1, 9).Draw(t, "lines"),
		Limited:  rapid.Bool().Draw(t, "limited"),
		Bytes:    rapid.SampledFrom([]int{0, 0, 1, 5, 16, 40, 100}).Draw(t, "bytes"),
		Chars:    rapid.SampledFrom([]int{0, 0, 1, 5, 16, 40, 100}).Draw(t, "chars"),
		Overhead: func(int64) int { return over },
	}
}

// readOn follows Next to the end and compares every line with the naive ones.
func readOn(t failer, txt *Text, content []byte, want naive, a Ask) {
	total := int64(len(want.lines))
	line := a.Offset // index from 0 of the line that must come next
	switch {
	case line > 0:
		line = min(line-1, total)
	case line < 0:
		line = max(total+line, 0)
	}
	col := max(a.Column, 1) // the character of it that must come next
	for pages := 0; ; pages++ {
		if pages > 10_000 {
			t.Fatal("Next does not end")
		}
		startLine, startCol := line, col
		p, err := txt.Page(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		bytesUsed, charsUsed, bad := 0, 0, 0
		for i, l := range p.Lines {
			n := l.N - 1
			if l.N < 0 {
				n = total + l.N
			}
			if n != line || (l.N < 0) != p.FromEnd {
				t.Fatalf("line %d (from end %v) came for index %d of %d", l.N, p.FromEnd, line, total)
			}
			chars := want.lines[line]
			from := min(col-1, len(chars))
			if got := max(l.Column, 1); got != from+1 {
				t.Fatalf("line %d shows from column %d, want %d", l.N, got, from+1)
			}
			to := len(chars)
			if l.Cut {
				to = from + l.Chars
				if i != len(p.Lines)-1 || to >= len(chars) || l.Chars == 0 {
					t.Fatalf("line %d cut after %d of %d characters", l.N, to, len(chars))
				}
			} else if l.Column > 1 && l.Chars != to-from {
				t.Fatalf("line %d tells %d characters, has %d", l.N, l.Chars, to-from)
			}
			text := strings.Join(chars[from:to], "")
			if l.Text != text {
				t.Fatalf("line %d is %q, want %q", l.N, l.Text, text)
			}
			for _, c := range chars[from:to] {
				if len(c) > 1 && c[0] == '\\' {
					bad++
				}
			}
			over := a.Overhead(l.N)
			bytesUsed += over + len(text)
			charsUsed += over + utf8.RuneCountInString(text)
			if l.Cut {
				col = to + 1
			} else {
				line, col = line+1, 1
			}
		}
		if bad != p.BadBytes {
			t.Fatalf("%d bad bytes, want %d", p.BadBytes, bad)
		}
		fits := (a.Bytes == 0 || bytesUsed <= a.Bytes) && (a.Chars == 0 || charsUsed <= a.Chars)
		if len(p.Lines) > 1 && !fits {
			t.Fatalf("%d lines of %d bytes, %d characters in a budget of %d, %d", len(p.Lines), bytesUsed, charsUsed, a.Bytes, a.Chars)
		}
		if len(p.Lines) > a.Lines {
			t.Fatalf("%d lines, asked for %d", len(p.Lines), a.Lines)
		}
		if p.Counted && p.Total != total || p.Total > total {
			t.Fatalf("total %d (counted %v), want %d", p.Total, p.Counted, total)
		}
		whole := startLine == 0 && (startCol == 1 || total == 0 || len(want.lines[0]) == 0) && line == total && !p.FromEnd
		if p.Whole != whole {
			t.Fatalf("whole %v, want %v", p.Whole, whole)
		}
		if h := blake3.Sum256(content); (p.Whole || txt.small) && p.Hash == nil || p.Hash != nil && *p.Hash != h {
			t.Fatal("wrong or missing hash")
		}
		if (txt.small || whole) && p.Endings != want.endings {
			t.Fatalf("endings %q, want %q", p.Endings, want.endings)
		}
		checkStop(t, p, a, want, line, col, bytesUsed, charsUsed)
		if p.Next == nil {
			if line != total {
				t.Fatalf("ended before line index %d of %d", line, total)
			}
			return
		}
		a.Offset, a.Column = p.Next.Offset, p.Next.Column
		if max(a.Column, 1) != col {
			t.Fatalf("next column %d, want %d", a.Column, col)
		}
	}
}

// checkStop: a page ends only where it has to, and says why.
func checkStop(t failer, p Page, a Ask, want naive, line int64, col, bytesUsed, charsUsed int) {
	if (p.Next == nil) != (p.Stopped == "") {
		t.Fatalf("next %v, stopped %q", p.Next, p.Stopped)
	}
	switch p.Stopped {
	case "":
	case StopLimit, StopLines:
		if (p.Stopped == StopLimit) != a.Limited || len(p.Lines) != a.Lines {
			t.Fatalf("stopped by %q with %d of %d lines", p.Stopped, len(p.Lines), a.Lines)
		}
	default:
		rest := want.lines[line][col-1:]
		n := 0
		if col > 1 { // a window: one character more would be too much
			rest = rest[:1]
		} else {
			n = a.Overhead(p.Next.Offset)
		}
		text := strings.Join(rest, "")
		byBytes := a.Bytes > 0 && bytesUsed+n+len(text) > a.Bytes
		byChars := a.Chars > 0 && charsUsed+n+utf8.RuneCountInString(text) > a.Chars
		if p.Stopped == StopBytes && !byBytes || p.Stopped == StopChars && !byChars {
			t.Fatalf("stopped by %q: %d+%d bytes of %d, %d characters of %d", p.Stopped, bytesUsed, len(text)+n, a.Bytes, charsUsed, a.Chars)
		}
	}
}

func TestDecodingInPiecesIsDecodingAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawContent(t)
		e, mark := ByMark(content)
		p := content[mark:]
		whole, n, bad := e.Decode(nil, p, true)
		if n != len(p) {
			t.Fatalf("used %d of %d bytes", n, len(p))
		}
		var pieces []byte
		badToo, chars := 0, 0
		for off, have := 0, 0; off < len(p); {
			have = min(len(p), max(have, off)+rapid.IntRange(1, 5).Draw(t, "piece"))
			var n, b int
			last := have == len(p)
			pieces, n, b = e.Decode(pieces, p[off:have], last)
			k, c := e.Skip(p[off:have], len(p), last)
			if k != n {
				t.Fatalf("Skip passes %d bytes, Decode %d", k, n)
			}
			if a := e.Align(p[off:], have-off); !last && a != n {
				t.Fatalf("Align gives %d, Decode used %d", a, n)
			}
			off += n
			badToo += b
			chars += c
		}
		if !bytes.Equal(whole, pieces) || bad != badToo || !utf8.Valid(whole) {
			t.Fatalf("at once %q (%d bad), in pieces %q (%d bad)", whole, bad, pieces, badToo)
		}
		if want, _ := naiveChars(content); len(want) != chars {
			t.Fatalf("%d characters, want %d", chars, len(want))
		}
	})
}

func TestEncodeGivesBackWhatDecodeTook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		e := rapid.SampledFrom(Encodings()).Draw(t, "encoding")
		b, err := e.Encode([]byte("x"), s)
		if err != nil || b[0] != 'x' {
			t.Fatal(err)
		}
		out, _, bad := e.Decode(nil, b[1:], true)
		if string(out) != s || bad != 0 {
			t.Fatalf("%q came back as %q", s, out)
		}
		if at := e.RoundTrips(b[1:]); at != -1 {
			t.Fatalf("does not round-trip at %d", at)
		}
	})
}

func TestRoundTripsFindsTheFirstBadByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawContent(t)
		e, mark := ByMark(content)
		p := content[mark:]
		pad := slices.Repeat(e.Newline(LF), rapid.SampledFrom([]int{0, 4094, 4095, 4096}).Draw(t, "pad")/e.Unit())
		p = append(pad, p...)
		want := -1
		for off := 0; off < len(p); {
			n, _ := e.Skip(p[off:], 1, true)
			if _, _, bad := e.Decode(nil, p[off:off+n], true); bad > 0 {
				want = off
				break
			}
			off += n
		}
		if got := e.RoundTrips(p); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}
