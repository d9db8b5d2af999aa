package ops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reeve"
)

func (w *world) bench(b *testing.B, c reeve.Call) {
	b.Helper()
	r := reeve.Request{Call: c}
	if _, err := w.gate.Do(context.Background(), r); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := cpuTime()
	for b.Loop() {
		if _, err := w.gate.Do(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
	// On a busy machine the time that passed says little.
	b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N)/1000, "cpu-µs/op")
}

func BenchmarkRead2KB(b *testing.B) {
	w := newWorld(b, "default", nil)
	w.write("a/b/c/d/f.txt", strings.Repeat("forty characters of text stand in here.\n", 51))
	w.bench(b, &reeve.ReadFile{Paths: []string{w.path("a/b/c/d/f.txt")}})
}

func BenchmarkStat(b *testing.B) {
	w := newWorld(b, "default", nil)
	w.write("a/b/c/d/f.txt", "x")
	w.bench(b, &reeve.Stat{Path: w.path("a/b/c/d/f.txt")})
}

func BenchmarkListRoots(b *testing.B) {
	newWorld(b, "default", nil).bench(b, &reeve.ListRoots{})
}

func BenchmarkList(b *testing.B) {
	dir, err := filepath.EvalSymlinks(manyEntries(b, 100_000))
	if err != nil {
		b.Fatal(err)
	}
	w := grant(b, "default", nil, b.TempDir(), dir)
	b.Run("first page of 100000", func(b *testing.B) { w.bench(b, &reeve.ListDirectory{Path: dir}) })
	b.Run("find one of 100000", func(b *testing.B) { w.bench(b, &reeve.SearchFiles{Path: dir, Pattern: "entry-0050000*"}) })
}

func BenchmarkFind(b *testing.B) {
	w := newWorld(b, "default", nil)
	for i := range 200 {
		for j := range 20 {
			w.write(fmt.Sprintf("pkg%d/sub%d/file%d.go", i/10, i%10, j), strings.Repeat("some words of a source file\n", 40))
		}
	}
	b.Run("name", func(b *testing.B) { w.bench(b, &reeve.SearchFiles{Pattern: "nothing*"}) })
	b.Run("path", func(b *testing.B) { w.bench(b, &reeve.SearchFiles{Pattern: "pkg*/**/*.{ts,js}"}) })
	b.Run("text", func(b *testing.B) { w.bench(b, &reeve.SearchFiles{Pattern: "*", Contains: "quixotic"}) })
	b.Run("newest", func(b *testing.B) { w.bench(b, &reeve.SearchFiles{Pattern: "*", Sort: "newest"}) })
}

func BenchmarkLargeFiles(b *testing.B) {
	w := newWorld(b, "default", nil)
	for name, line := range map[string]string{"gigabyte": "\n", "oneline": ""} {
		f, err := os.Create(w.path(name))
		if err != nil {
			b.Fatal(err)
		}
		block := []byte(strings.Repeat(strings.Repeat("x", 63)+line, 16384))
		n := 50
		if name == "gigabyte" {
			n = 16 // real text in front, then a hole
		}
		for range n {
			if _, err := f.Write(block); err != nil {
				b.Fatal(err)
			}
		}
		if name == "gigabyte" {
			const size = 1 << 30
			if err := f.Truncate(size); err != nil {
				b.Fatal(err)
			}
			if _, err := f.WriteAt(block, size-int64(len(block))); err != nil {
				b.Fatal(err)
			}
		}
		f.Close()
	}
	b.Run("first page of 1 GB", func(b *testing.B) { w.bench(b, &reeve.ReadFile{Paths: []string{"gigabyte"}}) })
	b.Run("last page of 1 GB", func(b *testing.B) { w.bench(b, &reeve.ReadFile{Paths: []string{"gigabyte"}, Offset: -200}) })
	b.Run("one line of 50 MB", func(b *testing.B) { w.bench(b, &reeve.ReadFile{Paths: []string{"oneline"}}) })
	b.Run("deep in one line", func(b *testing.B) {
		w.bench(b, &reeve.ReadFile{Paths: []string{"oneline"}, Column: 40_000_000})
	})
}
