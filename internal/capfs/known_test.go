package capfs_test

import (
	"errors"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// granted gives what a path is compared with after the owner granted it.
func granted(t *testing.T, m capfs.Layer, path string) capfs.Known {
	t.Helper()
	fs := capfs.New(capfs.Options{Layer: m})
	defer fs.Close()
	s, err := fs.Stands(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s.Known
}

// What stood at a granted path counts over a restart: links are followed once,
// when the owner grants, and never by a process that starts later.
func TestARootIsComparedAfterARestart(t *testing.T) {
	op := func(verb, path, arg string) capfstest.Op { return capfstest.Op{Verb: verb, Path: path, Arg: arg} }
	for name, c := range map[string]struct {
		path      string
		suspended string // what was remembered
		meanwhile []capfstest.Op
		state     reeve.RootState
		event     capfs.EventKind
		reads     string
	}{
		"nothing happened":          {path: "/w/r", state: reeve.StateOpen, reads: "mine"},
		"granted through a link":    {path: "/link", state: reeve.StateOpen, reads: "mine"},
		"replaced by a link":        {path: "/w/r", meanwhile: []capfstest.Op{op("move", "/w/r", "/aside"), op("link", "/w/r", "/out")}, state: reeve.StateSuspended, event: capfs.RootIsSuspended},
		"its parent became a link":  {path: "/w/r", meanwhile: []capfstest.Op{op("move", "/w", "/aside"), op("file", "/v/r/f", "out"), op("link", "/w", "/v")}, state: reeve.StateSuspended, event: capfs.RootIsSuspended},
		"moved, and a link to it":   {path: "/w/r", meanwhile: []capfstest.Op{op("move", "/w/r", "/aside"), op("link", "/w/r", "/aside")}, state: reeve.StateSuspended, event: capfs.RootIsSuspended},
		"its link leads elsewhere":  {path: "/link", meanwhile: []capfstest.Op{op("remove", "/link", ""), op("link", "/link", "/out")}, state: reeve.StateSuspended, event: capfs.RootIsSuspended},
		"its link is gone":          {path: "/link", meanwhile: []capfstest.Op{op("remove", "/link", "")}, state: reeve.StateSuspended, event: capfs.RootIsSuspended},
		"replaced by a file":        {path: "/w/r", meanwhile: []capfstest.Op{op("move", "/w/r", "/aside"), op("file", "/w/r", "x")}, state: reeve.StateSuspended, event: capfs.RootIsSuspended},
		"another's folder":          {path: "/w/r", meanwhile: []capfstest.Op{op("move", "/w/r", "/aside"), op("file", "/w/r/f", "x"), op("owner", "/w/r", "4242")}, state: reeve.StateSuspended, event: capfs.RootIsSuspended},
		"a new plain folder":        {path: "/w/r", meanwhile: []capfstest.Op{op("move", "/w/r", "/aside"), op("file", "/w/r/f", "new")}, state: reeve.StateOpen, event: capfs.RootTakenUp, reads: "new"},
		"removed":                   {path: "/w/r", meanwhile: []capfstest.Op{op("move", "/w/r", "/aside")}, state: reeve.StateLost},
		"suspended, and back":       {path: "/w/r", suspended: "a link", state: reeve.StateOpen, event: capfs.RootOpened, reads: "mine"},
		"suspended, then a new one": {path: "/w/r", suspended: "a link", meanwhile: []capfstest.Op{op("move", "/w/r", "/aside"), op("file", "/w/r/f", "new")}, state: reeve.StateSuspended},
	} {
		t.Run(name, func(t *testing.T) {
			m := capfstest.NewMemory(capfstest.MemoryOptions{})
			build(t, m, op("file", "/w/r/f", "mine"), op("file", "/out/f", "out"), op("link", "/link", "/w/r"))
			g := capfs.Grant{Path: c.path, Access: reeve.Read, Known: granted(t, m, c.path)}
			g.Known.Suspended = c.suspended
			build(t, m, c.meanwhile...)
			var events []capfs.EventKind
			fs := capfs.New(capfs.Options{Layer: m, Event: func(e capfs.Event) { events = append(events, e.Kind) }})
			defer fs.Close()
			got := fs.SetGrants([]capfs.Grant{g}, nil)[0]
			if got.State != c.state {
				t.Errorf("%+v", got)
			}
			if len(events) > 1 || len(events) == 1 && events[0] != c.event || len(events) == 0 && c.event != "" {
				t.Errorf("told %v", events)
			}
			h, err := capfstest.Resolve(t.Context(), fs, c.path+"/f", true)
			if c.reads == "" {
				if err == nil {
					t.Fatalf("%+v is served", h.Place())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			if b, err := capfstest.ReadHeld(h); err != nil || b != c.reads {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
}

// The owner's yes, written down by another process, opens the folder that it
// was given to, and no other.
func TestAConfirmedRoot(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "file", Path: "/r/f", Arg: "mine"}, capfstest.Op{Verb: "file", Path: "/out/f", Arg: "out"},
		capfstest.Op{Verb: "file", Path: "/more/f", Arg: "more"})
	g := capfs.Grant{Path: "/r", Access: reeve.Read, Known: granted(t, m, "/r")}
	fs := capfs.New(capfs.Options{Layer: m})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{g}, nil)
	build(t, m, capfstest.Op{Verb: "move", Path: "/r", Arg: "/aside"}, capfstest.Op{Verb: "link", Path: "/r", Arg: "/out"})
	if err := readIn(fs, "/r/f"); !errors.Is(err, reeve.RootSuspended) {
		t.Fatal(err)
	}
	if got := fs.SetGrants([]capfs.Grant{g}, nil)[0]; got.State != reeve.StateSuspended || got.Held.Suspended == "" || got.Held.Identity != g.Known.Identity {
		t.Errorf("the same grant again: %+v", got)
	}
	g.Known = granted(t, m, "/r")
	build(t, m, capfstest.Op{Verb: "remove", Path: "/r"}, capfstest.Op{Verb: "link", Path: "/r", Arg: "/more"})
	if got := fs.SetGrants([]capfs.Grant{g}, nil)[0]; got.State != reeve.StateSuspended {
		t.Errorf("another link than the confirmed one: %+v", got)
	}
	build(t, m, capfstest.Op{Verb: "remove", Path: "/r"}, capfstest.Op{Verb: "link", Path: "/r", Arg: "/out"})
	if err := readIn(fs, "/r/f"); err != nil {
		t.Errorf("the confirmed one is back: %v", err)
	}
	if got := fs.Roots()[0]; got.Real != "/out" {
		t.Errorf("%+v", got)
	}
}

// A folder that does not answer does not hold up the others, nor the start;
// what its granted path's links lead to is then taken when it does.
func TestGrantsAreNotWaitedFor(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "mount", Path: "/net", Arg: "net"}, capfstest.Op{Verb: "file", Path: "/net/r/f", Arg: "far"},
		capfstest.Op{Verb: "link", Path: "/link", Arg: "/net/r"}, capfstest.Op{Verb: "file", Path: "/near/f", Arg: "near"})
	release, err := m.Hang("/net")
	if err != nil {
		t.Fatal(err)
	}
	fs := capfs.New(capfs.Options{Layer: m, Wait: 20 * time.Millisecond, Timeout: time.Minute})
	defer fs.Close()
	got := fs.SetGrants([]capfs.Grant{{ID: "far", Path: "/link", Access: reeve.Read}, {ID: "near", Path: "/near", Access: reeve.Read}}, nil)
	if got[0].State != reeve.StateLost || got[0].Note != "its file system does not answer" || got[1].State != reeve.StateOpen {
		t.Errorf("%+v", got)
	}
	if err := readIn(fs, "/near/f"); err != nil {
		t.Error(err)
	}
	release()
	if err := readIn(fs, "/link/f"); err != nil {
		t.Errorf("after it answered: %v", err)
	}
	if got := fs.Roots()[0]; got.State != reeve.StateOpen || got.Real != "/net/r" {
		t.Errorf("%+v", got)
	}
}

// The owner is shown where a path leads and by which links.
func TestStands(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "file", Path: "/a/real/f", Arg: "x"}, capfstest.Op{Verb: "link", Path: "/a/one", Arg: "../b/two"},
		capfstest.Op{Verb: "dir", Path: "/b"}, capfstest.Op{Verb: "link", Path: "/b/two", Arg: "/a/real"}, capfstest.Op{Verb: "link", Path: "/loop", Arg: "loop"})
	fs := capfs.New(capfs.Options{Layer: m})
	defer fs.Close()
	s, err := fs.Stands(t.Context(), "/a/one")
	if err != nil || s.Real != "/a/real" || len(s.Links) != 2 || s.Links[0] != (capfs.Link{Path: "/a/one", Text: "../b/two"}) || s.Links[1].Path != "/b/two" {
		t.Errorf("%+v, %v", s, err)
	}
	for path, code := range map[string]reeve.Code{"/none": reeve.NotFound, "/a/real/f": reeve.NotDirectory, "/loop": reeve.TooManyLinks} {
		if _, err := fs.Stands(t.Context(), path); !errors.Is(err, code) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// On a busy computer the first look at a protected folder takes its time. It
// is waited for: nothing in it is reached by another name meanwhile.
func TestAProtectedFolderIsSeenBeforeTheFirstCall(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	build(t, m, capfstest.Op{Verb: "file", Path: "/r/.safe/key", Arg: "secret"})
	m.Before(func(op string) {
		if op == "stat" {
			time.Sleep(75 * time.Millisecond) // after 50 somebody else goes on with the rest
		}
	})
	fs := capfs.New(capfs.Options{Layer: m, Refresh: time.Hour})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{ID: "r", Path: "/r", Access: reeve.Read}},
		[]capfs.Narrowing{{Path: "/r/.safe", Kind: reeve.MarkProtected, Rule: "safe", Folder: true}})
	h, err := capfstest.Resolve(t.Context(), fs, "/r/.safe/key", false)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if marks := h.Place().Marks; len(marks) != 1 || marks[0].Rule != "safe" {
		t.Errorf("its marks are %v", marks)
	}
}
