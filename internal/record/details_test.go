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
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
)

// long is the row of a change with a patch of about 6000 bytes.
func long(i int) reeve.Row {
	r := row(i)
	r.Event, r.Patch = "outcome", strings.Repeat(fmt.Sprintf("+line %d\n", i), 1400)
	return r
}

func addLong(t testing.TB, s *Segment, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := s.Append(context.Background(), long(i)); err != nil {
			t.Fatal(err)
		}
	}
}

func detailsFile(segment string) string { return strings.TrimSuffix(segment, extension) + beside }

// patches are the calls whose long rows are back whole.
func patches(t testing.TB, dir string) (list []string) {
	t.Helper()
	for e, err := range Rows(dir, Filter{Event: "outcome"}) {
		if err == nil && e.Damage == "" {
			if want := strings.Repeat("+line "+e.Row.Call+"\n", 1400); e.Row.Patch != want {
				t.Errorf("the patch of call %s is another", e.Row.Call)
			}
			list = append(list, e.Row.Call)
		}
	}
	return list
}

func TestLongRowsShareOneFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	add(t, s, 0, 2)
	name := files(t, dir)[0]
	if _, err := os.Lstat(detailsFile(name)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("details without a long row: %v", err)
	}
	var want []string
	for i := 2; i < 20; i++ {
		addLong(t, s, i, i+1)
		want = append(want, fmt.Sprint(i))
		if got := patches(t, dir); !slices.Equal(got, want) { // while it is written
			t.Fatalf("%v", got)
		}
	}
	list, err := os.ReadDir(filepath.Dir(name))
	if err != nil || len(list) != 2 {
		t.Errorf("%v %v", list, err)
	}
	if r := verify(t, dir); !r.OK() || len(r.Notes) > 0 || r.Segments != 1 {
		t.Errorf("%+v", r)
	}
}

