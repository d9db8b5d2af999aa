package readstate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"reeve"
)

func TestTheLeastRecentlyUsedGoesFirst(t *testing.T) {
	st := New(Options{Sessions: 2, Files: 3})
	for i := range 4 {
		if i == 3 { // used again, by asking
			allowed(t, st, who("s"), write(place("0"), "a\n", def()), ByRead)
		}
		st.Read(who("s"), place(fmt.Sprint(i)), whole("a\n"))
	}
	refused(t, st, who("s"), write(place("1"), "a\n", def()), reeve.NotRead)
	for _, n := range []string{"0", "2", "3"} {
		allowed(t, st, who("s"), write(place(n), "a\n", def()), ByRead)
	}
	st.Read(who("t"), place("0"), whole("a\n"))
	allowed(t, st, who("s"), write(place("0"), "a\n", def()), ByRead)
	st.Read(who("u"), place("0"), whole("a\n"))
	refused(t, st, who("t"), write(place("0"), "a\n", def()), reeve.NotRead)
	allowed(t, st, who("s"), write(place("3"), "a\n", def()), ByRead)
}

func TestALongLineCountsWhenAllOfItWasShown(t *testing.T) {
	f := place("f")
	v := version("long")
	win := func(col, chars int, cut bool) Seen {
		return Seen{Version: v, Total: 1, Counted: true, Lines: []Line{{N: 1, Text: strings.Repeat("x", chars), Column: col, Chars: chars, Cut: cut}}}
	}
	for _, c := range []struct {
		name  string
		reads []Seen
		all   bool
	}{
		{"the first part", []Seen{win(1, 100, true)}, false},
		{"both parts", []Seen{win(1, 100, true), win(101, 50, false)}, true},
		{"both parts, the last first", []Seen{win(101, 50, false), win(0, 100, true)}, true},
		{"a hole", []Seen{win(1, 99, true), win(101, 50, false)}, false},
		{"the end not shown", []Seen{win(1, 100, true), win(101, 50, true)}, false},
		{"overlapping", []Seen{win(1, 100, true), win(50, 101, false)}, true},
		{"behind its end", []Seen{win(1, 100, true), win(101, 0, false)}, true},
		{"far behind its end", []Seen{win(1, 100, true), win(500, 0, false)}, false},
		{"the first column", []Seen{win(1, 100, false)}, true},
	} {
		st := New(Options{})
		for _, r := range c.reads {
			st.Read(who("s"), f, r)
		}
		a := Ask{Change: reeve.Change{Kind: reeve.Put, Place: f, Expect: v}, Rules: def()}
		if _, err := st.Fresh(who("s"), a); (err == nil) != c.all {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestLinesFromTheEndGetTheirNumbersLater(t *testing.T) {
	f := place("f")
	text := numbered(10)
	tail := Seen{Version: version(text)}
	for n := int64(-5); n < 0; n++ {
		tail.Lines = append(tail.Lines, Line{N: n, Text: fmt.Sprintf("line %d", 11+n)})
	}
	head := page(text, 1, 5)
	head.Counted, head.Total = false, 0
	last := Seen{Version: version(text), Total: 10, Counted: true, Lines: page(text, 10, 10).Lines}
	st := New(Options{})
	st.Read(who("s"), f, tail)
	st.Read(who("s"), f, head)
	refused(t, st, who("s"), write(f, text, def()), reeve.NotRead)
	st.Read(who("s"), f, last)
	allowed(t, st, who("s"), write(f, text, def()), ByRead)
	tail.Counted, tail.Total = true, 10
	st = New(Options{})
	st.Read(who("s"), f, tail)
	st.Read(who("s"), f, page(text, 1, 4))
	refused(t, st, who("s"), write(f, text, def()), reeve.NotRead, "line 5")
}

// What is remembered is what a plain list of reads says.
func TestAgainstTheNaiveWay(t *testing.T) {
	texts := []string{numbered(4), numbered(6), "", "a\nb\na\n"}
	type known struct {
		text        int
		lines       map[int]bool
		any, hidden bool
		own         bool
	}
	licences := 0
	rapid.Check(t, func(t *rapid.T) {
		st := New(Options{Sessions: 3, Files: 3})
		naive := map[string]*known{}
		var sessions []string // used last at the end
		files := map[string][]string{}
		use := func(s, f string, make bool) *known {
			key := s + "/" + f
			if naive[key] == nil && !make {
				return nil
			}
			sessions = append(slices.DeleteFunc(sessions, func(x string) bool { return x == s }), s)
			files[s] = append(slices.DeleteFunc(files[s], func(x string) bool { return x == f }), f)
			if len(files[s]) > 3 {
				delete(naive, s+"/"+files[s][0])
				files[s] = files[s][1:]
			}
			if len(sessions) > 3 {
				for _, x := range files[sessions[0]] {
					delete(naive, sessions[0]+"/"+x)
				}
				delete(files, sessions[0])
				sessions = sessions[1:]
			}
			if naive[key] == nil {
				naive[key] = &known{text: -1, lines: map[int]bool{}}
			}
			return naive[key]
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			s := rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "session")
			f := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "file")
			i := rapid.IntRange(0, len(texts)-1).Draw(t, "text")
			n := len(linesOf(texts[i]))
			p := place(f)
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				from := rapid.IntRange(1, n+1).Draw(t, "from")
				to := rapid.IntRange(from, n+1).Draw(t, "to")
				seen := page(texts[i], from, to)
				seen.Redacted = rapid.IntRange(0, 5).Draw(t, "redacted") == 0
				seen.Counted = rapid.Bool().Draw(t, "counted") || seen.Whole || to >= n
				seen.Partial = rapid.IntRange(0, 7).Draw(t, "partial") == 0
				st.Read(who(s), p, seen)
				k := use(s, f, true)
				if k.text != i {
					*k = known{text: i, lines: map[int]bool{}}
				}
				if seen.Partial || len(seen.Lines) == 0 && n > 0 {
					break
				}
				k.any = true
				switch {
				case seen.Redacted:
					k.hidden = true
				case seen.Whole:
					k.hidden = false
				}
				for l := from; l <= min(to, n); l++ {
					k.lines[l] = true
				}
				// Without the count nobody knows that these are all.
				if seen.Counted {
					k.lines[0] = true
				}
			case 2:
				st.Wrote(who(s), reeve.Change{Kind: reeve.Put, Place: p, Content: reeve.Bytes(texts[i])}, Written{Version: version(texts[i])})
				k := use(s, f, true)
				*k = known{text: i, any: true, own: true, lines: map[int]bool{0: true}}
				for l := range n {
					k.lines[l+1] = true
				}
			case 3:
				rules := rapid.SampledFrom([]Rules{{}, {Mode: AnyPage}}).Draw(t, "rules")
				a := write(p, texts[i], rules)
				a.Edit = rapid.Bool().Draw(t, "edit")
				k := use(s, f, false)
				want := ""
				switch {
				case k == nil || !k.any:
					want = "not_read"
				case k.text != i && rules.Mode == AnyPage && a.Edit && k.own:
					want = string(Drifted)
				case k.text != i:
					want = "changed"
				case k.hidden && !a.Edit, rules.Mode != AnyPage && len(k.lines) < n+1:
					want = "not_read"
				case k.own:
					want = "own"
				default:
					want = "read"
				}
				g, err := st.Fresh(who(s), a)
				if err == nil && string(g) != want || err != nil && !errors.Is(err, reeve.Code(want)) {
					t.Fatalf("%q %v, want %q", g, err, want)
				}
				if err == nil {
					licences++
				}
			}
		}
		if st.order.Len() > 3 || st.files.Len() > 9 {
			t.Fatal("more is kept than was allowed")
		}
		audit(t, st)
	})
	if licences < 100 {
		t.Errorf("only %d licences", licences)
	}
}

