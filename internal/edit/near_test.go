package edit

import (
	"fmt"
	"strings"
	"testing"

	"reeve"
)

func TestTheNearestTextIsShown(t *testing.T) {
	for _, c := range []struct {
		name, file, old string
		says            []string
	}{
		{"tabs for spaces", "a\n\tif x {\n\t\ty()\n\t}\nb\n", "    if x {\n        y()\n    }\n",
			[]string{"lines 2 to 4", "2 file: →if x {", "old:     if x {", "indentation: the file has 1 tab, the old text 4 spaces"}},
		{"spaces at the end", "a\nfoo  \nb\n", "foo\nb", []string{"lines 2 to 3", "file: foo··", "spaces at its end"}},
		{"spaces at the end of the old text", "a\nfoo\nb\n", "foo \nb", []string{"old: foo·", "spaces at its end"}},
		{"NBSP", "x = f(a,\u00a0b)\n", "x = f(a, b)", []string{"in line 1", "f(a,‹NBSP›b)", "only the file has, ‹NBSP›"}},
		{"zero width", "let na\u200bme = 1\n", "let name = 1", []string{"na‹ZWSP›me"}},
		{"curly quotes", "say(“hello”)\n", "say(\"hello\")", []string{"say(“hello”)", "only the file has, “"}},
		{"letter case", "SELECT * FROM users\n", "select * from users", []string{"upper and lower case"}},
		{"a CR that is data", "one\rtwo\nthree\n", "onetwo\nthree", []string{"one␍two"}},
		{"a slip of the pen", "func compute(a, b int) int {\n\treturn a + b\n}\n", "func comptue(a, b int) int {\n", []string{"line 1", "differs from character 10 on"}},
		{"a line left out", "first line here\nsecond line here\nthird line here\n", "first line here\nthird line here\n", []string{"lines 1 to 2", "differs from character 1 on"}},
		{"CRLF", "alpha beta\r\ngamma delta\r\n", "alpha beta\ngamma  delta\n", []string{"lines 1 to 2", "gamma delta"}},
		{"UTF-16", utf16("alpha beta\n\tgamma delta\n", false), "    gamma delta", []string{"line 2", "→gamma delta"}},
		{"bad bytes", "caf\xe9 au lait\n", "café au lait", []string{`caf\xE9 au lait`}},
		{"nothing alike", "aaaa\nbbbb\n", "quite another text", []string{"nor anything like it", "Read the file again"}},
		{"a brace is not alike", "}\n}\n", "func quiteAnother() {\n}\n", []string{"nor anything like it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Apply([]byte(c.file), one(c.old, "new"), loose())
			e := refusal(t, err, reeve.NoMatch)
			for _, s := range c.says {
				if !strings.Contains(e.Error(), s) {
					t.Errorf("%q does not say %q", e.Error(), s)
				}
			}
			m := miss(t, err)
			if m.Count != 0 || (m.First > 0) != (m.Excerpt != "") || m.Overlaps != -1 {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestExcerptsAreBounded(t *testing.T) {
	var file, old strings.Builder
	for i := range 300 {
		fmt.Fprintf(&file, "\tline %d %s\n", i, strings.Repeat("x", 2000))
		fmt.Fprintf(&old, "    line %d %s\n", i, strings.Repeat("x", 2000))
	}
	_, err := Apply([]byte(file.String()), one(old.String(), "new"), loose())
	m := miss(t, err)
	if n := strings.Count(m.Excerpt, "\n") + 1; n > excerptLines || n < 10 || len(m.Excerpt) > excerptLines*(excerptWidth*3+20) {
		t.Errorf("%d lines, %d bytes", n, len(m.Excerpt))
	}
	// Only what differs of long lines is shown.
	long := strings.Repeat("y", 5000)
	_, err = Apply([]byte(long+"needle"+long), one(long+"noodle"+long, "new"), loose())
	if m := miss(t, err); !strings.Contains(m.Excerpt, "needle") || len(m.Excerpt) > 600 {
		t.Errorf("%q", m.Excerpt)
	}
}

func TestTheNearestInALargeFile(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, "row %d of the table with some words in it\n", i)
	}
	file := b.String() + "\tthe odd one out, and it is here\n" + b.String()
	_, err := Apply([]byte(file), one("row 5\n    the odd one out, and it is here\nrow 0", "new"), loose())
	if m := miss(t, err); m.First != 200_000 || m.Last != 200_002 || !strings.Contains(m.Excerpt, "→the odd one out") {
		t.Errorf("lines %d to %d: %s", m.First, m.Last, m.Excerpt)
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":         "plain",
		" a b ":         " a b·",
		"\ta\t":         "→a→",
		"a\u00a0b":      "a‹NBSP›b",
		"a\u202eb":      "a‹U+202E›b",
		"a\x1b[0m":      "a‹U+001B›[0m",
		"\u200d\ufeff":  "‹ZWJ›‹BOM›",
		"é 日本 😀":        "é 日本 😀",
		"   ":           "···",
		"\u3000x\u2028": "‹U+3000›x‹U+2028›",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPreview(t *testing.T) {
	long := strings.Repeat("ä", 300)
	for _, c := range []struct{ name, old, new, want string }{
		{"plain", "a", "b", "a → b"},
		{"deleted", "a", "", "a → (nothing)"},
		{"cut at 200 characters", long, "b", strings.Repeat("ä", 150) + "…‹100 characters›…" + strings.Repeat("ä", 50) + " → b"},
		{"what differs is there, wherever it stands", long + "x" + long, long + "y" + long,
			strings.Repeat("ä", 100) + "…‹188 characters›…" + strings.Repeat("ä", 12) + "x" + strings.Repeat("ä", 37) + "…‹213 characters›…" + strings.Repeat("ä", 50) + " → " +
				strings.Repeat("ä", 100) + "…‹188 characters›…" + strings.Repeat("ä", 12) + "y" + strings.Repeat("ä", 37) + "…‹213 characters›…" + strings.Repeat("ä", 50)},
		{"just 200", long[:400], "b", strings.Repeat("ä", 200) + " → b"},
		{"spaces for a tab", "\tx y", "    x y", "→x·y → ····x·y"},
		{"a newline taken away", "a\n", "a", "a↵\n → a"},
		{"reordering characters", "a\u202eb", "ab", "a‹U+202E›b → ab"},
		{"lines", "a\nb", "c\nd", "a\nb → c\nd"},
	} {
		if got := Preview(c.old, c.new); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