// Rows 0…3 of calls, rows 2…5 of the segment, are long.
func TestWhatAnEnemyOrAPowerCutDoesToDetails(t *testing.T) {
	edit := func(change func(b []byte) []byte) func(t *testing.T, name string) {
		return func(t *testing.T, name string) {
			b, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(name, change(b), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for what, c := range map[string]struct {
		do    func(t *testing.T, name string)
		row   int64
		says  string
		whole []string
	}{
		"nothing":          {func(*testing.T, string) {}, 0, "", []string{"0", "1", "2", "3"}},
		"the last is torn": {edit(func(b []byte) []byte { return b[:len(b)-100] }), 5, "ends before it", []string{"0", "1", "2"}},
		"its newline lost": {edit(func(b []byte) []byte { return b[:len(b)-1] }), 0, "", []string{"0", "1", "2", "3"}},
		"zeroes at the end after a power cut": {edit(func(b []byte) []byte {
			clear(b[len(b)-4096:])
			return b
		}), 5, "not what was written", []string{"0", "1", "2"}},
		"a torn one that no row names": {edit(func(b []byte) []byte { return append(b, b[:1000]...) }), 0, "", []string{"0", "1", "2", "3"}},
		"a byte changed": {edit(func(b []byte) []byte {
			i := bytes.Index(b, []byte("+line 1"))
			b[i+6] = '7'
			return b
		}), 3, "not what was written", []string{"0", "2", "3"}},
		"one cut out": {edit(func(b []byte) []byte {
			l := bytes.SplitAfter(b, []byte("\n"))
			return bytes.Join(slices.Delete(l, 1, 2), nil)
		}), 3, "not what was written", []string{"0"}},
		"two swapped": {edit(func(b []byte) []byte {
			l := bytes.SplitAfter(b, []byte("\n"))
			l[0], l[1] = l[1], l[0]
			return bytes.Join(l, nil)
		}), 2, "not what was written", []string{"2", "3"}},
		"emptied": {edit(func([]byte) []byte { return nil }), 2, "ends before it", nil},
		"removed": {func(t *testing.T, name string) { os.Remove(name) }, 2, beside + " is missing", nil},
		"a folder in its place": {func(t *testing.T, name string) {
			os.Remove(name)
			os.Mkdir(name, 0o700)
		}, 2, "not a plain file", nil},
		"a link to the same bytes": {func(t *testing.T, name string) {
			away := filepath.Join(t.TempDir(), "x")
			if err := errors.Join(os.Rename(name, away), os.Symlink(away, name)); err != nil {
				t.Skip(err)
			}
		}, 2, "not a plain file", nil},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, Options{Dir: dir, Now: clock(noon)})
			addLong(t, s, 0, 4)
			s.Close()
			name := files(t, dir)[0]
			c.do(t, detailsFile(name))
			r := verify(t, dir)
			if c.row == 0 && !r.OK() {
				t.Errorf("%v", r.Problems)
			}
			if c.row != 0 && (len(r.Problems) != 1 || r.Problems[0].Row != c.row || !strings.Contains(r.Problems[0].What, "lost its detail") || !strings.Contains(r.Problems[0].What, c.says)) {
				t.Errorf("%v, want row %d: %s", r.Problems, c.row, c.says)
			}
			if got := patches(t, dir); !slices.Equal(got, c.whole) {
				t.Errorf("whole are %v, want %v", got, c.whole)
			}
			n := 0 // what the segment itself holds is shown all the same
			for e, err := range Rows(dir, Filter{}) {
				if err != nil || e.Row.Call != fmt.Sprint(n) || e.Row.Verb != reeve.VerbReadFile {
					t.Errorf("%+v %v", e.Row, err)
				}
				n++
			}
			if n != 4 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

// forge writes a segment with one row whose detail is claimed to be at p, its
// chain in order.
func forge(t *testing.T, dir, segment, p string) {
	t.Helper()
	rewrite(t, segment, func(l [][]byte) [][]byte {
		var prev sum
		b, prev := link(nil, 1, bytes.TrimPrefix(l[0][:len(l[0])-1-sumLen], []byte(`{"n":1,`)), prev)
		c, _ := link(nil, 2, []byte(`"time":"2026-03-14T12:00:00Z","event":"outcome","call":"f","detail":`+p), prev)
		return [][]byte{b, c}
	})
}

func TestAForgedRowReachesNoOtherDetail(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, Options{Dir: dir}), open(t, Options{Dir: dir})
	addLong(t, a, 0, 1)
	first := files(t, dir)[0]
	addLong(t, b, 7, 8)
	a.Close()
	b.Close()
	second := slices.DeleteFunc(files(t, dir), func(n string) bool { return n == first })[0]
	text, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), `"detail":`)
	others, _, _ := strings.Cut(rest, "}")
	sha := strings.Repeat("0", 64)
	for what, p := range map[string]string{
		"that of another segment": others + "}",
		"before the start":        `{"at":-1,"size":10,"sha256":"` + sha + `"}`,
		"beyond the end":          `{"at":1000000,"size":10,"sha256":"` + sha + `"}`,
		"past the end":            `{"at":0,"size":60000000,"sha256":"` + sha + `"}`,
		"an end that overflows":   `{"at":9223372036854775807,"size":60000000,"sha256":"` + sha + `"}`,
		"huge":                    `{"at":0,"size":9223372036854775807,"sha256":"` + sha + `"}`,
		"no bytes":                `{"at":0,"size":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}`,
		"less than none":          `{"at":0,"size":-5,"sha256":"` + sha + `"}`,
		"a name":                  `{"at":0,"size":10,"sha256":"../../../../etc/passwd"}`,
		"nothing named":           `{}`,
	} {
		t.Run(what, func(t *testing.T) {
			forge(t, dir, first, p)
			for e, err := range Rows(dir, Filter{Call: "f"}) {
				if err != nil || e.Row.Patch != "" || !strings.Contains(e.Damage, "only a part of the row is left") {
					t.Errorf("%+v %v", e, err)
				}
			}
			r := verify(t, dir)
			if !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Row == 2 && strings.Contains(p.What, "lost its detail") }) {
				t.Errorf("%v", r.Problems)
			}
		})
	}
	forge(t, dir, first, `"../`+sha+`"`) // another form than a place is no row
	if r := verify(t, dir); r.OK() {
		t.Error("not noticed")
	}
}

