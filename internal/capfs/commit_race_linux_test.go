package capfs_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"reeve"
	"reeve/internal/attack"
	"reeve/internal/capfs"
)

// The last that watchers hear of a file that is replaced is that it is there.
func TestWatchersSeeTheFile(t *testing.T) {
	for name, i := range map[string]capfs.Imitation{"exchange": {}, "link": {Exchange: "none", Keep: "none"}} {
		t.Run(name, func(t *testing.T) {
			base := quickDir(t)
			c, l := commitsAt(t, base, capfs.CommitOptions{})
			l.Imitate(i)
			must(t, write(filepath.Join(base, "root/a"), "old"))
			if _, err := c.Do(reeve.Put, "/root/a", "first"); err != nil { // the probe is over
				t.Fatal(err)
			}
			fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
			must(t, err)
			defer unix.Close(fd)
			_, err = unix.InotifyAddWatch(fd, filepath.Join(base, "root"), unix.IN_ALL_EVENTS)
			must(t, err)
			d, err := c.Do(reeve.Put, "/root/a", "second")
			if err != nil || d.Rung != name {
				t.Fatalf("%s, %v", d.Rung, err)
			}
			var last uint32
			for _, e := range events(t, fd) {
				if e.name == "a" && e.mask&(unix.IN_MOVED_FROM|unix.IN_MOVED_TO|unix.IN_DELETE|unix.IN_CREATE) != 0 {
					last = e.mask
				}
			}
			if last != unix.IN_MOVED_TO {
				t.Errorf("the last event is %#x", last)
			}
		})
	}
}

type event struct {
	name string
	mask uint32
}

func events(t *testing.T, fd int) []event {
	t.Helper()
	b := make([]byte, 64<<10)
	n, err := unix.Read(fd, b)
	must(t, err)
	var all []event
	for at := 0; at+unix.SizeofInotifyEvent <= n; {
		end := at + unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[at+12:]))
		all = append(all, event{strings.TrimRight(string(b[at+unix.SizeofInotifyEvent:end]), "\x00"), binary.NativeEndian.Uint32(b[at+4:])})
		at = end
	}
	return all
}

// kept collects what commits displace, as history does.
type kept struct {
	t    *testing.T
	mu   sync.Mutex
	dir  *os.File
	n    int
	text []string
}

func newKept(t *testing.T, base string) *kept {
	must(t, os.MkdirAll(filepath.Join(base, "history"), 0o700))
	d, err := os.Open(filepath.Join(base, "history"))
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return &kept{t: t, dir: d}
}

func (k *kept) take(d capfs.Displaced) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n++
	taken, err := d.(capfs.Taker).TakeInto(k.dir, fmt.Sprint(k.n))
	if err == nil && !taken {
		var text string
		if text, err = content(d); err == nil {
			k.text = append(k.text, text)
		}
	}
	return errors.Join(err, d.Release())
}

func (k *kept) receipt(r capfs.Receipt) error {
	for _, d := range r.Done {
		if d.Displaced != nil {
			if err := k.take(d.Displaced); err != nil {
				return err
			}
		}
	}
	for _, d := range r.Kept {
		if err := k.take(d); err != nil {
			return err
		}
	}
	return nil
}

// all is everything that is kept, and what a last look finds.
func (k *kept) all(l *capfs.Ladder) string {
	_, err := l.Recover(context.Background(), capfs.RecoverOptions{Keep: func(_ context.Context, f capfs.Found) error {
		text, err := content(f.Displaced)
		k.text = append(k.text, text)
		return err
	}})
	must(k.t, err)
	names, err := os.ReadDir(k.dir.Name())
	must(k.t, err)
	for _, e := range names {
		b, err := os.ReadFile(filepath.Join(k.dir.Name(), e.Name()))
		must(k.t, err)
		k.text = append(k.text, string(b))
	}
	return strings.Join(k.text, "\n")
}

