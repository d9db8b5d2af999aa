package capfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/capfs"
)

// A granted folder that is itself a mount of a protected one, of a folder in
// it, or of one around it, is no way into it: what was granted is a path, and
// what stands there is judged.
func TestAGrantedFolderThatIsAMountOfAProtectedOne(t *testing.T) {
	if !child(t, ownMounts(), "") {
		return
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	base := t.TempDir()
	at := func(p string) string { return filepath.Join(base, p) }
	must(t, write(at("home/safe/sub/deep/key"), "secret"), write(at("home/work/f"), "hello"))
	for what, where := range map[string]string{"home": "around", "home/safe": "same", "home/safe/sub": "within", "home/work": "beside"} {
		must(t, os.MkdirAll(at(where), 0o755), unix.Mount(at(what), at(where), "", unix.MS_BIND, ""))
		t.Cleanup(func() { unix.Unmount(at(where), unix.MNT_DETACH) })
	}
	narrow := []capfs.Narrowing{{Path: at("home/safe"), Kind: reeve.MarkOwn, Rule: "own", Folder: true}}
	for path, want := range map[string]int{
		"same": 1, "same/sub": 1, "same/sub/deep/key": 1, "same/none": 1,
		"within": 1, "within/deep": 1, "within/deep/key": 1,
		"around": 0, "around/work/f": 0, "around/safe": 1, "around/safe/sub/deep/key": 1,
		"beside": 0, "beside/f": 0,
	} {
		fs := capfs.New(capfs.Options{Refresh: -1})
		fs.SetGrants([]capfs.Grant{{Path: at(firstOf(path)), Access: reeve.Read}}, narrow)
		if got := len(marksOf(t, fs, at(path))); got != want {
			t.Errorf("%s has %d marks, want %d", path, got, want)
		}
		fs.Close()
	}
}

func firstOf(path string) string {
	for i := range path {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return path
}
