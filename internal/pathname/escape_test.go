package pathname

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOddNamesAreShownEscapedAndTakenBack(t *testing.T) {
	for name, shown := range map[string]string{
		"plain.txt":             "plain.txt",
		"with space":            "with space",
		"it's":                  "it's",
		`back\slash`:            `back\slash`,
		"$HOME":                 "$HOME",
		"a$'b'":                 "a$'b'",
		"~name":                 "~name",
		"日本語":                   "日本語",
		"Screenshot 1\u202fPM":  "Screenshot 1\u202fPM",
		"a\nb":                  `$'a\nb'`,
		"a\r":                   `$'a\r'`,
		"\t":                    `$'\t'`,
		"\x01":                  `$'\x01'`,
		"\x7f":                  `$'\x7F'`,
		"\x1b[31mred":           `$'\x1B[31mred'`,
		"caf\xe9":               `$'caf\xE9'`,
		"\xed\xa0\x80":          `$'\xED\xA0\x80'`, // a surrogate in disguise
		"\u0085":                `$'\u0085'`,
		"it's\n":                `$'it\'s\n'`,
		"a\\\n":                 `$'a\\\n'`,
		"$'x'":                  `$'$\'x\''`,
		"$'":                    `$'$\''`,
		"cod\u202etxt.exe":      `$'cod\u202Etxt.exe'`,
		"zero\u200bwidth":       `$'zero\u200Bwidth'`,
		"\ufeffbom":             `$'\uFEFFbom'`,
		"soft\u00adhyphen":      `$'soft\u00ADhyphen'`,
		"\U000e0041tag":         `$'\U000E0041tag'`,
		"line\u2028sep":         `$'line\u2028sep'`,
		"private\ue000":         `$'private\uE000'`,
		"pass\u200dword":        `$'pass\u200Dword'`,
		"pass\u200cword":        `$'pass\u200Cword'`,
		"pass\ufe0fword":        `$'pass\uFE0Fword'`,
		"\u200dlead":            `$'\u200Dlead'`,
		"🏳️\u200d🌈":             "🏳️\u200d🌈",
		"1\ufe0f\u20e3":         "1\ufe0f\u20e3",
		"می\u200cخواهم":         "می\u200cخواهم",
		"葛\U000e0100城":          "葛\U000e0100城",
		"葛\U000e0100\U000e0101": `$'葛` + "\U000e0100" + `\U000E0101'`,
		"\ufffd":                "\ufffd",
		"":                      "",

		// What could pass for the columns or arrows of a listing.
		"a.txt  5 B  2026-11-30": `$'a.txt \x205 B \x202026-11-30'`,
		"id  protected":          `$'id \x20protected'`,
		"l -> passwd":            `$'l -> passwd'`,
		"trail ":                 `$'trail\x20'`,
		" lead":                  `$'\x20lead'`,
		" ":                      `$'\x20'`,
		"   ":                    `$'\x20\x20\x20'`,
		"a\u3000\u3000b":         "$'a\u3000\\u3000b'",
		"a\u00a0 b":              "$'a\u00a0\\x20b'",
		"end\u2003":              `$'end\u2003'`,
		"a->b":                   "a->b",
		"a ->b":                  "a ->b",
		"a -> ":                  `$'a ->\x20'`,
		"one two three":          "one two three",
	} {
		if got := Escape(name); got != shown {
			t.Errorf("Escape(%+q) = %s, want %s", name, got, shown)
		}
		if back, err := Unescape(shown); err != nil || back != name {
			t.Errorf("Unescape(%s) = %+q, %v, want %+q", shown, back, err, name)
		}
		if IsOdd(name) != (shown != name) {
			t.Errorf("IsOdd(%+q) = %v", name, IsOdd(name))
		}
	}
}

