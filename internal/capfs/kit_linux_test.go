package capfs_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

func TestLinuxLayer(t *testing.T) {
	for name, o := range map[string]capfs.LinuxOptions{
		"as it is":        {},
		"without openat2": {NoOpenat2: true},
		"without proc":    {NoProc: true},
	} {
		t.Run(name, func(t *testing.T) {
			capfstest.Run(t, func(t *testing.T) capfstest.World { return capfstest.OnDisk(t, capfs.NewLinux(o)) })
		})
	}
}

// A lent descriptor is the opened file's own, for as long as it is lent.
func TestLend(t *testing.T) {
	w := capfstest.OnDisk(t, nil)
	if err := w.Make(capfstest.Op{Verb: "file", Path: w.Base + "/f", Arg: "hello"}); err != nil {
		t.Fatal(err)
	}
	fs := capfs.New(capfs.Options{})
	defer fs.Close()
	fs.SetGrants([]capfs.Grant{{Path: w.Base, Access: reeve.Read}}, nil)
	h, err := capfstest.Resolve(t.Context(), fs, w.Base+"/f", true)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	f, err := h.File(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 10)
	err = f.Lend(func(fd uintptr) error {
		f.Close() // takes effect when the lending ends
		n, err := unix.Pread(int(fd), b, 0)
		b = b[:max(n, 0)]
		return err
	})
	if err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
	if err := f.Lend(func(uintptr) error { return nil }); err == nil {
		t.Error("a closed file was lent")
	}
}
