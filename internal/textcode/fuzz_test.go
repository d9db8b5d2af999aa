package textcode

import (
	"bytes"
	"context"
	"testing"
	"unicode/utf8"
)

func fuzzSeeds() []string {
	return []string{
		"", "\n", "\r", "\r\n", "a", "a\nb", "a\r\nb\r\n", "a\rb\r", "a\rb\nc", "\xEF\xBB\xBFa\n",
		"\xFF\xFEa\x00\r\x00\n\x00", "\xFE\xFF\x00a\x00\n\xD8\x3D", "\xFF\xFE\x00", "\xFF\xFE\n",
		"\xE9t\xE9\n", "\xF0\x9F\x98\x80\xF0\x9F\n", "\x00", "\xFF\xFE\x00\x00a\x00\x00\x00", "\\xE9\n",
	}
}

func FuzzPages(f *testing.F) {
	for i, s := range fuzzSeeds() {
		f.Add([]byte(s), int64(i%5-2), uint16(i%3), uint8(i%7), uint8(i*5), uint8(i*3), uint8(i))
	}
	f.Fuzz(func(t *testing.T, content []byte, offset int64, column uint16, lines, bytes_, chars, size uint8) {
		if len(content) > 4096 {
			return
		}
		x := NewIndex()
		x.lines.stride = int64(size%50) + 1
		sz := sizes{smallFile: int64(size%2)*SmallFile - 1, head: int(size%60) + 8, scan: int(size%40) + 8}
		txt, err := open(context.Background(), bytes.NewReader(content), Options{Binary: BinaryNUL, Index: x}, sz)
		if err != nil {
			var b *BinaryError
			if !asBinary(err, &b) || b.Type == "" || b.Size != int64(len(content)) {
				t.Fatal(err)
			}
			return
		}
		want := naiveText(content, func([]string) bool { return txt.ends.mac })
		readOn(t, txt, content, want, Ask{
			Offset: offset, Column: int(column), Lines: int(lines) + 1, Bytes: int(bytes_), Chars: int(chars),
			Overhead: func(int64) int { return int(size % 9) },
		})
	})
}

// An index of another file is the owner's mistake; it must not bring the
// process down.
func FuzzForeignIndex(f *testing.F) {
	f.Add([]byte("a\nb\nc\nd\n"), []byte("x"), int64(3))
	f.Add([]byte("\xFF\xFEa\x00\n\x00b\x00"), []byte("\xFF\xFEa"), int64(-2))
	f.Fuzz(func(t *testing.T, one, other []byte, offset int64) {
		x := NewIndex()
		x.lines.stride = 1
		for _, content := range [][]byte{one, other} {
			txt, err := open(context.Background(), bytes.NewReader(content), Options{Binary: BinaryNUL, Index: x}, sizes{smallFile: -1, head: 8, scan: 8})
			if err != nil {
				return
			}
			for _, o := range []int64{1, offset, 1 << 40, offset + 1} {
				if _, err := txt.Page(context.Background(), Ask{Offset: o, Column: 3, Lines: 2, Bytes: 20}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func FuzzEncodings(f *testing.F) {
	for _, s := range fuzzSeeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		for _, e := range Encodings() {
			out, n, bad := e.Decode(nil, p, true)
			if n != len(p) || !utf8.Valid(out) {
				t.Fatalf("%s: used %d of %d, %q", e.Name(), n, len(p), out)
			}
			if k, _ := e.Skip(p, len(p)+1, true); k != n {
				t.Fatalf("%s: skipped %d of %d", e.Name(), k, n)
			}
			if at := e.RoundTrips(p); (at < 0) != (bad == 0) {
				t.Fatalf("%s: round-trips up to %d, %d bad", e.Name(), at, bad)
			}
			back, err := e.Encode(nil, string(out))
			if err != nil || bad == 0 && !bytes.Equal(back, p) {
				t.Fatalf("%s: %v, %q", e.Name(), err, back)
			}
		}
	})
}
