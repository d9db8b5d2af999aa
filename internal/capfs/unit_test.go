package capfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reeve"
)

func TestContainsGoesByWholeNames(t *testing.T) {
	for _, c := range []struct {
		base, path string
		fold       bool
		rest       string
		ok         bool
	}{
		{"/w/root", "/w/root", false, "", true},
		{"/w/root", "/w/root/a/b", false, "a/b", true},
		{"/w/root", "/w/root-evil", false, "", false},
		{"/w/root", "/w/roo", false, "", false},
		{"/w/root", "/w", false, "", false},
		{"/w/root", "/w/Root/a", false, "", false},
		{"/w/root", "/w/Root/a", true, "a", true},
		{"/w/root", "/w/Root-evil/a", true, "", false},
		{"/", "/etc", false, "etc", true},
		{"/", "/", false, "", true},
		{"", "/etc", false, "", false},
	} {
		rest, ok := below(filepath.FromSlash(c.base), filepath.FromSlash(c.path), c.fold)
		if filepath.ToSlash(rest) != c.rest || ok != c.ok {
			t.Errorf("%q in %q: %q, %v", c.path, c.base, rest, ok)
		}
	}
}

func FuzzContains(f *testing.F) {
	f.Add("/w/root", "/w/root-evil/x")
	f.Add("/", "/a")
	f.Add("/a/b", "/a/b/c")
	f.Fuzz(func(t *testing.T, base, path string) {
		base, path = filepath.Clean("/"+base), filepath.Clean("/"+path)
		rest, ok := below(base, path, false)
		rel, err := filepath.Rel(base, path)
		want := err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
		if ok != want || ok && filepath.Join(base, rest) != path {
			t.Errorf("%q in %q: %q, %v", path, base, rest, ok)
		}
	})
}

func TestRacy(t *testing.T) {
	now := time.Unix(1_700_000_000, 123_456_789)
	ago := func(d time.Duration) int64 { return now.Add(-d).UnixNano() }
	second := time.Unix(now.Unix(), 0).UnixNano()
	for name, c := range map[string]struct {
		mtime, ctime int64
		coarse       bool
		want         bool
	}{
		"just written":                       {ago(time.Millisecond), ago(time.Millisecond), false, true},
		"written a second ago":               {ago(time.Second), ago(time.Second), false, false},
		"old content, new state":             {ago(time.Hour), ago(time.Millisecond), false, true},
		"a time set back":                    {ago(time.Hour), ago(time.Hour), false, false},
		"a time in the future":               {ago(-time.Hour), ago(time.Hour), false, true},
		"another computer's clock":           {ago(time.Second), ago(time.Second), true, true},
		"another computer's clock, long ago": {ago(time.Minute), ago(time.Minute), true, false},
		"whole seconds":                      {second, second, false, true},
	} {
		if got := racy(reeve.Stamp{MTime: c.mtime, CTime: c.ctime}, now, c.coarse); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRootID(t *testing.T) {
	a, b := RootID("/home/u/a"), RootID("/home/u/b")
	if a == b || a != RootID("/home/u/a") || len(a) != 12 {
		t.Errorf("%q, %q", a, b)
	}
}

func TestOneName(t *testing.T) {
	for _, bad := range []string{"", ".", "..", "a/b", "/", "a\x00"} {
		if oneName(bad) {
			t.Errorf("%q", bad)
		}
	}
	for _, good := range []string{"a", "...", ".a", "a..b", "caf\xe9", "a\nb"} {
		if !oneName(good) {
			t.Errorf("%q", good)
		}
	}
}

func TestGrantsThatAreNoFolders(t *testing.T) {
	fs := New(Options{})
	defer fs.Close()
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, s := range fs.SetGrants([]Grant{{Path: ""}, {Path: "relative"}, {Path: "."}, {Path: file}, {Path: "/dev/null/x"}}, nil) {
		if s.State == reeve.StateOpen || s.Note == "" {
			t.Errorf("%q: %+v", s.Path, s)
		}
	}
	if _, err := fs.ResolveRoot(t.Context(), RootID(".")); err == nil {
		t.Error("a relative grant was used")
	}
}
