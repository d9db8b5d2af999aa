package textcode

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zeebo/blake3"
	"reeve"
)

// Cost follows what is shown: these are the bytes read, which no slow machine
// can change.
func TestAPageOfAHugeFileReadsAPage(t *testing.T) {
	const lines = 64 << 20 / numberedLine
	src := &numbered{lines: lines, ending: "\n"}
	x := NewIndex()
	read := func(a Ask) (Page, int64) {
		before := src.bytes
		p := mustPage(t, mustOpen(t, src, Options{Binary: BinaryNUL, Index: x}), a)
		return p, src.bytes - before
	}
	check := func(p Page, first int64) {
		t.Helper()
		if len(p.Lines) != 2000 {
			t.Fatalf("%d lines", len(p.Lines))
		}
		for i, l := range p.Lines {
			real := first + int64(i)
			n := real
			if p.FromEnd {
				n = real - lines - 1
			}
			if l.N != n || l.Text != src.want(real) {
				t.Fatalf("line %d is %d %q", real, l.N, l.Text)
			}
		}
	}
	a := usualAsk()
	p, n := read(a)
	check(p, 1)
	if n > 64<<10 || p.Counted || p.Total < 2000 || p.Whole || p.Hash != nil {
		t.Errorf("first page: %d bytes read, total %d (%v)", n, p.Total, p.Counted)
	}
	a.Offset = -2000
	p, n = read(a)
	check(p, lines-1999)
	if n > 200<<10 || !p.FromEnd || p.Counted || p.Next != nil {
		t.Errorf("last page: %d bytes read, from end %v, next %v", n, p.FromEnd, p.Next)
	}
	a.Offset = lines / 2
	p, _ = read(a)
	check(p, lines/2)
	if p.Counted || p.Total < lines/2+1999 || p.Total > lines {
		t.Errorf("middle: total %d (%v)", p.Total, p.Counted)
	}
	for _, at := range []int64{lines / 2, lines/2 + 2000, lines / 3, 7} {
		a.Offset = at
		p, n = read(a)
		check(p, at)
		if n > 512<<10 {
			t.Errorf("line %d with an index: %d bytes read", at, n)
		}
	}
	a.Offset = lines + 10
	p, _ = read(a)
	if len(p.Lines) != 0 || !p.Counted || p.Total != lines || p.Next != nil {
		t.Errorf("behind the end: %d lines, total %d (%v)", len(p.Lines), p.Total, p.Counted)
	}
	a.Offset = -2000
	p, n = read(a)
	check(p, lines-1999)
	if p.FromEnd || !p.Counted || n > 512<<10 {
		t.Errorf("last page once counted: from end %v, %d bytes read", p.FromEnd, n)
	}
	if size := len(x.lines.list) * 16; size > 64<<10 {
		t.Errorf("the index holds %d bytes", size)
	}
}

func TestLinesAcrossBlocksInEveryEnding(t *testing.T) {
	for _, ending := range []string{"\n", "\r\n", "\r"} {
		src := &numbered{lines: 300_000, ending: ending}
		for _, offset := range []int64{1, 4096, 8192, 123_457, 299_999, -1, -4096, -4097, -150_000, -300_000, -300_001} {
			txt := mustOpen(t, src, Options{Binary: BinaryNUL})
			a := usualAsk()
			a.Offset = offset
			p := mustPage(t, txt, a)
			first := offset
			if offset < 0 {
				first = max(src.lines+offset+1, 1)
			}
			for i, l := range p.Lines {
				if l.Text != src.want(first+int64(i)) {
					t.Fatalf("%q, offset %d: line %d is %q", ending, offset, l.N, l.Text)
				}
			}
			if got := endsSeenName(ending); p.Endings != got {
				t.Errorf("endings %q, want %q", p.Endings, got)
			}
		}
	}
}

func TestAColumnDeepInOneHugeLine(t *testing.T) {
	src := &tiled{tile: "0123456789", size: 50_000_000}
	x := NewIndex()
	a := usualAsk()
	a.Column = 40_000_003
	for i := range 2 {
		before := src.bytes
		p := mustPage(t, mustOpen(t, src, Options{Binary: BinaryNUL, Index: x}), a)
		n := src.bytes - before
		l := p.Lines[0]
		if len(p.Lines) != 1 || !strings.HasPrefix(l.Text, "234567890") || l.Column != 40_000_003 || !l.Cut || l.Chars != len(l.Text) {
			t.Fatalf("%d lines, column %d, %.20q", len(p.Lines), l.Column, l.Text)
		}
		if *p.Next != (Next{1, 40_000_003 + l.Chars}) || p.Stopped != StopBytes {
			t.Fatalf("next %v, stopped %q", p.Next, p.Stopped)
		}
		if i == 1 && n > 512<<10 {
			t.Errorf("with an index: %d bytes read", n)
		}
	}
	a.Column = 1
	before := src.bytes
	p := mustPage(t, mustOpen(t, src, Options{Binary: BinaryNUL}), a)
	if n := src.bytes - before; n > 256<<10 || len(p.Lines[0].Text) != 50000-8 {
		t.Errorf("first window: %d bytes read for %d", n, len(p.Lines[0].Text))
	}
	a.Column = 60_000_000
	p = mustPage(t, mustOpen(t, src, Options{Binary: BinaryNUL, Index: x}), a)
	if l := p.Lines[0]; l.Text != "" || l.Column != 50_000_001 || l.Cut || p.Next != nil {
		t.Errorf("behind the line: %+v", l)
	}
	a = usualAsk()
	a.Offset = -1
	p = mustPage(t, mustOpen(t, src, Options{Binary: BinaryNUL}), a)
	if p.FromEnd || !p.Counted || p.Total != 1 || p.Lines[0].N != 1 {
		t.Errorf("from the end: %+v", p.Lines[0].N)
	}
}

