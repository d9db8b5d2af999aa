package history

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reeve"
)

// many writes so many entries, as processes over some weeks would.
func many(b *testing.B, n int) *Store {
	b.Helper()
	s := open(b, Options{})
	root, err := s.open(true)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	start := time.Now().Add(-20 * 24 * time.Hour)
	var lines []byte
	for i := range n {
		f := file("x").Facts()
		e := Entry{Change: NewID(), Order: start.UnixNano() + int64(i)*1e9, At: start.Add(time.Duration(i) * time.Second), Effect: reeve.EffectReplace, Kind: reeve.File,
			Path: fmt.Sprintf("/home/ann/projects/site/src/components/%d/index.tsx", i%3000), Blob: fmt.Sprintf("%064x", i), Size: 2048}
		line, err := e.line(nil, Detail{ID: "17", Verb: "edit_file", Digest: fmt.Sprintf("%064x", i), Subject: reeve.Subject{Kind: reeve.Agent, Agent: "claude-code", Door: "stdio", Session: "3f"},
			Target: reeve.Local, Root: "/home/ann/projects", Before: reeve.NewVersion(reeve.Stamp{Size: 1}, false, nil), After: reeve.NewVersion(reeve.Stamp{Size: 2}, false, nil),
			Stamp: reeve.Stamp{Size: 4, MTime: 5, CTime: 6}, Meta: meta(f), Kept: true})
		if err != nil {
			b.Fatal(err)
		}
		if lines = append(lines, line...); i%2000 == 1999 || i == n-1 {
			name := filepath.Join(s.o.Dir, top, filepath.FromSlash(segmentName(start.Add(time.Duration(i)*time.Second))))
			if err := os.WriteFile(name, lines, 0o600); err != nil {
				b.Fatal(err)
			}
			lines = nil
		}
	}
	return s
}

func BenchmarkList100000(b *testing.B) {
	s := many(b, 100_000)
	for b.Loop() {
		n := 0
		for _, err := range s.Entries(ctx, Filter{}) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 100_000 {
			b.Fatal(n)
		}
	}
}

func BenchmarkListOnePathOf100000(b *testing.B) {
	s := many(b, 100_000)
	for b.Loop() {
		for range s.Entries(ctx, Filter{Path: "/home/ann/projects/site/src/components/7/index.tsx"}) {
		}
	}
}

// A kept file of 2 KB, copied, and taken, beside what a bare write costs.
func BenchmarkKeepCopied(b *testing.B) {
	s := open(b, Options{})
	i := 0
	for b.Loop() {
		i++
		if _, _, err := s.Keep(ctx, agent(""), replaced("/r/a", file(fmt.Sprintf("%02048d", i)))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKeepTaken(b *testing.B) {
	dir := b.TempDir()
	s := open(b, Options{Dir: filepath.Join(dir, "state")})
	i := 0
	for b.Loop() {
		i++
		b.StopTimer()
		body := fmt.Sprintf("%02048d", i)
		d := file(body)
		d.path = filepath.Join(dir, "displaced")
		writeSynced(b, d.path, body)
		b.StartTimer()
		if _, _, err := s.Keep(ctx, agent(""), replaced("/r/a", taker{d})); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBareDurableWrite(b *testing.B) {
	dir := b.TempDir()
	d, err := os.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	i := 0
	for b.Loop() {
		i++
		writeSynced(b, filepath.Join(dir, "tmp"), fmt.Sprintf("%02048d", i))
		if err := os.Rename(filepath.Join(dir, "tmp"), filepath.Join(dir, "a")); err != nil {
			b.Fatal(err)
		}
		if err := syncDir(d); err != nil {
			b.Fatal(err)
		}
	}
}

func writeSynced(b *testing.B, path, body string) {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.WriteString(body); err != nil {
		b.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
