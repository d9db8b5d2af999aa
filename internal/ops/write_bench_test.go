package ops

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"reeve"
)

// What an edit costs beside the disk: files in memory, one line changed.
func BenchmarkEditOneLine(b *testing.B) {
	for _, size := range []int{2 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d := newDesk(b, "elowen", nil)
			d.file("a.txt", strings.Repeat("a line of sixty-four bytes, which is as long as lines often are\n", size/64)+"needle 0\n")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c := one("a.txt", fmt.Sprintf("needle %d\n", i), fmt.Sprintf("needle %d\n", i+1))
				if _, err := d.gate.Do(context.Background(), reeve.Request{Call: c}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWriteOver(b *testing.B) {
	for _, size := range []int{2 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d := newDesk(b, "elowen", nil)
			body := strings.Repeat("a line of sixty-four bytes, which is as long as lines often are\n", size/64)
			d.file("a.txt", body)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c := &reeve.WriteFile{Path: "a.txt", Content: fmt.Sprintf("%d\n%s%d\n", i, body, i)}
				if _, err := d.gate.Do(context.Background(), reeve.Request{Call: c}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
