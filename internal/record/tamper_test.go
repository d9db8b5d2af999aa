package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reeve"
)

// Rows 0…4 of a call are lines 2…6 of the segment: line 1 opens it.
func TestWhatAnEnemyDoesToOneSegmentShows(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(l [][]byte) [][]byte // l[5] is the last row, l[6] is empty
		row    int64                     // the first broken one, 0: none
		what   string
		calls  []string
	}{
		{"nothing", func(l [][]byte) [][]byte { return l }, 0, "", []string{"0", "1", "2", "3", "4"}},
		{"a row edited", func(l [][]byte) [][]byte { l[3] = bytes.Replace(l[3], []byte("/2.txt"), []byte("/9.txt"), 1); return l },
			4, "sum does not fit", []string{"0", "1", "damage", "3", "4"}},
		{"a sum edited", func(l [][]byte) [][]byte {
			i := len(l[3]) - 10
			l[3][i] ^= 1
			return l
		}, 4, "", []string{"0", "1", "damage", "damage", "4"}},
		{"the last row edited", func(l [][]byte) [][]byte { l[5] = bytes.Replace(l[5], []byte("allow"), []byte("refus"), 1); return l },
			6, "sum does not fit", []string{"0", "1", "2", "3", "damage"}},
		{"a row deleted", func(l [][]byte) [][]byte { return slices.Delete(l, 3, 4) }, 4, "missing or out of order", []string{"0", "1", "damage", "4"}},
		{"two rows swapped", func(l [][]byte) [][]byte { l[3], l[4] = l[4], l[3]; return l }, 4, "out of order", []string{"0", "1", "damage", "damage", "damage"}},
		{"a row twice", func(l [][]byte) [][]byte { return slices.Insert(l, 3, l[2]) }, 4, "out of order", []string{"0", "1", "damage", "2", "3", "4"}},
		{"the beginning deleted", func(l [][]byte) [][]byte { return l[1:] }, 1, "missing or out of order", []string{"damage", "1", "2", "3", "4"}},
		{"rubbish in between", func(l [][]byte) [][]byte { return slices.Insert(l, 3, []byte("rubbish\n")) }, 4, "is not a row", []string{"0", "1", "damage", "damage", "3", "4"}},
		{"an empty line", func(l [][]byte) [][]byte { return slices.Insert(l, 3, []byte("\n")) }, 4, "is not a row", []string{"0", "1", "damage", "damage", "3", "4"}},
		{"an endless line", func(l [][]byte) [][]byte { return slices.Insert(l, 3, append(bytes.Repeat([]byte("x"), 1<<20), '\n')) },
			4, "longer", []string{"0", "1", "damage", "damage", "3", "4"}},
		{"zeroes after a power cut", func(l [][]byte) [][]byte { return append(l[:6], make([]byte, 3000)) }, 0, "not finished", []string{"0", "1", "2", "3", "4", "torn"}},
		{"zeroes over a row", func(l [][]byte) [][]byte { clear(l[3][:len(l[3])-1]); return l }, 4, "is not a row", []string{"0", "1", "damage", "damage", "4"}},
		{"a torn last row", func(l [][]byte) [][]byte { l[5] = l[5][:40]; return l }, 0, "not finished", []string{"0", "1", "2", "3", "torn"}},
		{"a newline lost", func(l [][]byte) [][]byte { l[5] = l[5][:len(l[5])-1]; return l }, 0, "not finished", []string{"0", "1", "2", "3", "torn"}},
		{"emptied", func(l [][]byte) [][]byte { return nil }, 0, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, Options{Dir: dir, Now: clock(noon)})
			add(t, s, 0, 5)
			s.Close()
			name := files(t, dir)[0]
			rewrite(t, name, c.change)
			rep := verify(t, dir)
			if c.row == 0 {
				if !rep.OK() {
					t.Errorf("%v", rep.Problems)
				}
				if c.what != "" && (len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0].What, c.what)) {
					t.Errorf("notes: %v", rep.Notes)
				}
			} else if len(rep.Problems) != 1 || rep.Problems[0].Row != c.row || !strings.Contains(rep.Problems[0].What, c.what) ||
				rep.Problems[0].File != filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name) {
				t.Errorf("problems: %v, want row %d %s", rep.Problems, c.row, c.what)
			}
			if got := calls(t, dir, Filter{}); !slices.Equal(got, c.calls) {
				t.Errorf("rows: %v, want %v", got, c.calls)
			}
		})
	}
}

