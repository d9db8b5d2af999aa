package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reeve"
	"reeve/internal/textcode"
)

func read(w *world, c reeve.ReadFile) (reeve.Page, []string) {
	w.t.Helper()
	p, notes := do[*reeve.Pages](w, &c)
	if len(p.Pages) != 1 {
		w.t.Fatalf("%d pages", len(p.Pages))
	}
	return p.Pages[0], notes
}

func texts(p reeve.Page) []string {
	var out []string
	for _, l := range p.Lines {
		out = append(out, fmt.Sprintf("%d:%s", l.N, l.Text.String()))
	}
	return out
}

func TestAFileIsReadInPages(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.ReadLines = 3 })
	w.write("f", "one\ntwo\nthree\nfour\nfive\n")
	p, _ := read(w, reeve.ReadFile{Paths: []string{"f"}})
	same(t, "first page", texts(p), []string{"1:one", "2:two", "3:three"})
	if p.Stopped != "lines" || p.Next == nil || p.Next.Offset != 4 || p.Total != 5 || !p.Counted || p.Whole || p.Version.IsZero() {
		t.Errorf("%+v", p)
	}
	p, _ = read(w, reeve.ReadFile{Paths: []string{"f"}, Offset: 4})
	same(t, "second page", texts(p), []string{"4:four", "5:five"})
	if p.Stopped != "" || p.Next != nil || p.Whole {
		t.Errorf("%+v", p)
	}
	p, _ = read(w, reeve.ReadFile{Paths: []string{"f"}, Offset: 2, Limit: 1})
	same(t, "one line", texts(p), []string{"2:two"})
	if p.Stopped != "limit" || p.Next == nil || p.Next.Offset != 3 {
		t.Errorf("%+v", p)
	}
	// A limit may be over the profile's number of lines, which is a default.
	p, _ = read(w, reeve.ReadFile{Paths: []string{"f"}, Limit: 100})
	if len(p.Lines) != 5 || !p.Whole || p.Endings != "lf" || p.Encoding != "utf-8" {
		t.Errorf("%+v", p)
	}
	p, _ = read(w, reeve.ReadFile{Paths: []string{"f"}, Offset: -2})
	if len(p.Lines) != 2 || p.Lines[1].Text.String() != "five" {
		t.Errorf("%+v", p)
	}
	p, _ = read(w, reeve.ReadFile{Paths: []string{"f"}, Offset: 9})
	if len(p.Lines) != 0 || p.Total != 5 || !p.Counted || p.Next != nil {
		t.Errorf("past the end: %+v", p)
	}
	p, _ = read(w, reeve.ReadFile{Paths: []string{"f"}, Offset: 3, Column: 3})
	if l := p.Lines[0]; l.Text.String() != "ree" || l.Column != 3 {
		t.Errorf("%+v", l)
	}
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.write("pic.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	w.write("folder/x", "x")
	w.write(".env", "SECRET")
	for _, c := range []struct {
		name string
		call reeve.ReadFile
		code reeve.Code
		says string
	}{
		{"an image", reeve.ReadFile{Paths: []string{"pic.png"}}, reeve.Binary, "16 bytes of image/png"},
		{"a folder", reeve.ReadFile{Paths: []string{"folder"}}, reeve.IsDirectory, "List it"},
		{"nothing there", reeve.ReadFile{Paths: []string{"missing"}}, reeve.NotFound, "does not exist"},
		{"protected", reeve.ReadFile{Paths: []string{".env"}}, reeve.Protected, ""},
		{"outside", reeve.ReadFile{Paths: []string{"/etc/passwd"}}, reeve.OutsideRoots, ""},
		{"no path", reeve.ReadFile{}, reeve.Invalid, "path"},
		{"an empty path", reeve.ReadFile{Paths: []string{""}}, reeve.Invalid, "path"},
		{"an empty path of two", reeve.ReadFile{Paths: []string{"folder/x", ""}}, reeve.Invalid, "paths[1]"},
		{"too many paths", reeve.ReadFile{Paths: slices.Repeat([]string{"folder/x"}, 101)}, reeve.Invalid, "paths"},
		{"a limit below 1", reeve.ReadFile{Paths: []string{"folder/x"}, Limit: -1}, reeve.Invalid, "limit"},
		{"a huge limit", reeve.ReadFile{Paths: []string{"folder/x"}, Limit: 1 << 60}, reeve.Invalid, "limit"},
		{"a column below 1", reeve.ReadFile{Paths: []string{"folder/x"}, Column: -1}, reeve.Invalid, "column"},
		{"a column in two files", reeve.ReadFile{Paths: []string{"folder/x", "folder/x"}, Column: 2}, reeve.Invalid, "column"},
		{"none of two", reeve.ReadFile{Paths: []string{"missing", "pic.png"}}, reeve.NotFound, "image/png"},
	} {
		if words := w.tryRead(c.call, c.code); !strings.Contains(words, c.says) {
			t.Errorf("%s: %s", c.name, words)
		}
	}
}

