package capfs

import (
	"encoding/binary"
	"errors"
	iofs "io/fs"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"reeve"
)

func dirent(name string, kind byte) []byte {
	size := (direntName + len(name) + 1 + 7) &^ 7
	b := make([]byte, size)
	binary.NativeEndian.PutUint16(b[direntLen:], uint16(size))
	b[direntType] = kind
	copy(b[direntName:], name)
	return b
}

func TestDirents(t *testing.T) {
	var b []byte
	for _, e := range []struct {
		name string
		kind byte
	}{
		{".", unix.DT_DIR}, {"..", unix.DT_DIR}, {"f", unix.DT_REG}, {"d\n", unix.DT_DIR}, {"l", unix.DT_LNK},
		{"p", unix.DT_FIFO}, {"?", unix.DT_UNKNOWN}, {"a/b", unix.DT_REG}, {"", unix.DT_REG}, {"...", unix.DT_REG},
	} {
		b = append(b, dirent(e.name, e.kind)...)
	}
	got, err := parseDirents(nil, b)
	want := []DirEntry{{"f", reeve.File}, {"d\n", reeve.Directory}, {"l", reeve.Symlink}, {"p", reeve.Special}, {"?", reeve.Absent}, {"...", reeve.File}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v", got[i])
		}
	}
}

func FuzzDirents(f *testing.F) {
	f.Add(append(dirent("a", unix.DT_REG), dirent("b", unix.DT_DIR)...))
	f.Add([]byte{0, 0, 0})
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, _ := parseDirents(nil, b)
		for _, e := range got {
			if !oneName(e.Name) {
				t.Errorf("%q is no name", e.Name)
			}
		}
	})
}

func TestMountInfo(t *testing.T) {
	got := parseMountInfo([]byte("36 35 98:0 / /a rw - ext4 /dev/x rw\n41 36 0:5 / /a/proc rw shared:3 master:1 - proc proc rw\n" +
		"52 36 0:9 / /odd\\040- rw - fuse.sshfs u@h:/ rw\nbad line\n7 - x\n"))
	for mount, want := range map[uint64]string{36: "ext4", 41: "proc", 52: "fuse.sshfs"} {
		if got[mount] != want {
			t.Errorf("%d is %q", mount, got[mount])
		}
	}
	if !fileSystemNamed("proc").Pseudo || fileSystemNamed("tmpfs").Pseudo || !fileSystemNamed("fuse.sshfs").Coarse {
		t.Error("kinds")
	}
}

func FuzzMountInfo(f *testing.F) {
	f.Add([]byte("36 35 98:0 / /a rw - ext4 /dev/x rw\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, kind := range parseMountInfo(b) {
			if strings.ContainsAny(kind, " \n") {
				t.Errorf("%q", kind)
			}
		}
	})
}

// A descriptor is never closed while somebody uses it, and used by nobody
// afterwards.
func TestDescriptorsAreNotUsedAfterClose(t *testing.T) {
	for range 200 {
		fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		d := &desc{fd: fd}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for {
					if err := d.take(); err != nil {
						if !errors.Is(err, iofs.ErrClosed) {
							t.Error(err)
						}
						return
					}
					if _, err := statx(d.fd, "", unix.AT_EMPTY_PATH); err != nil {
						t.Errorf("a descriptor was closed in use: %v", err)
					}
					d.give()
				}
			})
		}
		all.Go(func() { d.close() })
		all.Go(func() { d.close() })
		all.Wait()
		if d.state.Load() != closedBit|freedBit {
			t.Fatalf("left at %x", d.state.Load())
		}
	}
}
