package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reeve"
	"reeve/internal/search"
)

func ptr[T any](v T) *T { return &v }

func found(w *world, c reeve.SearchFiles) []string {
	w.t.Helper()
	f, _ := do[*reeve.Found](w, &c)
	return entryNames(f.Entries)
}

func TestFilesAreFound(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.write("src/main.go", "package main // Needle")
	w.write("src/deep/er/util.go", strings.Repeat("x", 3000))
	w.write("docs/guide.md", "needle")
	w.write("docs/logo.png", "\x89PNG\x00needle")
	w.write("node_modules/lib/main.go", "needle")
	w.write(".config/main.go", "needle")
	w.write("empty", "")
	w.link("src", "src-link")
	w.link("missing", "dead")
	day := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(w.path("docs/guide.md"), day, day); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		call reeve.SearchFiles
		want []string
	}{
		{"a name at any depth", reeve.SearchFiles{Pattern: "*.go"}, []string{"src/deep/er/util.go", "src/main.go"}},
		{"a path from the start", reeve.SearchFiles{Pattern: "src/*.go"}, []string{"src/main.go"}},
		{"below a folder", reeve.SearchFiles{Pattern: "**/er/**"}, []string{"src/deep/er/util.go"}},
		{"from another start", reeve.SearchFiles{Pattern: "*.go", Path: "src/deep"}, []string{"er/util.go"}},
		{"alternatives", reeve.SearchFiles{Pattern: "*.{md,png}"}, []string{"docs/guide.md", "docs/logo.png"}},
		{"folders", reeve.SearchFiles{Pattern: "*e*/"}, []string{"src/deep/", "src/deep/er/"}},
		{"folders by type", reeve.SearchFiles{Pattern: "s*", Type: "directory"}, []string{"src/"}},
		{"links by type", reeve.SearchFiles{Pattern: "*", Type: "symlink"}, []string{"dead", "src-link"}},
		{"a link as the start is followed", reeve.SearchFiles{Pattern: "*.go", Path: "src-link"}, []string{"deep/er/util.go", "main.go"}},
		{"a link to a file as the start", reeve.SearchFiles{Pattern: "main*", Path: "src-link/main.go"}, []string{"main.go"}},
		{"a file as the start", reeve.SearchFiles{Pattern: "*", Path: "docs/guide.md", Contains: "NEEDLE"}, []string{"guide.md"}},
		{"a file as the start, not there", reeve.SearchFiles{Pattern: "*", Path: "docs/guide.md", Contains: "thread"}, nil},
		{"by text", reeve.SearchFiles{Pattern: "*", Contains: "needle"}, []string{"docs/guide.md", "src/main.go"}},
		{"hidden too", reeve.SearchFiles{Pattern: "*.go", Hidden: ptr(true)}, []string{".config/main.go", "src/deep/er/util.go", "src/main.go"}},
		{"ignored too", reeve.SearchFiles{Pattern: "main.go", Ignored: true}, []string{"node_modules/lib/main.go", "src/main.go"}},
		{"an ignored folder as the start", reeve.SearchFiles{Pattern: "main.go", Path: "node_modules"}, []string{"lib/main.go"}},
		{"over a size", reeve.SearchFiles{Pattern: "*", LargerThan: ptr(int64(2999))}, []string{"src/deep/er/util.go"}},
		{"exactly that size is not over it", reeve.SearchFiles{Pattern: "*", LargerThan: ptr(int64(3000))}, nil},
		{"under a size", reeve.SearchFiles{Pattern: "*", SmallerThan: ptr(int64(1))}, []string{"empty"}},
		{"long unchanged", reeve.SearchFiles{Pattern: "*", Type: "file", ModifiedBefore: "2h"}, []string{"docs/guide.md"}},
		{"lately changed", reeve.SearchFiles{Pattern: "*.md", ModifiedAfter: "2h"}, nil},
		{"lately created", reeve.SearchFiles{Pattern: "*.{md,go}", CreatedAfter: "1h"}, []string{"docs/guide.md", "src/deep/er/util.go", "src/main.go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.call.CreatedAfter != "" {
				if s, _ := do[*reeve.Facts](w, &reeve.Stat{Path: "empty"}); s.Created.IsZero() {
					t.Skip("no creation times here")
				}
			}
			same(t, "found", found(w, c.call), c.want)
		})
	}
	f, _ := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*", Contains: "needle"})
	if got := skips(f.Skipped); got["binary"] != 1 || got["hidden"] != 1 || got["ignored"] != 1 || len(f.Incomplete) != 0 {
		t.Errorf("%v %v", got, f.Incomplete)
	}
}

