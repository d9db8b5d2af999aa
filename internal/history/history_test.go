package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"reeve"
)

var ctx = context.Background()

// clock is a clock in the test's hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

// The clock begins now: the file system keeps times of its own.
func newClock() *clock { return &clock{now: time.Now().UTC().Add(time.Second)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) step(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	c.mu.Unlock()
}

func open(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "state")
	}
	s := New(o)
	t.Cleanup(func() { s.Close() })
	return s
}

// thing is something displaced, made by hand.
type thing struct {
	facts Facts
	body  []byte
	fail  error
	in    []below
	path  string // a real file, to be taken
	taken bool
	busy  bool
}

type below struct {
	rel string
	t   *thing
}

func (d *thing) Facts() Facts { return d.facts }

func (d *thing) Open(context.Context) (Reader, error) {
	if d.fail != nil {
		return nil, d.fail
	}
	if d.path != "" {
		return os.Open(d.path)
	}
	return nopCloser{bytes.NewReader(d.body)}, nil
}

type nopCloser struct{ io.ReaderAt }

func (nopCloser) Close() error { return nil }

// folder is a thing that shows what is in it; taker one that can be moved.
type folder struct{ *thing }

func (f folder) Walk(_ context.Context, fn func(string, Displaced) error) error {
	for _, b := range f.in {
		var d Displaced = b.t
		if b.t.facts.Kind == reeve.Directory {
			d = folder{b.t}
		}
		if err := fn(b.rel, d); err != nil {
			return err
		}
	}
	return nil
}

type taker struct{ *thing }

func (d taker) TakeInto(dir *os.File, name string) (bool, error) {
	if d.busy {
		return false, errors.New("open for writing elsewhere")
	}
	if err := os.Rename(d.path, filepath.Join(dir.Name(), name)); err != nil {
		return false, err
	}
	d.taken = true
	return true, nil
}

func file(body string) *thing {
	return &thing{body: []byte(body), facts: Facts{Kind: reeve.File, Size: int64(len(body)),
		Meta: reeve.Meta{Mode: 0o640, MTime: 1_700_000_000_123456789, Owner: &reeve.Ownership{UID: 1000, GID: 100},
			XAttrs: []reeve.XAttr{{Name: "user.note", Value: []byte{0, 1, 0xff}}}}}}
}

func replaced(path string, d Displaced) Thing {
	return Thing{Effect: reeve.EffectReplace, Target: reeve.Local, Root: "/home/ann", Path: path, Displaced: d, Kind: reeve.File,
		Before: reeve.NewVersion(reeve.Stamp{Size: 1}, false, nil), After: reeve.NewVersion(reeve.Stamp{Size: 2}, false, nil)}
}

func agent(c string) Call {
	return Call{ID: c, Verb: "write_file", Subject: reeve.Subject{Kind: reeve.Agent, Agent: "claude", Door: "stdio"}, Digest: "d"}
}

func keep(t testing.TB, s *Store, things ...Thing) ([]Entry, []Detail) {
	t.Helper()
	es, ds, err := s.Keep(ctx, agent("7"), things...)
	if err != nil {
		t.Fatal(err)
	}
	return es, ds
}

