package capfs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
)

// homeOf is a home with 200 places that narrow access, most of them missing.
func homeOf(b *testing.B) (home string, narrow []capfs.Narrowing) {
	b.Helper()
	home = b.TempDir()
	for i := range 200 {
		path := filepath.Join(home, fmt.Sprintf(".config/app%d", i))
		if i%3 == 0 {
			path = filepath.Join(home, fmt.Sprintf(".secret%d", i))
		}
		if i%10 == 0 {
			if err := os.MkdirAll(path, 0o700); err != nil {
				b.Fatal(err)
			}
		}
		narrow = append(narrow, capfs.Narrowing{Path: path, Kind: reeve.MarkProtected, Rule: path, Folder: true})
	}
	time.Sleep(50 * time.Millisecond) // stamps are trusted when they are older than a tick
	return home, narrow
}

// BenchmarkResolveAfterIdle is a call that has to look at what narrows access
// first, as after a second without calls.
func BenchmarkResolveAfterIdle(b *testing.B) {
	for _, c := range []struct {
		name    string
		refresh time.Duration
	}{{"idle", -1}, {"warm", time.Hour}} {
		b.Run(c.name, func(b *testing.B) {
			root, file := benchTree(b)
			_, narrow := homeOf(b)
			fs := capfs.New(capfs.Options{Refresh: c.refresh})
			defer fs.Close()
			fs.SetGrants([]capfs.Grant{{Path: root, Access: reeve.ReadWrite}}, narrow)
			p := parsed(b, file)
			b.ReportAllocs()
			for b.Loop() {
				h, err := fs.Resolve(context.Background(), p, true)
				if err != nil {
					b.Fatal(err)
				}
				h.Close()
			}
		})
	}
}