func TestSearchArgumentsAreRefusedByName(t *testing.T) {
	w := newWorld(t, "default", nil)
	for name, list := range map[string][]reeve.SearchFiles{
		"pattern":         {{}, {Pattern: "["}, {Pattern: "../x"}, {Pattern: "/etc/*"}, {Pattern: strings.Repeat("*a", 5000) + "b"}, {Pattern: "x/", Contains: "y"}},
		"limit":           {{Pattern: "*", Limit: -1}, {Pattern: "*", Limit: 1_000_001}},
		"type":            {{Pattern: "*", Type: "socket"}, {Pattern: "*", Type: "directory", LargerThan: ptr(int64(1))}},
		"sort":            {{Pattern: "*", Sort: "oldest"}},
		"contains":        {{Pattern: "*", Contains: strings.Repeat("x", 2000)}, {Pattern: "*", Contains: "x", Type: "symlink"}},
		"larger_than":     {{Pattern: "*", LargerThan: ptr(int64(-1))}},
		"smaller_than":    {{Pattern: "*", SmallerThan: ptr(int64(-1))}, {Pattern: "*", LargerThan: ptr(int64(5)), SmallerThan: ptr(int64(6))}},
		"modified_after":  {{Pattern: "*", ModifiedAfter: "soon"}, {Pattern: "*", ModifiedAfter: "9999-01-01"}},
		"modified_before": {{Pattern: "*", ModifiedBefore: "1.5d"}, {Pattern: "*", ModifiedAfter: "1d", ModifiedBefore: "2d"}},
		"created_after":   {{Pattern: "*", CreatedAfter: "-1d"}},
		"created_before":  {{Pattern: "*", CreatedBefore: "x"}, {Pattern: "*", CreatedAfter: "2026-05-02", CreatedBefore: "2026-05-01"}},
	} {
		for _, c := range list {
			if words := w.refusedWith(&c, reeve.Invalid); !strings.Contains(words, "argument "+name+" ") || len(words) > 500 {
				t.Errorf("%s: %+v: %.300s", name, c, words)
			}
		}
	}
	w.refusedWith(&reeve.SearchFiles{Pattern: "*", Path: "missing"}, reeve.NotFound)
	w.refusedWith(&reeve.SearchFiles{Pattern: "*", Path: "/etc"}, reeve.OutsideRoots)
	w.files("f")
	w.refusedWith(&reeve.SearchFiles{Pattern: "*", Path: "f", Cursor: sealed(cursor{
		query: findQuery(&reeve.SearchFiles{Pattern: "*", Path: "f"}), sort: sortPath, rel: "f"})}, reeve.Invalid)
}