// The disk gives no room for details: calls that would need one are refused,
// what ends a call is cut and says so, and no half of one is left.
func TestAFullDiskForDetails(t *testing.T) {
	dir := t.TempDir()
	full := false
	s := open(t, Options{Dir: dir, hooks: hooks{write: func(f *os.File, b []byte, at int64) (int, error) {
		if full && strings.HasSuffix(f.Name(), beside) {
			n, _ := f.WriteAt(b[:100], at)
			return n, errFull
		}
		return f.WriteAt(b, at)
	}}})
	ctx := context.Background()
	addLong(t, s, 0, 1)
	name := files(t, dir)[0]
	before, _ := os.ReadFile(detailsFile(name))
	full = true
	intent := long(1)
	intent.Event = "intent"
	if _, err := s.AppendSync(ctx, intent); !errors.Is(err, errFull) || !errors.Is(err, reeve.RecordFailed) || !strings.Contains(err.Error(), "full") {
		t.Errorf("a change that nobody could look up: %v", err)
	}
	addLong(t, s, 2, 3)
	no := long(3)
	no.Event, no.Verdict, no.Code = "call", reeve.Refuse, reeve.Protected
	if err := s.Append(ctx, no); err != nil {
		t.Error(err)
	}
	for e := range Rows(dir, Filter{}) {
		if cut := strings.Contains(e.Damage, "only a part of the row was kept"); cut != (e.Row.Call == "2" || e.Row.Call == "3") {
			t.Errorf("call %s: %q", e.Row.Call, e.Damage)
		}
	}
	if after, _ := os.ReadFile(detailsFile(name)); !bytes.Equal(before, after) {
		t.Errorf("%d bytes of details became %d", len(before), len(after))
	}
	full = false
	addLong(t, s, 4, 6)
	if got := patches(t, dir); !slices.Equal(got, []string{"0", "4", "5"}) {
		t.Errorf("%v", got)
	}
	if r := verify(t, dir); !r.OK() || r.Segments != 1 {
		t.Errorf("%+v", r)
	}
}

// A row that could not be written takes its detail with it.
func TestADetailWithoutItsRowIsTakenBack(t *testing.T) {
	dir := t.TempDir()
	fail := false
	s := open(t, Options{Dir: dir, hooks: hooks{write: func(f *os.File, b []byte, at int64) (int, error) {
		if fail && strings.HasSuffix(f.Name(), extension) {
			return 0, errFull
		}
		return f.WriteAt(b, at)
	}}})
	addLong(t, s, 0, 1)
	beside := detailsFile(files(t, dir)[0])
	before, _ := os.ReadFile(beside)
	fail = true
	for i := range 5 {
		if err := s.Append(context.Background(), long(i)); !errors.Is(err, errFull) {
			t.Fatal(err)
		}
	}
	if after, _ := os.ReadFile(beside); !bytes.Equal(before, after) {
		t.Errorf("%d bytes of details became %d", len(before), len(after))
	}
	fail = false
	addLong(t, s, 1, 3)
	if got := patches(t, dir); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("%v", got)
	}
}

