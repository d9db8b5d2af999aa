package edit

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reeve/internal/textcode"
)

// reading is the lines that a read shows.
func reading(t failer, file string) []string {
	t.Helper()
	txt, err := textcode.Open(context.Background(), bytes.NewReader([]byte(file)), textcode.Options{Binary: textcode.BinaryNUL})
	if err != nil {
		t.Fatalf("%v", err)
	}
	p, err := txt.Page(context.Background(), textcode.Ask{Lines: 1 << 30})
	if err != nil || !p.Whole {
		t.Fatalf("%v, whole %v", err, p.Whole)
	}
	var out []string
	for _, l := range p.Lines {
		out = append(out, l.Text)
	}
	return out
}

func TestOldLinesAreThoseOfReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := genFile().Draw(t, "file")
		if odd := newText([]byte(file)); len(odd.body)+odd.mark != len(file) {
			return
		}
		p, err := Rewrite([]byte(file), "x", loose())
		if err != nil {
			p, err = Apply([]byte(file+"needle"), one("needle", "x"), loose())
			if err != nil {
				return
			}
			file += "needle"
		}
		if got, want := slices.Collect(p.OldLines()), reading(t, file); !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// In a large file its beginning decides whether lone CRs end lines.
func TestLinesOfLargeFilesAreThoseOfReading(t *testing.T) {
	fill := strings.Repeat("x", 999)
	head := 64 << 10
	for name, file := range map[string]string{
		"lone CRs":                               strings.Repeat(fill+"\r", 1100),
		"lone CRs, LFs later":                    strings.Repeat(fill+"\r", 600) + strings.Repeat(fill+"\n", 600),
		"a lone CR before all LFs":               "a\r" + strings.Repeat("x", head) + strings.Repeat(fill+"\n", 1100),
		"the first CR at the border":             strings.Repeat("x", head-1) + "\r" + strings.Repeat(fill+"\r", 1100),
		"the first CRLF over the border":         strings.Repeat("x", head-1) + "\r\n" + strings.Repeat(fill+"\r\n", 1100),
		"the first CR right before the border":   strings.Repeat("x", head-2) + "\rx" + strings.Repeat(fill+"\r", 1100),
		"the first LF right behind it":           strings.Repeat("x", head-3) + "\rxx\n" + strings.Repeat(fill+"\r", 1100),
		"a mark, and the first CR at the border": "\uFEFF" + strings.Repeat("x", head-4) + "\r" + strings.Repeat(fill+"\r", 1100),
		"UTF-16 with lone CRs":                   strings.Repeat(fill+"\r", 600),
	} {
		t.Run(name, func(t *testing.T) {
			file += "needle"
			if strings.HasPrefix(name, "UTF-16") {
				file = utf16(file, false)
			}
			p := mustApply(t, file, one("needle", "n")...)
			want := reading(t, file)
			n := 0
			for l := range p.OldLines() {
				if n >= len(want) || l != want[n] {
					t.Fatalf("line %d differs", n+1)
				}
				n++
			}
			if n != len(want) || p.Regions[0].Old.First != int64(n) {
				t.Errorf("%d lines, %d told, want %d", n, p.Regions[0].Old.First, len(want))
			}
		})
	}
}

// An edit of a large file takes the memory of the new file and little more.
func TestMemoryOfAnEdit(t *testing.T) {
	const size = 16 << 20
	line := strings.Repeat("x", 98) + "\r\n"
	file := []byte(strings.Repeat(line, size/len(line)) + "the needle\r\nand more\r\n")
	for name, c := range map[string]struct {
		edits []Edit
		most  uint64
	}{
		"one":       {one("the needle\nand", "another\none"), size + size/8},
		"all":       {[]Edit{{"xx\n", "yy\nyy\n", true}}, 2 * size},
		"not there": {one("the noodle\nand", "x"), 48 << 20}, // what is near is looked for in 4 MiB
		"several":   {[]Edit{{"needle", "long needle", false}, {"long needle", "n", false}, {"and", "or\nand", false}}, size + size/8},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		Apply(file, c.edits, loose())
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > c.most {
			t.Errorf("%s: %d bytes for a file of %d", name, used, len(file))
		}
	}
}
