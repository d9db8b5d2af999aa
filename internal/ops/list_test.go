package ops

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reeve"
	"reeve/internal/guard"
)

func TestAFolderIsListedFoldersFirstByBytes(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.files("b.txt", "B.txt", "a10", "a9", "é", "zoo/x", "apes/x", ".hidden", ".hid/x", "pub.pem")
	w.link("b.txt", "link")
	w.link("zoo", "linked-folder")
	l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: "."})
	same(t, "the listing", entryNames(l.Entries), []string{"apes/", "zoo/", "B.txt", "a10", "a9", "b.txt", "link", "linked-folder", "pub.pem protected", "é"})
	if got := skips(l.Skipped); len(got) != 1 || got["hidden"] != 2 || l.Left != 0 || l.Cursor != "" {
		t.Errorf("left out %v, left %d, cursor %q", got, l.Left, l.Cursor)
	}
	for _, e := range l.Entries {
		switch name := e.Name.String(); {
		case name == "pub.pem" && (e.Size != 0 || !e.Modified.IsZero()):
			t.Errorf("facts of a protected file were told: %+v", e)
		case name == "b.txt" && (e.Size != 1 || e.Modified.IsZero()):
			t.Errorf("no facts: %+v", e)
		}
	}
	l, _ = do[*reeve.Listing](w, &reeve.ListDirectory{Path: w.dir, Hidden: true})
	if n := len(l.Entries); n != 12 || len(l.Skipped) != 0 {
		t.Errorf("with hidden: %d entries, left out %v", n, l.Skipped)
	}
}

func TestAListingGoesOnWhereThePageEnded(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.ListEntries = 3 })
	w.files("a/x", "b/x", "c", "d", "e", "f", "g")
	first, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: "."})
	same(t, "first page", entryNames(first.Entries), []string{"a/", "b/", "c"})
	if first.Left != 4 || first.Cursor == "" || first.Changed {
		t.Fatalf("%+v", first)
	}
	second, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Cursor: first.Cursor})
	same(t, "second page", entryNames(second.Entries), []string{"d", "e", "f"})
	if second.Left != 1 || second.Changed {
		t.Errorf("%+v", second)
	}
	// Where the last entry shown was removed, and another came, it says so and
	// goes on by name.
	time.Sleep(15 * time.Millisecond) // the clock that stamps folders ticks
	if err := os.Remove(w.path("c")); err != nil {
		t.Fatal(err)
	}
	w.files("cc")
	again, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Cursor: first.Cursor})
	same(t, "after a change", entryNames(again.Entries), []string{"cc", "d", "e"})
	if !again.Changed {
		t.Error("the change was not said")
	}
}

func TestACursorServesItsOwnQuestionOnly(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.ListEntries, s.SearchResults = 1, 1 })
	w.files("a/x", "a/y", "b/x", "b/y")
	l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: "a"})
	f, _ := do[*reeve.Found](w, &reeve.SearchFiles{Path: "a", Pattern: "*"})
	if l.Cursor == "" || f.Cursor == "" {
		t.Fatal("no cursor")
	}
	raw, err := base64.RawURLEncoding.DecodeString(l.Cursor)
	if err != nil {
		t.Fatal(err)
	}
	flip := slices.Clone(raw)
	flip[len(flip)-6] ^= 1
	for what, c := range map[string]reeve.Call{
		"another folder":        &reeve.ListDirectory{Path: "b", Cursor: l.Cursor},
		"other arguments":       &reeve.ListDirectory{Path: "a", Hidden: true, Cursor: l.Cursor},
		"a recursive listing":   &reeve.ListDirectory{Path: "a", Recursive: true, Cursor: l.Cursor},
		"a search's cursor":     &reeve.ListDirectory{Path: "a", Cursor: f.Cursor},
		"a listing's cursor":    &reeve.SearchFiles{Path: "a", Pattern: "*", Cursor: l.Cursor},
		"another pattern":       &reeve.SearchFiles{Path: "a", Pattern: "x", Cursor: f.Cursor},
		"another order":         &reeve.SearchFiles{Path: "a", Pattern: "*", Sort: "newest", Cursor: f.Cursor},
		"a letter changed":      &reeve.ListDirectory{Path: "a", Cursor: base64.RawURLEncoding.EncodeToString(flip)},
		"cut short":             &reeve.ListDirectory{Path: "a", Cursor: l.Cursor[:len(l.Cursor)-4]},
		"a newline in it":       &reeve.ListDirectory{Path: "a", Cursor: l.Cursor[:8] + "\n" + l.Cursor[8:]},
		"padding after it":      &reeve.ListDirectory{Path: "a", Cursor: l.Cursor + "="},
		"nonsense":              &reeve.ListDirectory{Path: "a", Cursor: "next"},
		"ten megabytes":         &reeve.ListDirectory{Path: "a", Cursor: strings.Repeat("A", 10<<20)},
		"a name that goes up":   &reeve.ListDirectory{Path: "a", Cursor: sealed(cursor{query: listQuery(&reeve.ListDirectory{Path: "a"}), sort: sortList, rel: ".."})},
		"another computer's":    &reeve.ListDirectory{Path: "a", Cursor: (&seal{}).text(cursor{query: listQuery(&reeve.ListDirectory{Path: "a"}), sort: sortList, rel: "x"})},
		"a path in a flat list": &reeve.ListDirectory{Path: "a", Cursor: sealed(cursor{query: listQuery(&reeve.ListDirectory{Path: "a"}), sort: sortList, rel: "x/y"})},
	} {
		if words := w.refusedWith(c, reeve.Invalid); !strings.Contains(words, "cursor") || len(words) > 1000 {
			t.Errorf("%s: %.300s", what, words)
		}
	}
}

