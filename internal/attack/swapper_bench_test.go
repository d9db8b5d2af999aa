package attack

import (
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkSwap(b *testing.B) {
	dir := b.TempDir()
	x, y := filepath.Join(dir, "x"), filepath.Join(dir, "y")
	for _, p := range []string{x, y} {
		if err := os.Mkdir(p, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	e, err := newExchange(x, y)
	if err != nil {
		b.Fatal(err)
	}
	defer e.close()
	for b.Loop() {
		if err := e.swap(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	c := NewCanary("bench")
	reply := make([]byte, 50_000)
	for i := range reply {
		reply[i] = "the quick brown fox\n"[i%20]
	}
	b.SetBytes(int64(len(reply)))
	for b.Loop() {
		if err := c.Check(reply); err != nil {
			b.Fatal(err)
		}
	}
}
