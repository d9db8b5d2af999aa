package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestMoment(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ in, want string }{
		{"2h", "2026-11-30T10:00:00Z"},
		{"30s", "2026-11-30T11:59:30Z"},
		{"0s", "2026-11-30T12:00:00Z"},
		{"7d", "2026-11-23T12:00:00Z"},
		{"1w", "2026-11-23T12:00:00Z"},
		{"2026-11-01", "2026-11-01T00:00:00Z"},
		{"2026-11-01 08:30", "2026-11-01T08:30:00Z"},
		{"2026-11-01T08:30:05+01:00", "2026-11-01T07:30:05Z"},
		{"", ""}, {"h", ""}, {"-2h", ""}, {"2y", ""}, {"2.5h", ""}, {"soon", ""},
		{"99999999999999999999d", ""}, {"2026-13-01", ""}, {"12", ""},
	} {
		got, ok := moment(c.in, now)
		if c.want == "" {
			if ok {
				t.Errorf("moment(%q) = %v, want a refusal", c.in, got)
			}
			continue
		}
		if !ok || got.UTC().Format(time.RFC3339) != c.want {
			t.Errorf("moment(%q) = %v, %v, want %s", c.in, got, ok, c.want)
		}
	}
}

func TestWhatAColumnHolds(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly ten", 11, "exactly ten"},
		{"a little too long", 10, "a little …"},
		{"漢字漢字", 5, "漢字…"},
		{"漢字漢字", 4, "漢…"},
	} {
		if got := clip(c.in, c.width); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
	long := "/home/somebody/projects/very/deep/down/in/the/tree/report.md"
	got := clipPath(long, 30)
	if !strings.HasPrefix(got, "/home/") || !strings.HasSuffix(got, "report.md") || !strings.Contains(got, "…") {
		t.Errorf("clipPath lost the beginning or the name: %q", got)
	}
}

// Whatever an agent names, a cell is one line of the width that was asked.
func FuzzCells(f *testing.F) {
	f.Add("plain", 20)
	f.Add("new\nline \x1b[31mred\x1b[0m", 17)
	f.Add("caf\xe9 \u202egnp.exe", 33)
	f.Add(strings.Repeat("漢", 300), 40)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 2 + int(uint(width)%200)
		for _, got := range []string{pad(cell(s), width), pad(clipPath(cell(s), width), width)} {
			if textWidth(got) != width {
				t.Errorf("%q is %d columns wide, not %d", got, textWidth(got), width)
			}
			if strings.ContainsAny(got, "\n\r\x1b\u202e") || !utf8.ValidString(got) {
				t.Errorf("%q can break the screen", got)
			}
		}
		if l := oneLine(s); strings.ContainsAny(l, "\n\r\x1b\t") {
			t.Errorf("oneLine gives %q", l)
		}
	})
}

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 2148: "2.1 kB", 5_600_000: "5.6 MB", 7_300_000_000: "7.3 GB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestLongTextIsBrokenAtItsSpaces(t *testing.T) {
	for _, c := range []struct {
		text          string
		width, indent int
		want          string
	}{
		{"", 10, 2, ""},
		{"one two", 20, 2, "one two"},
		{"one two three", 10, 2, "one two\n  three"},
		{"a /very/long/path/to/copy b", 12, 1, "a\n /very/long/path/to/copy\n b"},
		{"漢字 漢字 漢字", 9, 0, "漢字 漢字\n漢字"},
		{"two  gaps", 20, 0, "two  gaps"},
	} {
		if got := wrapped(c.text, c.width, c.indent); got != c.want {
			t.Errorf("%q: %q, not %q", c.text, got, c.want)
		}
	}
}
