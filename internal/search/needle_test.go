package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"reeve"
)

func look(t testing.TB, needle string, content []byte, limit int64) Outcome {
	t.Helper()
	n, err := NewNeedle(needle)
	if err != nil {
		t.Fatal(err)
	}
	out, err := n.Look(context.Background(), bytes.NewReader(content), int64(len(content)), limit, make([]byte, MinBuffer))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wideText(s string, big bool) []byte {
	out := []byte{0xff, 0xfe}
	if big {
		out = []byte{0xfe, 0xff}
	}
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func TestTextIsFound(t *testing.T) {
	for _, c := range []struct {
		name, needle, text string
		want               Outcome
	}{
		{"as it is", "hello", "say hello!", Present},
		{"in another letter case", "HeLLo", "say hEllO", Present},
		{"not there", "hello", "say hell o", Absent},
		{"at the start", "say", "SAY", Present},
		{"at the end", "end", "the End", Present},
		{"longer than the text", "hello", "hell", Absent},
		{"an empty file", "x", "", Absent},
		{"Cyrillic", "привет", "— ПРИВЕТ —", Present},
		{"Greek with both sigmas", "ΟΔΟΣ", "οδος", Present},
		{"Greek final sigma", "οδος", "ΟΔΟΣ", Present},
		{"Greek final sigma in the text", "οδοσ", "οδος", Present},
		{"the Kelvin sign is a k", "kelvin", "\u212aelvin", Present},
		{"and the other way round", "\u212aelvin", "KELVIN", Present},
		{"the long s is an s", "sos", "\u017fo\u017f", Present},
		{"only k", "kkk", "xk\u212aKx", Present},
		{"sharp s is not ss", "ss", "ß", Absent},
		{"but is its capital", "ß", "\u1e9e", Present},
		{"no dotless confusion", "i", "ı", Absent},
		{"bytes that are no text meet nothing", "\ufffd", "a\xffb", Absent},
		{"U+FFFD meets itself", "\ufffd", "a\ufffdb", Present},
		{"next to bytes that are no text", "abc", "\xff\xc3abc\xc3", Present},
		{"not over bytes that are no text", "ac", "a\xffc", Absent},
		{"binary", "hello", "hello\x00", Binary},
		{"line ends count", "a\nb", "A\nB", Present},
		{"overlapping false starts", "aab", "aaaab", Present},
		{"rare letter twice", "zaz", "zazaz", Present},
	} {
		if got := look(t, c.needle, []byte(c.text), 0); got != c.want {
			t.Errorf("%s: %q in %q = %v", c.name, c.needle, c.text, got)
		}
	}
}

func TestNULAfterTheFirst8KiBIsText(t *testing.T) {
	b := append(bytes.Repeat([]byte("x"), sniff), "\x00Needle"...)
	if got := look(t, "needle", b, 0); got != Present {
		t.Error(got)
	}
	b[sniff-1] = 0
	if got := look(t, "needle", b, 0); got != Binary {
		t.Error(got)
	}
}

func TestOnlyTheFirstBytesCountWhereBounded(t *testing.T) {
	b := []byte(strings.Repeat("x", 100) + "needle")
	if got := look(t, "needle", b, 106); got != Present {
		t.Error(got)
	}
	if got := look(t, "needle", b, 105); got != Absent {
		t.Error(got)
	}
}

func TestTextOverBlockBorders(t *testing.T) {
	for _, needle := range []string{"needle", "ПРИВЕТ", "\u212a\u212a\u212ak", strings.Repeat("ab", 400)} {
		for _, wide := range []int{0, 1, 2} {
			for d := -len(needle) - 6; d <= 6; d += 1 + len(needle)/40 {
				unit := 1
				if wide > 0 {
					unit = 2
				}
				text := strings.Repeat(".", MinBuffer/unit+d) + strings.ToLower(needle) + "...."
				b := []byte(text)
				if wide > 0 {
					b = wideText(text, wide == 2)
				}
				if got := look(t, needle, b, 0); got != Present {
					t.Fatalf("%.10q, wide %d, %d from the border: %v", needle, wide, d, got)
				}
			}
		}
	}
}

func TestUTF16WithItsMarkIsText(t *testing.T) {
	text := strings.Repeat("😀 line\r\n", 9000) + "the NEEDLE 😀x"
	for _, big := range []bool{false, true} {
		b := wideText(text, big)
		for needle, want := range map[string]Outcome{"needle": Present, "😀X": Present, "needles": Absent} {
			if got := look(t, needle, b, 0); got != want {
				t.Errorf("big %v: %s: %v", big, needle, got)
			}
			if got := look(t, needle, append(b, 'x'), 0); got != want {
				t.Errorf("odd length, big %v: %s: %v", big, needle, got)
			}
		}
	}
	if got := look(t, "a", []byte{0xff, 0xfe, 0, 0, 'a', 0, 0, 0}, 0); got != Binary {
		t.Error("UTF-32:", got)
	}
}

type faulty struct {
	io.ReaderAt
	err error
	n   int64
}

func (f faulty) ReadAt(p []byte, at int64) (int, error) {
	if at >= f.n {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, at)
}

func TestLookStops(t *testing.T) {
	n, err := NewNeedle("needle")
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Repeat([]byte("."), 4*MinBuffer)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := n.Look(ctx, bytes.NewReader(long), int64(len(long)), 0, make([]byte, MinBuffer)); !errors.Is(err, context.Canceled) {
		t.Error("cancelled:", err)
	}
	broken := errors.New("broken")
	if _, err := n.Look(context.Background(), faulty{bytes.NewReader(long), broken, 1}, int64(len(long)), 0, make([]byte, MinBuffer)); !errors.Is(err, broken) {
		t.Error("an error of the disk:", err)
	}
	// A file that became shorter has been looked at as far as it goes.
	if out, err := n.Look(context.Background(), bytes.NewReader(long), int64(len(long))*9, 0, make([]byte, MinBuffer)); out != Absent || err != nil {
		t.Error("shorter:", out, err)
	}
}

func TestNeedlesThatAreNone(t *testing.T) {
	for _, s := range []string{"", "\xff", strings.Repeat("x", MaxNeedle+1)} {
		if _, err := NewNeedle(s); !errors.Is(err, reeve.Invalid) {
			t.Errorf("%.10q: %v", s, err)
		}
	}
}

// Every character has at most as many forms as the search has room for.
func TestLetterCasesFit(t *testing.T) {
	for r := rune(0); r <= 0x1ffff; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		if f, _ := cases(r); len(f) > 4 {
			t.Fatalf("%U has %d forms", r, len(f))
		}
	}
}

// Against the plain way: fold everything, compare at every place.
func TestFindingEqualsThePlainWay(t *testing.T) {
	letters := rapid.RuneFrom([]rune("aAbkKsS\u212a\u017fσςΣжЖ.é\u0301😀"))
	rapid.Check(t, func(t *rapid.T) {
		needle := rapid.StringOfN(letters, 1, 4, -1).Draw(t, "needle")
		text := rapid.StringOfN(letters, 0, 30, -1).Draw(t, "text")
		n, err := NewNeedle(needle)
		if err != nil {
			t.Fatal(err)
		}
		plain := func(s string) string { return strings.Map(fold, s) }
		if got, want := n.In([]byte(text)), strings.Contains(plain(text), plain(needle)); got != want {
			t.Fatalf("%q in %q: %v", needle, text, got)
		}
	})
}

func FuzzNeedle(f *testing.F) {
	f.Add("needle", []byte("a NEEDLE"))
	f.Add("\u212a", []byte{0xff, 0xfe, 'k', 0, 0xd8})
	f.Fuzz(func(t *testing.T, needle string, text []byte) {
		n, err := NewNeedle(needle)
		if err != nil {
			return
		}
		if _, err := n.Look(context.Background(), bytes.NewReader(text), int64(len(text)), 0, make([]byte, MinBuffer)); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(needle)) && !n.In(text) {
			t.Fatalf("%q is in %q", needle, text)
		}
	})
}

func BenchmarkNeedle(b *testing.B) {
	text := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog, and so on and so forth.\n"), 15000)
	for _, needle := range []string{"quicksand", "zebra", "eee eee", "привет"} {
		b.Run(needle, func(b *testing.B) {
			n, err := NewNeedle(needle)
			if err != nil {
				b.Fatal(err)
			}
			buf := make([]byte, MinBuffer)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if out, err := n.Look(context.Background(), bytes.NewReader(text), int64(len(text)), 0, buf); out != Absent || err != nil {
					b.Fatal(out, err)
				}
			}
		})
	}
}
