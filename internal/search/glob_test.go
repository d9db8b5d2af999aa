package search

import (
	"errors"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"

	"reeve"
)

func match(t *testing.T, pattern, rel string, o GlobOptions) bool {
	t.Helper()
	g, err := Compile(pattern, o)
	if err != nil {
		t.Fatalf("Compile(%q): %v", pattern, err)
	}
	return g.Match(rel, path.Base(rel))
}

func TestGlobMeets(t *testing.T) {
	for _, c := range []struct {
		pattern, rel string
		want         bool
	}{
		{"*.go", "main.go", true},
		{"*.go", "a/b/main.go", true}, // without a slash: the base name at any depth
		{"*.go", "main.gox", false},
		{"*.go", ".go", true},
		{"main.go", "a/main.go", true},
		{"main.go", "a/xmain.go", false},
		{"read*", "docs/README", false}, // letter case counts
		{"READ*", "docs/README", true},
		{"*ead*", "bread", true},
		{"*", "anything", true},
		{"**", "a/anything", true},
		{"?", "é", true},
		{"?", "ab", false},
		{"a?c", "abc", true},
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src/x/a.go", false},
		{"src/*.go", "a/src/a.go", false}, // with a slash: from the start
		{"src/**/*.go", "src/a.go", true},
		{"src/**/*.go", "src/x/y/a.go", true},
		{"**/test/**", "a/test/b/c", true},
		{"**/test/**", "test/c", true},
		{"**/test/**", "a/test", false}, // what is below, not the folder
		{"a/**", "a", false},
		{"a/**", "a/b", true},
		{"**/a/b", "a/b", true},
		{"**/a/b", "x/y/a/b", true},
		{"**/a/b", "x/ya/b", false},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a/**/b", "ab", false},
		{"a/x**y/b", "a/x1/2y/b", false}, // ** inside a component is *
		{"a/x**y/b", "a/x12y/b", true},
		{"*.{go,md}", "x.md", true},
		{"*.{go,md}", "x.mdx", false},
		{"{src,lib}/**/*.{js,ts}", "lib/a/b.ts", true},
		{"{src,lib}/**/*.{js,ts}", "bin/a/b.ts", false},
		{"{a,b{c,d}}.x", "bd.x", true},
		{"{a,}b", "b", true},
		{"{**/,}x/y", "p/q/x/y", true},
		{"{a}", "a", true},
		{"a}", "a}", true},
		{"a,b", "a,b", true},
		{"[a-c]x", "bx", true},
		{"[!a-c]x", "bx", false},
		{"[^a-c]x", "dx", true},
		{"[]]", "]", true},
		{"[!]]", "]", false},
		{"[a-]", "-", true},
		{`[\]]`, "]", true},
		{"a/[!x]b", "a//b", false},
		{"x[!y]z/a", "x/z/a", false}, // a set never meets a slash
		{`\*.go`, "*.go", true},
		{`\*.go`, "a.go", false},
		{`\{a,b\}`, "{a,b}", true},
		{"./src/*.go", "src/a.go", true},
		{"café*", "cafe\u0301.txt", true}, // composed pattern, decomposed name
		{"cafe\u0301*", "café.txt", true},
		{"caf?.txt", "cafe\u0301.txt", true},
		{"[é]x", "e\u0301x", true},
		{"*", "caf\xe9", true},
		{"caf?", "caf\xe9", true},
		{"café", "caf\xe9", false},
		{`$'caf\xE9'`, "caf\xe9", true},
		{`$'a\nb'`, "x/a\nb", true},
		{`d/$'a\nb'`, "d/a\nb", true},
		{`$'a\nb'`, "anb", false},
		{"$HOME", "$HOME", true},
		{"$'x", "$'x", true},
		{"{1..3}", "1..3", true}, // no counting
		{"***", "x", true},
		{"a***b", "axxb", true},
		{"*a*b*", "xaxbx", true},
	} {
		if got := match(t, c.pattern, c.rel, GlobOptions{}); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.rel, got)
		}
	}
}

