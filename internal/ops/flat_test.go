package ops

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"reeve"
	"reeve/internal/guard"
)

// weighed are rules that weigh what is alive in memory while a folder streams
// past them.
type weighed struct {
	guard.Rules
	names int
	most  uint64
}

func (r *weighed) Folder(p reeve.Place) func(string, reeve.FileKind) reeve.Decision {
	judge := r.Rules.Folder(p)
	return func(name string, k reeve.FileKind) reeve.Decision {
		if r.names++; r.names%5000 == 0 {
			r.most = max(r.most, alive())
		}
		return judge(name, k)
	}
}

func alive() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The page of a folder of 100,000 holds no more memory on the way than that
// of one of 10,000.
func TestMemoryOfAListingIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 100,000 files")
	}
	// In memory where there is such a place: making the files is what takes
	// the time.
	base, err := os.MkdirTemp("/dev/shm", "reeve-flat-")
	if err != nil {
		base = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	dir, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	w := grant(t, "default", nil, t.TempDir(), dir)
	rules := &weighed{Rules: w.cur.Rules}
	w.cur.Rules = rules
	made := 0
	held := func(call reeve.Call, n int) uint64 {
		for ; made < n; made++ {
			f, err := os.Create(filepath.Join(dir, strconv.Itoa(1_000_000+made*7919%1_000_003)))
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		rules.names, rules.most = 0, 0
		before := alive()
		if _, err := w.try(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		if rules.names < n {
			t.Fatalf("%d of %d names were judged", rules.names, n)
		}
		return rules.most - min(before, rules.most)
	}
	list := &reeve.ListDirectory{Path: dir}
	held(list, 100) // what the first call makes once
	small := held(list, 10_000)
	large := held(list, 100_000)
	t.Logf("%d bytes for 10,000 entries, %d for 100,000", small, large)
	// A name that was kept would be 32 bytes at least, 90,000 of them 2.8 MB.
	if large > small+256<<10 {
		t.Errorf("10,000 entries take %d bytes, 100,000 take %d", small, large)
	}
}
