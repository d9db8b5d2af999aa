package readstate

import (
	"errors"
	"strings"
	"testing"

	"reeve"
)

func TestWhatLicenses(t *testing.T) {
	text := numbered(10)
	f := place("f")
	absent := f
	absent.Kind = reeve.Absent
	partial := whole(text)
	partial.Partial = true
	redacted := whole(text)
	redacted.Redacted = true
	moving := whole(text)
	moving.Version = reeve.Version{}
	behind := page(text, 11, 20)
	for _, c := range []struct {
		name  string
		reads []Seen
		ask   func(Rules) Ask
		// what comes of it in the modes all_lines and read: a ground or a code
		all, any string
	}{
		{"never read", nil, func(r Rules) Ask { return write(f, text, r) }, "not_read", "not_read"},
		{"read whole", []Seen{whole(text)}, func(r Rules) Ask { return write(f, text, r) }, "read", "read"},
		{"read whole, edited", []Seen{whole(text)}, func(r Rules) Ask { return edit(f, text, r, Range{3, 3}) }, "read", "read"},
		{"one page", []Seen{page(text, 1, 4)}, func(r Rules) Ask { return write(f, text, r) }, "not_read", "read"},
		{"one page, edited in it", []Seen{page(text, 1, 4)}, func(r Rules) Ask { return edit(f, text, r, Range{2, 2}) }, "not_read", "read"},
		{"all pages", []Seen{page(text, 1, 4), page(text, 5, 10)}, func(r Rules) Ask { return write(f, text, r) }, "read", "read"},
		{"all pages, from behind, overlapping", []Seen{page(text, 6, 10), page(text, 1, 7)}, func(r Rules) Ask { return write(f, text, r) }, "read", "read"},
		{"all pages but one line", []Seen{page(text, 1, 4), page(text, 6, 10)}, func(r Rules) Ask { return write(f, text, r) }, "not_read", "read"},
		{"pages of two versions", []Seen{page(numbered(11), 1, 4), page(text, 5, 10)}, func(r Rules) Ask { return write(f, text, r) }, "not_read", "read"},
		{"behind the end", []Seen{behind}, func(r Rules) Ask { return write(f, text, r) }, "not_read", "not_read"},
		{"an empty file", []Seen{whole("")}, func(r Rules) Ask { return write(f, "", r) }, "read", "read"},
		{"a partly visible render", []Seen{partial}, func(r Rules) Ask { return write(f, text, r) }, "not_read", "not_read"},
		{"a partly visible render, edited", []Seen{partial}, func(r Rules) Ask { return edit(f, text, r, Range{1, 1}) }, "not_read", "not_read"},
		{"a partly visible render after a read", []Seen{whole(text), partial}, func(r Rules) Ask { return write(f, text, r) }, "read", "read"},
		{"redacted", []Seen{redacted}, func(r Rules) Ask { return write(f, text, r) }, "not_read", "not_read"},
		{"redacted, edited", []Seen{redacted}, func(r Rules) Ask { return edit(f, text, r, Range{1, 1}) }, "read", "read"},
		{"redacted, then read open", []Seen{redacted, whole(text)}, func(r Rules) Ask { return write(f, text, r) }, "read", "read"},
		{"read open, then redacted", []Seen{whole(text), redacted}, func(r Rules) Ask { return write(f, text, r) }, "not_read", "not_read"},
		{"read while it was changing", []Seen{moving}, func(r Rules) Ask { return write(f, text, r) }, "not_read", "not_read"},
		{"changed since", []Seen{whole(numbered(9))}, func(r Rules) Ask { return write(f, text, r) }, "changed", "changed"},
		{"changed since, edited without its lines", []Seen{whole(numbered(9))}, func(r Rules) Ask { return edit(f, text, r) }, "changed", "changed"},
		{"changed since, edited where it was not", []Seen{whole(numbered(9))}, func(r Rules) Ask { return edit(f, text, r, Range{3, 4}) }, "rebased", "changed"},
		{"changed since, edited where it was", []Seen{whole(numbered(9))}, func(r Rules) Ask { return edit(f, text, r, Range{9, 10}) }, "changed", "changed"},
		{"a page of it, changed since, edited in what was seen", []Seen{page(numbered(9), 1, 5)}, func(r Rules) Ask { return edit(f, text, r, Range{3, 3}) }, "changed", "changed"},
		{"still changing now", []Seen{whole(text)}, func(r Rules) Ask {
			a := write(f, text, r)
			a.Change.Expect, a.Lines = reeve.Version{}, nil
			return a
		}, "changed", "changed"},
		{"a file that is not there", nil, func(r Rules) Ask {
			return Ask{Change: reeve.Change{Kind: reeve.Put, Place: absent}, Rules: r}
		}, "free", "free"},
		{"a move", nil, func(r Rules) Ask { return Ask{Change: reeve.Change{Kind: reeve.Move, Place: f, To: &absent}, Rules: r} }, "free", "free"},
		{"a removal", nil, func(r Rules) Ask { return Ask{Change: reeve.Change{Kind: reeve.Remove, Place: f}, Rules: r} }, "free", "free"},
		{"a new folder", nil, func(r Rules) Ask { return Ask{Change: reeve.Change{Kind: reeve.Mkdir, Place: absent}, Rules: r} }, "free", "free"},
		{"a stated version of a full read", nil, func(r Rules) Ask { a := write(f, text, r); a.Stated = version(text); return a }, "version", "not_read"},
		{"a stated version of a page", nil, func(r Rules) Ask { a := write(f, text, r); a.Stated = version(text).AsPartial(); return a }, "not_read", "not_read"},
		{"a stated version beside a page", []Seen{page(text, 1, 2)}, func(r Rules) Ask { a := write(f, text, r); a.Stated = version(text); return a }, "version", "read"},
		{"a stated version of another content", []Seen{whole(text)}, func(r Rules) Ask { a := write(f, text, r); a.Stated = version("x"); return a }, "changed", "changed"},
		{"a stated version of a file that is gone", nil, func(r Rules) Ask {
			return Ask{Change: reeve.Change{Kind: reeve.Put, Place: absent}, Stated: version(text), Rules: r}
		}, "changed", "changed"},
		{"a removal with another version", nil, func(r Rules) Ask {
			return Ask{Change: reeve.Change{Kind: reeve.Remove, Place: f, Expect: version(text)}, Stated: version("x"), Rules: r}
		}, "changed", "changed"},
	} {
		for mode, want := range map[string]string{AllLines: c.all, AnyPage: c.any} {
			t.Run(c.name+"/"+mode, func(t *testing.T) {
				st := New(Options{Now: fixed})
				for _, r := range c.reads {
					st.Read(who("s"), f, r)
				}
				rules := def()
				if mode == AnyPage {
					rules = strict()
				}
				g, err := st.Fresh(who("s"), c.ask(rules))
				if err == nil && string(g) != want || err != nil && !errors.Is(err, reeve.Code(want)) {
					t.Errorf("%q %v, want %q", g, err, want)
				}
				// The strictest rules never allow more.
				if g, zero := st.Fresh(who("s"), c.ask(Rules{})); err != nil && zero == nil {
					t.Errorf("the zero rules allow it: %q", g)
				}
			})
		}
	}
}

