package history

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"reeve"
)

func there(s *Store, e Entry) bool {
	_, err := fetch(s, e.Blob)
	return err == nil
}

func TestCopiesGoAfterTheirDays(t *testing.T) {
	c := newClock()
	s := open(t, Options{Now: c.Now})
	old, _ := keep(t, s, replaced("/r/a", file("old")), replaced("/r/both", file("both")))
	c.step(29 * 24 * time.Hour)
	mid, _ := keep(t, s, replaced("/r/b", file("mid")), replaced("/r/both", file("both")))
	if p, err := s.Prune(ctx); err != nil || p.Blobs != 0 || !there(s, old[0]) {
		t.Fatalf("%+v %v", p, err)
	}
	c.step(25 * time.Hour)
	p, err := s.Prune(ctx)
	if err != nil || p != (Pruned{1, 3}) || there(s, old[0]) || !there(s, mid[0]) || !there(s, old[1]) {
		t.Fatalf("%+v %v", p, err)
	}
	if _, err := fetch(s, old[0].Blob); !errors.Is(err, reeve.NotFound) {
		t.Error(err)
	}
	if n := len(list(t, s, Filter{})); n != 4 {
		t.Errorf("%d entries: what is gone is not told any more", n)
	}
	// Entries go when all of their segment is long past.
	c.step(40 * 24 * time.Hour)
	keep(t, s, replaced("/r/new", file("new")))
	for _, f := range files(t, s, "entries") {
		when := c.Now().Add(-70 * 24 * time.Hour)
		if len(list(t, s, Filter{})) > 0 && !s.current(path.Join(entriesDir, f)) {
			if err := os.Chtimes(s.on(t, path.Join(entriesDir, f)), when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Prune(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(list(t, s, Filter{})); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func TestTheOldestGoesFirstWhenItIsFull(t *testing.T) {
	c := newClock()
	s := open(t, Options{Now: c.Now, TotalBytes: 1000})
	var all []Entry
	for i := range 30 {
		es, ds := keep(t, s, replaced(fmt.Sprintf("/r/%d", i), file(fmt.Sprintf("%0100d", i))))
		if !ds[0].Kept || !there(s, es[0]) {
			t.Fatalf("the copy just made is gone at %d", i)
		}
		all = append(all, es...)
		c.step(time.Second)
		u, err := s.Size(ctx)
		if err != nil || u.Bytes > 1000 {
			t.Fatalf("%+v %v", u, err)
		}
	}
	gone := 0
	for i, e := range all {
		if !there(s, e) {
			if gone != i {
				t.Fatalf("copy %d is gone while an older one stays", i)
			}
			gone++
		}
	}
	if gone < 20 || gone > 22 {
		t.Errorf("%d of 30 are gone", gone)
	}
	if left := files(t, s, "tmp"); len(left) > 0 {
		t.Errorf("%v", left)
	}
	for _, f := range files(t, s, "blobs") {
		if strings.HasSuffix(f, oldEnd) {
			t.Errorf("%s stayed half-way", f)
		}
	}
}

func TestNothingOfTheCurrentCallIsLetGoOf(t *testing.T) {
	s := open(t, Options{TotalBytes: 1000})
	keep(t, s, replaced("/r/old", file(strings.Repeat("o", 500))))
	var things []Thing
	for i := range 10 {
		things = append(things, replaced(fmt.Sprintf("/r/%d", i), file(fmt.Sprintf("%0100d", i))))
	}
	es, ds := keep(t, s, things...)
	for i := range es {
		if !ds[i].Kept || !there(s, es[i]) {
			t.Errorf("%d: %+v", i, ds[i])
		}
	}
}

func TestAClockThatGoesBackLosesNothing(t *testing.T) {
	c := newClock()
	s := open(t, Options{Now: c.Now})
	a, _ := keep(t, s, replaced("/r/a", file("a")))
	c.step(-400 * 24 * time.Hour)
	b, _ := keep(t, s, replaced("/r/b", file("b")))
	s.Close()
	s2 := open(t, Options{Dir: s.o.Dir, Now: c.Now}) // and in a new process
	d, _ := keep(t, s2, replaced("/r/d", file("d")))
	if _, err := s2.Prune(ctx); err != nil {
		t.Fatal(err)
	}
	got := list(t, s2, Filter{})
	if len(got) != 3 || got[0].Path != "/r/d" || got[1].Path != "/r/b" || got[2].Path != "/r/a" {
		t.Errorf("the last change is not the last: %+v", got)
	}
	for _, e := range []Entry{a[0], b[0], d[0]} {
		if !there(s2, e) {
			t.Errorf("%s is gone", e.Path)
		}
	}
	// Set right again, what was kept under the wrong clock is as old as it
	// says, except for the call that is going on.
	c.step(400 * 24 * time.Hour)
	e, _ := keep(t, s2, replaced("/r/e", file("e")))
	if !there(s2, e[0]) || !there(s2, a[0]) {
		t.Error("a copy that is young went")
	}
}

func TestLitterGoesAndWhatIsOnItsWayStays(t *testing.T) {
	c := newClock()
	s := open(t, Options{Now: c.Now})
	es, _ := keep(t, s, replaced("/r/a", file("a")))
	orphan := strings.Repeat("ab", 32)
	if err := os.MkdirAll(s.on(t, blobsDir+"/ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	overwrite(t, s.on(t, blobName(orphan)), "orphan")
	overwrite(t, s.on(t, tmpName(c.Now())), "half")
	if err := os.Chtimes(s.on(t, blobName(orphan)), c.Now(), c.Now()); err != nil {
		t.Fatal(err)
	}
	// Another process ended while it let go of a copy that is still wanted.
	if err := os.Rename(s.on(t, blobName(es[0].Blob)), s.on(t, blobName(es[0].Blob)+oldEnd)); err != nil {
		t.Fatal(err)
	}
	if !there(s, es[0]) {
		t.Error("a copy that is being let go of cannot be read")
	}
	c.step(30 * time.Minute)
	s.Prune(ctx)
	if n := len(files(t, s, "tmp")); n != 1 {
		t.Errorf("what may be on its way went: %d", n)
	}
	if _, err := os.Stat(s.on(t, blobName(orphan))); err != nil {
		t.Error(err)
	}
	c.step(25 * time.Hour)
	if _, err := s.Prune(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(files(t, s, "tmp")); n != 0 {
		t.Errorf("litter stays: %v", files(t, s, "tmp"))
	}
	if got := files(t, s, "blobs"); len(got) != 1 || got[0] != es[0].Blob {
		t.Errorf("%v", got)
	}
}

// Who prunes meets who keeps: a copy that is wanted again while it is being
// let go of comes back.
func TestACopyThatIsWantedAgainComesBack(t *testing.T) {
	c := newClock()
	s := open(t, Options{Now: c.Now})
	old, _ := keep(t, s, replaced("/r/a", file("same")))
	c.step(31 * 24 * time.Hour)
	// The pruner has renamed it, and looks again.
	root, err := s.open(false)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := blobName(old[0].Blob)
	if err := root.Rename(name, name+oldEnd); err != nil {
		t.Fatal(err)
	}
	again, _ := keep(t, s, replaced("/r/b", file("same")))
	if !there(s, again[0]) {
		t.Fatal("the copy is not there")
	}
	s.back(root, []blob{{name: name + oldEnd, hash: old[0].Blob}})
	if got := files(t, s, "blobs"); len(got) != 1 || !there(s, again[0]) {
		t.Errorf("%v", got)
	}
	// It goes between being found there and being named.
	third := &thing{body: []byte("same"), facts: file("same").facts}
	h, err := s.house()
	if err != nil {
		t.Fatal(err)
	}
	b := &batch{s: s, h: h, root: root, by: map[string]*pending{}}
	p, why := b.file(ctx, third, third.facts, nil)
	if why != "" || !p.had {
		t.Fatal(why, p)
	}
	if err := root.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := b.finish(nil); err != nil {
		t.Fatal(err)
	}
	b.drop()
	if !there(s, again[0]) {
		t.Error("an entry was written whose copy is gone")
	}
}

func TestFoldersKeepTheirParts(t *testing.T) {
	c := newClock()
	s := open(t, Options{Now: c.Now})
	top := folder{&thing{facts: Facts{Kind: reeve.Directory}, in: []below{{"a", file("part a")}, {"b", file("part b")}}}}
	es, _ := keep(t, s, Thing{Effect: reeve.EffectRemove, Path: "/r/d", Displaced: top})
	c.step(48 * time.Hour)
	if p, err := s.Prune(ctx); err != nil || p.Blobs != 0 {
		t.Fatalf("%+v %v", p, err)
	}
	c.step(31 * 24 * time.Hour)
	if p, err := s.Prune(ctx); err != nil || p.Blobs != 3 || there(s, es[0]) {
		t.Fatalf("%+v %v", p, err)
	}
}

func TestTheHintIsOnlyAHint(t *testing.T) {
	s := open(t, Options{TotalBytes: 1000})
	for i, bad := range []string{"", "x", "-5 0", "99999999999999999999 1", "5", "0 99999999999999999", strings.Repeat("9", 5000)} {
		keep(t, s, replaced("/r/a", file(fmt.Sprintf("%0100d", i))))
		overwrite(t, s.on(t, sizeFile), bad)
		es, _ := keep(t, s, replaced("/r/b", file(fmt.Sprintf("%0101d", i))))
		if !there(s, es[0]) {
			t.Errorf("%q", bad)
		}
	}
	if u, _ := s.Size(ctx); u.Bytes > 1000 {
		t.Errorf("%+v", u)
	}
}
