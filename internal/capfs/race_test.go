package capfs_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// Grants change, roots are replaced and calls go on, all at once.
func TestManyHands(t *testing.T) {
	for name, world := range map[string]func() capfstest.World{
		"memory": func() capfstest.World { return capfstest.InMemory(capfstest.MemoryOptions{}) },
		"disk":   func() capfstest.World { return capfstest.OnDisk(t, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			w := world()
			for _, op := range []capfstest.Op{
				{Verb: "file", Path: w.Base + "/root/in/f", Arg: "hello"}, {Verb: "file", Path: w.Base + "/safe/key", Arg: "hello"},
				{Verb: "hard", Path: w.Base + "/root/alias", Arg: w.Base + "/safe/key"}, {Verb: "link", Path: w.Base + "/root/l", Arg: "in"},
				{Verb: "dir", Path: w.Base + "/other"},
			} {
				if err := w.Make(op); err != nil {
					t.Fatal(err)
				}
			}
			fs := capfs.New(capfs.Options{Layer: w.Layer, Refresh: time.Microsecond, Event: func(capfs.Event) {}})
			defer fs.Close()
			narrow := []capfs.Narrowing{{Path: w.Base + "/safe", Kind: reeve.MarkProtected, Rule: "safe", Folder: true}}
			outer := capfs.Grant{ID: "o", Path: w.Base + "/root", Access: reeve.ReadWrite}
			inner := capfs.Grant{ID: "i", Path: w.Base + "/root/in", Access: reeve.Read}
			fs.SetGrants([]capfs.Grant{outer, inner}, narrow)
			const rounds = 150
			var all sync.WaitGroup
			all.Go(func() {
				for i := range rounds {
					g := []capfs.Grant{outer, inner}
					if i%2 == 0 {
						g = append(g, capfs.Grant{ID: "x", Path: w.Base + "/other", Access: reeve.Read})
					}
					fs.SetGrants(g, narrow)
					fs.Roots()
				}
			})
			all.Go(func() {
				for range rounds {
					w.Make(capfstest.Op{Verb: "swap", Path: w.Base + "/root/in", Arg: w.Base + "/other"})
				}
			})
			for range 3 {
				all.Go(func() {
					for range rounds {
						for _, p := range []string{"/root/in/f", "/root/l/f", "/root/alias", "/root/none/x", "/other"} {
							place, err := capfs.Call(context.Background(), fs, func(ctx context.Context) (reeve.Place, error) {
								h, err := capfstest.Resolve(ctx, fs, w.Base+p, true)
								if err != nil {
									return reeve.Place{}, err
								}
								defer h.Close()
								if f, err := h.Folder(ctx); err == nil {
									f.Each(ctx, func(capfs.DirEntry) error { return nil })
									f.Close()
								}
								capfstest.ReadHeld(h)
								return h.Place(), nil
							})
							if err != nil {
								if _, ok := reeve.AsError(err); !ok {
									t.Errorf("%s: %v", p, err)
								}
								if errors.Is(err, reeve.Timeout) || errors.Is(err, reeve.MountDead) {
									t.Errorf("%s: %v", p, err)
								}
								continue
							}
							if p == "/root/in/f" && place.Access != reeve.Read {
								t.Errorf("%s is %+v", p, place)
							}
							if p == "/root/alias" && len(place.Marks) != 1 {
								t.Errorf("%s has marks %v", p, place.Marks)
							}
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// Places are spelled as on disk where letter case does not matter.
func TestFoldingIsSpelledAsOnDisk(t *testing.T) {
	w := capfstest.InMemory(capfstest.MemoryOptions{Fold: true})
	w.Make(capfstest.Op{Verb: "file", Path: "/base/Root/Docs/Read.me", Arg: "hello"})
	w.Make(capfstest.Op{Verb: "file", Path: "/base/Root/.Safe/key", Arg: "secret"})
	w.Make(capfstest.Op{Verb: "dir", Path: "/base/Root/In"})
	fs := capfs.New(capfs.Options{Layer: w.Layer})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{
		{ID: "r", Path: "/base/root", Access: reeve.ReadWrite}, {ID: "i", Path: "/base/root/in", Access: reeve.Read},
	}, []capfs.Narrowing{{Path: "/base/Root/.safe", Kind: reeve.MarkProtected, Rule: "safe", Folder: true}})
	ctx := context.Background()
	for path, want := range map[string]string{
		"/BASE/rOOt/dOcs/READ.ME": "/base/Root/Docs/Read.me", "/base/root/docs/NEW": "/base/Root/Docs/NEW",
		"/base/ROOT/.SAFE/Key": "/base/Root/.Safe/key", "/base/ROOT/IN/x": "/base/Root/In/x",
	} {
		h, err := capfstest.Resolve(ctx, fs, path, true)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		p := h.Place()
		if p.Path() != want {
			t.Errorf("%s is %s", path, p.Path())
		}
		if (len(p.Marks) == 1) != (want == "/base/Root/.Safe/key") || (p.Root == "i") != (want == "/base/Root/In/x") {
			t.Errorf("%s: %+v", path, p)
		}
		h.Close()
	}
}
