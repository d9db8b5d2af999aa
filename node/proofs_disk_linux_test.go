package node_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/attack"
	"reeve/internal/history"
	"reeve/internal/record"
	"reeve/node"
)

// mounted runs a role in a mount namespace of its own, which needs root.
func mounted(t *testing.T, what string, n int) {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must run this as root")
		}
		t.Skip("needs root")
	}
	base, _ := newBase(t)
	cmd := role(t, what, base, n)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true" {
		t.Skip("mount namespaces are not allowed here")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func TestFullDisk(t *testing.T)          { mounted(t, "full disk", 0) }
func TestFullDiskWithState(t *testing.T) { mounted(t, "full disk with state", 0) }
func TestReadOnlyFileSystem(t *testing.T) {
	mounted(t, "read only", 0)
}
func TestStateOnAnotherFileSystem(t *testing.T) { mounted(t, "state elsewhere", 0) }

func mount(from, to, kind string, flags uintptr, data string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	syscall.Umask(0o022)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount(from, to, kind, flags, data); err != nil {
		return fmt.Errorf("mounting %s: %w", to, err)
	}
	return nil
}

// tries makes many changes, of which those that are refused must be refused
// for one of the reasons, and must leave everything as it was.
func tries(base string, seed uint64, count int, why ...error) (done, refused int, err error) {
	n, err := standing(base)
	if err != nil {
		return 0, 0, err
	}
	dir := filepath.Join(base, "yard")
	m, err := attack.NewMischief(dir, seed, 0)
	if err != nil {
		return 0, 0, err
	}
	kept := history.New(history.Options{Dir: n.Places().State})
	defer kept.Close()
	for range count {
		p, out, no, wrong := m.Try(context.Background(), n, agent)
		if wrong != nil {
			return done, refused, wrong
		}
		if no == nil {
			done++
			said := fmt.Sprint(out.Result.Notes)
			for _, b := range p.Displaced() {
				sum := blake3.Sum256([]byte(b))
				err := kept.Check(context.Background(), hex.EncodeToString(sum[:]), int64(len(b)))
				if err != nil && !strings.Contains(said, "No copy of the old ") {
					return done, refused, fmt.Errorf("displaced, not kept, and not said (%s): %v", said, err)
				}
			}
			continue
		}
		refused++
		known := false
		for _, w := range why {
			known = known || errors.Is(no, w)
		}
		e, ok := reeve.AsError(no)
		if !known || !ok || e.What == "" || e.Not == "" {
			return done, refused, fmt.Errorf("refused without a clear reason: %#v: %v", no, no)
		}
	}
	return done, refused, n.Shutdown(context.Background())
}

// settled starts once more and looks for what is left.
func settled(base string, want attack.Tree) error {
	n, err := standing(base)
	if err != nil {
		return err
	}
	if err := n.Shutdown(context.Background()); err != nil {
		return err
	}
	now, err := attack.ScanTree(filepath.Join(base, "yard"))
	if err != nil {
		return err
	}
	if diff := want.Differs(now); len(diff) > 0 {
		return fmt.Errorf("after another start:\n%s", strings.Join(diff, "\n"))
	}
	if list := leftovers(base); len(list) > 0 {
		return fmt.Errorf("left over: %q", list)
	}
	if rep, err := record.Verify(n.Places().State); err != nil || !rep.OK() {
		return fmt.Errorf("the record: %v %+v", err, rep)
	}
	return nil
}

// both runs tries and settles.
func both(base string, count int, wantDone, wantRefused bool, why ...error) error {
	done, refused, err := tries(base, 7, count, why...)
	if err != nil {
		return err
	}
	fmt.Printf("%d done, %d refused\n", done, refused)
	if done > 0 != wantDone || refused > 0 != wantRefused {
		return errors.New("this proves nothing")
	}
	tree, err := attack.ScanTree(filepath.Join(base, "yard"))
	if err != nil {
		return err
	}
	return settled(base, tree)
}

// fullDisk: the granted folder is a file system of a megabyte, which fills up
// again and again.
func fullDisk(base string, _ int) error {
	dir := filepath.Join(base, "yard")
	if err := mount("tmpfs", dir, "tmpfs", 0, "size=350k"); err != nil {
		return err
	}
	if err := attack.PlantMischief(dir); err != nil {
		return err
	}
	return both(base, 300, true, true, reeve.NoSpace)
}

// fullDiskWithState: state and files share it.
func fullDiskWithState(base string, _ int) error {
	if err := mount("tmpfs", base, "tmpfs", 0, "size=2m"); err != nil {
		return err
	}
	dir := filepath.Join(base, "yard")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := attack.PlantMischief(dir); err != nil {
		return err
	}
	return both(base, 200, true, true, reeve.NoSpace, reeve.RecordFailed)
}

func readOnly(base string, _ int) error {
	dir := filepath.Join(base, "yard")
	if err := attack.PlantMischief(dir); err != nil {
		return err
	}
	if err := mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return err
	}
	return both(base, 100, false, true, reeve.Permission)
}

// stateElsewhere: what is displaced can only be copied into history.
func stateElsewhere(base string, _ int) error {
	if err := mount("tmpfs", filepath.Join(base, "state"), "tmpfs", 0, "size=200m"); err != nil {
		return err
	}
	if err := attack.PlantMischief(filepath.Join(base, "yard")); err != nil {
		return err
	}
	return both(base, 150, true, false)
}

// A clock that goes backwards all the time refuses nothing, and record and
// history keep their order.
func TestClockGoingBackwards(t *testing.T) {
	mask := syscall.Umask(0o022)
	t.Cleanup(func() { syscall.Umask(mask) })
	base, dir := newBase(t)
	if err := attack.PlantMischief(dir); err != nil {
		t.Fatal(err)
	}
	start, ticks := time.Now(), 0
	clock := make(chan struct{}, 1)
	now := func() time.Time {
		clock <- struct{}{}
		defer func() { <-clock }()
		ticks++
		return start.Add(-time.Duration(ticks) * time.Second)
	}
	state := filepath.Join(base, "state")
	n := open(t, node.Config{Home: filepath.Join(base, "home"), StateDir: state, Profile: "default", Approve: "allow", Now: now,
		Folders: []node.Folder{{Path: dir, Access: reeve.ReadWrite}}})
	m, err := attack.NewMischief(dir, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 80 {
		tree, err := attack.ScanTree(dir)
		if err != nil {
			t.Fatal(err)
		}
		for p, x := range tree { // the profile wants files read before they are changed
			if x.Mode.IsRegular() {
				if _, err := n.Do(context.Background(), reeve.Request{Subject: agent, Call: &reeve.ReadFile{Paths: []string{filepath.Join(dir, p)}}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, _, refused, wrong := m.Try(context.Background(), n, agent)
		if wrong != nil {
			t.Fatal(wrong)
		}
		if refused != nil && !errors.Is(refused, reeve.NotRead) { // too long for one page
			t.Fatal(refused)
		}
	}
	if rep, err := record.Verify(state); err != nil || !rep.OK() {
		t.Errorf("the record: %v %+v", err, rep)
	}
	kept := history.New(history.Options{Dir: state})
	defer kept.Close()
	var last int64
	count := 0
	for e, err := range kept.Entries(context.Background(), history.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if count++; count > 1 && e.Order >= last { // the latest comes first
			t.Errorf("%s: out of order", e.Path)
		}
		last = e.Order
	}
	if count < 20 {
		t.Errorf("%d entries", count)
	}
}