func two(t *testing.T) (dir, first, second string) {
	dir = t.TempDir()
	a := open(t, Options{Dir: dir})
	add(t, a, 0, 3)
	first = files(t, dir)[0]
	b := open(t, Options{Dir: dir})
	add(t, b, 3, 6)
	for _, f := range files(t, dir) {
		if f != first {
			second = f
		}
	}
	a.Close()
	b.Close()
	if r := verify(t, dir); !r.OK() || r.Segments != 2 || r.Rows != 9 {
		t.Fatal(r)
	}
	return dir, first, second
}

func TestSegmentsVouchForEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, dir, first, second string)
		what string
	}{
		"missing":    {func(t *testing.T, dir, first, second string) { os.Remove(first) }, "is missing; it had at least 4 rows"},
		"month gone": {func(t *testing.T, dir, first, second string) { os.Rename(first, filepath.Join(dir, "x")) }, "is missing"},
		"rows cut": {func(t *testing.T, dir, first, second string) {
			rewrite(t, first, func(l [][]byte) [][]byte { return l[:3] })
		}, "is gone: the segment ends with row 3"},
		"emptied":     {func(t *testing.T, dir, first, second string) { os.Truncate(first, 0) }, "is gone: the segment ends with row 0"},
		"renamed":     {func(t *testing.T, dir, first, second string) { os.Rename(first, strings.Replace(first, "-2", "-3", 1)) }, "was written for"},
		"swapped":     {func(t *testing.T, dir, first, second string) { os.Rename(second, first) }, "was written for"},
		"replaced":    {func(t *testing.T, dir, first, second string) { os.Remove(first); os.Mkdir(first, 0o700) }, "not a plain file"},
		"a link":      {func(t *testing.T, dir, first, second string) { os.Remove(first); os.Symlink(second, first) }, "not a plain file"},
		"written new": {writtenAnew, "was written anew"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, first, second := two(t)
			c.do(t, dir, first, second)
			r := verify(t, dir)
			if !slices.ContainsFunc(r.Problems, func(p Problem) bool { return strings.Contains(p.What, c.what) }) {
				t.Errorf("%v, want %s", r.Problems, c.what)
			}
		})
	}
}

// writtenAnew makes the chain of one segment sound again after an edit, as a
// program can that knows the format.
func writtenAnew(t *testing.T, dir, first, second string) {
	rewrite(t, first, func(l [][]byte) [][]byte {
		var prev sum
		for i, b := range l {
			if len(b) == 0 {
				continue
			}
			b = bytes.Replace(b[:len(b)-1], []byte("notes/1"), []byte("notes/7"), 1)
			body := b[:len(b)-sumLen]
			prefix := fmt.Sprintf(`{"n":%d,`, i+1)
			l[i], prev = link(nil, int64(i+1), bytes.TrimPrefix(body, []byte(prefix)), prev)
		}
		return l
	})
}

func TestKeptHeadsShowWhatTheRecordCannot(t *testing.T) {
	dir, first, second := two(t)
	heads, err := Head(dir)
	if err != nil || len(heads) != 2 {
		t.Fatal(heads, err)
	}
	if r := verify(t, dir, heads...); !r.OK() {
		t.Fatal(r.Problems)
	}
	writtenAnew(t, dir, second, first)
	rewrite(t, second, func(l [][]byte) [][]byte { return l[:4] })
	if r := verify(t, dir); !r.OK() {
		t.Fatal("the newest segment has nobody to vouch for it: ", r.Problems)
	}
	if r := verify(t, dir, heads...); len(r.Problems) != 1 || !strings.Contains(r.Problems[0].What, "the heads that were kept names it") {
		t.Errorf("%v", r.Problems)
	}
	os.RemoveAll(filepath.Join(dir, "record"))
	if r := verify(t, dir, heads...); len(r.Problems) != 2 {
		t.Errorf("%v", r.Problems)
	}
	if r := verify(t, filepath.Join(dir, "never")); !r.OK() || r.Segments != 0 {
		t.Errorf("%v", r)
	}
}

func TestLongSegmentsNameOthersAgain(t *testing.T) {
	dir := t.TempDir()
	a := open(t, Options{Dir: dir})
	add(t, a, 0, 1)
	first := files(t, dir)[0]
	b := open(t, Options{Dir: dir})
	add(t, b, 0, 5)
	add(t, a, 1, 1200)
	a.Close()
	b.Close()
	for _, f := range files(t, dir) {
		if f != first {
			os.Remove(f)
		}
	}
	if r := verify(t, dir); len(r.Problems) != 1 || !strings.Contains(r.Problems[0].What, "is missing; it had at least 7 rows") {
		t.Errorf("%v", r.Problems)
	}
	if r := verify(t, dir); r.Rows < 1201 {
		t.Errorf("%d rows", r.Rows)
	}
}