// A row is promised when its detail is on disk too, also that of a row before
// it: a power cut must not make the record look tampered with.
func TestARowIsNotPromisedBeforeTheDiskHasTheDetails(t *testing.T) {
	dir := t.TempDir()
	var details, segments atomic.Int64
	fail := atomic.Bool{}
	s := open(t, Options{Dir: dir, hooks: hooks{sync: func(f *os.File) error {
		if !strings.HasSuffix(f.Name(), beside) {
			segments.Add(1)
			return nil
		}
		if details.Add(1); fail.Load() {
			return errNoSuchThing
		}
		return nil
	}}})
	ctx := context.Background()
	for _, step := range []struct {
		what              string
		do                func() error
		details, segments int64
	}{
		{"a short one", func() error { _, err := s.AppendSync(ctx, row(0)); return err }, 0, 1},
		{"a long one unsynced", func() error { return s.Append(ctx, long(1)) }, 0, 1},
		{"a short one after it", func() error { _, err := s.AppendSync(ctx, row(2)); return err }, 1, 2},
		{"another short one", func() error { _, err := s.AppendSync(ctx, row(3)); return err }, 1, 3},
		{"a long one", func() error { _, err := s.AppendSync(ctx, long(4)); return err }, 2, 4},
		{"a short one again", func() error { _, err := s.AppendSync(ctx, row(5)); return err }, 2, 5},
	} {
		if err := step.do(); err != nil || details.Load() != step.details || segments.Load() != step.segments {
			t.Errorf("%s: %v, %d syncs of details and %d of the segment", step.what, err, details.Load(), segments.Load())
		}
	}
	fail.Store(true)
	if _, err := s.AppendSync(ctx, long(6)); !errors.Is(err, errNoSuchThing) || !errors.Is(err, reeve.RecordFailed) {
		t.Fatalf("%v", err)
	}
	fail.Store(false)
	if _, err := s.AppendSync(ctx, long(7)); err != nil || len(files(t, dir)) != 2 {
		t.Fatalf("what did not reach the disk is trusted: %v %v", err, files(t, dir))
	}
	if r := verify(t, dir); !r.OK() {
		t.Error(r.Problems)
	}
}

func TestDetailsGoWithTheirMonth(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC)
	var mu sync.Mutex
	synced := map[string]int{}
	s := open(t, Options{Dir: dir, Now: func() time.Time { return now }, hooks: hooks{sync: func(f *os.File) error {
		mu.Lock()
		defer mu.Unlock()
		synced[filepath.Ext(f.Name())]++
		return nil
	}}})
	addLong(t, s, 0, 2)
	now = now.Add(2 * time.Second)
	addLong(t, s, 2, 4)
	if synced[beside] != 1 || synced[extension] != 1 {
		t.Errorf("the old month was left to the system: %v", synced)
	}
	for _, m := range []string{"2026-03", "2026-04"} {
		if list, _ := os.ReadDir(filepath.Join(dir, "record", m)); len(list) != 2 {
			t.Errorf("%s: %v", m, list)
		}
	}
	if got := patches(t, dir); !slices.Equal(got, []string{"0", "1", "2", "3"}) {
		t.Errorf("%v", got)
	}
	if r := verify(t, dir); !r.OK() || r.Segments != 2 {
		t.Errorf("%+v", r)
	}
}

func TestLongRowsOfManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	segments := []*Segment{open(t, Options{Dir: dir}), open(t, Options{Dir: dir})}
	const each = 15
	for g := range 8 {
		wg.Go(func() {
			for i := range each {
				var err error
				if r := long(g*each + i); i%3 == 0 {
					_, err = segments[g%2].AppendSync(context.Background(), r)
				} else {
					err = segments[g%2].Append(context.Background(), r)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	w, err := FromNow(dir, Filter{Event: "outcome"})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if r := verify(t, dir); !r.OK() {
			t.Error(r.Problems)
		}
		entries, err := w.poll(false)
		for _, e := range entries {
			if e.Damage != "" || len(e.Row.Patch) < 4096 {
				t.Errorf("%+v", e)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	if got := patches(t, dir); len(got) != 8*each {
		t.Errorf("%d rows", len(got))
	}
	if r := verify(t, dir); !r.OK() || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
}

// What could not be read back is not kept: a call that is still to be made is
// refused, and the row that ends one is cut.
func TestARowLongerThanAnyDetail(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	add(t, s, 0, 1)
	whole := make([]byte, maxDetail+1)
	if _, _, err := s.detail(s.cur, nil, whole, false); err == nil {
		t.Error("nobody could read it back")
	}
	body, kept, err := s.detail(s.cur, nil, whole, true)
	if err != nil || kept != 0 || !strings.Contains(string(body), `"cut":"it is longer than 64 MiB"`) {
		t.Errorf("%s %d %v", body, kept, err)
	}
	if _, err := os.Lstat(detailsFile(files(t, dir)[0])); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
