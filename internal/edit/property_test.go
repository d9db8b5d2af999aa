package edit

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"reeve"
	"reeve/internal/textcode"
)

// genText is text of few characters, so that much of it repeats.
func genText(bad bool) *rapid.Generator[string] {
	parts := []string{"a", "b", "a", "b", " ", "\n", "\r\n", "\n", "\r\n", "\r", "é", "😀", "\\", "ab\n", "\u00a0"}
	if bad {
		parts = append(parts, "\xe9", "\x95", "\xf0\x9f")
	}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 24).Draw(t, "parts"), "")
	})
}

// genFile is a file in some encoding, and its body in it.
func genFile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return utf16(genText(false).Draw(t, "text"), false)
		case 1:
			return utf16(genText(false).Draw(t, "text"), true)
		case 2:
			return "\uFEFF" + genText(true).Draw(t, "text")
		case 3: // one kind of ending
			s := strings.ReplaceAll(foldNaive(genText(true).Draw(t, "text"), true), "\n", rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "ending"))
			return s
		}
		return genText(true).Draw(t, "text")
	})
}

func TestAgainstTheNaiveWay(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		file := genFile().Draw(t, "file")
		enc, mark := textcode.ByMark([]byte(file))
		body, mac := tokens(enc, file[mark:])
		var e Edit
		e.All = rapid.Bool().Draw(t, "all")
		e.New = genText(false).Draw(t, "new")
		if n := len(body); n > 0 && rapid.IntRange(0, 9).Draw(t, "from the file") > 0 {
			i := rapid.IntRange(0, n-1).Draw(t, "i")
			j := rapid.IntRange(i+1, min(n, i+6)).Draw(t, "j")
			for _, c := range body[i:j] {
				e.Old += c.view
			}
			if rapid.Bool().Draw(t, "sent with CRLF") {
				e.Old = strings.ReplaceAll(e.Old, "\n", "\r\n")
			}
		} else {
			e.Old = genText(false).Draw(t, "old")
		}
		old, new := foldNaive(e.Old, mac), foldNaive(e.New, mac)
		p, err := Apply([]byte(file), []Edit{e}, loose())
		if blank(e.Old) || old == new {
			if !errors.Is(err, reeve.Invalid) {
				t.Fatalf("took an edit that says nothing: %v", err)
			}
			return
		}
		found := naiveFind(body, views(old))
		switch {
		case len(found) == 0:
			counts["none"]++
			if !errors.Is(err, reeve.NoMatch) {
				t.Fatalf("nothing is there: %v", err)
			}
			return
		case len(found) > 1 && !e.All:
			counts["several"]++
			if !errors.Is(err, reeve.Ambiguous) {
				t.Fatalf("%d are there: %v", len(found), err)
			}
			return
		}
		if errors.Is(err, reeve.Encoding) {
			if !strings.Contains(err.Error(), "ASCII") && !strings.Contains(err.Error(), "middle") || utf8.ValidString(file) || enc.Unit() == 2 {
				t.Fatalf("refused a file that is all text: %v", err)
			}
			counts["encoding"]++
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want, n, exact, at := file[:mark], 0, true, 0
		for _, i := range found {
			if i < at {
				continue // overlaps the one before
			}
			region := body[i : i+len(views(old))]
			kind := kindOf(enc, region)
			if kind == "" {
				kind = mostOf(kindsOf(enc, body))
			}
			exact = exact && (kind != textcode.Mixed || !strings.Contains(new, "\n"))
			want += raw(body[at:i]) + landed(enc, new, kind)
			at = i + len(region)
			n++
		}
		want += raw(body[at:])
		if p.Counts[0] != n {
			t.Fatalf("%d replacements, want %d", p.Counts[0], n)
		}
		if exact && string(p.New) != want {
			t.Fatalf("%q\nwant %q", p.New, want)
		}
		if !exact && n == 1 {
			mixed(t, p, file, enc, mark, body, found[0], old, new)
		}
		if string(p.Old) != file {
			t.Fatal("the old bytes were changed")
		}
		outside(t, p)
		counts["made"]++
	})
	for _, k := range []string{"none", "several", "encoding", "made"} {
		if counts[k] < 10 {
			t.Errorf("only %d cases of %s", counts[k], k)
		}
	}
}

// mixed checks one replacement in a region of several kinds of endings: the
// text is right, only kinds of the region are used, and the lines that both
// begin and end with keep theirs.
func mixed(t *rapid.T, p *Plan, file string, enc textcode.Encoding, mark int, body []token, at int, old, new string) {
	region := body[at : at+len(views(old))]
	head := file[:mark] + raw(body[:at])
	tail := raw(body[at+len(region):])
	got := string(p.New)
	if !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
		t.Fatalf("%q lost what is around", got)
	}
	was := kindsOf(enc, region)
	b := []byte(got[len(head) : len(got)-len(tail)])
	var is []string
	for _, v := range views(new) {
		var as []byte
		kind := ""
		if v == "\n" {
			for _, k := range []string{textcode.CRLF, textcode.CR, textcode.LF} {
				if as = enc.Newline(k); bytes.HasPrefix(b, as) && strings.Contains(strings.Join(was, " ")+" ", k+" ") {
					kind = k
					break
				}
			}
			if kind == "" {
				t.Fatalf("%q has another kind of ending than its region, %v", b, was)
			}
			is = append(is, kind)
		} else {
			as, _ = enc.Encode(nil, v)
		}
		if !bytes.HasPrefix(b, as) {
			t.Fatalf("%q, want %q there", b, as)
		}
		b = b[len(as):]
	}
	o, n := strings.Split(old, "\n"), strings.Split(new, "\n")
	for i := 0; i < len(was) && i < len(is) && o[i] == n[i]; i++ {
		if was[i] != is[i] {
			t.Fatalf("line %d of the region got another ending", i+1)
		}
	}
}