func TestProtectedFilesAreNeverHits(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(home+"/.ssh", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(home+"/.ssh/config", []byte("needle"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := grant(t, "default", nil, home, dir)
	w.write("id_rsa", "needle")
	w.write("a/secret.pem", "needle")
	w.write("a/plain.txt", "needle")
	w.write("linked.txt", "needle")
	// The same file under a name that no rule knows.
	if err := os.Link(home+"/.ssh/config", w.path("innocent.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(w.path("linked.txt"), w.path("twin.txt")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []reeve.SearchFiles{{Pattern: "*"}, {Pattern: "*", Contains: "needle"}, {Pattern: "*", Sort: "newest"},
		{Pattern: "*", Contains: "NEEDLE", Hidden: ptr(true), Ignored: true}, {Pattern: "{id_rsa,*.pem,innocent*,*.txt}"}} {
		f, _ := do[*reeve.Found](w, &c)
		names := sorted(entryNames(f.Entries))
		names = slices.DeleteFunc(names, func(s string) bool { return s == "a/" })
		same(t, fmt.Sprintf("%+v", c), names, []string{"a/plain.txt", "linked.txt", "twin.txt"})
		if got := skips(f.Skipped)["protected"]; got != 3 {
			t.Errorf("%+v: %d protected", c, got)
		}
	}
}

func TestOfMoreThanTheLimitACursorShowsTheRest(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.files("a", "b", "c")
	f, _ := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*", Limit: 3})
	if len(f.Entries) != 3 || f.Cursor != "" {
		t.Errorf("exactly the limit is complete: %+v", f)
	}
	f, _ = do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*", Limit: 2})
	if len(f.Entries) != 2 || f.Cursor == "" || len(f.Incomplete) != 0 {
		t.Errorf("%+v", f)
	}
	// The number asked for may change from page to page.
	f, _ = do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*", Limit: 50, Cursor: f.Cursor})
	same(t, "the rest", entryNames(f.Entries), []string{"c"})
}

func TestAChangeWhereItGoesOnIsSaid(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.SearchResults = 2 })
	w.files("a/b/1", "a/b/2", "a/b/3", "z")
	search := reeve.SearchFiles{Pattern: "*", Type: "file"}
	list := reeve.ListDirectory{Path: ".", Recursive: true, MaxEntries: 4}
	f, _ := do[*reeve.Found](w, &search)
	l, _ := do[*reeve.Listing](w, &list)
	search.Cursor, list.Cursor, search.Limit = f.Cursor, l.Cursor, 10
	both := func(what string, changed bool, names ...string) {
		t.Helper()
		f, _ := do[*reeve.Found](w, &search)
		l, _ := do[*reeve.Listing](w, &list)
		if f.Changed != changed || l.Changed != changed {
			t.Errorf("%s: the search says %v, the listing %v", what, f.Changed, l.Changed)
		}
		same(t, what, entryNames(f.Entries), names)
		same(t, what, entryNames(l.Entries), names)
	}
	both("nothing changed", false, "a/b/3", "z")
	w.write("a/b/3", "other content")
	both("content is not the folder's", false, "a/b/3", "z")
	time.Sleep(15 * time.Millisecond)
	w.files("a/b/4")
	both("a file came", true, "a/b/3", "a/b/4", "z")
	if err := os.RemoveAll(w.path("a/b")); err != nil {
		t.Fatal(err)
	}
	both("its folder went", true, "z")
}

func TestACappedWalkGoesOnToo(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.WalkEntries = 7 })
	var want []string
	for i := range 5 {
		for j := range 5 {
			rel := fmt.Sprintf("d%d/f%d", i, j)
			w.files(rel)
			if j == 3 {
				want = append(want, rel)
			}
		}
	}
	var got []string
	c := reeve.SearchFiles{Pattern: "f3"}
	for range 20 {
		f, notes := do[*reeve.Found](w, &c)
		got = append(got, entryNames(f.Entries)...)
		if f.Looked > 7 {
			t.Fatalf("looked at %d", f.Looked)
		}
		if c.Cursor = f.Cursor; c.Cursor == "" {
			break
		}
		if !slices.Equal(f.Incomplete, []string{"cap"}) || len(notes) == 0 {
			t.Fatalf("%+v %q", f, notes)
		}
	}
	same(t, "all pages", got, want)
}