func TestOffAsksForNothingButAStatedVersion(t *testing.T) {
	st := New(Options{})
	a := write(place("f"), "a\n", Rules{Mode: Off})
	allowed(t, st, who("s"), a, Free)
	allowed(t, st, who(""), a, Free)
	a.Stated = version("b\n")
	refused(t, st, who("s"), a, reeve.Changed, "not the version")
}

func TestWithoutASession(t *testing.T) {
	st := New(Options{})
	st.Read(who(""), place("f"), whole("a\n"))
	if _, ok := st.Seen(who(""), place("f")); ok {
		t.Error("no session was remembered")
	}
	for _, r := range []Rules{def(), strict(), {}} {
		a := write(place("f"), "a\n", r)
		refused(t, st, who(""), a, reeve.NotRead, "no session", "if_version")
		a.Stated = version("a\n").AsPartial()
		refused(t, st, who(""), a, reeve.NotRead, "not shown whole")
		a.Stated = version("a\n")
		allowed(t, st, who(""), a, Stated)
		a.Stated = version("b\n")
		refused(t, st, who(""), a, reeve.Changed)
		a.Stated, a.Rules.Inert = reeve.Version{}, true
		allowed(t, st, who(""), a, Free)
	}
	a := write(place("f"), "a\n", Rules{Mode: AnyPage, Inert: true})
	refused(t, st, who("s"), a, reeve.NotRead)
}

