package capfs_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// BenchmarkReplace makes durable replaces by the ladder and in the bare way (a
// temporary file, sync, rename, sync of the folder) by turns, and gives the
// median of each. The ladder's part begins with resolving the path.
func BenchmarkReplace(b *testing.B) {
	for name, size := range map[string]int{"2KB": 2 << 10, "1MB": 1 << 20} {
		text := bytes.Repeat([]byte("x"), size)
		base := b.TempDir()
		path := filepath.Join(base, "root/f")
		if err := write(path, "old"); err != nil {
			b.Fatal(err)
		}
		fs := capfs.New(capfs.Options{})
		defer fs.Close()
		fs.SetGrants([]capfs.Grant{{ID: "r", Path: filepath.Join(base, "root"), Access: reeve.ReadWrite}}, nil)
		l := capfs.NewCommitter(fs, capfs.CommitOptions{Journal: filepath.Join(base, "journal")})
		defer l.Close()
		ctx := context.Background()
		sum := blake3.Sum256([]byte("old"))
		once := func() error {
			h, err := capfstest.Resolve(ctx, fs, path, true)
			if err != nil {
				return err
			}
			defer h.Close()
			f, err := h.File(ctx)
			if err != nil {
				return err
			}
			version := f.Version(&sum)
			f.Close()
			up, err := h.Parent(ctx)
			if err != nil {
				return err
			}
			defer up.Close()
			s, err := l.Stage(ctx, capfs.At{Parent: up}, reeve.Change{Kind: reeve.Put, Place: h.Place(), Expect: version, Content: reeve.Bytes(text)})
			if err != nil {
				return err
			}
			defer s.Cleanup()
			r, err := l.Swap(ctx, []capfs.Staged{s})
			if err != nil {
				return err
			}
			sum = blake3.Sum256(text)
			if err := r.Sync(ctx); err != nil {
				return err
			}
			return r.Done[0].Displaced.Release()
		}
		b.Run(name, func(b *testing.B) {
			var took [2][]float64
			for b.Loop() {
				for i, way := range []func() error{func() error { return bare(path+".bare", text) }, once} {
					start := time.Now()
					if err := way(); err != nil {
						b.Fatal(err)
					}
					took[i] = append(took[i], float64(time.Since(start).Nanoseconds()))
				}
			}
			for _, t := range took {
				slices.Sort(t)
			}
			half := len(took[0]) / 2
			b.ReportMetric(took[0][half], "bare-ns")
			b.ReportMetric(took[1][half], "ladder-ns")
			b.ReportMetric(took[1][half]/took[0][half], "ratio")
		})
	}
}

func bare(path string, text []byte) error {
	f, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	f.Close()
	if err := os.Rename(path+".tmp", path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
