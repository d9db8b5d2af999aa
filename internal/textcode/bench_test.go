package textcode

import (
	"bytes"
	"strings"
	"testing"
)

func benchPage(b *testing.B, src func() Source, o func() Options, a Ask) {
	b.ReportAllocs()
	for b.Loop() {
		p := mustPage(b, mustOpen(b, src(), o()), a)
		if len(p.Lines) == 0 {
			b.Fatal("no lines")
		}
	}
}

func noIndex() Options { return Options{Binary: BinaryNUL} }

func same(s Source) func() Source { return func() Source { return s } }

func BenchmarkRead2KB(b *testing.B) {
	s := strings.Repeat("	if err := f(context.Background(), x); err != nil {\n", 40)
	benchPage(b, same(text(s)), noIndex, usualAsk())
}

func BenchmarkRead2KBUTF16(b *testing.B) {
	p, _ := UTF16LE().Encode(UTF16LE().Mark(), strings.Repeat("Grüße aus Köln, eine Zeile.\r\n", 35))
	benchPage(b, same(bytes.NewReader(p)), noIndex, usualAsk())
}

func BenchmarkRead50KB(b *testing.B) {
	s := strings.Repeat("	if err := f(context.Background(), x); err != nil {\n", 900)
	benchPage(b, same(text(s)), noIndex, usualAsk())
}

func BenchmarkPageOf1MB(b *testing.B) {
	for _, e := range []string{"\n", "\r\n", "\r"} {
		s := strings.Repeat(strings.Repeat("x", 50)+e, 20000)
		b.Run(endsSeenName(e), func(b *testing.B) { benchPage(b, same(text(s)), noIndex, usualAsk()) })
	}
}

func endsSeenName(e string) string {
	return map[string]string{"\n": LF, "\r\n": CRLF, "\r": CR}[e]
}

func gigabyteOf(tile string) func() Source {
	return same(&tiled{tile: tile, size: gigabyte})
}

func BenchmarkFirstPageOf1GB(b *testing.B) {
	benchPage(b, gigabyteOf(hundred()), noIndex, usualAsk())
}

func BenchmarkLastPageOf1GB(b *testing.B) {
	a := usualAsk()
	a.Offset = -200
	benchPage(b, gigabyteOf(hundred()), noIndex, a)
}

func BenchmarkLine500000Cold(b *testing.B) {
	a := usualAsk()
	a.Offset = 500_000
	b.SetBytes(50_000_000)
	benchPage(b, gigabyteOf(hundred()), noIndex, a)
}

func BenchmarkLine10000000Cold(b *testing.B) {
	a := usualAsk()
	a.Offset = 10_000_000
	b.SetBytes(1_000_000_000)
	benchPage(b, gigabyteOf(hundred()), noIndex, a)
}

func BenchmarkLine10000000Indexed(b *testing.B) {
	a := usualAsk()
	a.Offset = 10_000_000
	x := NewIndex()
	src := &tiled{tile: hundred(), size: gigabyte}
	mustPage(b, mustOpen(b, src, Options{Binary: BinaryNUL, Index: x}), a)
	benchPage(b, same(src), func() Options { return Options{Binary: BinaryNUL, Index: x} }, a)
}

func BenchmarkUTF8CheckOf256MB(b *testing.B) {
	src := &tiled{tile: hundred(), size: MaxChecked}
	b.SetBytes(MaxChecked)
	benchPage(b, same(src), func() Options { return Options{} }, usualAsk())
}

func BenchmarkOneLineOf50MB(b *testing.B) {
	for _, c := range []struct{ name, tile string }{{"ascii", "0123456789abcdef"}, {"cjk", "漢字仮名"}, {"mixed", "Grüße, Köln 😀"}} {
		src := &tiled{tile: c.tile, size: 50_000_000 / int64(len(c.tile)) * int64(len(c.tile))}
		b.Run(c.name+"/first", func(b *testing.B) { benchPage(b, same(src), noIndex, usualAsk()) })
		a := usualAsk()
		a.Column = 10_000_000
		b.Run(c.name+"/deep", func(b *testing.B) { benchPage(b, same(src), noIndex, a) })
		x := NewIndex()
		mustPage(b, mustOpen(b, src, Options{Binary: BinaryNUL, Index: x}), a)
		b.Run(c.name+"/deep-indexed", func(b *testing.B) {
			benchPage(b, same(src), func() Options { return Options{Binary: BinaryNUL, Index: x} }, a)
		})
	}
}

func BenchmarkScanUTF16(b *testing.B) {
	tile, _ := UTF16LE().Encode(nil, hundred())
	src := &tiled{tile: string(UTF16LE().Mark()) + string(tile), size: 100 << 20}
	a := usualAsk()
	a.Offset = 400_000
	b.SetBytes(80_000_000)
	benchPage(b, same(src), noIndex, a)
}