// audit checks that the accounts are right.
func audit(t interface{ Fatalf(string, ...any) }, st *State) {
	words, files, raw, old := 0, 0, 0, 0
	for _, one := range st.sessions {
		for _, f := range one.files {
			files++
			words += f.size
			if f.size != f.words() {
				t.Fatalf("a file is accounted for with %d words, and has %d", f.size, f.words())
			}
			for _, b := range f.blocks {
				if b.packed != nil {
					old += len(b.packed) + blockCost
				} else {
					raw += b.size + blockCost
				}
			}
		}
		if len(one.files) != one.order.Len() || len(one.files) == 0 {
			t.Fatalf("a session has %d files, and %d in order", len(one.files), one.order.Len())
		}
	}
	if words != st.words || files != st.files.Len() || raw != st.text.rawUse || old != st.text.oldUse || len(st.sessions) != st.order.Len() {
		t.Fatalf("the accounts are wrong: %d words of %d, %d files of %d, text %d of %d and %d of %d",
			words, st.words, files, st.files.Len(), raw, st.text.rawUse, old, st.text.oldUse)
	}
}

func TestRangesAgainstTheNaiveWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ranges
		naive := map[int64]bool{}
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			from := rapid.Int64Range(1, 30).Draw(t, "from")
			to := rapid.Int64Range(from-1, 30).Draw(t, "to")
			r.add(Range{from, to})
			for i := from; i <= to; i++ {
				naive[i] = true
			}
		}
		covered := int64(0)
		for naive[covered+1] {
			covered++
		}
		var gaps []int64
		for _, g := range r.gaps(30) {
			for i := g.From; i <= g.To; i++ {
				gaps = append(gaps, i)
			}
		}
		for i := int64(1); i <= 30; i++ {
			if r.has(i) != naive[i] || r.covers(i) != (i <= covered) {
				t.Fatalf("%v: %d is there %v, up to it %v", r, i, naive[i], i <= covered)
			}
			if !naive[i] {
				if len(gaps) == 0 || gaps[0] != i {
					t.Fatalf("%v: gaps %v, want %d", r, gaps, i)
				}
				gaps = gaps[1:]
			}
		}
		for i := 1; i < len(r); i++ {
			if r[i].From <= r[i-1].To+1 {
				t.Fatalf("%v touch", r)
			}
		}
	})
	var r ranges
	for i := int64(1); i <= 10*maxRanges; i++ {
		r.add(Range{2 * i, 2 * i})
	}
	if len(r) > maxRanges {
		t.Error("stretches are not bounded")
	}
}

func TestRunsAgainstTheNaiveWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r runs
		naive := map[int64]uint64{}
		for _, n := range rapid.SliceOfN(rapid.Int64Range(1, 25), 0, 40).Draw(t, "lines") {
			var all []uint64
			for i := n; i < n+rapid.SampledFrom([]int64{1, 1, 2, 5}).Draw(t, "so many"); i++ {
				all = append(all, uint64(i)*7)
				naive[i] = uint64(i) * 7
			}
			if len(all) == 1 {
				r.put(n, all[0])
			} else {
				r.putAll(n, all)
			}
		}
		for i := int64(0); i <= 32; i++ {
			h, ok := r.get(i)
			want, there := naive[i]
			if h != want || ok != there {
				t.Fatalf("line %d: %d %v", i, h, ok)
			}
		}
		n := int64(0)
		for naive[n+1] > 0 {
			n++
		}
		if _, ok := r.whole(n); !ok {
			t.Fatalf("the first %d are not together", n)
		}
		if _, ok := r.whole(n + 1); ok {
			t.Fatalf("%d more than there are", n+1)
		}
	})
}

func TestTextSeenLastIsKept(t *testing.T) {
	st := New(Options{SeenText: 20 << 10})
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range 50 {
			fmt.Fprintf(&b, "%x%x%x%x\n", r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64())
		}
		return b.String()
	}
	var all []string
	for i := range 40 {
		all = append(all, text())
		st.Read(who("s"), place(fmt.Sprint(i)), whole(all[i]))
		audit(t, st)
		if st.text.oldUse > st.text.max || st.text.rawUse > 25<<10 {
			t.Fatalf("%d and %d bytes are kept", st.text.rawUse, st.text.oldUse)
		}
	}
	kept := 0
	for i := range 40 {
		m, ok := st.Seen(who("s"), place(fmt.Sprint(i)))
		if !ok || !m.All {
			t.Fatal("more than the text was forgotten")
		}
		if len(m.Text) == 0 {
			if kept > 0 {
				t.Error("a newer text went before an older one")
			}
			continue
		}
		kept++
		for n, l := range m.Text {
			if l != linesOf(all[i])[n-1] {
				t.Fatalf("line %d of %d is %q", n, i, l)
			}
		}
	}
	if kept < 8 || kept == 40 || st.text.old.Len() == 0 {
		t.Errorf("%d texts are kept, %d of them packed", kept, st.text.old.Len())
	}
}