func TestABigFileShownWholeIsHashed(t *testing.T) {
	src := &tiled{tile: hundred(), size: 3_000_000}
	txt := mustOpen(t, src, Options{Binary: BinaryNUL})
	p := mustPage(t, txt, Ask{Lines: 1 << 20})
	all := make([]byte, src.size)
	if _, err := src.ReadAt(all, 0); err != nil {
		t.Fatal(err)
	}
	if !p.Whole || p.Hash == nil || *p.Hash != blake3.Sum256(all) || p.Total != 30_000 {
		t.Fatalf("whole %v, hash %v, total %d", p.Whole, p.Hash != nil, p.Total)
	}
	if p = mustPage(t, txt, Ask{Lines: 30_000, Bytes: 100_000}); p.Whole {
		t.Error("a part of it is called whole")
	}
}

func TestMarksStayFewAndTrue(t *testing.T) {
	var m marks
	m.stride = 1
	for i := range int64(1_000_000) {
		m.add(mark{i * 3, i + 1}, maxMarks)
	}
	if len(m.list) > maxMarks || len(m.list) < maxMarks/4 {
		t.Fatalf("%d marks", len(m.list))
	}
	for _, n := range []int64{1, 2, 500_000, 999_999, 2_000_000} {
		got := m.find(n, mark{0, 1})
		if got.off != (got.n-1)*3 || got.n > n || min(n, 1_000_000)-got.n > 4*1_000_000/maxMarks {
			t.Errorf("nearest to %d is %v", n, got)
		}
	}
	if !slices.IsSortedFunc(m.list, func(a, b mark) int { return int(a.off - b.off) }) {
		t.Error("not ascending")
	}
	x := NewIndex()
	for i := range int64(100) {
		for j := range int64(5000) {
			x.sawColumn(i, mark{j << 16, j})
		}
	}
	if len(x.long) > maxLongRows || len(x.long[0].cols.list) > maxColumns {
		t.Errorf("%d long lines of %d marks", len(x.long), len(x.long[0].cols.list))
	}
}

func TestManyCallsShareAnIndex(t *testing.T) {
	x := NewIndex()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			src := &numbered{lines: 200_000, ending: "\n"}
			for i := range 12 {
				a := usualAsk()
				a.Lines = 5
				a.Offset = int64((g*7919+i*15013)%200_000) + 1
				if i%4 == 3 {
					a.Offset = -a.Offset
				}
				txt, err := Open(context.Background(), src, Options{Binary: BinaryNUL, Index: x})
				if err != nil {
					t.Error(err)
					return
				}
				p, err := txt.Page(context.Background(), a)
				if err != nil {
					t.Error(err)
					return
				}
				for _, l := range p.Lines {
					n := l.N
					if n < 0 {
						n += 200_001
					}
					if l.Text != src.want(n) {
						t.Errorf("line %d is %q", l.N, l.Text)
					}
				}
			}
		})
	}
	wg.Wait()
}

// A file that is cut short, fails or is cancelled at any read gives that
// error and no lines, wherever it happens.
func TestTornAtEveryRead(t *testing.T) {
	broken := errors.New("input/output error")
	asks := map[string]Ask{
		"first":  {Lines: 10, Bytes: 1000},
		"deep":   {Offset: 65_000, Lines: 10, Bytes: 1000},
		"end":    {Offset: -9, Lines: 10, Bytes: 1000},
		"column": {Offset: 60_000, Column: 5, Lines: 3000},
		"whole":  {Lines: 200_000},
	}
	made := make([]byte, 70_000*numberedLine)
	if _, err := (&numbered{lines: 70_000, ending: "\n"}).ReadAt(made, 0); err != nil {
		t.Fatal(err)
	}
	for name, a := range asks {
		for _, rule := range []string{BinaryNUL, BinaryUTF8} {
			for k := int64(1); ; k++ {
				src := &numbered{lines: 70_000, ending: "\n", made: made}
				ctx, cancel := context.WithCancel(context.Background())
				src.each = func(read int64) error {
					switch {
					case read < k:
					case k%3 == 0:
						return broken
					case k%3 == 1:
						src.short = 1
					default:
						cancel()
					}
					return nil
				}
				p, err := readAll(ctx, src, rule, a)
				cancel()
				if src.reads < k {
					break
				}
				last := src.reads == k
				switch {
				case k%3 == 0 && errors.Is(err, broken):
				case k%3 == 1 && (errors.Is(err, ErrShort) && errors.Is(err, reeve.Changed)):
				case k%3 == 2 && (errors.Is(err, context.Canceled) && last || err == nil && last):
				default:
					t.Errorf("%s, %s, read %d of %d: %v, %d lines", name, rule, k, src.reads, err, len(p.Lines))
				}
				if err != nil && len(p.Lines) > 0 {
					t.Errorf("%s, read %d: lines beside an error", name, k)
				}
			}
		}
	}
}

func readAll(ctx context.Context, src Source, rule string, a Ask) (Page, error) {
	txt, err := Open(ctx, src, Options{Binary: rule})
	if err != nil {
		return Page{}, err
	}
	return txt.Page(ctx, a)
}
