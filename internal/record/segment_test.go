package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reeve"
)

func TestNothingIsMadeBeforeTheFirstRow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "state")
	s := open(t, Options{Dir: dir})
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("Open made a folder: %v", err)
	}
	if got := calls(t, dir, Filter{}); got != nil {
		t.Fatalf("a record that is not there has rows: %v", got)
	}
	add(t, s, 0, 3)
	if got := calls(t, dir, Filter{}); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Fatalf("%v", got)
	}
	for _, name := range []string{dir, filepath.Join(dir, "record"), filepath.Dir(files(t, dir)[0])} {
		if st, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
	if st, err := os.Stat(files(t, dir)[0]); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

func TestPlacesThatCannotHoldARecord(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "nothing"), link); err != nil {
		t.Skip(err)
	}
	for _, bad := range []string{"", "relative/state", file, filepath.Join(file, "below"), link, filepath.Join(link, "x")} {
		_, err := Open(Options{Dir: bad})
		if err == nil || !errors.Is(err, reeve.RecordFailed) || !strings.Contains(err.Error(), "REEVE_STATE") || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRowsAreBackAsTheyWere(t *testing.T) {
	s := rapid.String()
	gen := rapid.Custom(func(t *rapid.T) reeve.Row {
		effect := rapid.Custom(func(t *rapid.T) reeve.RowEffect {
			return reeve.RowEffect{Kind: reeve.EffectKind(s.Draw(t, "kind")), Path: s.Draw(t, "path"), To: s.Draw(t, "to"), Before: s.Draw(t, "before"), After: s.Draw(t, "after")}
		})
		r := reeve.Row{Time: time.Unix(rapid.Int64Range(1, 4e9).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).UTC(),
			Event: s.Draw(t, "event"), Call: s.Draw(t, "call"), Target: reeve.Target(s.Draw(t, "target")),
			Subject: reeve.Subject{Kind: reeve.SubjectKind(s.Draw(t, "kind")), Agent: s.Draw(t, "agent"), Door: s.Draw(t, "door"), Session: s.Draw(t, "session"),
				SessionTold: rapid.Bool().Draw(t, "told"), Turn: s.Draw(t, "turn"), Connection: s.Draw(t, "connection")},
			Verb: reeve.Verb(s.Draw(t, "verb")), Verdict: reeve.Verdict(s.Draw(t, "verdict")), Rule: s.Draw(t, "rule"), Kind: reeve.Kind(s.Draw(t, "kind")), Code: reeve.Code(s.Draw(t, "code")),
			Bytes: rapid.Int64().Draw(t, "bytes"), Lines: rapid.Int64().Draw(t, "lines"), Files: rapid.Int().Draw(t, "files"),
			Digest: s.Draw(t, "digest"), Took: time.Duration(rapid.Int64().Draw(t, "took")), Note: s.Draw(t, "note")}
		if n := rapid.SliceOfN(effect, 0, 3).Draw(t, "effects"); len(n) > 0 {
			r.Effects = n
		}
		if n := rapid.SliceOfN(s, 0, 3).Draw(t, "asked"); len(n) > 0 {
			r.Asked = n
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		want := gen.Draw(t, "row")
		var got reeve.Row
		b := append(append([]byte{'{'}, appendRow(nil, &want)...), '}')
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s\n%s", d, b)
		}
		if bytes.ContainsAny(b, "\n\r\x00\x7f\x1b") {
			t.Fatalf("a row holds control characters: %q", b)
		}
		if len(b) > maxBody {
			body, whole := bounded(nil, &want)
			if len(body)+detailRoom+cutRoom > maxBody || !bytes.Equal(whole, b) {
				t.Fatalf("cut to %d bytes", len(body))
			}
		}
	})
}

// A field that is new in reeve.Row must not be left out by the encoder.
func TestEveryFieldIsWritten(t *testing.T) {
	var r reeve.Row
	fill(reflect.ValueOf(&r).Elem())
	var got reeve.Row
	if err := json.Unmarshal([]byte("{"+string(appendRow(nil, &r))+"}"), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, got); d != "" {
		t.Fatal(d)
	}
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic(v.Kind())
	}
}

func TestTextThatIsNotUTF8IsKept(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	if err := s.Append(context.Background(), reeve.Row{Event: "call", Asked: []string{"caf\xe9"}}); err != nil {
		t.Fatal(err)
	}
	for e := range Rows(dir, Filter{}) {
		if e.Row.Asked[0] != `$'caf\xE9'` {
			t.Errorf("%q", e.Row.Asked)
		}
	}
}

