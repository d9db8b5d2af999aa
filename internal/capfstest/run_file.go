package capfstest

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"reeve"
	"reeve/internal/capfs"
)

func testFileSwapped(t *testing.T, w World) {
	w.make(t, "file", "/root/f", "hello")
	w.make(t, "file", "/beyond", "secret")
	fs := w.grant(t, "/root")
	h := w.hold(t, fs, "/root/f", true)
	w.make(t, "move", "/root/f", w.Base+"/root/g")
	w.make(t, "link", "/root/f", w.Base+"/beyond")
	if got, err := ReadHeld(h); got != "hello" && !errors.Is(err, reeve.Changed) && !errors.Is(err, reeve.NotFound) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := Resolve(context.Background(), fs, w.Base+"/root/f", true); !errors.Is(err, reeve.LinkOutside) {
		t.Errorf("the link that came: %v", err)
	}
}

func open(t *testing.T, h *capfs.Held) *capfs.File {
	t.Helper()
	f, err := h.File(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func testFileChanges(t *testing.T, w World) {
	w.make(t, "file", "/root/f", "hello")
	fs := w.grant(t, "/root")
	f := open(t, w.hold(t, fs, "/root/f", true))
	now, err := f.Fresh()
	if err != nil || now.Stamp != f.Info().Stamp || f.Size() != 5 || f.Place().Size != 5 {
		t.Errorf("nothing changed: %+v, %+v, %v", now, f.Info(), err)
	}
	if v := f.Version(nil); v.IsZero() || v.Hashed() {
		t.Error("no version")
	}
	w.make(t, "file", "/root/f", "hello again")
	if now, err = f.Fresh(); err != nil || now.Stamp == f.Info().Stamp || now.Size != 11 {
		t.Errorf("a change was not seen: %+v, %v", now, err)
	}
	if f.Size() != 5 {
		t.Error("the size at opening moved")
	}
}

func testReadAt(t *testing.T, w World) {
	w.make(t, "file", "/root/f", "0123456789")
	f := open(t, w.hold(t, w.grant(t, "/root"), "/root/f", true))
	b := make([]byte, 4)
	if n, err := f.ReadAt(b, 3); n != 4 || err != nil || string(b) != "3456" {
		t.Errorf("%d %v %q", n, err, b)
	}
	if n, err := f.ReadAt(b, 8); n != 2 || err != io.EOF {
		t.Errorf("%d %v", n, err)
	}
	if n, err := f.ReadAt(b, 100); n != 0 || err != io.EOF {
		t.Errorf("%d %v", n, err)
	}
	if n, err := f.ReadAt(b, -1); n != 0 || err == nil || err == io.EOF {
		t.Errorf("%d %v", n, err)
	}
}

func testClosing(t *testing.T, w World) {
	w.make(t, "file", "/root/d/f", "hello")
	fs := w.grant(t, "/root")
	ctx := context.Background()
	for _, path := range []string{"/root/d", "/root"} {
		h := w.hold(t, fs, path, true)
		folder := w.folder(t, fs, path)
		for range 2 {
			h.Close()
			folder.Close()
		}
		if _, err := h.Folder(ctx); err == nil {
			t.Errorf("%s: a closed Held was opened", path)
		}
		if _, err := h.Fresh(ctx); err == nil {
			t.Errorf("%s: a closed Held was looked at", path)
		}
		if err := folder.Each(ctx, func(capfs.DirEntry) error { return nil }); err == nil {
			t.Errorf("%s: a closed Folder was listed", path)
		}
		if _, err := folder.Lookup(ctx, "f"); err == nil {
			t.Errorf("%s: a closed Folder was looked into", path)
		}
	}
	h := w.hold(t, fs, "/root/d/f", true)
	f := open(t, h)
	h.Close()
	if n, err := f.ReadAt(make([]byte, 5), 0); n != 5 {
		t.Errorf("a File ended with its Held: %v", err)
	}
	f.Close()
	f.Close()
	if _, err := f.ReadAt(make([]byte, 5), 0); err == nil || err == io.EOF {
		t.Errorf("a closed File was read: %v", err)
	}
	if _, err := f.Fresh(); err == nil {
		t.Error("a closed File was looked at")
	}
	fs.Close()
	fs.Close()
	if _, err := Resolve(ctx, fs, w.Base+"/root/d", true); err == nil {
		t.Error("a closed FS resolved")
	}
}

// testPipe: a program waits to write into a pipe. If anything opened it, even
// for an instant, the program would go on, write, and be killed.
func testPipe(t *testing.T, w World) {
	if !w.disk || !w.has("fifo") {
		t.Skip("no pipes here")
	}
	w.make(t, "fifo", "/root/p", "")
	w.make(t, "link", "/root/l", "p")
	path := w.Base + "/root/p"
	wrote := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("hello")
			f.Close()
		}
		wrote <- err
	}()
	fs := w.grant(t, "/root")
	ctx := context.Background()
	for range 200 {
		for _, p := range []string{"/root/p", "/root/l", "/root/p/", "/root/l/"} {
			for _, follow := range []bool{true, false} {
				h := w.hold(t, fs, p, follow)
				if f, err := h.File(ctx); err == nil {
					f.Close()
					t.Fatal("a pipe was opened")
				}
				if f, err := h.Folder(ctx); err == nil {
					f.Close()
					t.Fatal("a pipe was listed")
				}
				h.Fresh(ctx)
				h.Close()
			}
		}
		f := w.folder(t, fs, "/root")
		f.Stat(ctx, "p")
		if h, err := f.Lookup(ctx, "p"); err == nil {
			h.File(ctx)
			h.Close()
		}
		f.Each(ctx, func(capfs.DirEntry) error { return nil })
		f.Close()
		select {
		case err := <-wrote:
			t.Fatalf("the writer was disturbed: %v", err)
		default:
		}
	}
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if string(b) != "hello" || err != nil {
		t.Errorf("the writer was disturbed: %q, %v", b, err)
	}
	if err := <-wrote; err != nil {
		t.Errorf("the writer failed: %v", err)
	}
}