func list(t testing.TB, s *Store, f Filter) (out []Entry) {
	t.Helper()
	for e, err := range s.Entries(ctx, f) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func content(t testing.TB, s *Store, hash string) string {
	t.Helper()
	b, err := fetch(s, hash)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func fetch(s *Store, hash string) (string, error) {
	r, _, err := s.Open(ctx, hash)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

// files are all names below the history, with folders left out.
func files(t testing.TB, s *Store, dir string) (out []string) {
	t.Helper()
	top := filepath.Join(s.o.Dir, "history", dir)
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(top, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

func TestWhatIsKeptComesBackWithAllThatWasKnownOfIt(t *testing.T) {
	s := open(t, Options{})
	d := file("old content\n")
	es, ds := keep(t, s, replaced("/home/ann/a.txt", d))
	if !ds[0].Kept || ds[0].NotKept != "" {
		t.Fatalf("%+v", ds[0])
	}
	s.Close()
	again := open(t, Options{Dir: s.o.Dir})
	got := list(t, again, Filter{})
	if len(got) != 1 || got[0].ID() != es[0].ID() || got[0].Path != "/home/ann/a.txt" || got[0].Size != 12 || got[0].Owner {
		t.Fatalf("%+v", got)
	}
	if c := content(t, again, got[0].Blob); c != "old content\n" {
		t.Errorf("%q", c)
	}
	det, err := got[0].Detail()
	if err != nil {
		t.Fatal(err)
	}
	m := det.Meta
	if m.Mode != 0o640 || m.MTime != 1_700_000_000_123456789 || m.Owner.UID != 1000 || m.Owner.GID != 100 ||
		len(m.XAttrs) != 1 || m.XAttrs[0].Name != "user.note" || !bytes.Equal(m.XAttrs[0].Value, []byte{0, 1, 0xff}) {
		t.Errorf("%+v", m)
	}
	if det.Subject.Agent != "claude" || det.ID != "7" || det.Before.IsZero() || det.After.IsZero() || det.Root != "/home/ann" {
		t.Errorf("%+v", det)
	}
	if err := again.Check(ctx, got[0].Blob, got[0].Size); err != nil {
		t.Error(err)
	}
}

func TestOneCallIsOneChange(t *testing.T) {
	c := newClock()
	s := open(t, Options{Now: c.Now})
	a, _ := keep(t, s, replaced("/r/a", file("a")), replaced("/r/b", file("b")),
		Thing{Effect: reeve.EffectCreate, Kind: reeve.File, Path: "/r/c", Made: []string{"/r/new"}})
	c.step(time.Second)
	b, _ := keep(t, s, Thing{Effect: reeve.EffectMove, Kind: reeve.File, Path: "/r/a", To: "/r/d/a"})
	if a[0].Change != a[2].Change || a[0].Change == b[0].Change || a[1].N != 1 {
		t.Fatalf("%+v %+v", a, b)
	}
	got := list(t, s, Filter{})
	if len(got) != 4 || got[0].Effect != reeve.EffectMove || got[3].Path != "/r/a" || got[1].Path != "/r/c" {
		t.Fatalf("%+v", got)
	}
	one, err := s.Change(ctx, a[0].Change)
	if err != nil || len(one) != 3 || one[0].Path != "/r/a" || one[2].Path != "/r/c" {
		t.Fatalf("%v %+v", err, one)
	}
	if n := len(list(t, s, Filter{Path: "/r/d"})); n != 1 {
		t.Error("a move is not found by where it led", n)
	}
	if n := len(list(t, s, Filter{Path: "/r/a"})); n != 2 {
		t.Error(n)
	}
	if n := len(list(t, s, Filter{Since: c.Now()})); n != 1 {
		t.Error(n)
	}
	if _, err := s.Change(ctx, "ZZZZZZZZ"); !errors.Is(err, reeve.NotFound) {
		t.Error(err)
	}
}

func TestOddNamesAndTextsComeBackAsTheyWere(t *testing.T) {
	s := open(t, Options{})
	link := &thing{facts: Facts{Kind: reeve.Symlink, Link: "../caf\xe9\n\t", Meta: reeve.Meta{Mode: 0o777}}}
	path := "/r/$'a\\tb\\n'/it's \u202e"
	keep(t, s, Thing{Effect: reeve.EffectRemove, Kind: reeve.Symlink, Path: "/r/" + `$'\x09'`, Displaced: link},
		Thing{Effect: reeve.EffectRemove, Path: path, Displaced: file("")})
	got := list(t, s, Filter{})
	d, err := got[1].Detail()
	if err != nil || got[0].Path != path {
		t.Fatal(err, got)
	}
	if d.Link != `$'../caf\xE9\n\t'` && !strings.Contains(d.Link, `\xE9`) {
		t.Errorf("%q", d.Link)
	}
	if content(t, s, got[0].Blob) != "" {
		t.Error("an empty file is not empty")
	}
	// A path that is not in shown form would forge a line: it is refused.
	if _, _, err := s.Keep(ctx, agent(""), Thing{Path: "a\nb"}); err == nil {
		t.Error("a raw newline was written")
	}
	if n := len(list(t, s, Filter{})); n != 2 {
		t.Error(n)
	}
}

func TestEqualContentIsKeptOnce(t *testing.T) {
	s := open(t, Options{})
	keep(t, s, replaced("/r/a", file("same")), replaced("/r/b", file("same")))
	keep(t, s, replaced("/r/c", file("same")))
	if n := len(files(t, s, "blobs")); n != 1 {
		t.Errorf("%d blobs", n)
	}
	if left := files(t, s, "tmp"); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	u, err := s.Size(ctx)
	if err != nil || u != (Usage{Entries: 3, Blobs: 1, Bytes: 4}) {
		t.Errorf("%+v %v", u, err)
	}
	if h, ok := func() (hint, bool) { r, _ := s.open(false); defer r.Close(); return s.hint(r) }(); !ok || h.bytes != 4 {
		t.Errorf("the hint is %+v %v", h, ok)
	}
}

func TestPrivate(t *testing.T) {
	s := open(t, Options{})
	keep(t, s, replaced("/r/a", file("secret")))
	err := filepath.WalkDir(filepath.Join(s.o.Dir, "history"), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err == nil && st.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
			t.Errorf("%s has mode %v", p, st.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBoundsOfOneFileAndOneCallAreSaid(t *testing.T) {
	s := open(t, Options{FileBytes: 10, TotalBytes: 25})
	for n, want := range map[int64]time.Duration{0: s.life(), 10: s.life(), 11: 0, 1 << 40: 0} {
		kept, why := s.Would(n)
		if kept != want || (why == "") != (want > 0) {
			t.Errorf("%d: %v %q", n, kept, why)
		}
	}
	if kept, why := s.WouldTree(10, 26); kept != 0 || why == "" {
		t.Error(kept, why)
	}
	if kept, _ := s.WouldTree(10, 25); kept != s.life() {
		t.Error(kept)
	}
	grows := file("1234567890")
	grows.body = []byte("12345678901") // a byte arrived since it was looked at
	es, ds := keep(t, s, replaced("/r/a", file("12345678901")), replaced("/r/g", grows),
		replaced("/r/b", file("1234567890")), replaced("/r/c", file("2234567890")), replaced("/r/d", file("3234567890")), replaced("/r/e", file("5")))
	for i, want := range []string{"larger than 10 bytes", "larger than 10 bytes", "", "", "25 bytes", ""} {
		if got := ds[i].NotKept; (want == "") != (got == "") || !strings.Contains(got, want) || ds[i].Kept != (want == "") || (es[i].Blob != "") != (want == "") {
			t.Errorf("%s: %q, want %q", es[i].Path, got, want)
		}
	}
	if left := files(t, s, "tmp"); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestAFileIsTakenWithoutCopyingWhereItCan(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: filepath.Join(dir, "state")})
	write := func(name, body string) *thing {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
		d := file(body)
		d.path = p
		return d
	}
	free, busy, twice := write("free", "free"), write("busy", "busy"), write("twice", "twice")
	busy.busy = true
	second := filepath.Join(dir, "second name")
	if err := os.Link(twice.path, second); err != nil {
		t.Skip(err)
	}
	before, _ := os.Stat(free.path)
	es, ds := keep(t, s, replaced("/r/free", taker{free}), replaced("/r/busy", taker{busy}), replaced("/r/twice", taker{twice}))
	for i, want := range []string{"free", "busy", "twice"} {
		if !ds[i].Kept || content(t, s, es[i].Blob) != want {
			t.Errorf("%s: %+v", want, ds[i])
		}
	}
	after, err := os.Stat(filepath.Join(dir, "state", top, filepath.FromSlash(blobName(es[0].Blob))))
	if err != nil || !os.SameFile(before, after) || after.Mode().Perm() != 0o600 {
		t.Errorf("the file itself was not kept: %v", err)
	}
	// What another name leads to can change: the copy must not.
	if err := os.WriteFile(second, []byte("later"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := content(t, s, es[2].Blob); got != "twice" {
		t.Errorf("a kept copy changed to %q", got)
	}
	if _, err := os.Stat(busy.path); err != nil {
		t.Error("a file that could not be taken is gone")
	}
	if left := files(t, s, "tmp"); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestAWholeFolder(t *testing.T) {
	s := open(t, Options{FileBytes: 100})
	top := folder{&thing{facts: Facts{Kind: reeve.Directory, Meta: reeve.Meta{Mode: 0o750, MTime: 5}}, in: []below{
		{"sub", &thing{facts: Facts{Kind: reeve.Directory, Meta: reeve.Meta{Mode: 0o700, MTime: 6}}}},
		{"sub/caf\xe9", file("one")},
		{"link", &thing{facts: Facts{Kind: reeve.Symlink, Link: "sub/caf\xe9"}}},
	}}}
	es, ds := keep(t, s, Thing{Effect: reeve.EffectRemove, Path: "/r/d", Displaced: top})
	if !ds[0].Kept || ds[0].Meta.Mode != 0o750 {
		t.Fatalf("%+v", ds[0])
	}
	in, err := s.Tree(ctx, es[0].Blob)
	if err != nil || len(in) != 3 {
		t.Fatal(err, in)
	}
	if in[0].Path != "sub" || in[0].Kind != reeve.Directory || in[0].Meta.Mode != 0o700 || in[0].Meta.MTime != 6 ||
		in[1].Path != `sub/$'caf\xE9'` || content(t, s, in[1].Blob) != "one" || in[2].Link != `$'sub/caf\xE9'` {
		t.Errorf("%+v", in)
	}
	// What can't be kept of it is named, and the rest is kept.
	top.in = append(top.in, below{"big", file(strings.Repeat("x", 101))}, below{"pipe", &thing{facts: Facts{Kind: reeve.Special}}},
		below{"broken", &thing{facts: Facts{Kind: reeve.File}, fail: errors.New("no such luck")}})
	es, ds = keep(t, s, Thing{Effect: reeve.EffectRemove, Path: "/r/d", Displaced: top})
	if ds[0].Kept || !strings.Contains(ds[0].NotKept, "3 of what is in it") || !strings.Contains(ds[0].NotKept, "big") {
		t.Errorf("%+v", ds[0])
	}
	in, err = s.Tree(ctx, es[0].Blob)
	if err != nil || len(in) != 6 || in[3].NotKept == "" || in[4].NotKept == "" || !strings.Contains(in[5].NotKept, "no such luck") {
		t.Errorf("%v %+v", err, in)
	}
	// A folder that does not show what was in it is not said to be kept.
	if _, ds = keep(t, s, Thing{Effect: reeve.EffectRemove, Path: "/r/e", Displaced: top.thing}); ds[0].Kept || ds[0].NotKept == "" {
		t.Errorf("%+v", ds[0])
	}
	// Nor is one that is empty lost.
	empty := folder{&thing{facts: Facts{Kind: reeve.Directory}}}
	es, ds = keep(t, s, Thing{Effect: reeve.EffectRemove, Path: "/r/f", Displaced: empty})
	if in, err := s.Tree(ctx, es[0].Blob); err != nil || len(in) != 0 || !ds[0].Kept {
		t.Error(err, in, ds[0])
	}
}

func TestManifestsThatLeadElsewhereAreRefused(t *testing.T) {
	for _, p := range []string{"", "..", "a/../../b", "/etc", "a//b", ".", `$'a\x2Fb'`, `$'\x00'`, "$'"} {
		if _, err := nodes(fmt.Appendf(nil, `{"path":%q,"kind":"file"}`+"\n", p), "x"); !errors.Is(err, reeve.Damaged) {
			t.Errorf("%q: %v", p, err)
		}
	}
	if list, err := nodes([]byte(`{"path":"a/$'\\xE9'","kind":"file"}`+"\n"), "x"); err != nil || len(list) != 1 {
		t.Error(err)
	}
	if _, err := nodes([]byte(`{"path":"a","kind":"file","blob":"../../x"}`+"\n"), "x"); err == nil {
		t.Error("a hash that is a path")
	}
}

func TestBytesThatArriveLaterAreASecondEntry(t *testing.T) {
	s := open(t, Options{})
	es, _ := keep(t, s, replaced("/r/a", file("first")), replaced("/r/b", file("b")))
	e, d, err := s.Again(ctx, es[0], file("first and later"))
	if err != nil || !d.Later || e.ID() != es[0].ID() || content(t, s, e.Blob) != "first and later" {
		t.Fatalf("%v %+v", err, d)
	}
	if content(t, s, es[0].Blob) != "first" {
		t.Error("the first copy changed")
	}
	if n := len(list(t, s, Filter{Change: e.Change})); n != 3 {
		t.Error(n)
	}
}

func TestWhatCannotBeReadIsSaidAndNothingElseIsLost(t *testing.T) {
	s := open(t, Options{})
	bad := file("x")
	bad.fail = fmt.Errorf("reading: %w", fs.ErrPermission)
	es, ds := keep(t, s, replaced("/r/a", bad), replaced("/r/b", file("good")))
	if ds[0].Kept || ds[0].NotKept == "" || !ds[1].Kept || content(t, s, es[1].Blob) != "good" {
		t.Errorf("%+v", ds)
	}
}

func TestNothingWasEverKept(t *testing.T) {
	s := open(t, Options{})
	if n := len(list(t, s, Filter{})); n != 0 {
		t.Error(n)
	}
	_, _, err := s.Open(ctx, strings.Repeat("0", 64))
	if !errors.Is(err, reeve.NotFound) {
		t.Error(err)
	}
	if _, err := s.Prune(ctx); err != nil {
		t.Error(err)
	}
	if u, err := s.Size(ctx); err != nil || u != (Usage{}) {
		t.Error(u, err)
	}
	if _, err := os.Stat(s.o.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("looking made the state folder")
	}
	for _, h := range []string{"", "..", "../../etc/passwd", strings.Repeat("G", 64)} {
		if _, _, err := s.Open(ctx, h); !errors.Is(err, reeve.NotFound) {
			t.Errorf("%q: %v", h, err)
		}
	}
}

func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewID()
		if !properID(id) || seen[id] {
			t.Fatal(id)
		}
		seen[id] = true
	}
	for in, want := range map[string]string{"k7m2-pq4x": "K7M2PQ4X", " K7M2 PQ4X ": "K7M2PQ4X"} {
		if got, ok := CleanID(in); !ok || got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	for _, in := range []string{"", "K7M2PQ4", "K7M2PQ4XX", "K7M2PQ41", "../../..", "K7M2PQ4X.0"} {
		if _, ok := CleanID(in); ok {
			t.Errorf("%q is taken for an ID", in)
		}
	}
}

func TestManyGoroutinesKeepAtOnce(t *testing.T) {
	s := open(t, Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 10 {
				if _, _, err := s.Keep(ctx, agent("x"), replaced(fmt.Sprintf("/r/%d", i), file(fmt.Sprint(k)))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := list(t, s, Filter{})
	if len(got) != 80 {
		t.Fatal(len(got))
	}
	orders := map[int64]bool{}
	for _, e := range got {
		orders[e.Order] = true
		fetched, err := fetch(s, e.Blob)
		if err != nil || len(fetched) != 1 {
			t.Fatal(err)
		}
	}
	if len(orders) != 80 || !slices.IsSortedFunc(got, func(a, b Entry) int { return int(b.Order - a.Order) }) {
		t.Error("orders are not one after another")
	}
}