func TestSeveralEditsAreOneAfterTheOther(t *testing.T) {
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		file := genFile().Draw(t, "file")
		edits := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edit {
			return Edit{Old: genText(false).Draw(t, "old"), New: genText(false).Draw(t, "new"), All: rapid.Bool().Draw(t, "all")}
		}), 1, 5).Draw(t, "edits")
		for i := range edits { // short ones are found more often
			o := views(edits[i].Old)
			edits[i].Old = strings.Join(o[:min(len(o), 2)], "")
		}
		p, err := Apply([]byte(file), edits, loose())
		cur, failed := file, error(nil)
		for _, e := range edits {
			var q *Plan
			if q, failed = Apply([]byte(cur), []Edit{e}, loose()); failed != nil {
				break
			}
			cur = string(q.New)
		}
		if failed != nil {
			if err == nil {
				// Alone, an edit may meet a file that became one of lone CRs.
				if _, mac := tokens(textcode.UTF8(), file); !mac {
					if _, mac := tokens(textcode.UTF8(), cur); !mac {
						t.Fatalf("together they passed, alone: %v", failed)
					}
				}
			}
			return
		}
		if err != nil {
			return // checked before: an edit that is wrong in itself, or lone CRs
		}
		if string(p.New) != cur && !strings.Contains(cur, "\r") {
			t.Fatalf("%q, one by one %q", p.New, cur)
		}
		outside(t, p)
		made++
	})
	if made < 20 {
		t.Errorf("only %d cases", made)
	}
}

func TestRewriteAgainstTheNaiveWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file, content := genFile().Draw(t, "file"), genText(false).Draw(t, "content")
		p, err := Rewrite([]byte(file), content, loose())
		enc, mark := textcode.ByMark([]byte(file))
		if enc.Unit() == 1 && !utf8.ValidString(file) {
			if !errors.Is(err, reeve.Encoding) {
				t.Fatalf("wrote over text that is not UTF-8: %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		outside(t, p)
		if string(p.New[:mark]) != file[:mark] {
			t.Fatalf("the mark is gone from %q", p.New)
		}
		body, mac := tokens(enc, file[mark:])
		kind := kindOf(enc, body)
		var want string
		switch {
		case strings.Contains(content, "\r\n") || kind == "" || kind == textcode.LF:
			b, _ := enc.Encode(nil, content)
			want = string(b)
		case kind == textcode.Mixed:
			if got := enc; got.Unit() == 1 && foldNaive(string(p.New[mark:]), mac) != foldNaive(strings.ReplaceAll(content, "\r\n", "\n"), mac) && !strings.Contains(content, "\r") {
				t.Fatalf("%q is not %q", p.New, content)
			}
			return
		default:
			want = landed(enc, foldNaive(content, mac), kind)
		}
		if string(p.New[mark:]) != want {
			t.Fatalf("%q, want %q", p.New[mark:], want)
		}
		if p.Changed != (string(p.New) != file) {
			t.Fatal("said the wrong thing about a change")
		}
	})
}

// The lines that are told must be those that the reading half tells.
func TestLinesAreThoseOfReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := genFile().Draw(t, "file")
		txt := newText([]byte(file))
		_, mac := tokens(txt.enc, file[txt.mark:])
		if txt.mac != mac {
			t.Fatalf("lone CRs: %v, want %v", txt.mac, mac)
		}
		c := lineCounter{t: txt}
		at := 0
		for _, tok := range func() []token { l, _ := tokens(txt.enc, string(txt.body)); return l }() {
			before := c.line(at)
			at += len(tok.raw)
			after := c.line(at)
			if (after == before+1) != (tok.view == "\n") {
				t.Fatalf("after %q line %d became %d", tok.raw, before, after)
			}
		}
	})
}

// Text that nearly matches everywhere is found by the slow way, and found in
// the same places.
func TestTheSlowWayFindsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := genFile().Draw(t, "file")
		txt := newText([]byte(file))
		old := genText(false).Draw(t, "old")
		if body, _ := tokens(txt.enc, string(txt.body)); len(body) > 1 {
			i := rapid.IntRange(0, len(body)-2).Draw(t, "i")
			old = body[i].view + body[i+1].view
		}
		if blank(old) || !utf8.ValidString(old) {
			return
		}
		fast := txt.finder(old)
		slow := txt.finder(old)
		slow.plain = false
		slow.slow = newAutomaton(slow)
		for at := 0; ; {
			a, ok := fast.next(at)
			b, also := slow.next(at)
			if a != b || ok != also {
				t.Fatalf("%v %v, the slow way %v %v", a, ok, b, also)
			}
			if !ok {
				return
			}
			at = a.to
			if rapid.Bool().Draw(t, "overlapping") {
				at = txt.after(a.from)
			}
		}
	})
}

func TestNearlyMatchingEverywhereStaysLinear(t *testing.T) {
	file := strings.Repeat("a\r\n", 200_000)
	old := strings.Repeat("a\n", 50_000) + "b"
	txt := newText([]byte(file))
	f := txt.finder(old)
	if _, ok := f.next(0); ok {
		t.Fatal("found what is not there")
	}
	if f.slow == nil {
		t.Error("went on comparing")
	}
	// Periodic text in UTF-16 that matches between the units.
	file = utf16(strings.Repeat("䅁", 100_000), false)
	txt = newText([]byte(file[:2] + "A" + file[2:len(file)-1]))
	f = txt.finder(strings.Repeat("䅁", 50_000) + "x")
	if _, ok := f.next(0); ok {
		t.Fatal("found what is not there")
	}
}
