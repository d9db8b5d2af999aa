package ops

import "slices"

// hit is an entry that matched.
type hit struct {
	rel   string
	kind  kind
	facts facts
}

// compareNewest puts the newest first, and equals into path order.
func compareNewest(a, b hit) int {
	switch {
	case a.facts.modified > b.facts.modified:
		return -1
	case a.facts.modified < b.facts.modified:
		return 1
	}
	return comparePaths(a.rel, b.rel)
}

// newestHits keeps the newest of the matches that stream past: a heap whose
// root is the oldest one kept.
type newestHits struct {
	kept  []hit
	total int
}

func (n *newestHits) offer(h hit, most int) {
	n.total++
	switch {
	case len(n.kept) < most:
		n.kept = append(n.kept, h)
		for i := len(n.kept) - 1; i > 0; {
			up := (i - 1) / 2
			if compareNewest(n.kept[i], n.kept[up]) <= 0 {
				return
			}
			n.kept[i], n.kept[up] = n.kept[up], n.kept[i]
			i = up
		}
	case compareNewest(h, n.kept[0]) < 0:
		n.kept[0] = h
		n.down()
	}
}

func (n *newestHits) down() {
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(n.kept) {
			return
		}
		if c+1 < len(n.kept) && compareNewest(n.kept[c+1], n.kept[c]) > 0 {
			c++
		}
		if compareNewest(n.kept[c], n.kept[i]) <= 0 {
			return
		}
		n.kept[i], n.kept[c] = n.kept[c], n.kept[i]
		i = c
	}
}

// sorted ends it.
func (n *newestHits) sorted() []hit {
	slices.SortFunc(n.kept, compareNewest)
	return n.kept
}

// putNewest shows the newest matches.
func (f *finder) putNewest() {
	hits := f.heap.sorted()
	shown := 0
	for _, h := range hits {
		if !f.shelf.fits(h.rel, h.facts.link) {
			f.full = "bytes"
			break
		}
		f.shelf.put(h.rel, h.kind, h.facts, false)
		shown++
	}
	if shown > 0 && shown < f.heap.total {
		if f.full == "" {
			f.full = "results"
		}
		last := hits[shown-1]
		f.mark.rel, f.mark.isDir, f.mark.time = last.rel, last.kind == directory, last.facts.modified
		f.found.Cursor = f.seal.text(f.mark)
	}
}