func (w *world) tryRead(c reeve.ReadFile, code reeve.Code) string {
	w.t.Helper()
	_, err := w.try(context.Background(), &c)
	if !errors.Is(err, code) {
		w.t.Fatalf("%+v: %v, want %s", c, err, code)
	}
	return err.Error()
}

func TestALargerFileIsRefusedWhereTheProfileSaysSo(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.MaxFileBytes = 10 })
	w.write("ten", "123456789\n")
	w.write("eleven", "1234567890\n")
	read(w, reeve.ReadFile{Paths: []string{"ten"}})
	if words := w.tryRead(reeve.ReadFile{Paths: []string{"eleven"}}, reeve.TooLarge); !strings.Contains(words, "11 bytes") {
		t.Error(words)
	}
}

func TestBytesThatAreNoTextAreShownOrRefusedByProfile(t *testing.T) {
	for _, c := range []struct {
		binary, content string
		refused         bool
	}{{"nul", "caf\xe9\n", false}, {"nul", "a\x00", true}, {"utf8", "caf\xe9\n", true}, {"utf8", "café\n", false}} {
		w := newWorld(t, "default", func(s *reeve.Settings) { s.Binary = c.binary })
		w.write("f", c.content)
		res, err := w.try(context.Background(), &reeve.ReadFile{Paths: []string{"f"}})
		if c.refused != errors.Is(err, reeve.Binary) || !c.refused && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil && strings.Contains(c.content, "\xe9") {
			if p := res.Answer.(*reeve.Pages).Pages[0]; p.BadBytes != 1 || p.Lines[0].Text.String() != `caf\xE9` {
				t.Errorf("%+v", p)
			}
		}
	}
}

func TestSeveralFilesShareOneBudgetInTheirOrder(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.ReadBytes, s.ReplyBytes = 1000, 5000 })
	line := strings.Repeat("x", 97) + "\n" // with its number and tab, 100 bytes
	w.write("a", strings.Repeat(line, 6))
	w.write("b", strings.Repeat(line, 6))
	w.write("c", line)
	ps, notes := do[*reeve.Pages](w, &reeve.ReadFile{Paths: []string{"a", "missing", "b", "c"}})
	if len(ps.Pages) != 3 {
		t.Fatalf("%d pages", len(ps.Pages))
	}
	a, missing, b := ps.Pages[0], ps.Pages[1], ps.Pages[2]
	if len(a.Lines) != 6 || !a.Whole {
		t.Errorf("a: %+v", a)
	}
	if missing.Err == nil || missing.Err.Code != reeve.NotFound || missing.Path.String() != "missing" {
		t.Errorf("missing: %+v", missing)
	}
	if len(b.Lines) < 3 || b.Next == nil || b.Stopped != "bytes" || b.Whole {
		t.Errorf("b: %d lines, %+v, %s", len(b.Lines), b.Next, b.Stopped)
	}
	if len(notes) != 1 || notes[0] != "Not read, since this reply is full: c . Read them in another call." {
		t.Errorf("c: %v", notes)
	}
}

