package capfs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// swapper exchanges two names as fast as it can until it is stopped.
func swapper(t *testing.T, n *atomic.Int64, a, b string) (stop func()) {
	t.Helper()
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !over.Load() {
			if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
				t.Errorf("swap: %v", err)
				return
			}
			n.Add(1)
		}
	}()
	return func() {
		over.Store(true)
		<-done
	}
}

// TestSwapped: a folder and a link to a folder outside trade names while
// everything is resolved, opened, listed and read. What comes back is the
// inside or a refusal, never the outside. REEVE_SWAPS sets how many swaps
// there must be at least, in each of its worlds.
func TestSwapped(t *testing.T) {
	want, _ := strconv.ParseInt(os.Getenv("REEVE_SWAPS"), 10, 64)
	for name, layer := range map[string]capfs.Layer{
		"linux": capfs.NewLinux(capfs.LinuxOptions{}), "without openat2": capfs.NewLinux(capfs.LinuxOptions{NoOpenat2: true}),
		"without proc": capfs.NewLinux(capfs.LinuxOptions{NoProc: true}), "portable": capfs.NewPortable(),
	} {
		for _, marked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, marked %v", name, marked), func(t *testing.T) { swapped(t, layer, marked, want) })
		}
	}
}

func swapped(t *testing.T, layer capfs.Layer, marked bool, want int64) {
	base, err := os.MkdirTemp("/dev/shm", "swapped")
	if err != nil {
		base = t.TempDir()
	}
	defer os.RemoveAll(base)
	for path, text := range map[string]string{
		"root/in/sub/f": "inside", "out/sub/f": "OUTSIDE", "out/OUTSIDE": "OUTSIDE", "root/in/own": "inside",
		"root/.safe/sub/f": "PRIVATE", "root/.safe/own": "PRIVATE", "root/pub/sub/f": "inside", "root/pub/own": "inside",
		"root/file": "inside",
	} {
		p := filepath.Join(base, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(base, "root")
	at := func(name string) string { return filepath.Join(root, name) }
	must(t, os.Symlink("../out", at("x")), os.Symlink(".safe", at("y")), os.Symlink(".safe/own", at("z")))
	fs := capfs.New(capfs.Options{Layer: layer})
	defer fs.Close()
	var narrow []capfs.Narrowing
	if marked { // without, the fast path is taken
		narrow = []capfs.Narrowing{{Path: at(".safe"), Kind: reeve.MarkProtected, Rule: "safe", Folder: true}}
	}
	fs.SetGrants([]capfs.Grant{{Path: root, Access: reeve.ReadWrite}}, narrow)
	var swaps atomic.Int64
	for _, pair := range [][2]string{{"in", "x"}, {"pub", "y"}, {"file", "z"}} {
		defer swapper(t, &swaps, at(pair[0]), at(pair[1]))()
	}
	ctx := context.Background()
	got, refused := 0, 0
	began := time.Now()
	enough := func() bool {
		if got == 0 || refused == 0 { // nothing has raced yet
			return time.Since(began) > 20*time.Second
		}
		return swaps.Load() >= want && time.Since(began) > 200*time.Millisecond
	}
	for !enough() {
		for _, path := range []string{"in/sub/f", "in/own", "in", "in/sub", "x/sub/f",
			"pub/sub/f", "pub/own", "pub", "y/own", "file", "z"} {
			ok, err := lookEverywhere(ctx, fs, parsed(t, filepath.Join(root, path)))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if ok {
				got++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d swaps, %d answers, %d refusals", swaps.Load(), got, refused)
	if swaps.Load() == 0 || got == 0 || refused == 0 {
		t.Error("nothing raced")
	}
}

// lookEverywhere does with a path what can be done. An error means that the
// outside was seen.
func lookEverywhere(ctx context.Context, fs *capfs.FS, p pathname.Parsed) (bool, error) {
	h, err := fs.Resolve(ctx, p, true)
	if err != nil {
		return false, leak(err.Error())
	}
	defer h.Close()
	if err := leak(h.Place().Path()); err != nil {
		return false, err
	}
	switch h.Place().Kind {
	case reeve.File:
		return readOne(ctx, h)
	case reeve.Directory:
		folder, err := h.Folder(ctx)
		if err != nil {
			return false, leak(err.Error())
		}
		defer folder.Close()
		var names []string
		err = folder.Each(ctx, func(e capfs.DirEntry) error {
			names = append(names, e.Name)
			return leak(e.Name)
		})
		if err != nil {
			return false, leak(err.Error())
		}
		for _, n := range append(names, "f", "OUTSIDE", "sub") {
			e, err := folder.Lookup(ctx, n)
			if err != nil {
				if err := leak(err.Error()); err != nil {
					return false, err
				}
				continue
			}
			if e.Place().Kind == reeve.File {
				if _, err := readOne(ctx, e); err != nil {
					e.Close()
					return false, err
				}
			}
			e.Close()
		}
		return true, nil
	}
	return false, nil
}

func readOne(ctx context.Context, h *capfs.Held) (bool, error) {
	f, err := h.File(ctx)
	if err != nil {
		return false, leak(err.Error())
	}
	defer f.Close()
	b := make([]byte, 100)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return false, leak(err.Error())
	}
	text := string(b[:n])
	// Where nothing is marked (the fast path), the place must still say it.
	told := len(h.Place().Marks) > 0 || strings.Contains(h.Place().Path(), "/.safe/")
	if strings.Contains(text, "PRIVATE") && !told {
		return false, errors.New("what is protected was read as " + h.Place().Display())
	}
	return true, leak(text)
}

func leak(s string) error {
	if strings.Contains(s, "OUTSIDE") {
		return errors.New("the outside was seen: " + s)
	}
	return nil
}