func TestDepthIsBoundedAndSaid(t *testing.T) {
	w := newWorld(t, "lam", func(s *reeve.Settings) { s.SearchDepth = 2 })
	w.files("a/x.txt", "a/b/x.txt", "x.txt")
	f, notes := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*.txt", Path: w.dir})
	same(t, "found", entryNames(f.Entries), []string{"a/x.txt", "x.txt"})
	if !slices.Equal(f.Incomplete, []string{"depth"}) || len(notes) == 0 {
		t.Errorf("%v %q", f.Incomplete, notes)
	}
	w.refusedWith(&reeve.SearchFiles{Pattern: "a/*.txt", Path: w.dir}, reeve.Invalid) // base names only
}

func TestAVeryDeepTreeEnds(t *testing.T) {
	w := newWorld(t, "default", nil)
	dir := w.dir
	for range 300 {
		dir += "/d"
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f, notes := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*", Limit: 1000})
	if len(f.Entries) != maxDepth || !slices.Equal(f.Incomplete, []string{"depth"}) || len(notes) == 0 {
		t.Errorf("%d entries, %v, %q", len(f.Entries), f.Incomplete, notes)
	}
}

func TestWhenTheTimeIsUpWhatWasFoundIsGiven(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.SearchTime = 1 })
	w.files("a", "b")
	f, notes := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*"})
	if !slices.Equal(f.Incomplete, []string{"time"}) || len(notes) == 0 {
		t.Errorf("%+v %q", f, notes)
	}
	w.cur.Settings.SearchTime = time.Minute
	// The caller's own deadline ends it in time as well, shortly before.
	for i := range 200 {
		w.files(fmt.Sprintf("many/%s%d", strings.Repeat("a", 200), i))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	res, err := w.try(ctx, &reeve.SearchFiles{Pattern: strings.Repeat("*a", 400) + "b"})
	switch {
	case err != nil && !errors.Is(err, reeve.Timeout):
		t.Error(err)
	case err == nil && res.Answer.(*reeve.Found).Looked == 0:
		t.Errorf("%+v", res.Answer)
	}
}

func TestACancelledSearchEnds(t *testing.T) {
	w := newWorld(t, "default", nil)
	for i := range 100 {
		w.files(fmt.Sprintf("d%d/f", i))
	}
	for _, after := range []int{0, 1, 20} {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for range after {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		for {
			if _, err := w.try(ctx, &reeve.SearchFiles{Pattern: "*", Contains: "nothing"}); err != nil {
				if !errors.Is(err, reeve.Cancelled) {
					t.Errorf("%v", err)
				}
				break
			}
		}
		cancel()
	}
}

func TestProgressIsToldOfALongSearch(t *testing.T) {
	var told atomic.Int64
	ctx := reeve.WithProgress(context.Background(), func(p reeve.Progress) { told.Store(p.Done) })
	c := newClock(ctx, time.Hour, "Searching", func() int64 { return 42 })
	if err := c.tick(); err != nil || told.Load() != 0 {
		t.Fatalf("told at once: %v", err)
	}
	c.progress = time.Now().Add(-time.Millisecond)
	if err := c.tick(); err != nil || told.Load() != 42 {
		t.Errorf("not told: %v", err)
	}
}

func TestOnlyTheFirstBytesOfEachFileInLam(t *testing.T) {
	w := newWorld(t, "lam", nil)
	w.write("early.txt", "needle"+strings.Repeat(".", 70_000))
	w.write("late.txt", strings.Repeat(".", 70_000)+"needle")
	f, notes := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*", Path: w.dir, Contains: "needle"})
	same(t, "found", entryNames(f.Entries), []string{"early.txt"})
	if !strings.Contains(strings.Join(notes, " "), "65536 bytes") {
		t.Errorf("the bound was not said: %q", notes)
	}
}

func TestOfSeveralFoldersItSaysWhichWasSearched(t *testing.T) {
	a := newWorld(t, "default", nil)
	b := newWorld(t, "default", nil)
	a.files("x")
	b.files("y")
	w := grant(t, "default", nil, t.TempDir(), a.dir, b.dir)
	f, notes := do[*reeve.Found](w, &reeve.SearchFiles{Pattern: "*"})
	same(t, "found", entryNames(f.Entries), []string{"x"})
	if len(notes) != 1 || !strings.Contains(notes[0], "list_roots") {
		t.Errorf("%q", notes)
	}
}

// naiveFind is a search the plain way.
func naiveFind(t testing.TB, w *world, base string, c reeve.SearchFiles) []hit {
	t.Helper()
	g, err := search.Compile(c.Pattern, search.GlobOptions{})
	if err != nil {
		t.Fatal(err)
	}
	skip := map[string]bool{}
	if !c.Ignored {
		skip["node_modules"] = true
	}
	var out []hit
	naiveTree(t, w.path(base), "", byName, *c.Hidden, skip, func(rel string, it item) {
		name := path.Base(rel)
		if it.kind == directory && skip[name] || g.Folders() && it.kind != directory || !g.Match(rel, name) || c.Type != "" && string(it.kind.file()) != c.Type {
			return
		}
		info, err := os.Lstat(w.path(base + "/" + rel))
		if err != nil {
			t.Fatal(err)
		}
		if c.Contains != "" {
			if it.kind != file {
				return
			}
			b, err := os.ReadFile(w.path(base + "/" + rel))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), "\x00") || !strings.Contains(strings.ToLower(string(b)), strings.ToLower(c.Contains)) {
				return
			}
		}
		if c.LargerThan != nil && (it.kind != file || info.Size() <= *c.LargerThan) {
			return
		}
		out = append(out, hit{rel: rel, kind: it.kind, facts: facts{modified: info.ModTime().UnixNano()}})
	})
	return out
}

