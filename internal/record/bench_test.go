package record

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reeve"
)

// change is a row of about 600 bytes.
func change() reeve.Row {
	r := row(1)
	r.Event, r.Target, r.Rule, r.Bytes, r.Lines, r.Took, r.Time = "intent", reeve.Local, "root: write", 2048, 40, 90*time.Microsecond, time.Now()
	r.Digest = strings.Repeat("d", 64)
	r.Effects[0].Before, r.Effects[0].After = strings.Repeat("b", 45), strings.Repeat("a", 45)
	return r
}

// What the system alone takes for the same bytes, with and without the disk.
func BenchmarkBareWrite(b *testing.B) { bare(b, false) }
func BenchmarkBareSync(b *testing.B)  { bare(b, true) }

func bare(b *testing.B, synced bool) {
	f, err := os.Create(filepath.Join(b.TempDir(), "f"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r := change()
	line, _ := link(nil, 1, appendRow(nil, &r), sum{})
	var at, room int64
	b.ReportMetric(float64(len(line)), "bytes")
	for b.Loop() {
		if at+int64(len(line)) > room {
			allocate(f, room, 2*defaultReserve)
			room += 2 * defaultReserve
		}
		if _, err := f.WriteAt(line, at); err != nil {
			b.Fatal(err)
		}
		at += int64(len(line))
		if synced {
			if err := syncData(f); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	s := open(b, Options{Dir: b.TempDir()})
	ctx, r := context.Background(), change()
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Append(ctx, r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendLong(b *testing.B) {
	other := long(1)
	other.Patch = strings.Repeat("+日本語の行\n", 350)
	for name, r := range map[string]reeve.Row{"english": long(1), "japanese": other} {
		b.Run(name, func(b *testing.B) {
			s := open(b, Options{Dir: b.TempDir()})
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Append(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendSync(b *testing.B) {
	s := open(b, Options{Dir: b.TempDir()})
	ctx, r := context.Background(), change()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.AppendSync(ctx, r); err != nil {
			b.Fatal(err)
		}
	}
}

// A change as it is recorded: what it will do, synced, and then what it did.
func BenchmarkIntentAndOutcome(b *testing.B) {
	for name, after := range map[string]reeve.Row{"short": row(1), "long": long(1)} {
		b.Run(name, func(b *testing.B) {
			s := open(b, Options{Dir: b.TempDir()})
			ctx, r := context.Background(), change()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.AppendSync(ctx, r); err != nil {
					b.Fatal(err)
				}
				if err := s.Append(ctx, after); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