func TestGlobOfBaseNamesKnowsThreeSigns(t *testing.T) {
	for _, c := range []struct {
		pattern, rel string
		want         bool
	}{
		{"*.txt", "a/b.txt", true},
		{"**.txt", "a/b.txt", true},
		{"b?.txt", "a/bc.txt", true},
		{"[b].txt", "b.txt", false},
		{"[b].txt", "[b].txt", true},
		{"{a,b}", "a", false},
		{"{a,b}", "{a,b}", true},
		{"!x", "!x", true},
		{`a\*`, `a\bc`, true},
		{`a\*`, `a*`, false},
	} {
		if got := match(t, c.pattern, c.rel, GlobOptions{BaseName: true}); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.rel, got)
		}
	}
	// A file whose own name is $'x' is not looked for as x.
	for pattern, want := range map[string]string{
		`$'x'`:         `has the name $'x', which is not how any name is shown (at byte 1). Write x, or, for a file that is itself named so, $'$\'x\''.`,
		`d/$'caf\xe9'`: `has the name $'caf\xe9', which is not how any name is shown (at byte 3). Write $'caf\xE9', or, for a file that is itself named so, $'$\'caf\\xe9\''.`,
	} {
		if _, err := Compile(pattern, GlobOptions{}); !errors.Is(err, reeve.Invalid) || err.Error() != want {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if _, err := Compile("a/*.txt", GlobOptions{BaseName: true}); !errors.Is(err, reeve.Invalid) {
		t.Errorf("a slash was taken: %v", err)
	}
}

func TestBadGlobsAreRefusedWithTheirPlace(t *testing.T) {
	for _, c := range []struct {
		pattern string
		at      int
	}{
		{"", 0},
		{"[", 1},
		{"ab[c", 3},
		{"a{b", 2},
		{"a/{b,{c}", 3},
		{`ab\`, 3},
		{"[z-a]", 3},
		{"[[:alpha:]]", 2},
		{"/etc/*", 1},
		{"~/x", 1},
		{"a/../b", 3},
		{"..", 1},
		{"a//b", 3},
		{"a/./b", 3},
		{"**/[", 4},
		{"./a[", 4},
		{"a\x00b", 0},
		{"a\xffb", 0},
		{strings.Repeat("a", MaxPattern+1), 0},
		{"[a", 1}, {"[a-", 1}, {`[\`, 1}, {"[!", 1},
	} {
		_, err := Compile(c.pattern, GlobOptions{})
		var p *Problem
		if !errors.As(err, &p) || !errors.Is(err, reeve.Invalid) || p.At != c.at || p.What == "" {
			t.Errorf("Compile(%.20q) = %v", c.pattern, err)
		}
	}
}

func TestFoldersAreAskedForWithASlashAtTheEnd(t *testing.T) {
	g, err := Compile("build/", GlobOptions{})
	if err != nil || !g.Folders() || !g.Match("a/build", "build") {
		t.Fatalf("%+v %v", g, err)
	}
}

func TestOnlyFoldersThatCanHoldAMatchAreWalked(t *testing.T) {
	for _, c := range []struct {
		pattern, folder string
		want            bool
	}{
		{"*.go", "anything/at/all", true},
		{"src/*.go", "src", true},
		{"src/*.go", "docs", false},
		{"src/*.go", "src/x", false},
		{"src/**/*.go", "src/x/y", true},
		{"**/x/y", "any/where", true},
		{"a/b/c", "a", true},
		{"a/b/c", "a/b", true},
		{"a/b/c", "a/x", false},
		{"a/b/c", "a/b/c", false},
		{"{a,b}/c", "b", true},
		{"{a,b}/c", "c", false},
		{"ab/c", "a", false},
		{"caf\u00e9/x", "cafe\u0301", true},
	} {
		g, err := Compile(c.pattern, GlobOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Below(c.folder); got != c.want {
			t.Errorf("%q below %q: %v", c.pattern, c.folder, got)
		}
	}
}

// Where both languages mean the same, an independent implementation agrees.
func TestGlobEqualsAnother(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "c", "*", "?", "/", "**/", "[ab]", "[!a]", "{a,b}", "{a,bc}", "a", "b"})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, "pattern"), "")
		rel := strings.Join(rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 1, 3, -1), 1, 4).Draw(t, "path"), "/")
		if !strings.Contains(pattern, "/") {
			rel = path.Base(rel)
		}
		if strings.HasSuffix(pattern, "/") || strings.Contains(pattern, "***") {
			t.Skip("other meanings")
		}
		g, err := Compile(pattern, GlobOptions{})
		if err != nil {
			t.Skip("refused here: " + err.Error())
		}
		want, err := doublestar.Match(pattern, rel)
		if err != nil {
			t.Skip(err.Error())
		}
		if got := g.Match(rel, path.Base(rel)); got != want {
			t.Fatalf("%q on %q: %v, elsewhere %v", pattern, rel, got, want)
		}
		if want {
			for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
				if !g.Below(dir) {
					t.Fatalf("%q meets %q, but %q would not be walked", pattern, rel, dir)
				}
			}
		}
	})
}

// The work is counted by what a hostile pattern could multiply: this would
// not end within a test's time on a matcher that tries every way.
func TestHostilePatternsEnd(t *testing.T) {
	name := strings.Repeat("a", 255)
	deep := strings.Repeat("a/", 300) + "a"
	for _, pattern := range []string{
		strings.Repeat("*a", 480) + "b",
		strings.Repeat("{a,*}", 190) + "b",
		strings.Repeat("{a,", 245) + strings.Repeat("}", 245) + "b",
		strings.Repeat("[a-z]*", 160) + "b",
		"**/" + strings.Repeat("**/*a/", 160) + "b",
		strings.Repeat("?*", 490) + "b",
		strings.Repeat("{a,b,c,d,e,f,g}*", 60) + "z",
	} {
		g, err := Compile(pattern, GlobOptions{})
		if err != nil {
			t.Fatalf("%.30q: %v", pattern, err)
		}
		if g.Match(deep, name) {
			t.Errorf("%.30q matches", pattern)
		}
		g.Below(deep)
	}
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"*.go", "a/**/b", "{a,b{c,d}}", "[!a-z]", `\`, "$'\\xE9'", "**/", "./", "{", "[", "a{,", "é*", "***/x", "{a/,b}/**"} {
		f.Add(s, "a/b/c.go", true)
		f.Add(s, "caf\xe9", false)
	}
	f.Fuzz(func(t *testing.T, pattern, rel string, base bool) {
		if len(pattern) > 3*MaxPattern || len(rel) > 4096 {
			return
		}
		g, err := Compile(pattern, GlobOptions{BaseName: base})
		if err != nil {
			var p *Problem
			if !errors.As(err, &p) || p.At < 0 || p.At > len(pattern)+len(pattern)*2+1 {
				t.Fatalf("%q: %v", pattern, err)
			}
			return
		}
		if len(g.prog) > maxProg {
			t.Fatalf("%q: a program of %d", pattern, len(g.prog))
		}
		got := g.Match(rel, path.Base(rel))
		// The quick shapes and the machine must say the same.
		if g.simple != machine {
			slow := *g
			slow.simple = machine
			slow.link()
			if again := slow.Match(rel, path.Base(rel)); again != got && path.Base(rel) == rel {
				t.Fatalf("%q on %q: %v quickly, %v slowly", pattern, rel, got, again)
			}
		}
	})
}

func TestTimes(t *testing.T) {
	zone := time.FixedZone("X", 2*3600)
	now := time.Date(2026, 11, 30, 20, 0, 0, 0, zone)
	for in, want := range map[string]time.Time{
		"2h":                        now.Add(-2 * time.Hour),
		"30m":                       now.Add(-30 * time.Minute),
		"45s":                       now.Add(-45 * time.Second),
		"7d":                        now.Add(-7 * 24 * time.Hour),
		"1w":                        now.Add(-7 * 24 * time.Hour),
		"0d":                        now,
		"2026-05-01":                time.Date(2026, 5, 1, 0, 0, 0, 0, zone),
		"2026-05-01 14:30":          time.Date(2026, 5, 1, 14, 30, 0, 0, zone),
		"2026-05-01T14:30":          time.Date(2026, 5, 1, 14, 30, 0, 0, zone),
		"2026-05-01T14:30:05Z":      time.Date(2026, 5, 1, 14, 30, 5, 0, time.UTC),
		"2026-05-01T14:30:05.5Z":    time.Date(2026, 5, 1, 14, 30, 5, 5e8, time.UTC),
		"2026-05-01T14:30:05+09:00": time.Date(2026, 5, 1, 5, 30, 5, 0, time.UTC),
	} {
		got, err := ParseTime(in, now)
		if err != nil || !got.Equal(want) {
			t.Errorf("%s = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "d", "7", "-7d", "7 d", "1.5h", "1h30m", "yesterday", "2026-13-01", "2026-02-30",
		"99999999999999999999d", "300y", "200000d", "0x7d", "７d"} {
		if got, err := ParseTime(in, now); !errors.Is(err, reeve.Invalid) {
			t.Errorf("%q = %v, %v", in, got, err)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"7d", "2026-05-01", "2026-05-01T14:30:05Z", "99999999999999999999w", "-1d"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := ParseTime(s, now); err != nil && !errors.Is(err, reeve.Invalid) {
			t.Fatal(err)
		}
	})
}

func BenchmarkGlob(b *testing.B) {
	for _, pattern := range []string{"*.go", "**/*.go", "src/**/*.{ts,tsx}", "*test*[0-9]?.go"} {
		b.Run(strings.ReplaceAll(pattern, "/", "|"), func(b *testing.B) {
			g, err := Compile(pattern, GlobOptions{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				g.Match("src/internal/components/widget_test.go", "widget_test.go")
			}
		})
	}
}
