package ops

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"reeve"
)

func seeds() []cursor {
	q := queryOf(&reeve.ListDirectory{Path: "a"})
	return []cursor{
		{query: q, sort: sortList, rel: "a"},
		{query: q, sort: sortList, rel: "a/b\xff", isDir: true, time: -1, mtime: 1 << 62},
		{query: q, sort: sortList, rel: strings.Repeat("n", 32)},
		{query: q, sort: sortList, rel: strings.Repeat("n", 33)},
		{query: q, sort: sortList, rel: "../x"},
	}
}

// What is inside a cursor: whatever a holder of the key may have put there.
func FuzzCursor(f *testing.F) {
	for _, c := range seeds() {
		f.Add(c.plain())
	}
	f.Add([]byte("AAAA"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, ok := parseCursor(b)
		if !ok {
			return
		}
		if again := c.plain(); !bytes.Equal(again, b) {
			t.Fatalf("%q is taken for %q", b, again)
		}
		if c.rel == "" || strings.HasPrefix(c.rel, "/") || slices.Contains(strings.Split(c.rel, "/"), "..") {
			t.Fatalf("goes on at %q", c.rel)
		}
	})
}

// What a caller sends as a cursor.
func FuzzSealedCursor(f *testing.F) {
	s := &seal{secret: worldKey}
	q := seeds()[0].query
	for _, c := range seeds() {
		f.Add(s.text(c))
	}
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := s.read(reeve.VerbListDirectory, text, sortList, q)
		if err != nil {
			if !errors.Is(err, reeve.Invalid) {
				t.Fatal(err)
			}
			return
		}
		if again, err := s.read(reeve.VerbListDirectory, s.text(c), sortList, q); err != nil || again != c {
			t.Fatalf("%q leads to %+v, and that to %+v (%v)", text, c, again, err)
		}
	})
}

func TestACursorServesAnotherProcessOfTheSameState(t *testing.T) {
	c := seeds()[0]
	read := func(s *seal, text string) error {
		got, err := s.read(reeve.VerbListDirectory, text, sortList, c.query)
		if err == nil && got != c {
			t.Errorf("read as %+v", got)
		}
		return err
	}
	if err := read(&seal{secret: worldKey}, sealed(c)); err != nil {
		t.Errorf("same secret: %v", err)
	}
	own := &seal{}
	if err := read(own, own.text(c)); err != nil {
		t.Errorf("a secret of its own: %v", err)
	}
	// A secret that is too short to be one is as good as none: it must not
	// make cursors that anybody can read.
	short := func() []byte { return []byte("short") }
	for what, s := range map[string]*seal{"no secret": {}, "a short secret": {secret: short}} {
		if read(s, (&seal{secret: short}).text(c)) == nil {
			t.Errorf("%s: took another's cursor", what)
		}
	}
}

// The entry that an answer ends at may be one whose name is not told.
func TestACursorTellsNoName(t *testing.T) {
	const marker = ".env.CANARYNAME"
	w := newWorld(t, "default", func(s *reeve.Settings) {
		s.ListEntries, s.ListMaxEntries, s.SearchResults, s.SearchHidden, s.ListHidden = 1, 1, 1, true, true
	})
	w.files("sub/"+marker, "sub/~", "a", "z")
	// A folder that is found to be protected, and not only a file.
	if err := os.Mkdir(w.path("sub/.env.CANARYNAME2"), 0o700); err != nil {
		t.Fatal(err)
	}
	check := func(what, cursor string) {
		if cursor == "" {
			return
		}
		b, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, part := range []string{marker, "CANARY", "sub"} {
			if bytes.Contains(b, []byte(part)) || strings.Contains(cursor, part) {
				t.Errorf("%s: the cursor tells %q", what, part)
			}
		}
	}
	cursors := 0
	for _, c := range []*reeve.SearchFiles{{Pattern: "*"}, {Pattern: "*", Sort: "newest"}, {Pattern: "*CANARY*"}} {
		for {
			f, notes := do[*reeve.Found](w, c)
			for _, e := range f.Entries {
				if strings.Contains(e.Name.String(), "CANARY") {
					t.Errorf("%s is a hit for %q", e.Name, c.Pattern)
				}
			}
			if strings.Contains(strings.Join(notes, "\n"), "CANARY") {
				t.Errorf("notes: %q", notes)
			}
			for _, s := range f.Skipped {
				for _, p := range s.Paths {
					if strings.Contains(p.String(), "CANARY") {
						t.Errorf("left out: %s", p)
					}
				}
			}
			check("search", f.Cursor)
			if c.Cursor = f.Cursor; c.Cursor == "" {
				break
			}
			cursors++
		}
	}
	for _, c := range []*reeve.ListDirectory{{Path: "sub"}, {Path: ".", Recursive: true}} {
		named := 0
		for {
			l, _ := do[*reeve.Listing](w, c)
			for _, e := range l.Entries {
				if strings.Contains(e.Name.String(), "CANARY") {
					if named++; !e.Protected {
						t.Errorf("%s is not marked", e.Name)
					}
				}
			}
			check("listing", l.Cursor)
			if c.Cursor = l.Cursor; c.Cursor == "" {
				break
			}
			cursors++
		}
		if named != 2 {
			t.Errorf("a listing names %d of the protected entries", named)
		}
	}
	if cursors < 6 {
		t.Fatalf("only %d cursors were looked at", cursors)
	}
}

// Where a walk ended at a protected entry, the cursor is as long as others.
func TestACursorTellsNoLength(t *testing.T) {
	for n := 1; n <= cursorStep; n++ {
		if got := len(sealed(cursor{sort: sortPath, rel: strings.Repeat("n", n)})); got != len(sealed(seeds()[0])) {
			t.Errorf("%d bytes: %d, not %d", n, got, len(sealed(seeds()[0])))
		}
	}
	if n := len(sealed(seeds()[0])); n > 140 {
		t.Errorf("a cursor has %d characters", n)
	}
}

func TestTheSecretIsAskedForOnceAndOnlyWhenNeeded(t *testing.T) {
	asked := 0
	w := newWorld(t, "default", func(s *reeve.Settings) { s.ListEntries = 1 })
	var err error
	if w.gate, err = w.with(Verbs(Options{Key: func() []byte { asked++; return worldKey() }})); err != nil {
		t.Fatal(err)
	}
	w.files("a")
	do[*reeve.Listing](w, &reeve.ListDirectory{Path: "."})
	if asked != 0 {
		t.Error("asked for without a cursor")
	}
	w.files("b")
	l, _ := do[*reeve.Listing](w, &reeve.ListDirectory{Path: "."})
	do[*reeve.Listing](w, &reeve.ListDirectory{Path: ".", Cursor: l.Cursor})
	if asked != 1 {
		t.Errorf("asked for %d times", asked)
	}
}