func TestAtMost64HeadsAndNoRowTooLong(t *testing.T) {
	dir := t.TempDir()
	for i := range 70 {
		s := open(t, Options{Dir: dir})
		add(t, s, i, i+1)
		s.Close()
	}
	s := open(t, Options{Dir: dir})
	add(t, s, 70, 71)
	heads := 0
	for _, f := range files(t, dir) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n := bytes.Count(b, []byte(`"segment":`)) - 1
		heads = max(heads, n)
		for l := range bytes.Lines(b) {
			if len(l) > 4096 {
				t.Fatalf("%d bytes", len(l))
			}
		}
	}
	if heads != 64 {
		t.Errorf("%d heads", heads)
	}
	if r := verify(t, dir); !r.OK() {
		t.Error(r.Problems)
	}
}

func TestRowsOfAllProcessesAreMergedByTime(t *testing.T) {
	dir := t.TempDir()
	now := noon
	next := func() time.Time { return now }
	a, b := open(t, Options{Dir: dir, Now: next}), open(t, Options{Dir: dir, Now: next})
	for i := range 10 {
		now = now.Add(time.Minute)
		s := a
		if i%3 == 0 {
			s = b
		}
		add(t, s, i, i+1)
	}
	now = now.Add(-time.Hour) // a clock that is set back does not turn rows around
	add(t, a, 10, 11)
	got := calls(t, dir, Filter{})
	if want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "10", "9"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for e, err := range Rows(dir, Filter{}) {
		if err != nil || e.Process.PID != 42 || e.Process.Name != "reeve test" || e.Machine == "" || e.N < 2 {
			t.Errorf("%+v %v", e, err)
		}
		break
	}
}