func TestPagesOfASearchMakeThePlainAnswer(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.SkipDirs = []string{"node_modules"} })
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		base := fmt.Sprintf("t%d", n)
		randomTree(t, w, base)
		c := reeve.SearchFiles{Path: w.path(base),
			Pattern: rapid.SampledFrom([]string{"*", "**/*", "a*", "*/*", "a/**", "{a,b}/**/*", "?", "**/a/**", "b/", "é", "[!a]*"}).Draw(t, "pattern"),
			Type:    rapid.SampledFrom([]string{"", "", "file", "directory", "symlink"}).Draw(t, "type"),
			Hidden:  ptr(rapid.Bool().Draw(t, "hidden")), Ignored: rapid.Bool().Draw(t, "ignored"),
			Sort:  rapid.SampledFrom([]string{"", "path", "newest"}).Draw(t, "sort"),
			Limit: rapid.IntRange(1, 6).Draw(t, "limit"),
		}
		w.cur.Settings.WalkEntries = 200_000
		switch rapid.IntRange(0, 3).Draw(t, "more") {
		case 0:
			c.Contains = "needle"
		case 1:
			c.LargerThan = ptr(int64(5))
		case 2:
			if c.Sort != "newest" {
				w.cur.Settings.WalkEntries = rapid.IntRange(1, 5).Draw(t, "walk")
			}
		}
		if c.Contains != "" && c.Type != "" && c.Type != "file" || c.Pattern == "b/" && (c.Contains != "" || c.LargerThan != nil || c.Type != "") ||
			c.LargerThan != nil && c.Type != "" && c.Type != "file" {
			t.Skip("nothing could meet these")
		}
		want := naiveFind(w.t, w, base, c)
		if c.Sort == "newest" {
			slices.SortFunc(want, compareNewest)
		}
		var got []string
		for range 1000 {
			f, _ := do[*reeve.Found](w, &c)
			for _, e := range f.Entries {
				got = append(got, e.Name.String())
			}
			if f.Changed {
				t.Fatal("called changed")
			}
			if c.Cursor = f.Cursor; c.Cursor == "" {
				break
			}
		}
		var names []string
		for _, h := range want {
			names = append(names, escapeRel(h.rel))
		}
		if !slices.Equal(got, names) {
			t.Fatalf("%+v:\n got %q\nwant %q", c, got, names)
		}
	})
}