func TestALinkIsListedWithItsOwnText(t *testing.T) {
	w := newWorld(t, "default", nil)
	var shown []reeve.Entry
	verb := replyVerb(func(r *guard.Reply) {
		s := shelf{r: r}
		s.put("a/link", symlink, facts{link: "../b\n/c", modified: 1}, false)
		s.put("b", symlink, facts{link: "/etc"}, true)
		shown = s.entries
	})
	gate, err := w.with(map[reeve.Verb]guard.Verb{reeve.VerbListRoots: verb})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.Do(context.Background(), reeve.Request{Call: &reeve.ListRoots{}}); err != nil {
		t.Fatal(err)
	}
	if l := shown[0].Link.String(); l != `../$'b\n'/c` || shown[0].Modified.IsZero() {
		t.Errorf("%s, %+v", l, shown[0])
	}
	if !shown[1].Link.IsZero() {
		t.Error("a protected link's text was told")
	}
}

func TestListArgumentsAreRefusedByName(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.files("f")
	for name, c := range map[string]*reeve.ListDirectory{
		"path":        {},
		"depth":       {Path: ".", Depth: 2},
		"max_entries": {Path: ".", MaxEntries: 2},
	} {
		if words := w.refusedWith(c, reeve.Invalid); !strings.Contains(words, name) {
			t.Errorf("%s: %s", name, words)
		}
	}
	for _, c := range []*reeve.ListDirectory{
		{Path: ".", Recursive: true, Depth: -1}, {Path: ".", Recursive: true, Depth: 33}, {Path: ".", Recursive: true, Depth: 1 << 40},
		{Path: ".", Recursive: true, MaxEntries: -1}, {Path: ".", Recursive: true, MaxEntries: 1001},
	} {
		w.refusedWith(c, reeve.Invalid)
	}
	if words := w.refusedWith(&reeve.ListDirectory{Path: "f"}, reeve.NotDirectory); !strings.Contains(words, "not a folder") {
		t.Error(words)
	}
	w.refusedWith(&reeve.ListDirectory{Path: "missing"}, reeve.NotFound)
	w.refusedWith(&reeve.ListDirectory{Path: "/"}, reeve.OutsideRoots)
}

func TestATreeIsListedDepthFirst(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.files("a/b/c/d", "a/x", "z", "m/y", "node_modules/lib/x.js", ".git/config", "a/.env")
	w.link("a", "to-a")
	w.link("..", "a/up")
	l, notes := do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true})
	same(t, "the tree", entryNames(l.Entries), []string{"a/", "a/b/", "a/b/c/", "a/b/c/d", "a/up", "a/x", "m/", "m/y", "node_modules/", "to-a", "z"})
	if got := skips(l.Skipped); got["hidden"] != 2 || got["ignored"] != 1 || l.Truncated != "" {
		t.Errorf("left out %v, truncated %q", got, l.Truncated)
	}
	if !strings.Contains(strings.Join(notes, " "), "node_modules") {
		t.Errorf("notes %q", notes)
	}
	l, notes = do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true, Depth: 2})
	same(t, "two levels", entryNames(l.Entries), []string{"a/", "a/b/", "a/up", "a/x", "m/", "m/y", "node_modules/", "to-a", "z"})
	if l.Truncated != "depth" || skips(l.Skipped)["depth"] != 1 || len(notes) == 0 {
		t.Errorf("truncated %q, left out %v, notes %q", l.Truncated, l.Skipped, notes)
	}
	l, _ = do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true, Hidden: true})
	if !slices.Contains(entryNames(l.Entries), "a/.env protected") {
		t.Errorf("%q", entryNames(l.Entries))
	}
	l, _ = do[*reeve.Listing](w, &reeve.ListDirectory{Path: "node_modules", Recursive: true})
	same(t, "an ignored folder by its own path", entryNames(l.Entries), []string{"lib/", "lib/x.js"})
}

