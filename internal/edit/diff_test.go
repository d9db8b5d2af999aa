package edit

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	ten := ""
	for i := range 10 {
		ten += fmt.Sprintf("l%d\n", i+1)
	}
	for _, c := range []struct {
		name, file string
		edits      []Edit
		want       string
	}{
		{"one line", ten, one("l5", "L5"), "     2 l2\n     3 l3\n     4 l4\n-    5 l5\n+    5 L5\n     6 l6\n     7 l7\n     8 l8"},
		{"the first line", ten, one("l2\n", "x\ny\n"), "     1 l1\n-    2 l2\n+    2 x\n+    3 y\n     4 l3\n     5 l4\n     6 l5"},
		{"a line joined to the next", "a\nb\nc\nd\ne\nf\n", one("a\n", "a"), "-    1 a\n-    2 b\n+    1 ab\n     2 c\n     3 d"},
		{"near each other", ten, []Edit{{"l2", "x", false}, {"l7", "y", false}}, "     1 l1\n-    2 l2\n+    2 x\n     3 l3\n     4 l4\n     5 l5\n     6 l6\n-    7 l7\n+    7 y\n     8 l8\n     9 l9\n    10 l10"},
		{"all of one", ten, []Edit{{"l1\n", "x\n", true}}, "-    1 l1\n+    1 x\n     2 l2\n     3 l3\n     4 l4"},
		{"far apart", ten, []Edit{{"l2", "x", false}, {"l10", "y", false}}, "     1 l1\n-    2 l2\n+    2 x\n     3 l3\n     4 l4\n     5 l5\n⋮\n     7 l7\n     8 l8\n     9 l9\n-   10 l10\n+   10 y"},
		{"the newline at the end", "a\nb\n", one("b\n", "b"), "     1 a\n-    2 b\n+    2 b (no newline at the end)"},
		{"CRLF", "a\r\nb\r\n", one("b", "c"), "     1 a\n-    2 b␍\n+    2 c␍"},
		{"tabs", "\ta\n", one("\ta", "    a"), "-    1 →a\n+    1     a"},
		{"UTF-16", utf16("ä\nb\n", true), one("b", "c"), "     1 ä\n-    2 b\n+    2 c"},
		{"the file is empty now", "a", one("a", ""), "-    1 a (no newline at the end)"},
		{"lone CRs", "a\rb\rc\r", one("b", "x"), "     1 a\n-    2 b␍\n+    2 x␍\n     3 c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := mustApply(t, c.file, c.edits...).Diff(0); got != c.want {
				t.Errorf("\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestDiffIsBounded(t *testing.T) {
	file := strings.Repeat("a\n", 1000)
	p := mustApply(t, file, Edit{"a", "b", true})
	got := p.Diff(0)
	if n := strings.Count(got, "\n") + 1; n > DiffLines || !strings.Contains(got, "new lines are not shown") || !strings.HasSuffix(got, "+ 1000 b") {
		t.Errorf("%d lines, %q", n, got[len(got)-40:])
	}
	if n := strings.Count(p.Diff(10), "\n") + 1; n > 10 {
		t.Errorf("%d lines", n)
	}
	p = mustApply(t, strings.Repeat("a\n\n\n\n\n\n\n\n\n\n", 500), Edit{"a", "b", true})
	if got := p.Diff(50); !strings.Contains(got, "more places (") || strings.Count(got, "\n")+1 > 50 || strings.Count(got, "-") < 8 {
		t.Error(got)
	}
	q, err := Rewrite([]byte(strings.Repeat("line\n", 500_000)), strings.Repeat("row\n", 500_000), loose())
	if err != nil {
		t.Fatal(err)
	}
	if got := q.Diff(0); !strings.Contains(got, "too much to compare") || !strings.Contains(got, "lines 1 to 500000") {
		t.Error(got)
	}
}

// What a diff says of the old and the new lines must be true.
func TestDiffsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n", "\n", "ab"})
		file := strings.Join(rapid.SliceOfN(parts, 1, 40).Draw(t, "file"), "")
		content := strings.Join(rapid.SliceOfN(parts, 0, 40).Draw(t, "content"), "")
		if rapid.Bool().Draw(t, "small") {
			i := rapid.IntRange(0, len(file)-1).Draw(t, "i")
			content = file[:i] + "x" + file[i+1:]
		}
		p, err := Rewrite([]byte(file), content, loose())
		if err != nil {
			t.Fatal(err)
		}
		// From the diff and the old lines the new ones must come out.
		old, out := lineParts(file), []string{}
		i := 0
		for _, l := range strings.Split(p.Diff(1<<20), "\n") {
			if l == "" || l == "⋮" {
				continue
			}
			var n int
			text := l[7:]
			fmt.Sscan(l[1:6], &n)
			ended := text + "\n"
			if s, cut := strings.CutSuffix(text, " (no newline at the end)"); cut {
				ended = s
			}
			switch l[0] {
			case '-':
				for ; i < n-1; i++ {
					out = append(out, old[i])
				}
				if old[i] != ended {
					t.Fatalf("line %d is %q, not %q", n, old[i], ended)
				}
				i++
			case '+', ' ':
				for len(out) < n-1 {
					out = append(out, old[i])
					i++
				}
				out = append(out, ended)
				if l[0] == ' ' {
					i++
				}
			}
		}
		out = append(out, old[i:]...)
		if strings.Join(out, "") != content {
			t.Fatalf("%q, want %q, by\n%s", strings.Join(out, ""), content, p.Diff(1<<20))
		}
	})
}
