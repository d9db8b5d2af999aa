package ops

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"reeve"
	"reeve/internal/capfstest"
)

// What is outside every root is refused as text: the file system is not asked
// at all, so that a network folder that does not answer cannot hold up the
// call, and nothing is told about what is there.
func TestWhatIsOutsideIsRefusedWithoutAskingTheFileSystem(t *testing.T) {
	w, m := newMemory(t, capfstest.Op{Verb: "dir", Path: "/base/far"}, capfstest.Op{Verb: "mount", Path: "/base/far"}, capfstest.Op{Verb: "file", Path: "~/in", Arg: "x"})
	release, err := m.Hang("/base/far")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	var asked atomic.Int64
	m.Before(func(string) { asked.Add(1) })
	for _, path := range []string{"/base/far", "/base/far/x", "/base/far/none/deeper", "/base/granted-not", "/base", "/", "/base/granted/../far/x"} {
		for _, c := range []reeve.Call{
			&reeve.Stat{Path: path},
			&reeve.ReadFile{Paths: []string{path}},
			&reeve.ReadFile{Paths: []string{path, path}},
			&reeve.ListDirectory{Path: path},
			&reeve.ListDirectory{Path: path, Recursive: true},
			&reeve.SearchFiles{Path: path, Pattern: "*", Contains: "x"},
			&reeve.WriteFile{Path: path, Content: "x"},
			&reeve.EditFile{Path: path, Edits: []reeve.Edit{{Old: "x", New: "y"}}},
			&reeve.CreateDirectory{Path: path},
			&reeve.DeletePath{Path: path},
			&reeve.MovePath{From: path, To: path + "2"},
			&reeve.CopyPath{From: path, To: path + "2"},
		} {
			if _, err := w.try(context.Background(), c); !errors.Is(err, reeve.OutsideRoots) {
				t.Errorf("%s %s: %v", c.Verb(), path, err)
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the file system was asked %d times", n)
	}
	if _, err := w.try(context.Background(), &reeve.Stat{Path: "/base/granted/in"}); err != nil || asked.Load() == 0 {
		t.Errorf("the counter counts nothing: %v", err)
	}
}

// BenchmarkOutside is the whole of a refused call, which must stay far below
// 10 ms wherever the path leads.
func BenchmarkOutside(b *testing.B) {
	w := newWorld(b, "default", nil)
	r := reeve.Request{Call: &reeve.ReadFile{Paths: []string{filepath.Join(filepath.Dir(w.dir), "elsewhere", "a", "b", "c.txt")}}}
	b.ReportAllocs()
	before := cpuTime()
	for b.Loop() {
		if _, err := w.gate.Do(context.Background(), r); !errors.Is(err, reeve.OutsideRoots) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N)/1000, "cpu-µs/op")
}