// TestNoSaveIsLost lets a user save over and over while an agent edits the
// same file: whatever either has written is in the file, or was displaced by
// the user's own program, or was kept.
func TestNoSaveIsLost(t *testing.T) {
	savers := map[string]func(path string, i int, lost *[]string) error{
		// A save by rename, which here keeps what it replaces: so whatever is
		// missing in the end, it was not the saver's own doing.
		"by rename": func(path string, i int, lost *[]string) error {
			tmp := path + ".save"
			if err := os.WriteFile(tmp, []byte(fmt.Sprintf("saved %d\n", i)), 0o644); err != nil {
				return err
			}
			if err := unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE); err != nil {
				return err
			}
			b, err := os.ReadFile(tmp)
			*lost = append(*lost, string(b))
			return err
		},
		// A save in place: a line at the end of whatever file it has open.
		"in place": func(path string, i int, _ *[]string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = fmt.Fprintf(f, "saved %d\n", i)
			return err
		},
	}
	for name, save := range savers {
		t.Run(name, func(t *testing.T) {
			base := quickDir(t)
			c, l := commitsAt(t, base, capfs.CommitOptions{})
			history := newKept(t, base)
			path := filepath.Join(base, "root/a")
			must(t, write(path, "start\n"))
			const rounds = 300
			var user sync.WaitGroup
			var displaced []string
			user.Go(func() {
				for i := range rounds {
					if err := save(path, i, &displaced); err != nil {
						t.Errorf("save %d: %v", i, err)
					}
				}
			})
			done, losers, asides := 0, 0, 0
			for i := range rounds {
				at, ch, err := c.TryChange(reeve.Put, "/root/a", "")
				if err != nil {
					continue
				}
				ch.Content = reeve.Bytes(fmt.Sprintf("edited %d\n", i))
				s, err := c.C.Stage(context.Background(), at, ch)
				var r capfs.Receipt
				if err == nil {
					if r, err = c.C.Swap(context.Background(), []capfs.Staged{s}); err == nil {
						must(t, r.Sync(context.Background()))
						done++
					}
					asides += len(r.Kept)
					must(t, history.receipt(r), s.Cleanup())
				}
				if err != nil {
					if !errors.Is(err, reeve.Changed) {
						t.Errorf("an edit that lost: %v", err)
					}
					losers++
				}
			}
			user.Wait()
			everything := c.Read("/root/a") + "\n" + strings.Join(displaced, "\n") + "\n" + history.all(l)
			for i := range rounds {
				if !strings.Contains(everything, fmt.Sprintf("saved %d\n", i)) {
					t.Errorf("save %d is lost", i)
				}
			}
			t.Logf("%d edits were made, %d lost the race, %d times something of the user's was put aside", done, losers, asides)
			for _, e := range c.Tree("/root") {
				if !strings.Contains(e, "/.reeve-") {
					continue
				}
				// What is not ours is never removed, only handed over, if its
				// writer still had it open: the next start has the rest.
				if asides--; asides < 0 {
					t.Errorf("left behind: %s", e)
				}
			}
		})
	}
}

// TestSwappedFolder exchanges a folder with a link to one outside while
// changes are made in it. Nothing outside is ever made, changed or removed.
func TestSwappedFolder(t *testing.T) {
	base := quickDir(t)
	c, _ := commitsAt(t, base, capfs.CommitOptions{})
	must(t, write(filepath.Join(base, "root/d/f"), "inside"), write(filepath.Join(base, "outside/f"), "inside"),
		os.Symlink(filepath.Join(base, "outside"), filepath.Join(base, "root/l")))
	before, err := os.Stat(filepath.Join(base, "outside"))
	must(t, err)
	inside, err := unix.Open(filepath.Join(base, "root/d"), unix.O_PATH|unix.O_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(inside)
	s, err := attack.StartSwapper(filepath.Join(base, "root/d"), filepath.Join(base, "root/l"))
	must(t, err)
	made := 0
	for i := range 400 {
		kind, path, text := reeve.Put, "/root/d/f", "inside"
		switch i % 5 {
		case 1:
			path = fmt.Sprintf("/root/d/n%d", i)
		case 2:
			kind, path = reeve.Mkdir, fmt.Sprintf("/root/d/m%d/m", i)
		case 3:
			kind, text = reeve.Move, fmt.Sprintf("/root/d/moved%d", i)
		case 4:
			kind, path = reeve.Remove, fmt.Sprintf("/root/d/n%d", i-3)
		}
		at, ch, err := c.TryChange(kind, path, text)
		if err != nil {
			continue
		}
		st, err := c.C.Stage(context.Background(), at, ch)
		if err != nil {
			continue
		}
		r, err := c.C.Swap(context.Background(), []capfs.Staged{st})
		if err == nil {
			made++
			must(t, c.End(r))
		}
		must(t, st.Cleanup())
		if kind == reeve.Move && err == nil {
			must(t, unix.Renameat(inside, strings.TrimPrefix(text, "/root/d/"), inside, "f"))
		}
	}
	must(t, s.Stop())
	entries, err := os.ReadDir(filepath.Join(base, "outside"))
	must(t, err)
	after, err := os.Stat(filepath.Join(base, "outside"))
	must(t, err)
	if len(entries) != 1 || entries[0].Name() != "f" || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("outside is %v now", entries)
	}
	t.Logf("%d changes were made in %d swaps", made, s.Swaps())
}