func TestNobodyVouchesForAnother(t *testing.T) {
	st := New(Options{})
	f := place("f")
	st.Read(who("s"), f, whole("a\n"))
	st.Wrote(who("s"), put(f, "a\n"), Written{Version: version("new\n")})
	st.Read(who("s"), place("g"), whole("new\n"))
	other := who("s")
	other.Agent = "cursor"
	door := who("s")
	door.Door = "http"
	elsewhere := f
	elsewhere.Target = "laptop"
	for name, c := range map[string]struct {
		s reeve.Subject
		p reeve.Place
	}{
		"another session":                     {who("t"), f},
		"another agent with the same session": {other, f},
		"another door":                        {door, f},
		"another computer":                    {who("s"), elsewhere},
		"another letter case":                 {who("s"), place("F")},
		"another name":                        {who("s"), place("h")},
	} {
		t.Run(name, func(t *testing.T) { refused(t, st, c.s, write(c.p, "new\n", def()), reeve.NotRead) })
	}
	same := f
	same.Root, same.RootPath, same.Components = "outer", "/home", []reeve.Name{"ann", "f"}
	allowed(t, st, who("s"), write(same, "new\n", def()), ByOwn)
	folded := New(Options{Key: func(p reeve.Place) string { return strings.ToLower(p.Key()) }})
	folded.Read(who("s"), f, whole("a\n"))
	allowed(t, folded, who("s"), write(place("F"), "a\n", def()), ByRead)
}

