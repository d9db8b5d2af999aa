package guard

import (
	"testing"

	"reeve"
)

// A call that makes a deep folder names each of its folders: each is judged
// once, and what no earlier intent named is judged too.
func TestEachMissingFolderIsJudgedOnce(t *testing.T) {
	place := func(missing int, names ...reeve.Name) reeve.Place {
		return reeve.Place{Components: names, Missing: missing, Kind: reeve.Absent}
	}
	up := above{}
	total := 0
	for _, c := range []struct {
		p    reeve.Place
		want int
	}{
		{place(3, "a", "b", "c"), 2}, {place(4, "a", "b", "c", "d"), 0}, {place(7, "a", "b", "c", "d", "e", "f", "g"), 2},
		{place(3, "a", "x", "y"), 1}, {place(2, "z", "y"), 1}, {place(1, "q"), 0},
	} {
		s := up.parents(c.p)
		if len(s) != c.want {
			t.Errorf("%v: %d folders above, want %d", c.p.Components, len(s), c.want)
		}
		for _, e := range s {
			if n := len(e.Place.Components); e.Kind != reeve.EffectMkdir || e.Place.Missing != n-len(c.p.Components)+c.p.Missing {
				t.Errorf("%v: %+v", c.p.Components, e)
			}
		}
		up.add(append(s, reeve.Effect{Kind: reeve.EffectMkdir, Place: c.p}))
		total += len(s)
	}
	if len(above(nil).parents(place(4, "a", "b", "c", "d"))) != 3 || total != 6 {
		t.Error("something was left out", total)
	}
}
