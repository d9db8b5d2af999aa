package textcode

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zeebo/blake3"
	"reeve"
)

const (
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x10"
	pdf  = "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj\n"
	zip  = "PK\x03\x04\x14\x00\x00\x00\x08\x00"
	elf  = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00"
	gzip = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
)

func le(s string) string { return encoded(UTF16LE(), s) }
func be(s string) string { return encoded(UTF16BE(), s) }

func encoded(e Encoding, s string) string {
	b, err := e.Encode(e.Mark(), s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestWhatIsTextAndWhatIsNot(t *testing.T) {
	far := strings.Repeat("x", sniffBytes)
	for _, c := range []struct {
		name, content          string
		nul, nulByte, utf8Rule string // the type refused, "" for text
	}{
		{"empty", "", "", "", ""},
		{"ascii", "hello\n", "", "", ""},
		{"utf-8", "Grüße\n", "", "", ""},
		{"utf-8 with a byte order mark", "\xEF\xBB\xBFGrüße\n", "", "", ""},
		{"only a byte order mark", "\xEF\xBB\xBF", "", "", ""},
		{"latin-1", "Gr\xFC\xDFe\n", "", "", "text/plain; charset=unknown-8bit"},
		{"noise without a NUL", "\x01\x02\x9B\xFE\x03\xC1\x04\x05", "", "", unknownType},
		{"a word that starts like a GIF", "GIFT ideas\n", "", "", ""},
		{"a word that starts like a bitmap", "BMW and others\n", "", "", ""},
		{"utf-16le", le("Grüße\n"), "", "text/plain; charset=utf-16le", "text/plain; charset=utf-16le"},
		{"utf-16be", be("Grüße\n"), "", "text/plain; charset=utf-16be", "text/plain; charset=utf-16be"},
		{"utf-16 without a NUL byte", le("漢字"), "", "", "text/plain; charset=utf-16le"},
		{"utf-16le without its mark", le("some words\n")[2:], "text/plain; charset=utf-16le", "text/plain; charset=utf-16le", "text/plain; charset=utf-16le"},
		{"utf-16be without its mark", be("some words\n")[2:], "text/plain; charset=utf-16be", "text/plain; charset=utf-16be", "text/plain; charset=utf-16be"},
		{"utf-16 with the character NUL", le("a\x00b"), unknownType, unknownType, unknownType},
		{"three bytes with a NUL", "\x00\x01\x02", unknownType, unknownType, unknownType},
		{"utf-32le", "\xFF\xFE\x00\x00a\x00\x00\x00", "text/plain; charset=utf-32le", "text/plain; charset=utf-32le", "text/plain; charset=utf-32le"},
		{"utf-32be", "\x00\x00\xFE\xFF\x00\x00\x00a", "text/plain; charset=utf-32be", "text/plain; charset=utf-32be", "text/plain; charset=utf-32be"},
		{"a NUL in text", "some\x00text\n", unknownType, unknownType, unknownType},
		{"a NUL as the last byte looked at", far[1:] + "\x00", unknownType, unknownType, unknownType},
		{"a NUL just behind", far + "\x00", "", "", ""},
		{"png", png, "image/png", "image/png", "image/png"},
		{"zip", zip, "application/zip", "application/zip", "application/zip"},
		{"elf", elf, "application/x-executable", "application/x-executable", "application/x-executable"},
		{"gzip", gzip, "application/gzip", "application/gzip", "application/gzip"},
		{"pdf without a NUL in front", pdf, "", "", "application/pdf"},
	} {
		for rule, want := range map[string]string{BinaryNUL: c.nul, BinaryNULByte: c.nulByte, BinaryUTF8: c.utf8Rule, "": c.utf8Rule, "unknown": c.utf8Rule} {
			for _, sz := range []sizes{usual(), {smallFile: -1, head: 64 << 10, scan: 16}} {
				_, err := open(context.Background(), text(c.content), Options{Binary: rule}, sz)
				var b *BinaryError
				switch {
				case want == "" && err == nil:
				case errors.As(err, &b) && b.Type == want && b.Size == int64(len(c.content)) && errors.Is(err, reeve.Binary):
				default:
					t.Errorf("%s, rule %q: %v, want %q", c.name, rule, err, want)
				}
			}
		}
	}
}

func TestUTF8IsCheckedToTheLastByteAndOnce(t *testing.T) {
	src := &tiled{tile: strings.Repeat("Grüße aus Köln\n", 100), size: 5_000_000}
	src.size -= src.size % int64(len(src.tile))
	x := NewIndex()
	txt := mustOpen(t, src, Options{Index: x})
	all := make([]byte, src.size)
	if _, err := src.ReadAt(all, 0); err != nil {
		t.Fatal(err)
	}
	if h := txt.Hash(); h == nil || *h != blake3.Sum256(all) {
		t.Error("the hash of what was looked through is missing or wrong")
	}
	before := src.bytes
	mustOpen(t, src, Options{Index: x})
	if n := src.bytes - before; n > 64<<10 {
		t.Errorf("opened again: %d bytes read", n)
	}
	for _, at := range []int{len(all) - 1, len(all) / 2, 1 << 20, 128<<10 - 1, 128 << 10} {
		bad := bytes.Clone(all)
		bad[at] = 0xFF
		var b *BinaryError
		if _, err := Open(context.Background(), bytes.NewReader(bad), Options{}); !errors.As(err, &b) {
			t.Errorf("a bad byte at %d: %v", at, err)
		}
	}
	cut := all[:len(all)-len("\xBCße aus Köln\n")]
	if _, err := Open(context.Background(), bytes.NewReader(cut), Options{}); !errors.Is(err, reeve.Binary) {
		t.Errorf("half a character at the end: %v", err)
	}
	var s *SizeError
	_, err := Open(context.Background(), &tiled{tile: "a\n", size: MaxChecked + 1}, Options{})
	if !errors.As(err, &s) || !errors.Is(err, reeve.TooLarge) || s.Limit != MaxChecked {
		t.Errorf("too large: %v", err)
	}
}

func TestASmallFileIsReadInOneRead(t *testing.T) {
	for _, size := range []int64{0, 1, 2048, SmallFile} {
		src := &tiled{tile: "some line\n", size: size}
		txt := mustOpen(t, src, Options{Binary: BinaryNUL})
		for _, o := range []int64{1, -1, 7} {
			mustPage(t, txt, Ask{Offset: o, Lines: 5})
		}
		if want := min(size, 1); int64(src.reads) != want {
			t.Errorf("%d bytes: %d reads", size, src.reads)
		}
	}
}

func TestAPageThatCannotBeAskedFor(t *testing.T) {
	txt := mustOpen(t, text("a\n"), Options{})
	for _, a := range []Ask{{}, {Lines: -1}, {Lines: 1, Column: -1}, {Lines: 1, Bytes: -1}, {Lines: 1, Chars: -1}} {
		if _, err := txt.Page(context.Background(), a); !errors.Is(err, reeve.Invalid) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := txt.Page(ctx, Ask{Lines: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Open(ctx, text("a"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// badReader does what a ReadAt must not do.
type badReader struct{ n int }

func (badReader) Size() int64                         { return 100 }
func (b badReader) ReadAt([]byte, int64) (int, error) { return b.n, nil }

func TestASourceThatMisbehaves(t *testing.T) {
	for _, n := range []int{-1, 0, 101} {
		if _, err := Open(context.Background(), badReader{n}, Options{}); err == nil {
			t.Errorf("a ReadAt that says %d is taken", n)
		}
	}
}