func TestOwnWrites(t *testing.T) {
	f := place("f")
	absent := f
	absent.Kind = reeve.Absent
	t.Run("a new file", func(t *testing.T) {
		st := New(Options{})
		st.Wrote(who("s"), reeve.Change{Kind: reeve.Put, Place: absent, Content: reeve.Bytes("a\n")}, Written{Version: version("a\n")})
		allowed(t, st, who("s"), write(f, "a\n", def()), ByOwn)
		allowed(t, st, who("s"), write(f, "a\n", strict()), ByOwn)
	})
	t.Run("edit after edit", func(t *testing.T) {
		st := New(Options{})
		st.Read(who("s"), f, whole("a\nb\n"))
		ch := put(f, "a\nb\n")
		ch.Content = reeve.Bytes("a\nc\n")
		st.Wrote(who("s"), ch, Written{Version: version("a\nc\n"), Edit: true, Ground: ByRead, Touched: []Range{{2, 2}}})
		allowed(t, st, who("s"), write(f, "a\nc\n", def()), ByOwn)
	})
	t.Run("a formatter after each write", func(t *testing.T) {
		for name, r := range map[string]Rules{"default": def(), "strict": strict()} {
			st := New(Options{})
			now := "func  a() {}\n\nfunc b() { }\nx\n"
			st.Wrote(who("s"), reeve.Change{Kind: reeve.Put, Place: absent, Content: reeve.Bytes(now)}, Written{Version: version(now)})
			for i := range 20 { // each time another line is touched, never the edited one
				formatted := strings.Replace(now, "func  a", "func a", 1) + strings.Repeat("//\n", i)
				g, err := st.Fresh(who("s"), edit(f, formatted, r, Range{3, 3}))
				if err != nil {
					t.Fatalf("%s: the %dth edit: %v", name, i, err)
				}
				ch := put(f, formatted)
				now = strings.Replace(formatted, "func b() {", "func b() {1", 1)
				ch.Content = reeve.Bytes(now)
				st.Wrote(who("s"), ch, Written{Version: version(now), Edit: true, Ground: g, Touched: []Range{{3, 3}}})
			}
		}
	})
	t.Run("an edit over a change by others does not license a replacement", func(t *testing.T) {
		st := New(Options{})
		st.Read(who("s"), f, whole("a\nb\nc\n"))
		allowed(t, st, who("s"), edit(f, "a\nB\nc\n", def(), Range{3, 3}), Rebased)
		ch := put(f, "a\nB\nc\n")
		ch.Content = reeve.Bytes("a\nB\nC\n")
		st.Wrote(who("s"), ch, Written{Version: version("a\nB\nC\n"), Edit: true, Ground: Rebased, Touched: []Range{{3, 3}}})
		refused(t, st, who("s"), write(f, "a\nB\nC\n", def()), reeve.NotRead, "last edit", "offset 1")
		refused(t, st, who("s"), edit(f, "a\nB\nC\n", def(), Range{2, 2}), reeve.NotRead)
		allowed(t, st, who("s"), edit(f, "a\nB\nC\n", def(), Range{3, 3}), Rebased)
		st.Read(who("s"), f, whole("a\nB\nC\n"))
		allowed(t, st, who("s"), write(f, "a\nB\nC\n", def()), ByOwn)
	})
	t.Run("a redacted file stays one for edits", func(t *testing.T) {
		st := New(Options{})
		r := whole("a\nb\n")
		r.Redacted = true
		st.Read(who("s"), f, r)
		ch := put(f, "a\nb\n")
		ch.Content = reeve.Bytes("a\nc\n")
		st.Wrote(who("s"), ch, Written{Version: version("a\nc\n"), Edit: true, Ground: ByRead})
		refused(t, st, who("s"), write(f, "a\nc\n", def()), reeve.NotRead, "hidden")
		allowed(t, st, who("s"), edit(f, "a\nc\n", def(), Range{1, 1}), ByOwn)
	})
	t.Run("strict, drift after a read is refused", func(t *testing.T) {
		st := New(Options{})
		st.Read(who("s"), f, whole("a\nb\n"))
		refused(t, st, who("s"), edit(f, "a\nb\nc\n", strict(), Range{1, 1}), reeve.Changed)
	})
	t.Run("strict, drift after an own write, replaced", func(t *testing.T) {
		st := New(Options{})
		st.Wrote(who("s"), put(f, "x"), Written{Version: version("new\n")})
		refused(t, st, who("s"), write(f, "old\n", strict()), reeve.Changed, "since it was written in this session", "-    1 new", "+    1 old")
		allowed(t, st, who("s"), edit(f, "old\n", strict(), Range{1, 1}), Drifted)
	})
	t.Run("what is gone is forgotten", func(t *testing.T) {
		st := New(Options{})
		g := place("g")
		for _, ch := range []reeve.Change{{Kind: reeve.Remove, Place: f}, {Kind: reeve.Move, Place: f, To: &g}, {Kind: reeve.Move, Place: g, To: &f}, put(f, "a\n")} {
			st.Read(who("s"), f, whole("a\n"))
			st.Wrote(who("s"), ch, Written{}) // a write without a version is known of no more
			refused(t, st, who("s"), write(f, "a\n", def()), reeve.NotRead)
		}
	})
	t.Run("a content that is not in memory", func(t *testing.T) {
		st := New(Options{})
		ch := put(f, "a")
		ch.Content = reeve.FromPlace{Place: place("g")}
		st.Wrote(who("s"), ch, Written{Version: version("b\n")})
		allowed(t, st, who("s"), write(f, "b\n", def()), ByOwn)
	})
}