func TestLongRowsAreCutAndKeptWhole(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	long := row(0)
	for i := range 300 {
		long.Effects = append(long.Effects, reeve.RowEffect{Kind: reeve.EffectReplace, Path: fmt.Sprintf("/x/\u202e%0200d", i), Before: strings.Repeat("v", 45)})
		long.Asked = append(long.Asked, strings.Repeat("\x01", 500))
	}
	long.Note, long.Subject.Agent, long.Rule = strings.Repeat("n", 9000), strings.Repeat("\x01", 9000), strings.Repeat("日", 3000)
	ref, err := s.AppendSync(context.Background(), long)
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, 1, 3)
	b, err := os.ReadFile(files(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	for l := range bytes.Lines(b) {
		if len(l) > 4096 {
			t.Errorf("a row has %d bytes", len(l))
		}
	}
	var got []reeve.Row
	for e, err := range Rows(dir, Filter{}) {
		if err != nil || e.Damage != "" {
			t.Fatal(err, e.Damage)
		}
		got = append(got, e.Row)
		if e.N == ref.N && e.Sum != ref.Sum {
			t.Errorf("the reference does not name the row")
		}
	}
	if len(got) != 3 || len(got[0].Effects) != 301 || got[0].Note != long.Note || got[0].Subject != long.Subject || !slices.Equal(got[0].Asked, long.Asked) {
		t.Fatalf("%d rows, the first with %d effects", len(got), len(got[0].Effects))
	}
	if n := calls(t, dir, Filter{Path: "/x"}); len(n) != 1 {
		t.Errorf("the effects that were cut off are not found: %v", n)
	}
	if r := verify(t, dir); !r.OK() {
		t.Fatal(r.Problems)
	}
	beside := detailsFile(files(t, dir)[0])
	if st, err := os.Stat(beside); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st, err)
	}
}

func TestANewMonthIsANewFileThatNamesTheOld(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC)
	s := open(t, Options{Dir: dir, Now: func() time.Time { return now }})
	add(t, s, 0, 2)
	// So long idle that it is no longer one of the segments of the last day.
	if err := os.Chtimes(files(t, dir)[0], now, now.AddDate(0, -1, 0)); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Second)
	add(t, s, 2, 4)
	now = now.Add(-time.Hour) // the clock is set back: no way back to March
	add(t, s, 4, 5)
	list := files(t, dir)
	if len(list) != 2 || filepath.Base(filepath.Dir(list[0])) != "2026-03" || filepath.Base(filepath.Dir(list[1])) != "2026-04" {
		t.Fatal(list)
	}
	if got := calls(t, dir, Filter{}); !slices.Equal(got, []string{"0", "1", "2", "3", "4"}) {
		t.Fatal(got)
	}
	if r := verify(t, dir); !r.OK() || r.Segments != 2 {
		t.Fatal(r)
	}
	os.Remove(list[0])
	if r := verify(t, dir); len(r.Problems) != 1 || !strings.Contains(r.Problems[0].What, "is missing; it had at least 3 rows") {
		t.Fatal(r.Problems)
	}
}

func TestManyAtOnceShareSyncsAndLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var syncs atomic.Int64
	s := open(t, Options{Dir: dir, hooks: hooks{sync: func(f *os.File) error {
		syncs.Add(1)
		time.Sleep(time.Millisecond)
		return syncData(f)
	}}})
	var wg sync.WaitGroup
	const each = 40
	refs := make(chan Ref, 16*each)
	for g := range 16 {
		wg.Go(func() {
			for i := range each {
				ref, err := s.AppendSync(context.Background(), row(g*each+i))
				if err != nil {
					t.Error(err)
					return
				}
				refs <- ref
				if err := s.Append(context.Background(), row(-1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	close(refs)
	if n := syncs.Load(); n > 8*each {
		t.Errorf("%d syncs for %d rows", n, 16*each)
	}
	want := map[int64]string{}
	for r := range refs {
		want[r.N] = r.Sum
	}
	if len(want) != 16*each {
		t.Errorf("%d different rows", len(want))
	}
	for e, err := range Rows(dir, Filter{}) {
		if err != nil || e.Damage != "" {
			t.Fatal(err, e.Damage)
		}
		if sum, ok := want[e.N]; ok && sum == e.Sum {
			delete(want, e.N)
		}
	}
	if r := verify(t, dir); len(want) != 0 || !r.OK() {
		t.Errorf("%d rows are not there; %v", len(want), r.Problems)
	}
}

func TestARowIsNotPromisedBeforeTheDiskHasIt(t *testing.T) {
	dir := t.TempDir()
	gate := make(chan error)
	s := open(t, Options{Dir: dir, hooks: hooks{sync: func(*os.File) error { return <-gate }}})
	done := make(chan error, 1)
	go func() { _, err := s.AppendSync(context.Background(), row(0)); done <- err }()
	for len(files(t, dir)) == 0 || len(calls(t, dir, Filter{})) == 0 {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-done:
		t.Fatalf("returned before the sync did: %v", err)
	default:
	}
	add(t, s, 1, 2) // reads go on
	ctx, cancel := context.WithCancel(context.Background())
	waiter := make(chan error, 1)
	go func() { _, err := s.AppendSync(ctx, row(2)); waiter <- err }()
	cancel()
	if err := <-waiter; !errors.Is(err, context.Canceled) || !errors.Is(err, reeve.RecordFailed) {
		t.Fatalf("a caller whose time is up: %v", err)
	}
	gate <- nil
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestAfterAFailedSyncNothingIsTrustedInThatFile(t *testing.T) {
	dir := t.TempDir()
	fail := syscall.EIO
	var fails atomic.Bool
	s := open(t, Options{Dir: dir, hooks: hooks{sync: func(f *os.File) error {
		if fails.Load() {
			return fail
		}
		return syncData(f)
	}}})
	ctx := context.Background()
	if _, err := s.AppendSync(ctx, row(0)); err != nil {
		t.Fatal(err)
	}
	fails.Store(true)
	if _, err := s.AppendSync(ctx, row(1)); !errors.Is(err, syscall.EIO) || !errors.Is(err, reeve.RecordFailed) {
		t.Fatalf("%v", err)
	}
	fails.Store(false)
	ref, err := s.AppendSync(ctx, row(2))
	if err != nil || len(files(t, dir)) != 2 || !strings.Contains(filepath.ToSlash(files(t, dir)[0]+files(t, dir)[1]), ref.Segment) {
		t.Fatalf("%v %v", err, files(t, dir))
	}
	if r := verify(t, dir); !r.OK() {
		t.Fatal(r.Problems)
	}
}

func TestAWriteThatStopsHalfWayLeavesNoTornRowBehind(t *testing.T) {
	dir := t.TempDir()
	cut := 0
	s := open(t, Options{Dir: dir, hooks: hooks{write: func(f *os.File, b []byte, at int64) (int, error) {
		if cut > 0 {
			n, _ := f.WriteAt(b[:cut], at)
			cut = 0
			return n, syscall.ENOSPC
		}
		return f.WriteAt(b, at)
	}}})
	add(t, s, 0, 3)
	cut = 100
	if err := s.Append(context.Background(), row(3)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if got := calls(t, dir, Filter{}); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Fatalf("a half row was left behind: %v", got)
	}
	add(t, s, 4, 6)
	if got := calls(t, dir, Filter{}); !slices.Equal(got, []string{"0", "1", "2", "4", "5"}) {
		t.Fatal(got)
	}
	if r := verify(t, dir); !r.OK() || len(r.Notes) != 0 {
		t.Fatal(r)
	}
}

func TestAppendAfterClose(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	add(t, s, 0, 1)
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(context.Background(), row(1)); !errors.Is(err, reeve.RecordFailed) {
		t.Fatal(err)
	}
	if _, err := s.AppendSync(context.Background(), row(1)); !errors.Is(err, reeve.RecordFailed) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s = open(t, Options{Dir: dir})
	if err := s.Append(ctx, row(1)); err != nil {
		t.Errorf("a cancelled call is not recorded: %v", err)
	}
}

func BenchmarkFirstRow(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		s, err := Open(Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		add(b, s, 0, 1)
		s.Close()
	}
}

func BenchmarkAppendSync8(b *testing.B) {
	s := open(b, Options{Dir: b.TempDir()})
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.AppendSync(context.Background(), row(1)); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkFirstRowOfAll(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		b.StartTimer()
		s, err := Open(Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		add(b, s, 0, 1)
	}
}

func TestAChangeAtMidnightOfAMonthIsNotRefused(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC)
	gate, inside := make(chan struct{}), make(chan struct{}, 10)
	var held atomic.Bool
	s := open(t, Options{Dir: dir, Now: func() time.Time { return now }, hooks: hooks{sync: func(f *os.File) error {
		if held.Swap(false) {
			inside <- struct{}{}
			<-gate
		}
		return syncData(f)
	}}})
	held.Store(true)
	done := make(chan error, 1)
	go func() { _, err := s.AppendSync(context.Background(), row(0)); done <- err }()
	<-inside
	s.mu.Lock()
	now = now.Add(time.Hour)
	s.mu.Unlock()
	if _, err := s.AppendSync(context.Background(), row(1)); err != nil {
		t.Error(err)
	}
	close(gate)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if r := verify(t, dir); !r.OK() || r.Segments != 2 {
		t.Error(r)
	}
}