func TestATreeOfExactlyTheCapIsComplete(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.files("a/1", "a/2", "b")
	l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true, MaxEntries: 4})
	if len(l.Entries) != 4 || l.Truncated != "" || l.Cursor != "" {
		t.Errorf("%+v", l)
	}
	l, notes := do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true, MaxEntries: 3})
	if len(l.Entries) != 3 || l.Truncated != "entries" || l.Cursor == "" || len(notes) == 0 {
		t.Errorf("%+v %q", l, notes)
	}
	w.cur.Settings.WalkEntries = 4
	l, _ = do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true})
	if len(l.Entries) != 4 || l.Truncated != "" {
		t.Errorf("%+v", l)
	}
	w.cur.Settings.WalkEntries = 3
	l, _ = do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Recursive: true})
	if len(l.Entries) != 3 || l.Truncated != "entries" || l.Cursor == "" {
		t.Errorf("%+v", l)
	}
}

func TestAListingStaysInItsBudget(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.ReplyBytes = 2000 })
	for i := range 100 {
		w.files(fmt.Sprintf("folder/%03d-%s", i, strings.Repeat("n", 100)))
	}
	for _, recursive := range []bool{false, true} {
		var all []string
		cur := ""
		for pages := 0; ; pages++ {
			l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: "folder", Recursive: recursive, Cursor: cur})
			all = append(all, entryNames(l.Entries)...)
			if len(l.Entries) > 2000/140 || len(l.Entries) == 0 {
				t.Fatalf("a page of %d entries", len(l.Entries))
			}
			if cur = l.Cursor; cur == "" {
				break
			}
		}
		if len(all) != 100 || !slices.IsSorted(all) {
			t.Errorf("recursive %v: %d entries in all", recursive, len(all))
		}
	}
}

// naiveTree is the plain way: everything below a folder, in the order of the
// verbs.
func naiveTree(t testing.TB, dir, prefix string, o order, hidden bool, skip map[string]bool, show func(rel string, it item)) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(prefix)))
	if err != nil {
		t.Fatal(err)
	}
	var items []item
	for _, e := range list {
		it := item{name: e.Name(), kind: file}
		switch {
		case e.IsDir():
			it.kind = directory
		case e.Type()&os.ModeSymlink != 0:
			it.kind = symlink
		}
		if hidden || !strings.HasPrefix(it.name, ".") {
			items = append(items, it)
		}
	}
	slices.SortFunc(items, o.compare)
	for _, it := range items {
		show(prefix+it.name, it)
		if it.kind == directory && !skip[it.name] {
			naiveTree(t, dir, prefix+it.name+"/", o, hidden, skip, show)
		}
	}
}

// randomTree draws a tree of odd and ordinary names below base.
func randomTree(t *rapid.T, w *world, base string) {
	names := []string{"a", "b", "A", "ab", "a-b", "a.b", ".h", "node_modules", "é", "z z", "b'", "$'x"}
	if runtime.GOOS == "linux" {
		names = append(names, "x\ny", "caf\xe9", "\u202egnp", "e\u0301", "a\\b", "a\x01")
	}
	name := rapid.SampledFrom(names)
	w.write(base+"/", "")
	for _, parts := range rapid.SliceOfN(rapid.SliceOfN(name, 1, 4), 0, 25).Draw(t, "tree") {
		rel := base + "/" + strings.Join(parts, "/")
		os.MkdirAll(filepath.Dir(w.path(rel)), 0o755) // a file may be in the way: then the next path is tried
		if _, err := os.Lstat(w.path(rel)); err == nil {
			continue
		}
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			os.Symlink(rapid.SampledFrom([]string{".", "..", "a", "missing", "/"}).Draw(t, "text"), w.path(rel))
		case 1, 2:
			os.Mkdir(w.path(rel), 0o755)
		default:
			os.WriteFile(w.path(rel), []byte(rapid.SampledFrom([]string{"", "x", "needle", "a NEEDLE b", "bin\x00ary"}).Draw(t, "content")), 0o644)
		}
	}
}

