package textcode

import (
	"bytes"
	"errors"
	"testing"
)

func TestEncodingsByName(t *testing.T) {
	for _, e := range Encodings() {
		got, ok := EncodingNamed(e.Name())
		if !ok || got != e {
			t.Errorf("%s is not found by its name", e.Name())
		}
		found, mark := ByMark(append(e.Mark(), "ab"...))
		if found != e || mark != len(e.Mark()) {
			t.Errorf("%s is not told by its mark", e.Name())
		}
	}
	if _, ok := EncodingNamed("utf-7"); ok {
		t.Error("utf-7 is known")
	}
	if e, mark := ByMark(nil); e != (Encoding{}) || mark != 0 || e.Name() != "utf-8" {
		t.Error("nothing is not UTF-8")
	}
}

func TestNewlinesInEachEncoding(t *testing.T) {
	for _, c := range []struct {
		e            Encoding
		lf, crlf, cr string
	}{
		{UTF8(), "\n", "\r\n", "\r"},
		{UTF16LE(), "\n\x00", "\r\x00\n\x00", "\r\x00"},
		{UTF16BE(), "\x00\n", "\x00\r\x00\n", "\x00\r"},
	} {
		for ending, want := range map[string]string{LF: c.lf, CRLF: c.crlf, CR: c.cr, Mixed: c.lf, "": c.lf} {
			if got := c.e.Newline(ending); string(got) != want {
				t.Errorf("%s %s: %q", c.e.Name(), ending, got)
			}
		}
	}
}

func TestWhatCannotBeEncodedLeavesNothingBehind(t *testing.T) {
	for _, e := range Encodings() {
		dst := []byte("kept")
		out, err := e.Encode(dst, "ab\xFFc")
		var bad *EncodeError
		if !errors.As(err, &bad) || bad.At != 2 || bad.Encoding != e.Name() || string(out) != "kept" {
			t.Errorf("%s: %v, %q", e.Name(), err, out)
		}
	}
}

func TestAlignNeverCutsACharacter(t *testing.T) {
	for _, e := range Encodings() {
		src, _ := e.Encode(nil, "aé漢😀z")
		var starts []int
		for off := 0; off < len(src); {
			starts = append(starts, off)
			n, _ := e.Skip(src[off:], 1, true)
			off += n
		}
		starts = append(starts, len(src))
		for at := 0; at <= len(src)+3; at++ {
			want := 0
			for _, s := range starts {
				if s <= at {
					want = s
				}
			}
			if got := e.Align(src, at); got != want {
				t.Errorf("%s: %d aligns to %d, want %d", e.Name(), at, got, want)
			}
		}
	}
}

func TestIslandsOfBadBytesDoNotRoundTrip(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 5000)
	for _, c := range []struct {
		e    Encoding
		src  string
		want int
	}{
		{UTF8(), "plain", -1},
		{UTF8(), "with \x00 NUL", -1},
		{UTF8(), `with \xE9 text`, -1},
		{UTF8(), "bad \xE9 byte", 4},
		{UTF8(), string(long) + "\xE9", 5000},
		{UTF8(), "half \xF0\x9F", 5},
		{UTF16LE(), "a\x00\x3D\xD8", 2},
		{UTF16LE(), "a\x00b", 2},
		{UTF16BE(), "\x00a\xD8\x3D\xDE\x00", -1},
		{UTF16BE(), "\xDE\x00\x00a", 0},
	} {
		if got := c.e.RoundTrips([]byte(c.src)); got != c.want {
			t.Errorf("%s %.20q: %d, want %d", c.e.Name(), c.src, got, c.want)
		}
	}
}