func TestFilters(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir, Now: clock(noon)})
	at := func(i int) time.Time { return noon.Add(time.Duration(i) * time.Hour) }
	for i, r := range []reeve.Row{
		{Verb: reeve.VerbReadFile, Verdict: reeve.Allow, Subject: reeve.Subject{Agent: "cli"}, Effects: []reeve.RowEffect{{Kind: reeve.EffectRead, Path: "/h/a"}, {Kind: reeve.EffectList, Path: "/h/b"}}},
		{Verb: reeve.VerbStat, Verdict: reeve.Refuse, Code: reeve.Protected, Subject: reeve.Subject{Agent: "claude"}, Asked: []string{"/h/a/x"}},
		{Event: "intent", Verdict: reeve.Ask, Effects: []reeve.RowEffect{{Kind: reeve.EffectMove, Path: "/h/ab", To: "/h/c/d"}}},
		{Event: "outcome", Call: "k", Effects: []reeve.RowEffect{{Kind: reeve.EffectReplace, Path: `C:\h\a`}}},
	} {
		r.Time = at(i)
		if r.Call == "" {
			r.Call = fmt.Sprint(i)
		}
		if err := s.Append(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		f    Filter
		want []string
	}{
		"all":              {Filter{}, []string{"0", "1", "2", "k"}},
		"since":            {Filter{Since: at(1)}, []string{"1", "2", "k"}},
		"until":            {Filter{Until: at(1)}, []string{"0"}},
		"agent":            {Filter{Agent: "claude"}, []string{"1"}},
		"verb":             {Filter{Verb: reeve.VerbStat}, []string{"1"}},
		"verdict":          {Filter{Verdict: reeve.Ask}, []string{"2"}},
		"code":             {Filter{Code: reeve.Protected}, []string{"1"}},
		"event":            {Filter{Event: "outcome"}, []string{"k"}},
		"call":             {Filter{Call: "k"}, []string{"k"}},
		"path":             {Filter{Path: "/h/a"}, []string{"0", "1"}},
		"path with slash":  {Filter{Path: "/h/"}, []string{"0", "1", "2"}},
		"destination":      {Filter{Path: "/h/c"}, []string{"2"}},
		"windows path":     {Filter{Path: `C:\h`}, []string{"k"}},
		"root":             {Filter{Path: "/"}, []string{"0", "1", "2"}},
		"effect":           {Filter{Effect: reeve.EffectList}, []string{"0"}},
		"effect of a path": {Filter{Effect: reeve.EffectList, Path: "/h/a"}, nil},
	} {
		if got := calls(t, dir, c.f); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	n := 0
	for range Rows(dir, Filter{}) {
		if n++; n == 2 {
			break
		}
	}
}

func TestOneUnreadableSegmentDoesNotHideTheOthers(t *testing.T) {
	dir, first, _ := two(t)
	os.Remove(first)
	os.Mkdir(first, 0o700)
	got := calls(t, dir, Filter{})
	slices.Sort(got)
	if !slices.Equal(got, []string{"3", "4", "5", "error"}) {
		t.Errorf("%v", got)
	}
	os.WriteFile(filepath.Join(dir, "record", "note.txt"), []byte("mine"), 0o600)
	os.WriteFile(filepath.Join(filepath.Dir(first), "a-b-c-d.jsonl"), []byte("mine"), 0o600)
	if r := verify(t, dir); r.Segments != 2 {
		t.Errorf("%+v", r)
	}
}

func TestFollowTellsNewRowsOfAllProcesses(t *testing.T) {
	dir := t.TempDir()
	a := open(t, Options{Dir: dir})
	add(t, a, 0, 3)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := make(chan string, 100)
	done := make(chan error, 1)
	w, err := FromNow(dir, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		done <- followNow(ctx, dir, Filter{Agent: "cli"}, func(e Entry) error {
			if e.Damage != "" || e.Process.PID != 42 {
				t.Errorf("%+v", e)
			}
			got <- e.Row.Call
			return nil
		})
	}()
	// Follow may begin after the first of these; the poller above may not.
	b := open(t, Options{Dir: dir})
	add(t, a, 3, 5)
	add(t, b, 5, 7)
	entries, err := w.poll(false)
	var list []string
	for _, e := range entries {
		list = append(list, e.Row.Call)
	}
	if err != nil || !slices.Equal(list, []string{"3", "4", "5", "6"}) {
		t.Errorf("%v %v", list, err)
	}
	f, err := os.OpenFile(files(t, dir)[0], os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"n":9,"ti`)
	f.Close()
	if entries, err := w.poll(false); err != nil || len(entries) != 0 {
		t.Errorf("an unfinished row is told: %v %v", entries, err)
	}
	for i := 100; ; i++ {
		add(t, b, i, i+1)
		select {
		case <-got:
		case <-time.After(10 * time.Millisecond):
			continue
		}
		break
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	stop := errors.New("stop")
	go func() { done <- followNow(context.Background(), dir, Filter{}, func(Entry) error { return stop }) }()
	for i := 1000; ; i++ {
		add(t, b, i, i+1)
		select {
		case err := <-done:
			if !errors.Is(err, stop) {
				t.Error(err)
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func FuzzReader(f *testing.F) {
	dir := f.TempDir()
	s := open(f, Options{Dir: dir, Now: clock(noon)})
	add(f, s, 0, 2)
	s.Close()
	b, err := os.ReadFile(files(f, dir)[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-7])
	f.Add([]byte("\n\n{}\n"))
	f.Add([]byte(`{"n":1,"detail":"../../../etc/passwd","sum":"` + strings.Repeat("0", 64) + "\"}\n"))
	f.Add([]byte(`{"n":1,"detail":{"at":-1,"size":9223372036854775807,"sha256":"../../x"},"sum":"` + strings.Repeat("0", 64) + "\"}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		sc := newScanner("2026-03/x", bytes.NewReader(b))
		lines := 0
		for {
			l, err := sc.next()
			if err != nil {
				break
			}
			lines++
			if l.torn && l.damage == "" {
				t.Fatal("a torn row is not damaged")
			}
			if l.damage == "" && l.N != int64(lines) {
				t.Fatalf("row %d is taken for row %d", l.N, lines)
			}
		}
		if want := bytes.Count(b, []byte("\n")); lines != want && lines != want+1 {
			t.Fatalf("%d lines of %d", lines, want)
		}
		tail(bytes.NewReader(b), int64(len(b)))
	})
}

func TestADamagedTimeDoesNotMoveTheRowsAfterIt(t *testing.T) {
	dir := t.TempDir()
	now := noon
	a, b := open(t, Options{Dir: dir, Now: func() time.Time { return now }}), open(t, Options{Dir: dir, Now: func() time.Time { return now }})
	add(t, a, 0, 1)
	first := files(t, dir)[0]
	for i := 1; i < 6; i++ {
		now = now.Add(time.Minute)
		s := a
		if i%2 == 0 {
			s = b
		}
		add(t, s, i, i+1)
	}
	rewrite(t, first, func(l [][]byte) [][]byte {
		for i := range l {
			if bytes.Contains(l[i], []byte(`"call":"1"`)) {
				l[i] = bytes.Replace(l[i], []byte(`"time":"2026`), []byte(`"time":"2099`), 1)
			}
		}
		return l
	})
	if got := calls(t, dir, Filter{}); !slices.Equal(got, []string{"0", "damage", "2", "3", "4", "5"}) {
		t.Errorf("%v", got)
	}
}

// followNow gives the rows that come from now on.
func followNow(ctx context.Context, dir string, f Filter, fn func(Entry) error) error {
	w, err := FromNow(dir, f)
	if err != nil {
		return err
	}
	return w.Run(ctx, fn)
}