func TestWhatFailsBelowTheStart(t *testing.T) {
	code := func(k reeve.Kind, c reeve.Code) error {
		return fmt.Errorf("wrapped: %w", &reeve.Error{Kind: k, Code: c})
	}
	for _, c := range []struct {
		err  error
		want outcome
	}{
		{nil, fine},
		{code(reeve.Policy, reeve.Protected), refused},
		{code(reeve.Policy, reeve.ReeveOwn), refused},
		{code(reeve.Policy, reeve.RootSuspended), refused},
		{code(reeve.IO, reeve.Permission), unreadable},
		{code(reeve.IO, reeve.SpecialFile), odd},
		{code(reeve.IO, reeve.NotFound), gone},
		{code(reeve.IO, reeve.NotDirectory), gone},
		{code(reeve.IO, reeve.Changed), gone},
		{code(reeve.IO, reeve.Failed), fatal},
		{code(reeve.IO, reeve.MountDead), fatal},
		{code(reeve.IO, reeve.Timeout), fatal},
		{context.Canceled, fatal},
		{errors.New("input/output error"), fatal},
	} {
		if got := outcomeOf(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

func TestWithoutABirthTimeNothingWasCreatedThen(t *testing.T) {
	m, err := newMatcher(&reeve.SearchFiles{Pattern: "*", CreatedBefore: "1d"}, reeve.Settings{}, time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	if m.byFacts(file, facts{}) || m.unborn != 1 {
		t.Error("an unknown time of creation was taken for an old one")
	}
	if !m.byFacts(file, facts{birth: 5}) || m.unborn != 1 {
		t.Error("a known one was not")
	}
}

func TestPathsStandInTheOrderOfTheWalk(t *testing.T) {
	list := []string{"a", "a/b", "a/b/c", "a/c", "a b", "a-b", "a.b", "a0", "b"}
	for i := range list {
		for j := range list {
			if got := comparePaths(list[i], list[j]); got < 0 != (i < j) || got == 0 != (i == j) {
				t.Errorf("%q and %q: %d", list[i], list[j], got)
			}
		}
	}
}

// A folder of more entries than are held at once is taken in portions.
func TestPortionsOfAFolderMissNothing(t *testing.T) {
	w := newWorld(t, "default", nil)
	const n = 1500
	for i := range n {
		w.files(fmt.Sprintf("%06d", i*7919%n))
	}
	next := 0
	wk := &walker{entries: 1 << 30, tick: func() error { return nil }, held: maxHeld}
	wk.visit = func(s step) error {
		if s.item.name != fmt.Sprintf("%06d", next) {
			return fmt.Errorf("%s stands at %d", s.item.name, next)
		}
		next++
		return nil
	}
	if err := walkIn(w, wk); err != nil || next != n {
		t.Fatal(next, err)
	}
}

// What is touched between two pages of the newest first moves to the front of
// them, where no later page shows it.
func TestNewestFirstSaysWhenAFileWasTouchedBetweenPages(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.files("a", "b", "c", "d")
	old := time.Now().Add(-time.Hour)
	for i, name := range []string{"a", "b", "c", "d"} {
		at := old.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(w.path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	page := func(cursor string) *reeve.Found {
		r, err := w.try(t.Context(), &reeve.SearchFiles{Pattern: "*", Path: w.dir, Sort: "newest", Limit: 2, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		return r.Answer.(*reeve.Found)
	}
	first := page("")
	if next := page(first.Cursor); next.Changed || len(next.Entries) != 2 {
		t.Errorf("nothing was touched, and the page says changed %v, with %d entries", next.Changed, len(next.Entries))
	}
	time.Sleep(20 * time.Millisecond) // a file system's clock may lag by a tick
	w.write("a", "touched")
	if next := page(first.Cursor); !next.Changed || len(next.Entries) != 1 {
		t.Errorf("a file was touched, and the page says changed %v, with %d entries", next.Changed, len(next.Entries))
	}
}
