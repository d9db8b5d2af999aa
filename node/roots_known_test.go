package node

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"reeve"
	"reeve/internal/capfs"
)

func rootPlaces(t *testing.T) (base string, p Places) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{"r/f": "mine", "out/f": "out"} {
		path = filepath.Join(base, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return base, Places{Config: filepath.Join(base, "cfg", "config.toml"), State: filepath.Join(base, "state"), Home: filepath.Join(base, "home")}
}

func startNode(t *testing.T, p Places) *Node {
	t.Helper()
	n, err := New(t.Context(), Config{ConfigFile: p.Config, StateDir: p.State, Home: p.Home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Shutdown(context.Background()) })
	return n
}

func readsIn(n *Node, path string) (string, error) {
	out, err := n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "a", Door: "library"}, Call: &reeve.ReadFile{Paths: []string{path}}})
	if err != nil || out.Result == nil {
		return "", err
	}
	b, err := json.Marshal(out.Result)
	return string(b), err
}

// A running server serves a replaced folder again at the call after the
// owner's yes, and one that starts later agrees with it.
func TestARunningNodeTakesTheOwnersYes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	base, p := rootPlaces(t)
	r := filepath.Join(base, "r")
	if _, err := AddRoot(t.Context(), p, r, reeve.Read); err != nil {
		t.Fatal(err)
	}
	n := startNode(t, p)
	file := filepath.Join(r, "f")
	if _, err := readsIn(n, file); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(r, r+".aside"), os.Symlink("out", r)); err != nil {
		t.Fatal(err)
	}
	if _, err := readsIn(n, file); !errors.Is(err, reeve.RootSuspended) {
		t.Fatal(err)
	}
	s, err := LookAtRoot(t.Context(), r)
	if err != nil || SettledRoot(p, s) || len(s.Links) != 1 || s.Real != filepath.Join(base, "out") {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := AddRoot(t.Context(), p, r, reeve.Read); err == nil || !strings.Contains(err.Error(), "roots confirm") {
		t.Errorf("granting it again: %v", err)
	}
	if err := ConfirmRoot(p, s); err != nil {
		t.Fatal(err)
	}
	for _, n := range []*Node{n, startNode(t, p)} {
		if got, err := readsIn(n, file); err != nil || !strings.Contains(got, "out") {
			t.Errorf("%s, %v", got, err)
		}
	}
	if removed, err := RemoveRoot(p, r); err != nil || !removed {
		t.Fatal(removed, err)
	}
	if left, _ := os.ReadDir(filepath.Join(p.State, "roots")); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// What stood there when the owner looked is confirmed, not what came since.
func TestAYesIsForWhatWasShown(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	base, p := rootPlaces(t)
	r := filepath.Join(base, "r")
	if _, err := AddRoot(t.Context(), p, r, reeve.Read); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(r, r+".aside"), os.Symlink("r.aside", r)); err != nil {
		t.Fatal(err)
	}
	s, err := LookAtRoot(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(r), os.Symlink("out", r), ConfirmRoot(p, s)); err != nil {
		t.Fatal(err)
	}
	if got, err := readsIn(startNode(t, p), filepath.Join(r, "f")); err == nil {
		t.Error(got)
	}
}

// Of processes that open a folder for the first time at once, one decides.
func TestTheFirstToRememberDecides(t *testing.T) {
	k := newKnownRoots(t.TempDir(), nil)
	var won atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			known := capfs.Known{Real: "/r", Identity: reeve.Identity{Device: 1, Inode: uint64(i + 1)}}
			switch err := k.remember("/r", known, "first use", true); {
			case err == nil:
				won.Store(int64(i + 1))
			case !errors.Is(err, errKnown):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := k.of("/r"); int64(got.Inode) != won.Load() {
		t.Errorf("%+v, not %d", got, won.Load())
	}
	if left, _ := filepath.Glob(filepath.Join(k.dir, "tmp-*")); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// Whatever stands in the file, nothing is taken for known that was not
// written whole.
func FuzzKnownRoots(f *testing.F) {
	f.Add([]byte(`{"path":"/r","real":"/r","identity":{"device":1,"inode":2},"uid":3}`))
	f.Add([]byte(`{"path":"/other","real":"/r","identity":{"device":1,"inode":2}}`))
	f.Add([]byte(`{"path":"/r","real":"r","identity":{"inode":2}}`))
	f.Add([]byte(`{"path":"/r","real":"/r"}`))
	f.Add([]byte(""))
	f.Add([]byte("null"))
	k := newKnownRoots(f.TempDir(), nil)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(k.file("/r"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		got := k.of("/r")
		if got.Real == "" || got.Suspended == "" && (got.Identity.IsZero() || !filepath.IsAbs(got.Real)) {
			t.Errorf("%q is %+v", b, got)
		}
	})
}