// Fifty paths once gave forty-nine blocks of "Stopped at 50,000 bytes".
func TestTheRestOfManyFilesIsNamedOnceAndTheReplyIsNoLargerThanItMayBe(t *testing.T) {
	for name, c := range map[string]struct {
		size, files int
		long        bool
		pages       int
	}{
		"large files":                 {60_000, 50, false, 1},
		"small files":                 {20, 50, false, 50},
		"middling files":              {5_000, 50, false, 5},
		"files with names as long":    {3_000, 50, true, 8},
		"none there, with long names": {-1, 50, true, 0},
	} {
		budget := 0
		w := newWorld(t, "default", func(s *reeve.Settings) { budget = s.ReplyBytes })
		var paths []string
		for i := range c.files {
			name := fmt.Sprintf("f%02d", i)
			if c.long {
				name += strings.Repeat("x", 200)
			}
			if c.size >= 0 {
				w.write(name, strings.Repeat("line\n", c.size/5))
			}
			paths = append(paths, name)
		}
		if c.size < 0 {
			w.write("last", "x\n")
			paths[0] = "last"
		}
		ps, notes := do[*reeve.Pages](w, &reeve.ReadFile{Paths: paths})
		used, shown := 0, 0
		for _, p := range ps.Pages {
			used += len(p.Path.String()) + pageWords + versionWords
			if p.Err != nil {
				used += refusalWords + len(p.Err.Error())
				continue
			}
			if p.Next != nil {
				used += nextWords
			}
			shown++
			for _, l := range p.Lines {
				used += len(l.Text.String()) + numberCost(l.N)
			}
		}
		for _, n := range notes {
			used += len(n) + 1
		}
		if used > budget {
			t.Errorf("%s: a reply of %d bytes, where %d are the most", name, used, budget)
		}
		if c.pages > 0 && (shown < c.pages || shown > c.pages+2) {
			t.Errorf("%s: %d pages", name, shown)
		}
		if left := c.files - len(ps.Pages); left > 0 != (len(notes) == 1) || len(notes) > 1 {
			t.Errorf("%s: %d left, %v", name, left, notes)
		}
	}
}

func TestCharactersAreCountedWhereTheProfileCountsThem(t *testing.T) {
	w := newWorld(t, "lam", nil)
	w.write("f", strings.Repeat(strings.Repeat("é", 97)+"\n", 150))
	p, _ := read(w, reeve.ReadFile{Paths: []string{w.path("f")}})
	chars := 0
	for _, l := range p.Lines {
		chars += len([]rune(l.Text.String())) + numberCost(l.N)
	}
	if chars > 8000 || chars < 7800 || p.Stopped != "bytes" || p.Next == nil {
		t.Errorf("%d characters, %s, %+v", chars, p.Stopped, p.Next)
	}
	w.write("short", strings.Repeat("x\n", 300))
	p, _ = read(w, reeve.ReadFile{Paths: []string{w.path("short")}})
	if len(p.Lines) != 200 || p.Stopped != "lines" {
		t.Errorf("%d lines, %s", len(p.Lines), p.Stopped)
	}
}

// Following Next gives the file again, whatever it holds.
func TestPagesMakeTheFile(t *testing.T) {
	w := newWorld(t, "default", nil)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		piece := rapid.SampledFrom([]string{"a", "é", "\n", "\r\n", "\t", " ", "😀", strings.Repeat("long", 60), "\n\n", "\\"})
		content := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "content"), "")
		if strings.Contains(strings.ReplaceAll(content, "\r\n", ""), "\r") {
			t.Skip("a lone CR")
		}
		name := fmt.Sprintf("f%d", n)
		w.write(name, content)
		w.cur.Settings.ReadLines = rapid.IntRange(1, 4).Draw(t, "lines")
		w.cur.Settings.ReadBytes = rapid.IntRange(1, 400).Draw(t, "bytes")
		var got strings.Builder
		c := reeve.ReadFile{Paths: []string{name}}
		for range 10_000 {
			p, _ := read(w, c)
			for _, l := range p.Lines {
				got.WriteString(l.Text.String())
				if !l.Cut {
					got.WriteString("\n")
				}
			}
			if p.Next == nil {
				break
			}
			c.Offset, c.Column = int(p.Next.Offset), p.Next.Column
		}
		want := strings.ReplaceAll(content, "\r\n", "\n")
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if got.String() != want {
			t.Fatalf("got %q, want %q", got.String(), want)
		}
	})
}

