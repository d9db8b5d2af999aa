package cli

import (
	"bytes"
	"testing"
)

func TestAFileCannotActOnTheTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"1\tplain\n2\tcafé 日本\n":           "1\tplain\n2\tcafé 日本\n",
		"1\t\x1b]0;owned\x07red\x1b[31m":   `1` + "\t" + `\x1B]0;owned\x07red\x1B[31m`,
		"a\rb\x00c\x7f":                    `a\rb\x00c\x7F`,
		"\u009b31m \u202etxt.exe\xff\nend": `\u009B31m \u202Etxt.exe\xFF` + "\nend",
		"":                                 "",
	} {
		if got := visibleLines(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
		var out bytes.Buffer // no terminal: for programs
		if got := forOutput(&out, text); got != text {
			t.Errorf("a program gets %q for %q", got, text)
		}
	}
}