func TestBrokenEscapesAreRefused(t *testing.T) {
	for _, shown := range []string{`$'`, `$'a`, `$'a\'`, `$'a'b'`, `$''x`, `$'\q'`, `$'\x'`, `$'\x1'`, `$'\x+1'`,
		`$'\xG0'`, `$'\u12'`, `$'\uD800'`, `$'\U00110000'`, `$'\UFFFFFFFF'`, `$'\U0000004'`, `$'\`, `$'\0'`, `$'\101'`} {
		if got, err := Unescape(shown); err == nil {
			t.Errorf("Unescape(%s) = %q, want an error", shown, got)
		}
	}
}

func TestWholePathsAreEscapedByComponent(t *testing.T) {
	for path, shown := range map[string]string{
		"/a/b":                    "/a/b",
		"/a/b\n/c":                `/a/$'b\n'/c`,
		"/a/$'b/c":                `/a/$'$\'b'/c`,
		"a\n/b":                   `$'a\n'/b`,
		"/":                       "/",
		"/a\\b/c\n":               `/a\b/$'c\n'`,
		"C:\\a\nb\\c":             `C:\$'a\nb'\c`,
		"\\\\srv\\share\\x\u202e": `\\srv\share\$'x\u202E'`,
		"/a  b/c /d":              `/$'a \x20b'/$'c\x20'/d`,
		"/a/b -> c/d":             `/a/$'b -> c'/d`,
		"a\\$'b":                  `a\$'b`, // a relative name with a backslash in it
	} {
		if got := EscapePath(path); got != shown {
			t.Errorf("EscapePath(%+q) = %s, want %s", path, got, shown)
		}
	}
}

func TestBase(t *testing.T) {
	for path, want := range map[string]string{
		"/a/b": "b", "/a/b/": "b", "/": "", "": "", "b": "b", `/a/b\c`: `b\c`, `C:\a\b`: "b", `C:\a\b\`: "b",
		`C:\`: "C:", `\\s\h\x`: "x", `C:/a`: "a", `a\b`: `a\b`,
	} {
		if got := Base(path); got != want {
			t.Errorf("Base(%q) = %q, want %q", path, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a", "$'a'", "a  b", " -> ", " a ", "\u3000", "caf\xe9", "a\n'\\", "\xed\xa0\x80", "🏳️\u200d🌈", "\u200d\u200d", "a\ufe0f", "\xff\ufe0f", "`", "\\x41"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		shown := Escape(name)
		back, err := Unescape(shown)
		if err != nil || back != name {
			t.Fatalf("%+q → %s → %+q, %v", name, shown, back, err)
		}
		if !utf8.ValidString(shown) {
			t.Fatalf("%+q is shown as text that is not UTF-8", name)
		}
		if strings.ContainsAny(shown, "\n\r\t\x00\x1b\x7f\u202e\u2066\u200b\u2028\ufeff") {
			t.Fatalf("%+q is shown with a hidden character: %+q", name, shown)
		}
		if strings.Contains(shown, "  ") || strings.HasPrefix(shown, " ") || strings.HasSuffix(shown, " ") ||
			strings.Contains(shown, " -> ") && shown == name {
			t.Fatalf("%+q is shown like columns of a listing: %s", name, shown)
		}
		if shown != name && !strings.HasPrefix(shown, "$'") {
			t.Fatalf("%+q is shown as another name: %s", name, shown)
		}
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || len(name) > MaxBytes-2 {
			return
		}
		p, err := Parse("/x/"+shown, Context{GOOS: "linux"})
		if err != nil || p.Abs() != "/x/"+name {
			t.Fatalf("%s does not lead back: %+q, %v", shown, p.Abs(), err)
		}
		if p.Shown() != "/x/"+shown && len(shown) < 1000 {
			t.Fatalf("shown twice differently: %s, %s", p.Shown(), shown)
		}
	})
}

func FuzzUnescape(f *testing.F) {
	for _, s := range []string{`$'a'`, `$'\x41'`, `$'\u00e9'`, `$'\U0001F600'`, `$'\'`, `$'`, `plain`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, shown string) {
		name, err := Unescape(shown)
		if err != nil {
			return
		}
		again, err := Unescape(Escape(name))
		if err != nil || again != name {
			t.Fatalf("%q names %+q, and its own shown form %+q, %v", shown, name, again, err)
		}
	})
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain, é 漢 🙂":               "plain, é 漢 🙂",
		"a\u202eb":                   `a\u202Eb`,
		"zero\u200bwidth":            `zero\u200Bwidth`,
		"\x1b[31mred":                `\x1B[31mred`,
		"bad \xff byte":              `bad \xFF byte`,
		" gaps  and -> arrows  ":     " gaps  and -> arrows  ",
		"two\nlines\r\tand a tab":    `two\nlines\r\tand a tab`,
		"$'looks escaped' it's fine": "$'looks escaped' it's fine",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}
