package pathname

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUnixPaths(t *testing.T) {
	const home, base = "/home/ann", "/work/site"
	type row struct {
		style     Style
		raw, want string // want is the absolute path, or "!reason"
		folder    bool
	}
	rows := []row{
		{0, "/a/b", "/a/b", false},
		{0, "/a/b/", "/a/b", true},
		{0, "//a///b//", "/a/b", true},
		{0, "/", "/", true},
		{0, "/a/./b/.", "/a/b", true},
		{0, "/a/../../../etc/passwd", "/etc/passwd", false},
		{0, "/..", "/", true},
		{0, "a", "/work/site/a", false},
		{0, "./~ann", "/work/site/~ann", false},
		{0, "../../../../x", "/x", false},
		{0, ".", "/work/site", true},
		{0, "...", "/work/site/...", false},
		{0, "~", home, false},
		{0, "~/", home, true},
		{0, "~/x", "/home/ann/x", false},
		{0, "~/../bob/x", "/home/bob/x", false},
		{0, "~bob/x", "!tilde", false},
		{0, "~~", "!tilde", false},
		{0, "a/~", "/work/site/a/~", false},
		{0, `$'~bob'`, "!bad_escape", false}, // ~bob, or the file whose own name is $'~bob'?
		{0, `./~bob`, "/work/site/~bob", false},
		{0, `$'x'`, "!bad_escape", false},
		{0, `$'$\'x\''`, "/work/site/$'x'", false},
		{0, `$'caf\xe9'`, "!bad_escape", false},
		{0, `$'a\x0Ab'`, "!bad_escape", false},
		{0, `$'a \x20b'/$'c\x20'`, "/work/site/a  b/c ", false},
		{0, `$'a  b'`, "!bad_escape", false},
		{0, `a  b/c `, "/work/site/a  b/c ", false},
		{0, `$'l -> passwd'`, "/work/site/l -> passwd", false},
		{0, " a ", "/work/site/ a ", false},
		{0, `a\b`, `/work/site/a\b`, false},
		{0, "C:/x", "/work/site/C:/x", false},
		{0, "aux.c", "/work/site/aux.c", false},
		{0, "/n/12:30.txt", "/n/12:30.txt", false},
		{0, "Icon\r", "/work/site/Icon\r", false},
		{0, "", "!empty", false},
		{0, "a\x00b", "!nul", false},
		{0, "caf\xe9", "!not_utf8", false},
		{0, "\xed\xa0\x80", "!not_utf8", false},
		{0, "\ufffd", "/work/site/\ufffd", false},
		{0, "/" + strings.Repeat("a/", 2047) + "b", "/" + strings.Repeat("a/", 2047) + "b", false},
		{0, strings.Repeat("a", 4097), "!too_long", false},
		{0, strings.Repeat("a", 4090), "!too_long", false}, // with the base in front
		{0, strings.Repeat("x", 10<<20), "!too_long", false},
		{0, strings.Repeat("$'", 10<<20), "!too_long", false},

		{0, `/a/$'caf\xE9'`, "/a/caf\xe9", false},
		{0, `/a/$'caf\xE9'/b/`, "/a/caf\xe9/b", true},
		{0, `$'a\nb'`, "/work/site/a\nb", false},
		{0, `$'a\\b\n'/c`, "/work/site/a\\b\n/c", false},
		{0, `$'it\'s\n'/c`, "/work/site/it's\n/c", false},
		{0, `$'it\'s'/c`, "!bad_escape", false},
		{0, `/$'` + strings.Repeat(`\xE9`, 2000) + `'`, "/" + strings.Repeat("\xe9", 2000), false},
		{0, `/$'` + strings.Repeat(`\xE9`, 4096) + `'`, "!too_long", false},
		{0, `$'a/b'`, "!bad_escape", false},
		{0, `$'/etc/passwd'`, "!bad_escape", false},
		{0, `$'\x2Fetc'`, "!bad_escape", false},
		{0, `$'\u002F'`, "!bad_escape", false},
		{0, `$'\x00'`, "!bad_escape", false},
		{0, `$'\U00000000'`, "!bad_escape", false},
		{0, `a/$'..'/b`, "!bad_escape", false},
		{0, `a/$'\x2e\x2e'/b`, "!bad_escape", false},
		{0, `$'.'`, "!bad_escape", false},
		{0, `$''`, "!bad_escape", false},
		{0, `$'a`, "!bad_escape", false},
		{0, `$'a\'`, "!bad_escape", false},
		{0, `$'a'b`, "!bad_escape", false},
		{0, `$'a''b'`, "!bad_escape", false},
		{0, `$'\`, "!bad_escape", false},

		{StyleHome, "x", "/home/ann/x", false},
		{StyleHome, "~", home, false},
		{StyleHome, "~/x", "/home/ann/x", false},
		{StyleHome, "~bob", "!tilde", false},
		{StyleHome, "/x", "/x", false},

		{StyleSession, "x", "/work/site/x", false},
		{StyleSession, "~", "/work/site/~", false},
		{StyleSession, "~/x", "/work/site/~/x", false},
		{StyleSession, "~bob", "/work/site/~bob", false},
		{StyleWorkspace, "~/x/../y", "/work/site/~/y", false},
		{StyleWorkspace, "/x", "/x", false},

		{StyleAbsolute, "/a/b/", "/a/b", true},
		{StyleAbsolute, "/", "/", true},
		{StyleAbsolute, "/a//b", "/a/b", false},
		{StyleAbsolute, "a", "!relative", false},
		{StyleAbsolute, "~", "!relative", false},
		{StyleAbsolute, "~/a", "!relative", false},
		{StyleAbsolute, "./a", "!relative", false},
		{StyleAbsolute, "/a/./b", "!dots", false},
		{StyleAbsolute, "/a/../b", "!dots", false},
		{StyleAbsolute, "/..", "!dots", false},
		{StyleAbsolute, "/a/.", "!dots", false},
		{StyleAbsolute, "/a/...", "/a/...", false},
		{StyleAbsolute, `/a/$'\n'`, "/a/\n", false},
	}
	for _, r := range rows {
		for _, goos := range []string{"linux", "darwin"} {
			check(t, r.raw, r.want, r.folder, Context{r.style, home, base, goos})
		}
	}
}

func check(t *testing.T, raw, want string, folder bool, c Context) Parsed {
	t.Helper()
	p, err := Parse(raw, c)
	name := Show(raw)
	if reason, refused := strings.CutPrefix(want, "!"); refused {
		var e *Error
		if !errors.As(err, &e) || string(e.Reason) != reason {
			t.Errorf("style %d %s: %q, %v; want the refusal %s", c.Style, name, p.Abs(), err, reason)
		} else if e.What == "" || e.Instead == "" || len(err.Error()) > 500 {
			t.Errorf("style %d %s: the refusal does not help: %s", c.Style, name, err)
		}
		return p
	}
	if err != nil {
		t.Errorf("style %d %s: %v, want %s", c.Style, name, err, Show(want))
		return p
	}
	if p.Abs() != want || p.Folder() != folder {
		t.Errorf("style %d %s: %q folder=%v, want %q folder=%v", c.Style, name, p.Abs(), p.Folder(), Show(want), folder)
	}
	return p
}

func TestWindowsPaths(t *testing.T) {
	const home, base = `C:\Users\Ann`, `D:\work`
	for _, r := range []struct {
		raw, want string
		folder    bool
	}{
		{`C:\a\b`, `C:\a\b`, false},
		{`c:/a\b/`, `C:\a\b`, true},
		{`c:\`, `C:\`, true},
		{`c:\..\..\x`, `C:\x`, false},
		{`a\b`, `D:\work\a\b`, false},
		{`..\x`, `D:\x`, false},
		{`~\x`, `C:\Users\Ann\x`, false},
		{`~/x`, `C:\Users\Ann\x`, false},
		{`~bob\x`, "!tilde", false},
		{`\\server\share\a`, `\\server\share\a`, false},
		{`//server/share/a/`, `\\server\share\a`, true},
		{`\\server\share`, `\\server\share`, false},
		{`\\server\share\..\..\x`, `\\server\share\x`, false},
		{`\\server`, "!volume", false},
		{`\\server\`, "!volume", false},
		{`\\\share`, "!volume", false},
		{`\\..\share\x`, "!volume", false},
		{`\\server\..\x`, "!volume", false},
		{`\\server\c:\x`, "!volume", false},
		{`c:foo`, "!volume", false},
		{`c:`, "!volume", false},
		{`c:..\x`, "!volume", false},
		{`\a`, "!volume", false},
		{`/a`, "!volume", false},
		{`\`, "!volume", false},
		{`\\?\C:\a`, "!device", false},
		{`\\.\PhysicalDrive0`, "!device", false},
		{`//./pipe/x`, "!device", false},
		{`//?/C:/x`, "!device", false},
		{`\??\C:\a`, "!device", false},
		{`nul`, "!device", false},
		{`a\AUX`, "!device", false},
		{`a\aux.c`, "!device", false},
		{`a\con .txt`, "!device", false},
		{`a\com1.log`, "!device", false},
		{`a\LPT¹`, "!device", false},
		{`CONIN$`, "!device", false},
		{`a\com10`, `D:\work\a\com10`, false},
		{`a\console`, `D:\work\a\console`, false},
		{`a\nul.d\x`, "!device", false},
		{`a\.env.`, "!component", false},
		{`a\.env `, "!component", false},
		{`a. \x`, "!component", false},
		{`...`, "!component", false},
		{`a\.env::$DATA`, "!component", false},
		{`a\x:secret`, "!component", false},
		{`a\$'x:secret'`, "!bad_escape", false},
		{`a\*`, "!component", false},
		{`a\b?`, "!component", false},
		{"a\\b\n", "!component", false},
		{`a\$'b\n'`, "!component", false},
		{`$'a\\b'`, "!bad_escape", false},
		{`a\$'x\u202E'\b`, "D:\\work\\a\\x\u202e\\b", false},
		{`a\$'\u00e9'`, "!bad_escape", false},
		{`a\$'x\u202Ey:secret'`, "!component", false},
	} {
		check(t, r.raw, r.want, r.folder, Context{StyleFirstRoot, home, base, "windows"})
	}
	check(t, `C:\a\..\b`, "!dots", false, Context{Style: StyleAbsolute, GOOS: "windows"})
	check(t, `a`, "!relative", false, Context{Style: StyleAbsolute, GOOS: "windows"})
	p := check(t, `x`, `\\nas\pub\x`, false, Context{Base: `\\nas\pub`, GOOS: "windows"})
	if p.Volume() != `\\nas\pub` || !slices.Equal(p.Components(), []string{"x"}) {
		t.Errorf("volume %q components %q", p.Volume(), p.Components())
	}
	if p := check(t, `c:\x\y`, `C:\x\y`, false, Context{GOOS: "windows"}); p.Volume() != "C:" {
		t.Errorf("volume %q", p.Volume())
	}
}

func TestWithoutHomeOrBaseNothingIsGuessed(t *testing.T) {
	for _, goos := range []string{"linux", "windows"} {
		for style := StyleFirstRoot; style <= StyleAbsolute; style++ {
			check(t, "a", "!relative", false, Context{Style: style, GOOS: goos})
			check(t, "a", "!relative", false, Context{Style: style, GOOS: goos, Base: "not/absolute", Home: "x"})
		}
		check(t, "~/a", "!tilde", false, Context{Style: StyleFirstRoot, GOOS: goos})
		check(t, "~", "!tilde", false, Context{Style: StyleHome, GOOS: goos})
	}
}

func TestHomeAndBaseAreRawNotEscaped(t *testing.T) {
	c := Context{Home: "/home/$'x\\n'", Base: "/b/caf\xe9//./x/", GOOS: "linux"}
	check(t, "y", "/b/caf\xe9/x/y", false, c)
	check(t, "~/y", "/home/$'x\\n'/y", false, c)
}

func TestShownIsWhatWasWrittenAndNeverLong(t *testing.T) {
	c := Context{Home: "/h", Base: "/b", GOOS: "linux"}
	for raw, want := range map[string]string{
		"~/x/../y/":     "~/x/../y/",
		"a//b":          "a//b",
		"a\nb/c":        `$'a\nb'/c`,
		`/$'a\nb'/c`:    `/$'a\nb'/c`,
		"/a  b/c":       `/$'a \x20b'/c`,
		"/x\u202ey":     `/$'x\u202Ey'`,
		"/tmp/\x1b]0;x": `/tmp/$'\x1B]0;x'`,
	} {
		p, err := Parse(raw, c)
		if err != nil || p.Shown() != want {
			t.Errorf("%q is shown as %s, %v, want %s", raw, p.Shown(), err, want)
		}
	}
	for _, raw := range []string{"/" + strings.Repeat("é", 2000), strings.Repeat("\n", 4000), "/" + strings.Repeat("日/", 1000)} {
		p, err := Parse(raw, c)
		if err != nil || len(p.Shown()) > 1000 || !utf8.ValidString(p.Shown()) {
			t.Errorf("%d bytes shown, valid %v, %v", len(p.Shown()), utf8.ValidString(p.Shown()), err)
		}
	}
	for _, raw := range []string{strings.Repeat("a", 10<<20), strings.Repeat("\xff", 10<<20), strings.Repeat("é", 5000), strings.Repeat("$'", 3000), "", "\x00", "$'a"} {
		s := Show(raw)
		if len(s) > 1000 || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Errorf("Show of %d bytes gives %d: %.80q", len(raw), len(s), s)
		}
	}
}

func TestComponentsAreTheCallersOwn(t *testing.T) {
	p, err := Parse("/a/b", Context{GOOS: "linux"})
	if err != nil {
		t.Fatal(err)
	}
	p.Components()[0] = "etc"
	if p.Abs() != "/a/b" || p.IsZero() || !(Parsed{}).IsZero() {
		t.Errorf("%s", p.Abs())
	}
}

func TestNewNames(t *testing.T) {
	for _, r := range []struct{ name, goos, want string }{
		{"report.md", "linux", ""},
		{"aux.c", "linux", ""},
		{"12:30.txt", "linux", ""},
		{"trailing.", "darwin", ""},
		{"caf\xe9", "linux", ""},
		{"caf\xe9", "darwin", "UTF-8"},
		{"Icon\r", "darwin", "control"},
		{"a\nb", "linux", "control"},
		{"a\u0085", "linux", "control"},
		{"cod\u202etxt", "linux", "invisible"},
		{"a\u200bb", "linux", "invisible"},
		{"a\ufe0fb", "linux", "invisible"},
		{"می\u200cخواهم", "linux", ""},
		{"🏳️\u200d🌈", "linux", ""},
		{"\ufffd", "linux", "U+FFFD"},
		{"\U0003fffd", "linux", ""}, // not assigned yet: perhaps a newer emoji
		{"", "linux", "not a name"},
		{"..", "linux", "not a name"},
		{"a/b", "linux", "slash"},
		{"a\x00", "linux", "NUL"},
		{strings.Repeat("a", 256), "linux", "255"},
		{"$'x'", "linux", ""},
		{"aux.c", "windows", "device"},
		{"12:30.txt", "windows", "stream"},
		{"trailing.", "windows", "dot"},
		{"trailing ", "windows", "dot"},
		{"a|b", "windows", "not allow"},
		{"a\\b", "windows", "not allow"},
		{"a\tb", "windows", "control"},
		{"caf\xe9", "windows", "UTF-8"},
		{".gitignore", "windows", ""},
	} {
		got := NewNameProblem(r.name, r.goos)
		if r.want == "" && got != "" || !strings.Contains(got, r.want) {
			t.Errorf("%+q on %s: %q, want %q", r.name, r.goos, got, r.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"/a", "~/x", "../..", `$'a\nb'/c`, `C:\a`, `\\s\h\x`, `a\$'b\\'`, "$'", "~", "//", `$'\x2F'`, "a/./..//b/."} {
		for style := range 5 {
			f.Add(s, uint8(style), false)
			f.Add(s, uint8(style), true)
		}
	}
	f.Fuzz(func(t *testing.T, raw string, style uint8, windows bool) {
		c := Context{Style(style % 5), "/home/ann", "/work/site", "linux"}
		sep := "/"
		if windows {
			c, sep = Context{Style(style % 5), `C:\Users\Ann`, `D:\work`, "windows"}, `\`
		}
		p, err := Parse(raw, c)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Reason == "" || e.What == "" || e.Instead == "" || !p.IsZero() {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if !utf8.ValidString(p.Shown()) || len(p.Shown()) > 1024 || strings.ContainsAny(p.Shown(), "\n\x00\x1b\u202e") {
			t.Fatalf("%q is shown as %q", raw, p.Shown())
		}
		for _, n := range p.Components() {
			if n == "" || n == "." || n == ".." || strings.ContainsAny(n, "/\x00") || windows && strings.ContainsAny(n, `\:`) {
				t.Fatalf("%q has the component %q", raw, n)
			}
		}
		if strings.Join(p.Components(), sep) != strings.TrimLeft(strings.TrimPrefix(p.Abs(), p.Volume()), sep) {
			t.Fatalf("%q: %q against %q", raw, p.Components(), p.Abs())
		}
		if len(p.Abs()) > MaxBytes/4 {
			return
		}
		again, err := Parse(EscapePath(p.Abs()), Context{Style: StyleAbsolute, GOOS: c.GOOS})
		if err != nil || again.Abs() != p.Abs() {
			t.Fatalf("%q → %q, which reads back as %q, %v", raw, p.Abs(), again.Abs(), err)
		}
		shown, err := Parse(p.Shown(), c)
		if len(raw) < 200 && (err != nil || shown.Abs() != p.Abs()) {
			t.Fatalf("%q is shown as %q, which is %q, %v", raw, p.Shown(), shown.Abs(), err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	c := Context{Home: "/home/ann", Base: "/work/site", GOOS: "linux"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("internal/pathname/parse_test.go", c); err != nil {
			b.Fatal(err)
		}
	}
}
