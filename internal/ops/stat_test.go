package ops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reeve"
)

func TestStatTellsTheThingItself(t *testing.T) {
	w := newWorld(t, "default", nil)
	w.write("f", "12345")
	w.link("f", "to-f")
	w.link("/etc/passwd", "out")
	at := time.Date(2020, 5, 1, 2, 3, 4, 567000000, time.UTC)
	if err := os.Chtimes(w.path("f"), at, at); err != nil {
		t.Fatal(err)
	}
	s, _ := do[*reeve.Facts](w, &reeve.Stat{Path: "f"})
	if s.Kind != reeve.File || s.Size != 5 || !s.Modified.Equal(at) || s.Permissions != "-rw-r--r--" || s.Access != reeve.ReadWrite || s.Links != 1 || s.Path.String() != w.path("f") {
		t.Errorf("%+v", s)
	}
	p, _ := do[*reeve.Pages](w, &reeve.ReadFile{Paths: []string{"f"}})
	if s.Version.IsZero() || s.Version.Hashed() || s.Version.Compare(p.Pages[0].Version) == reeve.Different {
		t.Errorf("stat says %s, a read %s", s.Version, p.Pages[0].Version)
	}
	w.write("f", "12346")
	if again, _ := do[*reeve.Facts](w, &reeve.Stat{Path: "f"}); again.Version.Compare(s.Version) == reeve.Same {
		t.Error("another content has the same version")
	}
	// A link's own text may be told; what is behind it may not.
	for name, text := range map[string]string{"to-f": "f", "out": "/etc/passwd"} {
		s, _ := do[*reeve.Facts](w, &reeve.Stat{Path: name})
		if s.Kind != reeve.Symlink || s.Link.String() != text || !s.Version.IsZero() || filepath.Base(s.Path.String()) != name {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s, _ := do[*reeve.Facts](w, &reeve.Stat{Path: "."}); s.Kind != reeve.Directory || !strings.HasPrefix(s.Permissions, "d") {
		t.Errorf("%+v", s)
	}
	w.files(".env")
	w.refusedWith(&reeve.Stat{Path: ".env"}, reeve.Protected)
	w.refusedWith(&reeve.Stat{Path: "missing"}, reeve.NotFound)
	w.refusedWith(&reeve.Stat{}, reeve.Invalid)
}

func TestPermissionsReadAsLsShowsThem(t *testing.T) {
	for _, c := range []struct {
		kind reeve.FileKind
		mode uint32
		want string
	}{
		{reeve.File, 0o644, "-rw-r--r--"}, {reeve.Directory, 0o755, "drwxr-xr-x"}, {reeve.Symlink, 0o777, "lrwxrwxrwx"},
		{reeve.File, 0o4755, "-rwsr-xr-x"}, {reeve.File, 0o4644, "-rwSr--r--"}, {reeve.File, 0o2755, "-rwxr-sr-x"},
		{reeve.File, 0o2745, "-rwxr-Sr-x"}, {reeve.Directory, 0o1777, "drwxrwxrwt"}, {reeve.Directory, 0o1776, "drwxrwxrwT"},
		{reeve.Special, 0o600, "?rw-------"}, {reeve.File, 0, "----------"},
	} {
		if got := permissions(c.kind, c.mode); got != c.want {
			t.Errorf("%s %o: %s, want %s", c.kind, c.mode, got, c.want)
		}
	}
}

func TestAFreshStampIsRacy(t *testing.T) {
	now := time.Unix(1000, 0)
	at := func(d time.Duration) reeve.Stamp { return reeve.Stamp{MTime: now.Add(d).UnixNano()} }
	for d, want := range map[time.Duration]bool{0: true, -time.Second: true, time.Hour: true, -3 * time.Second: false} {
		if got := racy(at(d), now); got != want {
			t.Errorf("changed %s from now: %v", d, got)
		}
	}
	if !racy(reeve.Stamp{MTime: 1, CTime: now.UnixNano()}, now) {
		t.Error("a restored time of modification hides the change")
	}
}

func TestGrantedFoldersAreToldWithoutADisk(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	w := grant(t, "default", nil, t.TempDir(), link)
	a, _ := do[*reeve.Roots](w, &reeve.ListRoots{})
	if len(a.Roots) != 1 {
		t.Fatalf("%+v", a)
	}
	r := a.Roots[0]
	if r.Path.String() != real || !strings.Contains(r.Note.String(), link) || r.Access != reeve.ReadWrite || r.State != reeve.StateOpen || r.ID == "" || r.Target != reeve.Local {
		t.Errorf("%+v", r)
	}
	if a.Relative.IsZero() {
		t.Error("what relative paths start from is not told")
	}
	limits := map[string]int64{}
	for _, l := range a.Limits {
		limits[l.Name] = l.Value
	}
	if limits["read_lines"] != 2000 || limits["list_entries"] != 200 || limits["walk_entries"] != 200_000 {
		t.Errorf("%v", limits)
	}
	if _, ok := limits["search_depth"]; ok {
		t.Error("a bound that there is not was told")
	}
	// Nothing is left of the folder: the answer does not depend on it.
	if err := os.RemoveAll(base); err != nil {
		t.Fatal(err)
	}
	if b, _ := do[*reeve.Roots](w, &reeve.ListRoots{}); len(b.Roots) != 1 || b.Roots[0].Path.String() != real {
		t.Errorf("%+v", b)
	}
}