// TestFolderMovedAway takes the folder out of the granted one in the middle
// of a change: the change is taken back and reported.
func TestFolderMovedAway(t *testing.T) {
	for _, kind := range []reeve.ChangeKind{reeve.Put, reeve.Mkdir, reeve.Remove, reeve.Move} {
		base := quickDir(t)
		at := func(p string) string { return filepath.Join(base, p) }
		var armed bool
		c, _ := commitsAt(t, base, capfs.CommitOptions{Fault: func(step string) error {
			if armed && step == "read back" {
				armed = false
				return os.Rename(at("root/d"), at("out/d"))
			}
			return nil
		}})
		must(t, write(at("root/d/f"), "old"), os.Mkdir(at("out"), 0o755))
		path, text := "/root/d/f", "new"
		if kind == reeve.Mkdir {
			path = "/root/d/n/m"
		}
		if kind == reeve.Move {
			text = "/root/d/g"
		}
		s := c.MustStage(kind, path, text)
		armed = true
		_, err := c.C.Swap(context.Background(), []capfs.Staged{s})
		if !errors.Is(err, reeve.Changed) {
			t.Errorf("%s: %v", kind, err)
		}
		must(t, s.Cleanup())
		entries, err := os.ReadDir(at("out/d"))
		must(t, err)
		b, err := os.ReadFile(at("out/d/f"))
		if len(entries) != 1 || err != nil || string(b) != "old" {
			t.Errorf("%s: what was moved out holds %v, %q", kind, entries, b)
		}
	}
}

// TestKeepsWhatAFileHas replaces files with all kinds of modes, owners,
// attributes and access lists: nothing but the bytes changes.
func TestKeepsWhatAFileHas(t *testing.T) {
	base := t.TempDir()
	c, _ := commitsAt(t, base, capfs.CommitOptions{})
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	path, n := filepath.Join(base, "root/f"), 0
	// An access list: its version, then tag, rights and id of each entry.
	acl := func(rights byte, uid uint32) []byte {
		b := []byte{2, 0, 0, 0}
		for _, e := range [][3]uint32{{1, 6, ^uint32(0)}, {2, uint32(rights), uid}, {4, 4, ^uint32(0)}, {16, 7, ^uint32(0)}, {32, 0, ^uint32(0)}} {
			b = append(b, byte(e[0]), 0, byte(e[1]), 0, byte(e[2]), byte(e[2]>>8), byte(e[2]>>16), byte(e[2]>>24))
		}
		return b
	}
	rapid.Check(t, func(rt *rapid.T) {
		n++
		os.Remove(path)
		must(t, write(path, "old"))
		must(t, os.Chown(path, rapid.IntRange(0, 70000).Draw(rt, "uid"), rapid.IntRange(0, 70000).Draw(rt, "gid")))
		mode := rapid.Uint32Range(0, 0o7777).Draw(rt, "mode")
		must(t, unix.Chmod(path, mode))
		for i := range rapid.IntRange(0, 4).Draw(rt, "attributes") {
			must(t, unix.Setxattr(path, fmt.Sprintf("user.x%d", i), rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(rt, "value"), 0))
		}
		withACL := rapid.Bool().Draw(rt, "acl")
		if withACL && unix.Setxattr(path, "system.posix_acl_access", acl(6, 4711), 0) != nil {
			withACL = false
		}
		was := facts(t, path)
		if _, err := c.Do(reeve.Put, "/root/f", fmt.Sprint("new ", n)); err != nil {
			t.Fatal(err)
		}
		now := facts(t, path)
		m := uint32(0o4000)
		if !withACL && mode&0o010 != 0 || withACL && was.mode&0o010 != 0 {
			m |= 0o2000
		}
		was.mode &^= m
		if was.String() != now.String() {
			t.Fatalf("before %v, after %v", was, now)
		}
	})
}

type fileFacts struct {
	mode, uid, gid uint32
	attributes     map[string]string
}

func (f fileFacts) String() string {
	return fmt.Sprintf("%o %d:%d %q", f.mode, f.uid, f.gid, f.attributes)
}

func facts(t *testing.T, path string) fileFacts {
	var st unix.Stat_t
	must(t, unix.Stat(path, &st))
	f := fileFacts{mode: st.Mode & 0o7777, uid: st.Uid, gid: st.Gid, attributes: map[string]string{}}
	b := make([]byte, 4096)
	n, err := unix.Listxattr(path, b)
	must(t, err)
	for name := range strings.SplitSeq(strings.TrimRight(string(b[:n]), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		v := make([]byte, 4096)
		k, err := unix.Getxattr(path, name, v)
		must(t, err)
		f.attributes[name] = string(v[:k])
	}
	return f
}
