package guard

import "reeve"

// above are the folders still to be made that an earlier intent of the same
// pass was judged for, with all that are above them, by key. A call that
// brings a deep folder back names each of its folders: without this, every
// one would be judged again for each thing below it.
type above map[string]bool

// add notes what an intent that was allowed comes to.
func (a above) add(effects []reeve.Effect) {
	for _, e := range effects {
		if e.Kind == reeve.EffectMkdir {
			a[e.Place.Key()] = true
		}
	}
}

// parents are the folders that would have to be made above a place, outermost
// first, up to the innermost one that was judged already.
func (a above) parents(p reeve.Place) []reeve.Effect {
	n := 1
	for ; n < p.Missing; n++ {
		if len(a) > 0 && a[parent(p, n).Key()] {
			break
		}
	}
	var list []reeve.Effect
	for n--; n > 0; n-- {
		list = append(list, reeve.Effect{Kind: reeve.EffectMkdir, Place: parent(p, n)})
	}
	return list
}

// parent is the folder so many levels above a place, where none is yet.
func parent(p reeve.Place, n int) reeve.Place {
	up := p
	up.Kind, up.Stamp, up.Links = reeve.Absent, reeve.Stamp{}, 0
	up.Components = p.Components[:len(p.Components)-n]
	up.Missing = p.Missing - n
	return up
}
