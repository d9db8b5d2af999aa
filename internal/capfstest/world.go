package capfstest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"reeve"
	"reeve/internal/capfs"
)

// World is what Run asks of a layer's test: the layer, an empty folder to make
// trees in, and a hand that makes them.
type World struct {
	Layer capfs.Layer
	// Base is an existing, empty, link-free folder.
	Base string
	Make func(Op) error
	// Lacks names the verbs of Op, and "bytes" (names that are not UTF-8),
	// that this world cannot do; cases that need them are skipped.
	Lacks []string

	disk bool // the tree is on this computer's disk
}

func (w World) has(what string) bool { return !slices.Contains(w.Lacks, what) }

// quick moves the base to a file system in memory, where there is one, for
// tests that make many files.
func (w *World) quick(t testing.TB) {
	if !w.disk {
		return
	}
	if base, err := os.MkdirTemp("/dev/shm", "capfstest"); err == nil {
		t.Cleanup(func() { os.RemoveAll(base) })
		w.Base = base
	}
}

// make changes the tree or ends the test.
func (w World) make(t testing.TB, verb, path, arg string) {
	t.Helper()
	if err := w.Make(Op{verb, w.Base + path, arg}); err != nil {
		t.Fatalf("%s %s: %v", verb, path, err)
	}
}

// grant makes an FS with one root, at path below the base.
func (w World) grant(t testing.TB, path string, narrow ...capfs.Narrowing) *capfs.FS {
	t.Helper()
	fs := capfs.New(capfs.Options{Layer: w.Layer, Refresh: -1})
	t.Cleanup(func() { fs.Close() })
	got := fs.SetGrants([]capfs.Grant{{ID: "r", Path: w.Base + path, Access: reeve.ReadWrite}}, narrow)
	if got[0].State != reeve.StateOpen {
		t.Fatalf("the root is %+v", got[0])
	}
	return fs
}

// hold resolves or ends the test.
func (w World) hold(t testing.TB, fs *capfs.FS, path string, follow bool) *capfs.Held {
	t.Helper()
	h, err := Resolve(context.Background(), fs, w.Base+path, follow)
	if err != nil {
		t.Fatalf("resolve %s: %v", path, err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func (w World) folder(t testing.TB, fs *capfs.FS, path string) *capfs.Folder {
	t.Helper()
	f, err := w.hold(t, fs, path, true).Folder(context.Background())
	if err != nil {
		t.Fatalf("folder %s: %v", path, err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Op is one change of a tree, with absolute paths:
//
//	dir PATH            a folder, its parents included
//	file PATH CONTENT   a regular file, made or written over
//	link PATH TEXT      a symbolic link
//	hard PATH EXISTING  one more name of a file
//	bind PATH EXISTING  one more name of a folder, by a mount
//	fifo PATH           a pipe
//	move PATH TO        a rename onto a free name
//	swap PATH OTHER     an exchange of two names
//	remove PATH         a file, link, or a folder with what is in it
//	mode PATH OCTAL     permission bits
//	owner PATH UID      another owner
//	mount PATH KIND     an empty file system of its own; proc is a pseudo one
type Op struct{ Verb, Path, Arg string }

func (op Op) number(base int) uint32 {
	n, err := strconv.ParseUint(op.Arg, base, 32)
	if err != nil {
		panic("capfstest: bad number in " + op.Verb)
	}
	return uint32(n)
}

// InMemory gives a World of a Memory.
func InMemory(o MemoryOptions) World {
	m := NewMemory(o)
	if err := m.Make(Op{Verb: "dir", Path: "/base"}); err != nil {
		panic(err)
	}
	return World{Layer: m, Base: "/base", Make: m.Make}
}

// OnDisk gives a World of this computer's disk for a layer.
func OnDisk(t testing.TB, layer capfs.Layer) World {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { openUp(base) })
	w := World{Layer: layer, Base: base, Make: makeOnDisk, Lacks: []string{"bind", "mount"}, disk: true}
	if os.Geteuid() != 0 {
		w.Lacks = append(w.Lacks, "owner")
	}
	w.Lacks = append(w.Lacks, systemLacks()...)
	return w
}

// openUp gives back the rights that a test took, so that the tree can go.
func openUp(base string) {
	filepath.WalkDir(base, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(p, 0o755)
		}
		return nil
	})
}

func makeOnDisk(op Op) error {
	switch op.Verb {
	case "dir":
		return os.MkdirAll(op.Path, 0o755)
	case "remove":
		return os.RemoveAll(op.Path)
	case "move":
		if _, err := os.Lstat(op.Arg); err == nil {
			return os.ErrExist
		}
		return os.Rename(op.Path, op.Arg)
	case "swap":
		return exchange(op.Path, op.Arg)
	case "mode":
		return os.Chmod(op.Path, os.FileMode(op.number(8)))
	case "owner":
		return os.Lchown(op.Path, int(op.number(10)), -1)
	}
	if err := os.MkdirAll(filepath.Dir(op.Path), 0o755); err != nil {
		return err
	}
	switch op.Verb {
	case "file":
		return os.WriteFile(op.Path, []byte(op.Arg), 0o644)
	case "link":
		return os.Symlink(op.Arg, op.Path)
	case "hard":
		return os.Link(op.Arg, op.Path)
	case "fifo":
		return fifo(op.Path)
	}
	return os.ErrInvalid
}
