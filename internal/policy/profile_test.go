package policy

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reeve"
)

// TestProfileNumbers are the numbers that each preset has published.
func TestProfileNumbers(t *testing.T) {
	base := reeve.Settings{ReadLines: 2000, ReadBytes: 50000, MaxLimit: 1_000_000, ReplyBytes: 50000, ListEntries: 200, ListDepth: 32, ListMaxEntries: 1000,
		SearchResults: 100, WalkEntries: 200_000, Binary: "nul", CreateParents: true, CallTime: 10 * time.Second, SearchTime: 10 * time.Second}
	with := func(name string, change func(*reeve.Settings)) reeve.Settings {
		s := base
		s.Profile = name
		change(&s)
		return s
	}
	for _, want := range []reeve.Settings{
		with("default", func(s *reeve.Settings) { s.ReadState = "all_lines" }),
		with("lam", func(s *reeve.Settings) {
			s.ReadLines, s.ReadChars, s.ReadBytes, s.SearchResults, s.SearchDepth, s.SearchBytes = 200, 8000, 32000, 50, 8, 64<<10
			s.BaseNamePatterns, s.SearchHidden, s.ReadState = true, true, "off"
		}),
		with("arinova", func(s *reeve.Settings) {
			s.Binary, s.ReadState, s.MaxFileBytes, s.CreateParents = "utf8", "off", 10<<20, false
		}),
		with("elowen", func(s *reeve.Settings) { s.ReadState, s.SearchTime = "read", time.Minute }),
		with("llm-chat-file", func(s *reeve.Settings) {
			s.ReadLines, s.ReadChars, s.ReadBytes, s.ReplyBytes, s.MaxFileBytes, s.SearchBytes = 1_000_000, 100_000, 400_000, 500_000, 10<<20, 10<<20
			s.SearchResults, s.WalkEntries, s.ReadState = 50, 5000, "read"
		}),
	} {
		p, err := LoadProfile(want.Profile)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Settings
		if skips := len(got.SkipDirs) > 0; skips != (p.Name != "lam" && p.Name != "arinova") {
			t.Errorf("%s skips %v", p.Name, got.SkipDirs)
		}
		got.SkipDirs = nil
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", p.Name, d)
		}
		if p.Settings.ReadBytes > p.Settings.ReplyBytes {
			t.Errorf("%s: a read does not fit into a reply", p.Name)
		}
	}
}

func TestProfilesAreTheFiles(t *testing.T) {
	files, err := presets.ReadDir("profiles")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".toml"))
	}
	if !slices.Equal(names, Profiles()) {
		t.Errorf("files %v, Profiles %v", names, Profiles())
	}
	for _, name := range append(Profiles(), "", "x", "../lists/lam", "lam.toml") {
		p, err := LoadProfile(name)
		if (err == nil) != slices.Contains(Profiles(), name) || err == nil && p.Name != name {
			t.Errorf("%q: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "lam") {
			t.Errorf("%q: the error does not say which there are: %v", name, err)
		}
	}
}

// A preset that lacks anything, or has anything else, is refused whole.
func TestProfilesAreStrict(t *testing.T) {
	for _, name := range Profiles() {
		data, err := presets.ReadFile("profiles/" + name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseProfile(name, data); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		key := regexp.MustCompile(`^[a-z_]+ *=`)
		dropped := 0
		for i, line := range lines {
			if !key.MatchString(line) || strings.HasPrefix(line, "path ") || strings.HasPrefix(line, "access ") || strings.HasPrefix(line, "create = true") {
				continue
			}
			dropped++
			less := slices.Delete(slices.Clone(lines), i, i+1)
			if _, err := parseProfile(name, []byte(strings.Join(less, "\n"))); err == nil {
				t.Errorf("%s without the line %q was taken", name, line)
			}
			wrong := slices.Clone(lines)
			wrong[i] = key.FindString(line) + " 2026-01-01"
			if _, err := parseProfile(name, []byte(strings.Join(wrong, "\n"))); err == nil {
				t.Errorf("%s with %q was taken", name, wrong[i])
			}
		}
		if dropped < 30 {
			t.Errorf("%s: only %d lines were tried", name, dropped)
		}
		for _, more := range []string{"read_line = 5\n", "profile = 'x'\n", "enabled = true\n"} {
			if _, err := parseProfile(name, []byte(more+string(data))); err == nil {
				t.Errorf("%s with %q was taken", name, more)
			}
		}
	}
}

// policy is pure: what it is built of cannot reach a disk.
func TestNoSystem(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	bad := regexp.MustCompile(`"(os|os/.*|io/ioutil|net|net/.*|path/filepath|syscall|time/tzdata)"`)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if m := bad.Find(data); m != nil {
			t.Errorf("%s imports %s", f.Name(), m)
		}
	}
}

func TestNearest(t *testing.T) {
	known := configKeys()
	for word, want := range map[string]string{"enable": "enabled", "exept": "except", "protcet": "protect", "aprovals": "approvals", "EXCEPT": "except", "limit": "limits", "zzz": "", "": "", strings.Repeat("x", 500): ""} {
		if got := nearest(word, known); got != want {
			t.Errorf("%q: %q, not %q", word, got, want)
		}
	}
}

// Names that are one to some file system.
func TestOneName(t *testing.T) {
	for _, same := range [][]string{
		{"\u015b", "S\u0301", "s\u200b\u0301", "\u015a", "\u017f\u0301"},
		{"ss", "\u00df", "\u1e9e", "\u017f\u017f", "sS "},
		{"k", "K", "\u212a", "\uff2b", "\u24da"},
		{"\u00e5", "A\u030a", "\u212b"},
		{"\u03c3", "\u03a3", "\u03c2"},
		{"fi", "\ufb01", "\uff26I"},
		{"\uac00", "\u1100\u1161"},
		{"", ".", " ", "\u200b", "\u3164. "},
	} {
		for _, s := range same {
			if got, want := string(canon(nil, s)), string(canon(nil, same[0])); got != want {
				t.Errorf("%+q is %+q, and %+q is %+q", s, got, same[0], want)
			}
		}
	}
}

func TestEveryRuneFoldsOnce(t *testing.T) {
	for r := rune(0x80); r <= 0x2ffff; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		c := string(canon(nil, string(r)))
		if again := string(canon(nil, c)); again != c {
			t.Fatalf("%U gives %q, and that %q", r, c, again)
		}
		if ignorable(r) && c != "" && c != string(canon(nil, "x"+c))[1:] {
			t.Fatalf("%U can't be seen and gives %q", r, c)
		}
		if ignorable(r) && c != "" {
			t.Fatalf("%U can't be seen and gives %q", r, c)
		}
	}
}
