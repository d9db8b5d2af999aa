package capfs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

func TestCallGivesWhatTheWorkerGives(t *testing.T) {
	fs := capfs.New(capfs.Options{})
	defer fs.Close()
	n, err := capfs.Call(context.Background(), fs, func(context.Context) (int, error) { return 7, syscall.EIO })
	if n != 7 || err != syscall.EIO {
		t.Errorf("%d, %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ran := false
	if _, err = capfs.Call(ctx, fs, func(context.Context) (int, error) { ran = true; return 1, nil }); !errors.Is(err, reeve.Cancelled) || ran {
		t.Errorf("a call that was cancelled before: %v, ran %v", err, ran)
	}
}

func TestCallPassesPanicsOn(t *testing.T) {
	fs := capfs.New(capfs.Options{})
	defer fs.Close()
	defer func() {
		if r, _ := recover().(string); !strings.HasPrefix(r, "oh no\n") {
			t.Errorf("got %q", r)
		}
	}()
	capfs.Call(context.Background(), fs, func(context.Context) (int, error) { panic("oh no") })
}

// A search that notices its deadline hands over what it has.
func TestCallKeepsWhatAWorkerGivesAtTheDeadline(t *testing.T) {
	fs := capfs.New(capfs.Options{Timeout: time.Millisecond})
	defer fs.Close()
	n, err := capfs.Call(context.Background(), fs, func(ctx context.Context) (int, error) { <-ctx.Done(); return 3, nil })
	if n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// Work that takes too long is not blamed on the file system, whether the
// worker notices the end or not.
func TestWorkThatTakesTooLongIsNotTheFileSystems(t *testing.T) {
	fs := capfs.New(capfs.Options{Timeout: 5 * time.Millisecond})
	defer fs.Close()
	release := make(chan struct{})
	defer close(release)
	for name, work := range map[string]func(context.Context) (int, error){
		"it notices": func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() },
		"it doesn't": func(context.Context) (int, error) { <-release; return 0, nil },
	} {
		_, err := capfs.Call(context.Background(), fs, work)
		e, ok := reeve.AsError(err)
		if !ok || e.Code != reeve.Timeout || e.What != "the work was not done within 5ms" || strings.Contains(e.Instead, "Try again") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCallEndsWithoutItsWorker(t *testing.T) {
	fs := capfs.New(capfs.Options{Timeout: 5 * time.Millisecond})
	defer fs.Close()
	release, back := make(chan struct{}), make(chan struct{})
	_, err := capfs.Call(context.Background(), fs, func(context.Context) (int, error) {
		defer close(back)
		<-release
		panic("nobody is there to be told")
	})
	if !errors.Is(err, reeve.Timeout) {
		t.Errorf("got %v", err)
	}
	close(release)
	<-back
	ctx, cancel := context.WithCancel(context.Background())
	hold := make(chan struct{})
	defer close(hold)
	_, err = capfs.Call(ctx, fs, func(context.Context) (int, error) { cancel(); <-hold; return 0, nil })
	if !errors.Is(err, reeve.Cancelled) {
		t.Errorf("got %v", err)
	}
}

// deadWorld has a folder on a device of its own that can be made to hang.
func deadWorld(t *testing.T, o capfs.Options) (*capfs.FS, *capfstest.Memory) {
	t.Helper()
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	for _, op := range []capfstest.Op{
		{Verb: "mount", Path: "/w/far", Arg: "net"}, {Verb: "file", Path: "/w/far/f", Arg: "hello"},
		{Verb: "file", Path: "/w/near/f", Arg: "hello"},
	} {
		if err := m.Make(op); err != nil {
			t.Fatal(err)
		}
	}
	o.Layer = m
	fs := capfs.New(o)
	t.Cleanup(func() { fs.Close() })
	fs.SetGrants([]capfs.Grant{
		{ID: "far", Path: "/w/far", Access: reeve.Read}, {ID: "near", Path: "/w/near", Access: reeve.Read},
	}, nil)
	return fs, m
}

func readIn(fs *capfs.FS, path string) error {
	_, err := capfs.Call(context.Background(), fs, func(ctx context.Context) (string, error) {
		h, err := capfstest.Resolve(ctx, fs, path, true)
		if err != nil {
			return "", err
		}
		defer h.Close()
		return capfstest.ReadHeld(h)
	})
	return err
}

func TestADeadMountIsRefusedUntilItAnswers(t *testing.T) {
	fs, m := deadWorld(t, capfs.Options{Timeout: 30 * time.Millisecond})
	release, err := m.Hang("/w/far")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		err := readIn(fs, "/w/far/f")
		if !errors.Is(err, reeve.Timeout) || !strings.Contains(err.Error(), "the file system did not finish within 30ms") {
			t.Errorf("call %d: %v", i, err)
		}
	}
	asked := m.Count("stat")
	for range 5 {
		if err := readIn(fs, "/w/far/f"); !errors.Is(err, reeve.MountDead) {
			t.Errorf("a dead mount: %v", err)
		}
		if err := readIn(fs, "/w/near/f"); err != nil {
			t.Errorf("another mount: %v", err)
		}
		if err := readIn(fs, "/elsewhere"); !errors.Is(err, reeve.OutsideRoots) {
			t.Errorf("outside: %v", err)
		}
	}
	if n := m.Count("stat") - asked; n != 5 { // near's own
		t.Errorf("the dead mount was asked again: %d looks", n)
	}
	release()
	for { // the two that wait come back in their own time
		err := readIn(fs, "/w/far/f")
		if err == nil {
			break
		}
		if !errors.Is(err, reeve.MountDead) && !errors.Is(err, reeve.Failed) {
			t.Fatalf("after it answered: %v", err)
		}
	}
}

// Hundreds of calls that hang at once do not take more workers than allowed,
// and do not hold up calls to other mounts.
func TestManyCallsToADeadMount(t *testing.T) {
	fs, m := deadWorld(t, capfs.Options{Timeout: 60 * time.Millisecond, MaxAbandoned: 8})
	release, err := m.Hang("/w/far")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if err := readIn(fs, "/w/far/f"); !errors.Is(err, reeve.Timeout) && !errors.Is(err, reeve.MountDead) {
				t.Errorf("got %v", err)
			}
		})
	}
	all.Wait()
	if n := m.Count("stat"); n > 2*4+8 {
		t.Errorf("%d questions reached the dead mount", n)
	}
	if err := readIn(fs, "/w/near/f"); err != nil {
		t.Errorf("another mount: %v", err)
	}
}

