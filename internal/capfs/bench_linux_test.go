package capfs_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// benchTree makes a tree with a 2 KB file six folders deep.
func benchTree(b *testing.B) (root, file string) {
	b.Helper()
	root = filepath.Join(b.TempDir(), "root")
	file = filepath.Join(root, "a/b/c/d/e/file.txt")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("x", 2048)), 0o644); err != nil {
		b.Fatal(err)
	}
	return root, file
}

func benchFS(b *testing.B, root string, o capfs.LinuxOptions, narrow []capfs.Narrowing) *capfs.FS {
	b.Helper()
	fs := capfs.New(capfs.Options{Layer: capfs.NewLinux(o)})
	b.Cleanup(func() { fs.Close() })
	fs.SetGrants([]capfs.Grant{{Path: root, Access: reeve.ReadWrite}}, narrow)
	return fs
}

func parsed(tb testing.TB, path string) pathname.Parsed {
	tb.Helper()
	p, err := pathname.Parse(path, pathname.Context{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func BenchmarkResolve(b *testing.B) {
	root, file := benchTree(b)
	manyNarrow := []capfs.Narrowing{}
	for i := range 100 {
		manyNarrow = append(manyNarrow, capfs.Narrowing{Path: fmt.Sprintf("%s/.secret%d", root, i), Kind: reeve.MarkProtected, Folder: true})
	}
	for _, c := range []struct {
		name   string
		o      capfs.LinuxOptions
		narrow []capfs.Narrowing
		path   string
	}{
		{"fast", capfs.LinuxOptions{}, nil, file},
		{"walk", capfs.LinuxOptions{NoOpenat2: true}, nil, file},
		{"walk-100-narrowings", capfs.LinuxOptions{}, manyNarrow, file},
		{"missing", capfs.LinuxOptions{}, nil, file + ".no"},
		{"outside", capfs.LinuxOptions{}, nil, "/etc/passwd/some/where/else"},
	} {
		b.Run(c.name, func(b *testing.B) {
			fs := benchFS(b, root, c.o, c.narrow)
			p := parsed(b, c.path)
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				h, err := fs.Resolve(ctx, p, true)
				if err == nil {
					h.Close()
				}
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	fs := capfs.New(capfs.Options{})
	b.ReportAllocs()
	for b.Loop() {
		capfs.Call(context.Background(), fs, func(context.Context) (int, error) { return 1, nil })
	}
}

func BenchmarkReadFile2KB(b *testing.B) {
	root, file := benchTree(b)
	fs := benchFS(b, root, capfs.LinuxOptions{}, nil)
	p := parsed(b, file)
	buf := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		_, err := capfs.Call(context.Background(), fs, func(ctx context.Context) (int, error) {
			h, err := fs.Resolve(ctx, p, true)
			if err != nil {
				return 0, err
			}
			defer h.Close()
			f, err := h.File(ctx)
			if err != nil {
				return 0, err
			}
			defer f.Close()
			n, err := f.ReadAt(buf, 0)
			if err == io.EOF {
				err = nil
			}
			return n, err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupFile(b *testing.B) {
	root, file := benchTree(b)
	fs := benchFS(b, root, capfs.LinuxOptions{}, nil)
	ctx := context.Background()
	h, err := fs.Resolve(ctx, parsed(b, filepath.Dir(file)), true)
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	folder, err := h.Folder(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close()
	b.ReportAllocs()
	for b.Loop() {
		e, err := folder.Lookup(ctx, "file.txt")
		if err != nil {
			b.Fatal(err)
		}
		f, err := e.File(ctx)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
		e.Close()
	}
}

func BenchmarkFolderStat(b *testing.B) {
	root, file := benchTree(b)
	fs := benchFS(b, root, capfs.LinuxOptions{}, nil)
	ctx := context.Background()
	h, _ := fs.Resolve(ctx, parsed(b, filepath.Dir(file)), true)
	defer h.Close()
	folder, err := h.Folder(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := folder.Stat(ctx, "file.txt"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEach100k(b *testing.B) {
	root := filepath.Join(b.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 100_000 {
		f, err := os.Create(fmt.Sprintf("%s/file-%06d.txt", root, i))
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
	fs := benchFS(b, root, capfs.LinuxOptions{}, nil)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		h, err := fs.Resolve(ctx, parsed(b, root), true)
		if err != nil {
			b.Fatal(err)
		}
		folder, err := h.Folder(ctx)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		err = folder.Each(ctx, func(capfs.DirEntry) error { n++; return nil })
		if err != nil || n != 100_000 {
			b.Fatal(n, err)
		}
		folder.Close()
		h.Close()
	}
}

// BenchmarkBareGetdents100k is the floor that BenchmarkEach100k is held to.
func BenchmarkBareGetdents100k(b *testing.B) {
	root := b.TempDir()
	for i := range 100_000 {
		f, err := os.Create(fmt.Sprintf("%s/file-%06d.txt", root, i))
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
	buf := make([]byte, 64<<10)
	for b.Loop() {
		fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			b.Fatal(err)
		}
		for {
			if n, err := unix.Getdents(fd, buf); err != nil || n <= 0 {
				break
			}
		}
		unix.Close(fd)
	}
}
