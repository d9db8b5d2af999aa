package reeve

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCompareVersions(t *testing.T) {
	base := Stamp{Identity{1, 2, 3}, 4, 5, 6}
	with := func(f func(*Stamp)) Stamp { s := base; f(&s); return s }
	ctime := with(func(s *Stamp) { s.CTime++ })
	a, b := &[32]byte{1}, &[32]byte{2}
	for _, r := range []struct {
		name string
		x, y Version
		want Sameness
	}{
		{"nothing and something", Version{}, NewVersion(base, false, a), Unknown},
		{"nothing and nothing", Version{}, Version{}, Unknown},
		{"equal stamps", NewVersion(base, false, nil), NewVersion(base, false, nil), Same},
		{"equal stamps, one hashed", NewVersion(base, false, a), NewVersion(base, false, nil), Same},
		{"equal stamps, one racy", NewVersion(base, true, nil), NewVersion(base, false, nil), Unknown},
		{"equal stamps, racy, one hashed", NewVersion(base, true, a), NewVersion(base, false, nil), Unknown},
		{"equal stamps, racy, hashes equal", NewVersion(base, true, a), NewVersion(base, true, a), Same},
		{"equal stamps, racy, hashes differ", NewVersion(base, true, a), NewVersion(base, true, b), Different},
		{"equal stamps, restored times, hashes differ", NewVersion(base, false, a), NewVersion(base, false, b), Different},
		{"only ctime, no hash", NewVersion(base, false, nil), NewVersion(ctime, false, nil), Unknown},
		{"only ctime, one hash", NewVersion(base, false, a), NewVersion(ctime, false, nil), Unknown},
		{"only ctime, hashes equal", NewVersion(base, false, a), NewVersion(ctime, false, a), Same},
		{"only ctime, hashes differ", NewVersion(base, false, a), NewVersion(ctime, false, b), Different},
		{"another size", NewVersion(base, false, nil), NewVersion(with(func(s *Stamp) { s.Size++ }), false, nil), Different},
		{"another mtime", NewVersion(base, false, nil), NewVersion(with(func(s *Stamp) { s.MTime++ }), false, nil), Different},
		{"another file", NewVersion(base, false, nil), NewVersion(with(func(s *Stamp) { s.Inode++ }), false, nil), Different},
		{"a number used again", NewVersion(base, false, nil), NewVersion(with(func(s *Stamp) { s.Birth++ }), false, nil), Different},
		{"another device", NewVersion(base, false, nil), NewVersion(with(func(s *Stamp) { s.Device++ }), false, nil), Different},
		{"replaced by equal bytes", NewVersion(base, false, a), NewVersion(with(func(s *Stamp) { s.Inode++ }), false, a), Same},
	} {
		if got := r.x.Compare(r.y); got != r.want {
			t.Errorf("%s: %v, want %v", r.name, got, r.want)
		}
		if got := r.y.Compare(r.x); got != r.want {
			t.Errorf("%s, the other way round: %v, want %v", r.name, got, r.want)
		}
	}
	for want, v := range map[string]Version{"none": {}, "stamp": NewVersion(base, true, nil), "hash": NewVersion(base, false, a)} {
		if v.Kind() != want {
			t.Errorf("%s, want %s", v.Kind(), want)
		}
	}
}

func TestComparingIsSymmetricAndSeesItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := genVersion().Draw(t, "x"), genVersion().Draw(t, "y")
		if x.Compare(y) != y.Compare(x) {
			t.Fatal("the order matters")
		}
		if x.Compare(x) == Different {
			t.Fatal("different from itself")
		}
	})
}

func TestAPartialVersionComparesAsBefore(t *testing.T) {
	v := NewVersion(Stamp{Size: 4}, false, &[32]byte{1})
	p := v.AsPartial()
	if !p.Partial() || v.Partial() || p.Compare(v) != Same || p.Kind() != v.Kind() || p.String() == v.String() {
		t.Errorf("%v %v", v, p)
	}
	var back Version
	if err := back.UnmarshalText([]byte(p.String())); err != nil || back != p {
		t.Error(err, back)
	}
	if (Version{}).AsPartial() != (Version{}) {
		t.Error("no version became one")
	}
}

func TestSameFile(t *testing.T) {
	id := Identity{1, 2, 3}
	for _, r := range []struct {
		a, b Identity
		want bool
	}{
		{id, id, true},
		{id, Identity{1, 2, 0}, true},
		{id, Identity{1, 2, 4}, false},
		{id, Identity{1, 3, 3}, false},
		{id, Identity{2, 2, 3}, false},
		{Identity{}, Identity{}, false},
	} {
		if r.a.SameFile(r.b) != r.want || r.b.SameFile(r.a) != r.want {
			t.Errorf("%v and %v: %v", r.a, r.b, !r.want)
		}
	}
}

func TestPlacePaths(t *testing.T) {
	for _, r := range []struct {
		p                   Place
		path, display, base string
	}{
		{Place{RootPath: "/home/ann", Components: []Name{"a", "b\n"}}, "/home/ann/a/b\n", `/home/ann/a/$'b\n'`, "b\n"},
		{Place{RootPath: "/", Components: []Name{"etc"}}, "/etc", "/etc", "etc"},
		{Place{RootPath: "/"}, "/", "/", ""},
		{Place{}, "/", "/", ""},
		{Place{Components: []Name{"a"}}, "/a", "/a", "a"},
		{Place{RootPath: "/home/ann"}, "/home/ann", "/home/ann", "ann"},
		{Place{RootPath: `/odd\root`, Components: []Name{"a"}}, `/odd\root/a`, `/odd\root/a`, "a"},
		{Place{RootPath: `C:\`, Components: []Name{"a", "b"}}, `C:\a\b`, `C:\a\b`, "b"},
		{Place{RootPath: `C:\`}, `C:\`, `C:\`, "C:"},
		{Place{RootPath: `\\s\h`, Components: []Name{"a"}}, `\\s\h\a`, `\\s\h\a`, "a"},
		{Place{RootPath: "/r", Components: []Name{"caf\xe9"}}, "/r/caf\xe9", `/r/$'caf\xE9'`, "caf\xe9"},
	} {
		if r.p.Path() != r.path || r.p.Display() != r.display || r.p.Base() != r.base {
			t.Errorf("%+v: %q %q %q", r.p, r.p.Path(), r.p.Display(), r.p.Base())
		}
	}
}

func TestKeysAreByComputerAndRealPathAlone(t *testing.T) {
	p := Place{Target: Local, Root: "r", RootPath: "/home/ann", Components: []Name{"a"}}
	q := p
	q.Root, q.RootPath, q.Components = "outer", "/home", []Name{"ann", "a"}
	q.Stamp, q.Kind, q.Links, q.Via, q.Missing = Stamp{Size: 9, Identity: Identity{1, 2, 3}}, File, 2, "x", 1
	if p.Key() != q.Key() {
		t.Error("a write, or another root, changes the key of a place")
	}
	for _, o := range []Place{
		{Target: "laptop", Root: "r", RootPath: "/home/ann", Components: []Name{"a"}},
		{Target: Local, Root: "r", RootPath: "/home/ann", Components: []Name{"A"}},
		{Target: Local, Root: "r", RootPath: "/home/ann", Components: []Name{"a", "b"}},
		{Target: "local/home", Root: "r", RootPath: "/ann", Components: []Name{"a"}},
		{Target: "local\x00/home", Root: "r", RootPath: "/ann", Components: []Name{"a"}},
	} {
		if o.Key() == p.Key() {
			t.Errorf("%+v has the same key", o)
		}
	}
}