// An abandoned worker that comes back can ask nothing more.
func TestAnAbandonedWorkerStops(t *testing.T) {
	fs, _ := deadWorld(t, capfs.Options{Timeout: 5 * time.Millisecond})
	release, result := make(chan struct{}), make(chan error, 1)
	capfs.Call(context.Background(), fs, func(ctx context.Context) (int, error) {
		<-release
		_, err := capfstest.Resolve(ctx, fs, "/w/near/f", true)
		result <- err
		return 0, err
	})
	close(release)
	if err := <-result; !errors.Is(err, reeve.Timeout) {
		t.Errorf("got %v", err)
	}
}

func TestAHangingNarrowingHoldsNobodyUp(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	m.Make(capfstest.Op{Verb: "mount", Path: "/home/.safe", Arg: "net"})
	m.Make(capfstest.Op{Verb: "file", Path: "/w/f", Arg: "hello"})
	fs := capfs.New(capfs.Options{Layer: m, Refresh: -1})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}},
		[]capfs.Narrowing{{Path: "/home/.safe", Kind: reeve.MarkProtected, Rule: "~/.safe", Folder: true}})
	release, err := m.Hang("/home/.safe")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for range 3 {
		if err := readIn(fs, "/w/f"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGrantsOnAHangingMountAreLost(t *testing.T) {
	fs, m := deadWorld(t, capfs.Options{Timeout: 20 * time.Millisecond})
	m.Make(capfstest.Op{Verb: "mount", Path: "/w/third", Arg: "net"})
	release, err := m.Hang("/w/third")
	if err != nil {
		t.Fatal(err)
	}
	got := fs.SetGrants([]capfs.Grant{{ID: "third", Path: "/w/third", Access: reeve.Read}}, nil)
	if got[0].State != reeve.StateLost || got[0].Note == "" {
		t.Errorf("got %+v", got)
	}
	release()
	for {
		if err := readIn(fs, "/w/third/f"); errors.Is(err, reeve.NotFound) && fs.Roots()[0].State == reeve.StateOpen {
			break
		}
	}
}

func TestErrorsKeepTheSystemsWordAndNoOtherPath(t *testing.T) {
	for _, c := range []struct {
		with error
		code reeve.Code
		says string
	}{
		{syscall.EACCES, reeve.Permission, "permission denied"},
		{syscall.EPERM, reeve.Permission, "operation not permitted"},
		{syscall.EMFILE, reeve.Failed, "too many open files"},
		{syscall.ESTALE, reeve.Changed, "stale"},
		{syscall.EIO, reeve.Failed, "input/output error"},
		{syscall.ENAMETOOLONG, reeve.Invalid, "too long"},
		{errors.New("open /etc/hidden: odd"), reeve.Failed, "unknown error"},
	} {
		fs, m := deadWorld(t, capfs.Options{})
		for _, op := range []string{"child", "open", "read"} {
			path := map[string]string{"child": "/w/near"}[op]
			if path == "" {
				path = "/w/near/f"
			}
			if err := m.Fail(op, path, c.with); err != nil {
				t.Fatal(err)
			}
			err := readIn(fs, "/w/near/f")
			if !errors.Is(err, c.code) || !strings.Contains(strings.ToLower(err.Error()), c.says) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("%s %v: %v", op, c.with, err)
			}
			m.Fail(op, path, nil)
		}
	}
}

// A home that does not answer has many places that narrow access. Looking at
// them must not use up the workers of all.
func TestManyHangingNarrowings(t *testing.T) {
	m := capfstest.NewMemory(capfstest.MemoryOptions{})
	m.Make(capfstest.Op{Verb: "mount", Path: "/home", Arg: "net"})
	m.Make(capfstest.Op{Verb: "file", Path: "/w/f", Arg: "hello"})
	var narrow []capfs.Narrowing
	for i := range 20 {
		path := fmt.Sprintf("/home/.safe%d", i)
		m.Make(capfstest.Op{Verb: "dir", Path: path})
		narrow = append(narrow, capfs.Narrowing{Path: path, Kind: reeve.MarkProtected, Rule: path, Folder: true})
	}
	release, err := m.Hang("/home")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	fs := capfs.New(capfs.Options{Layer: m, Refresh: -1, Timeout: 100 * time.Millisecond, MaxAbandoned: 5})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: "/w", Access: reeve.Read}}, narrow)
	for range 6 {
		if err := readIn(fs, "/w/f"); err != nil {
			t.Fatal(err)
		}
	}
}