func TestMemoryIsBounded(t *testing.T) {
	st := New(Options{Memory: 2 << 20, SeenText: 1 << 20})
	long := strings.Repeat("folder/", 500)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 64 {
		for j := range 25 {
			seen := Seen{Version: version(fmt.Sprint(i, j))}
			for n := range 200 { // every other line, the worst for ranges
				seen.Lines = append(seen.Lines, Line{N: int64(2*n + 1), Text: fmt.Sprint("text ", i, j, n)})
			}
			st.Read(who(fmt.Sprint(i)), place(fmt.Sprint(long, j)), seen)
		}
	}
	st.Wrote(who("x"), reeve.Change{Kind: reeve.Put, Place: place("big"), Content: reeve.Bytes(strings.Repeat("a\n", 300_000))}, Written{Version: version("big")})
	runtime.GC()
	runtime.ReadMemStats(&after)
	audit(t, st)
	if st.words*8 > 2<<20 {
		t.Errorf("%d bytes are accounted for", st.words*8)
	}
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 8<<20 {
		t.Errorf("%d bytes are used", used)
	}
	allowed(t, st, who("x"), write(place("big"), "big", def()), ByOwn)
	if _, ok := st.Seen(who("63"), place(long+"24")); !ok {
		t.Error("what was read last is gone")
	}
}

func TestManyAtOnce(t *testing.T) {
	st := New(Options{Sessions: 4, Files: 4, SeenText: 4 << 10})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s := who(fmt.Sprint(i % 5))
			for j := range 300 {
				p := place(fmt.Sprint(j % 6))
				text := numbered(j % 40)
				switch j % 4 {
				case 0:
					st.Read(s, p, whole(text))
				case 1:
					st.Wrote(s, put(p, text), Written{Version: version(text), Edit: j%8 == 1, Touched: []Range{{1, 1}}})
				case 2:
					st.Fresh(s, edit(p, text, def(), Range{1, 1}))
				case 3:
					st.Seen(s, p)
				}
			}
		})
	}
	wg.Wait()
	audit(t, st)
}

func FuzzOwnLinesAreThoseOfReading(f *testing.F) {
	for _, s := range []string{"", "a", "a\n", "a\r\nb", "a\rb\r", "a\rb\n", "\uFEFFa\n", "\n\n", "\r\n\r\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		var got []string
		for l := range contentLines([]byte(s)) {
			got = append(got, string(l))
		}
		rest := strings.TrimPrefix(s, "\uFEFF")
		sep := "\n"
		if !strings.Contains(rest, "\n") && strings.Contains(rest, "\r") {
			sep = "\r"
		}
		var want []string
		parts := strings.SplitAfter(rest, sep)
		for _, p := range parts {
			if p == "" {
				continue
			}
			if l, ended := strings.CutSuffix(p, sep); ended && sep == "\n" {
				p = strings.TrimSuffix(l, "\r")
			} else {
				p = l
			}
			want = append(want, p)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

func BenchmarkRead2KB(b *testing.B) {
	st := New(Options{})
	seen := whole(strings.Repeat("a line of some forty characters, and then\n", 50))
	for i := 0; b.Loop(); i++ {
		st.Read(who("s"), place(fmt.Sprint(i%600)), seen)
	}
}

func BenchmarkFreshEdit(b *testing.B) {
	st := New(Options{})
	text := strings.Repeat("a line of some forty characters, and then\n", 25_000)
	st.Read(who("s"), place("f"), whole(text))
	a := edit(place("f"), text, def(), Range{9, 9})
	for b.Loop() {
		st.Fresh(who("s"), a)
	}
}