func TestPagesOfAListingMakeTheWhole(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.SkipDirs = []string{"node_modules"} })
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		base := fmt.Sprintf("t%d", n)
		randomTree(t, w, base)
		hidden := rapid.Bool().Draw(t, "hidden")
		w.cur.Settings.ListEntries = rapid.IntRange(1, 5).Draw(t, "page")
		most := rapid.IntRange(1, 7).Draw(t, "most")
		var flat, tree []string
		naiveTree(w.t, w.path(base), "", foldersFirst, hidden, map[string]bool{"node_modules": true}, func(rel string, it item) {
			shown := escapeRel(rel)
			if it.kind == directory {
				shown += "/"
			}
			tree = append(tree, shown)
			if !strings.Contains(rel, "/") {
				flat = append(flat, shown)
			}
		})
		for _, recursive := range []bool{false, true} {
			c := &reeve.ListDirectory{Path: w.path(base), Hidden: hidden, Recursive: recursive}
			want := flat
			if recursive {
				c.MaxEntries, want = most, tree
			}
			var got []string
			for range len(want) + 2 {
				l, _ := do[*reeve.Listing](w, c)
				got = append(got, entryNames(l.Entries)...)
				if !recursive && l.Left != len(want)-len(got) {
					t.Fatalf("left %d after %d of %d", l.Left, len(got), len(want))
				}
				if l.Changed {
					t.Fatal("called changed")
				}
				if c.Cursor = l.Cursor; c.Cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("recursive %v:\n got %q\nwant %q", recursive, got, want)
			}
		}
	})
}

// What a listing shows is what stat takes back, whatever the name is made of.
func TestOddNamesGoRound(t *testing.T) {
	linux(t)
	w := newWorld(t, "default", nil)
	names := []string{"new\nline", "caf\xe9", "\u202etxt.exe", "tab\there", "quote'", `back\slash`, "$'fake'", "e\u0301", "a\x7fb", " lead", "zero\u200bwidth", "\xff\xfe"}
	for _, n := range names {
		w.files("d/" + n)
	}
	l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: "d"})
	if len(l.Entries) != len(names) {
		t.Fatalf("%d entries of %d", len(l.Entries), len(names))
	}
	for _, e := range l.Entries {
		shown := e.Name.String()
		if strings.ContainsAny(shown, "\n\t\x7f\u202e\u200b") {
			t.Errorf("shown as it is: %q", shown)
		}
		s, _ := do[*reeve.Facts](w, &reeve.Stat{Path: "d/" + shown})
		if s.Kind != reeve.File || !strings.HasSuffix(s.Path.String(), "/"+shown) {
			t.Errorf("%s: %+v", shown, s)
		}
		p, _ := do[*reeve.Pages](w, &reeve.ReadFile{Paths: []string{"d/" + shown}})
		if len(p.Pages[0].Lines) != 1 {
			t.Errorf("%s: not read", shown)
		}
		f, _ := do[*reeve.Found](w, &reeve.SearchFiles{Path: "d", Pattern: globOf(shown)})
		if len(f.Entries) == 0 || !slices.Contains(entryNames(f.Entries), shown) {
			t.Errorf("%s: not found by its shown name: %q", shown, entryNames(f.Entries))
		}
	}
}

// globOf is how a name as shown is written in a pattern.
func globOf(shown string) string {
	if strings.HasPrefix(shown, "$'") {
		return shown
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(shown)
}

func manyEntries(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("entry-%07d.txt", i*7919%n)))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return dir
}

func TestAHugeFolderCostsAPageOfMemory(t *testing.T) {
	const n = 4000
	dir, err := filepath.EvalSymlinks(manyEntries(t, n))
	if err != nil {
		t.Fatal(err)
	}
	w := grant(t, "default", nil, t.TempDir(), dir)
	c := &reeve.ListDirectory{Path: dir}
	for page := range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		l, _ := do[*reeve.Listing](w, c)
		runtime.ReadMemStats(&after)
		if len(l.Entries) != 200 || l.Left != n-200*(page+1) {
			t.Fatalf("%d entries, %d left", len(l.Entries), l.Left)
		}
		if got, want := l.Entries[0].Name.String(), fmt.Sprintf("entry-%07d.txt", 200*page); got != want {
			t.Errorf("page %d starts at %s", page, got)
		}
		// Each name passes by once, some 32 bytes of garbage; the rest is a
		// page's, and the buffers' of the file system.
		if all := after.TotalAlloc - before.TotalAlloc; all > 512<<10 {
			t.Errorf("page %d allocated %d bytes", page, all)
		}
		c.Cursor = l.Cursor
	}
}

func TestPickingHoldsAPageOnly(t *testing.T) {
	const n = 1_000_000
	p := picker{order: foldersFirst, max: 200}
	for i := range n {
		p.offer(item{name: strconv.Itoa(1_000_000 + i*7919%n), kind: file})
	}
	if cap(p.kept) > 512 || p.total != n {
		t.Fatalf("holds %d of %d", cap(p.kept), p.total)
	}
	for i, it := range p.sorted() {
		if it.name != strconv.Itoa(1_000_000+i) {
			t.Fatalf("%s stands at %d", it.name, i)
		}
	}
}