func TestAHugeSparseFileIsReadInPages(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.write("huge", "first line\nsecond\n")
	const size = 1 << 30
	f, err := os.OpenFile(w.path("huge"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\nnext to last\nlast\n"), size-19); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	head := bytes.Repeat([]byte("text\n"), 2000) // beyond what is looked at for a NUL
	if _, err := f.WriteAt(head, 18); err != nil {
		t.Fatal(err)
	}
	f.Close()
	p, _ := read(w, reeve.ReadFile{Paths: []string{"huge"}, Limit: 2})
	same(t, "first page", texts(p), []string{"1:first line", "2:second"})
	if p.Counted || p.Version.IsZero() || p.Version.Hashed() || p.Size != size {
		t.Errorf("%+v", p)
	}
	p, _ = read(w, reeve.ReadFile{Paths: []string{"huge"}, Offset: -2})
	same(t, "last page", texts(p), []string{"-2:next to last", "-1:last"})
	if !p.FromEnd || p.Next != nil {
		t.Errorf("%+v", p)
	}
}

// moving is a file of which each opening and each look can be another state.
type moving struct {
	content []byte
	stamps  []reeve.Stamp // of opening, fresh, opening, fresh …
	at      int
	opened  int
	closed  int
}

func (m *moving) next() reeve.Stamp {
	s := m.stamps[min(m.at, len(m.stamps)-1)]
	m.at++
	return s
}

type movingSource struct {
	io.ReaderAt
	size int64
}

func (s movingSource) Size() int64 { return s.size }

func (m *moving) open() (snapshot, error) {
	m.opened++
	s := m.next()
	return snapshot{
		Source: movingSource{bytes.NewReader(m.content), s.Size}, stamp: s,
		fresh:   func() (reeve.Stamp, error) { return m.next(), nil },
		version: func(h *[32]byte) reeve.Version { return reeve.NewVersion(s, false, h) },
		close:   func() error { m.closed++; return nil },
	}, nil
}

func state(size, mtime int64) reeve.Stamp {
	return reeve.Stamp{Identity: reeve.Identity{Device: 1, Inode: 2, Birth: 3}, Size: size, MTime: mtime, CTime: mtime}
}

func TestAFileThatChangesIsReadAgain(t *testing.T) {
	small := []byte("one\ntwo\n")
	large := bytes.Repeat([]byte("line\n"), textcode.SmallFile/4)
	n, big := int64(len(small)), int64(len(large))
	other := state(n, 1)
	other.Inode = 9
	for _, c := range []struct {
		name    string
		content []byte
		stamps  []reeve.Stamp
		opened  int
		version bool
		moving  bool
		refused bool
	}{
		{"it stands still", small, []reeve.Stamp{state(n, 1), state(n, 1)}, 1, true, false, false},
		{"it changed once", small, []reeve.Stamp{state(n, 1), state(n, 2), state(n, 2), state(n, 2)}, 2, true, false, false},
		{"it changed twice", small, []reeve.Stamp{state(n, 1), state(n, 2), state(n, 2), state(n, 3), state(n, 3)}, 3, true, false, false},
		{"it goes on changing", small, []reeve.Stamp{state(n, 1), state(n, 2), state(n, 3), state(n, 4), state(n, 5), state(n, 6)}, 3, false, false, true},
		{"a log grows", small, []reeve.Stamp{state(n, 1), state(n+1, 2), state(n, 3), state(n+1, 4), state(n, 5), state(n+1, 6)}, 3, false, true, false},
		{"it is replaced each time", small, []reeve.Stamp{state(n, 1), other, state(n, 3), other, state(n, 5), other}, 3, false, false, true},
		{"it became shorter for good", small, []reeve.Stamp{state(n+5, 1), state(n, 2), state(n, 2), state(n, 2)}, 2, true, false, false},
		{"it is shorter than it says", small, []reeve.Stamp{state(n+5, 1)}, 3, false, false, true},
		{"a large one goes on changing", large, []reeve.Stamp{state(big, 1), state(big, 2), state(big, 3), state(big, 4), state(big, 5), state(big, 6)}, 3, false, true, false},
		{"only its time of change moved", small, []reeve.Stamp{{Size: n, CTime: 1}, {Size: n, CTime: 2}, {Size: n, CTime: 2}}, 2, true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &moving{content: c.content, stamps: c.stamps}
			cache := newIndexes(4)
			r, err := readStill(context.Background(), m.open, cache, textcode.BinaryNUL, textcode.Ask{Lines: 10, Bytes: 1000})
			if c.refused != errors.Is(err, errMoving) || !c.refused && err != nil {
				t.Fatal(err)
			}
			if m.opened != c.opened || m.closed != m.opened {
				t.Errorf("opened %d, closed %d", m.opened, m.closed)
			}
			if err == nil && (r.version.IsZero() == c.version || r.moving != c.moving || c.moving && r.page.Whole) {
				t.Errorf("%+v", r)
			}
			if !c.version && cache.used.Len() != 0 {
				t.Error("an index of a moving file was kept")
			}
		})
	}
}

// An index that was kept for a state is not used for another, and one that
// turned out not to stand still is forgotten.
func TestIndexesBelongToOneState(t *testing.T) {
	a := bytes.Repeat([]byte("aaaa\n"), textcode.SmallFile/4)
	b := bytes.Repeat([]byte("b\n"), len(a)/2)
	n := int64(len(a))
	cache := newIndexes(2)
	at := func(content []byte, stamps ...reeve.Stamp) reading {
		m := &moving{content: content, stamps: stamps}
		r, err := readStill(context.Background(), m.open, cache, textcode.BinaryNUL, textcode.Ask{Offset: 200_000, Lines: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if l := at(a, state(n, 1)).page.Lines[0]; l.Text != "aaaa" || l.N != 200_000 {
		t.Fatalf("%+v", l)
	}
	if cache.get(state(n, 1)) == nil {
		t.Fatal("not kept")
	}
	if l := at(b, state(n, 2)).page.Lines[0]; l.Text != "b" {
		t.Errorf("%+v", l)
	}
	// It is found moving in the state it was kept for.
	at(a, state(n, 1), state(n, 7), state(n, 8))
	if cache.get(state(n, 1)) != nil {
		t.Error("still kept")
	}
	for i := range 10 {
		at(a, state(n, int64(100+i)))
	}
	if cache.used.Len() != 2 || len(cache.by) != 2 {
		t.Errorf("%d kept", cache.used.Len())
	}
}

// Between readers and writers of one file an answer is one of its states.
func TestReadersNeverSeeAMixture(t *testing.T) {
	w := newWorld(t, "default", nil)
	content := func(c byte) string { return strings.Repeat(strings.Repeat(string(c), 60)+"\n", 500) }
	w.write("f", content('a'))
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range 20 {
			time.Sleep(12 * time.Millisecond) // a new tick of the clock that stamps files
			if err := os.WriteFile(w.path("f"), []byte(content("abcd"[i%4])), 0o644); err != nil {
				t.Error(err)
			}
		}
	})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				res, err := w.try(context.Background(), &reeve.ReadFile{Paths: []string{"f"}})
				if err != nil {
					if !errors.Is(err, reeve.Changed) {
						t.Error(err)
					}
					continue
				}
				p := res.Answer.(*reeve.Pages).Pages[0]
				seen := map[rune]bool{} // the last line may be half written: that is a state too
				for _, l := range p.Lines {
					for _, c := range l.Text.String() {
						seen[c] = true
					}
				}
				if !p.Version.IsZero() && len(seen) > 1 {
					t.Errorf("a mixture with the version %s", p.Version)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestAllVerbsAtOnceWhileFilesComeAndGo(t *testing.T) {
	w := newWorld(t, "default", func(s *reeve.Settings) { s.ListEntries, s.SearchResults = 5, 5 })
	for i := range 30 {
		w.write(fmt.Sprintf("d%d/f%d", i%5, i), "needle\n")
	}
	stop := make(chan struct{})
	var wg, movers sync.WaitGroup
	movers.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			d := w.path(fmt.Sprintf("d%d", i%5))
			os.Rename(d, d+"x")
			os.Remove(d + fmt.Sprintf("x/f%d", i%30))
			os.WriteFile(d+fmt.Sprintf("x/g%d", i%9), []byte("needle\n"), 0o644)
			os.Rename(d+"x", d)
		}
	})
	calls := []reeve.Call{
		&reeve.ListRoots{}, &reeve.ListDirectory{Path: "."}, &reeve.ListDirectory{Path: ".", Recursive: true},
		&reeve.SearchFiles{Pattern: "*", Contains: "needle"}, &reeve.SearchFiles{Pattern: "**/f*", Sort: "newest"},
		&reeve.Stat{Path: "d1"}, &reeve.ReadFile{Paths: []string{"d1/f1", "d2/f2", "d3/f3"}},
	}
	for g := range 4 {
		wg.Go(func() {
			for i := range 60 {
				c := calls[(g+i)%len(calls)]
				_, err := w.try(context.Background(), c)
				if err != nil && !errors.Is(err, reeve.NotFound) && !errors.Is(err, reeve.Changed) {
					t.Errorf("%+v: %v", c, err)
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	movers.Wait()
}