func TestVersionsThatCannotTell(t *testing.T) {
	f := place("f")
	stamp := reeve.Stamp{Size: 9, CTime: 1}
	touched := reeve.Stamp{Size: 9, CTime: 2}
	seen := whole(numbered(5))
	seen.Version = reeve.NewVersion(stamp, false, nil)
	for _, c := range []struct {
		name, now string
		lines     bool
		want      reeve.Code
	}{
		{"a backup touched it", numbered(5), true, ""},
		{"the content is not at hand", numbered(5), false, reeve.Changed},
		{"another content", numbered(4) + "x\n", true, reeve.Changed},
		{"a line more", numbered(6), true, reeve.Changed},
		{"a line less", numbered(4), true, reeve.Changed},
	} {
		st := New(Options{})
		st.Read(who("s"), f, seen)
		a := write(f, c.now, def())
		a.Change.Expect = reeve.NewVersion(touched, false, nil)
		if !c.lines {
			a.Lines = nil
		}
		if c.want == "" {
			allowed(t, st, who("s"), a, ByRead)
			a.Lines = nil // learnt
			allowed(t, st, who("s"), a, ByRead)
		} else {
			refused(t, st, who("s"), a, c.want)
		}
	}
}

// A large file that is being written: its stamp could be that of a later
// content too, so that pages of it never add up.
func TestPagesOfAMovingFileDoNotAddUp(t *testing.T) {
	f, text := place("f"), numbered(10)
	racy := reeve.NewVersion(reeve.Stamp{Size: 9}, true, nil)
	settled := reeve.NewVersion(reeve.Stamp{Size: 9}, false, nil)
	for _, c := range []struct {
		first, second reeve.Version
		adds          bool
	}{{racy, racy, false}, {racy, settled, false}, {settled, settled, true}} {
		st := New(Options{})
		a, b := page(text, 1, 5), page(text, 6, 10)
		a.Version, b.Version = c.first, c.second
		st.Read(who("s"), f, a)
		st.Read(who("s"), f, b)
		ask := Ask{Change: reeve.Change{Kind: reeve.Put, Place: f, Expect: settled}, Rules: def()}
		if _, err := st.Fresh(who("s"), ask); (err == nil) != c.adds {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestRefusalsNameTheNextCall(t *testing.T) {
	f := place("f")
	text := numbered(20)
	for _, c := range []struct {
		name  string
		reads []Seen
		says  []string
	}{
		{"nothing read", nil, []string{`read_file with path "/home/ann/f".`}},
		{"the end", []Seen{page(text, 1, 12)}, []string{"not seen are lines 13 to 20", "offset 13, limit 8"}},
		{"the middle", []Seen{page(text, 1, 4), page(text, 6, 20)}, []string{"line 5", "offset 5, limit 1"}},
		{"two gaps", []Seen{page(text, 3, 4), page(text, 9, 20)}, []string{"lines 1 to 2, lines 5 to 8", "offset 1, limit 2; then", "offset 5, limit 4"}},
		{"many", []Seen{page(text, 2, 2), page(text, 4, 4), page(text, 6, 6), page(text, 8, 8)}, []string{"line 1, line 3, line 5, 2 more stretches"}},
		{"not counted", []Seen{{Version: version(text), Lines: page(text, 1, 3).Lines}}, []string{"line 4 and all after it", "offset 4."}},
		{"half a line", []Seen{{Version: version(text), Total: 20, Counted: true, Lines: []Line{{N: 1, Text: "lin", Cut: true}}}}, []string{"lines 1 to 20", "offset 1, column 4, limit 20"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := New(Options{})
			for _, r := range c.reads {
				st.Read(who("s"), f, r)
			}
			e := refused(t, st, who("s"), write(f, text, def()), reeve.NotRead, c.says...)
			var u *Unseen
			if !errors.As(e, &u) || !u.Session {
				t.Errorf("cause %+v", e.Cause)
			}
		})
	}
}

func TestRefusalsShowWhatChanged(t *testing.T) {
	f := place("f")
	for _, c := range []struct {
		name, was, is string
		says          []string
	}{
		{"a line became another", "a\nb\nc\n", "a\nX\nc\n", []string{"line 2 became line 2", "-    2 b\n+    2 X"}},
		{"lines came in", "a\nc\n", "a\nb\nb\nc\n", []string{"lines 2 to 3 came in", "+    2 b\n+    3 b"}},
		{"a line went out", "a\nb\nc\n", "a\nc\n", []string{"line 2 went out", "-    2 b"}},
		{"all of it", "a\n", "", []string{"line 1 went out"}},
		{"repeated lines", "a\na\na\n", "a\na\n", []string{"line 3 went out"}},
		{"many lines", numbered(30), strings.ReplaceAll(numbered(30), "line", "row"), []string{"lines 1 to 30 became lines 1 to 30", "-      …", "+      …"}},
		{"invisible ones", "a\tb\n", "a b\u200b\n", []string{"a→b", "a b‹U+200B›"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := New(Options{})
			st.Read(who("s"), f, whole(c.was))
			e := refused(t, st, who("s"), write(f, c.is, def()), reeve.Changed, c.says...)
			var d *Drift
			if !errors.As(e, &d) || !d.Known || !d.Now.Partial() || d.Now.Compare(version(c.is)) != reeve.Same {
				t.Errorf("cause %+v", d)
			}
			// The version in the refusal licenses nothing.
			a := write(f, c.is, def())
			a.Stated = d.Now
			refused(t, st, who("s"), a, reeve.Changed)
		})
	}
	st := New(Options{SeenText: -1})
	st.Read(who("s"), f, whole("a\nb\n"))
	refused(t, st, who("s"), write(f, "a\nc\n", def()), reeve.Changed, "no longer kept", "+    2 c")
	st = New(Options{})
	r := whole("a\n***\n")
	r.Redacted = true
	st.Read(who("s"), f, r)
	if e := refused(t, st, who("s"), write(f, "secret\nx\n", def()), reeve.Changed); strings.Contains(e.Error(), "secret") {
		t.Error("a refusal shows what a read hid")
	}
}

// The lines are the same, the bytes are not: a new content would be based on
// endings that nobody saw.
func TestOtherEndingsAreAChange(t *testing.T) {
	st := New(Options{})
	st.Read(who("s"), place("f"), whole("a\nb\n"))
	a := write(place("f"), "a\nb\n", def())
	a.Change.Expect = version("a\r\nb\r\n")
	e := refused(t, st, who("s"), a, reeve.Changed, "Read it again")
	if d, ok := e.Cause.(*Drift); !ok || d.Known || d.Excerpt != "" {
		t.Errorf("%+v", e.Cause)
	}
}

func TestReplay(t *testing.T) {
	st := New(Options{})
	f, far := place("f"), place("f")
	far.Target = "laptop"
	n := st.Replay(who("s"), reeve.Local, []Entry{
		{Place: f, Seen: whole("a\n")},
		{Place: far, Seen: whole("a\n")},
		{Place: place("g"), Seen: page("a\nb\n", 1, 1)},
		{Place: place("h"), Seen: Seen{Version: version("w\n")}, Wrote: true},
		{Place: place("i"), Seen: Seen{Lines: []Line{{N: 1}}}},
	})
	if n != 3 {
		t.Errorf("%d taken", n)
	}
	allowed(t, st, who("s"), write(f, "a\n", def()), ByRead)
	refused(t, st, who("s"), write(f, "b\n", def()), reeve.Changed)
	refused(t, st, who("s"), write(far, "a\n", def()), reeve.NotRead)
	refused(t, st, who("s"), write(place("g"), "a\nb\n", def()), reeve.NotRead)
	allowed(t, st, who("s"), write(place("h"), "w\n", def()), ByOwn)
	if st.Replay(who(""), reeve.Local, []Entry{{Place: f, Seen: whole("a\n")}}) != 0 {
		t.Error("replayed without a session")
	}
}
