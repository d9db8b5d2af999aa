package attack

import (
	"iter"

	"reeve"
)

// Axes are the values that options are tried with. The zero value of an axis
// is "not given", and the usual and the hostile values follow.
type Axes struct {
	Patterns []string // of search_files
	Contains []string // texts to look for inside files; the canary's Probe among them
	Offsets  []int    // of read_file
	Columns  []int
	Limits   []int
	Depths   []int
	Cursors  []string
	Times    []string
	Sizes    []int64
}

// DefaultAxes gives values that have mattered, the probe of a canary included.
func DefaultAxes(probe string) Axes {
	return Axes{
		Patterns: []string{"*", "**/*", "*.{pem,key,txt}", ".*", "**/.ssh/**", "../**", "id_*", "[", ""},
		Contains: []string{"", probe, "fox"},
		Offsets:  []int{0, 1, 2, 5, -1, -200, 1 << 40},
		Columns:  []int{0, 1, 7, 100000},
		Limits:   []int{0, 1, 3, 1000000, -1},
		Depths:   []int{0, 1, 3, 99, -1},
		Cursors:  []string{"", "garbage", "../../etc"},
		Times:    []string{"", "2021-01-01", "7d", "yesterday"},
		Sizes:    []int64{-1, 0, 100, 1 << 40},
	}
}

// Calls gives calls of every reading verb on every path. Options are combined
// so that each pair of values of two options appears together for each verb
// and path: faults that need three at once are rare, and the whole product of
// search_files alone has millions of members.
func Calls(paths []string, a Axes) iter.Seq[reeve.Call] {
	return func(yield func(reeve.Call) bool) {
		if !yield(&reeve.ListRoots{}) {
			return
		}
		list := pairs(2, 2, len(a.Depths), len(a.Cursors), len(a.Limits))
		search := pairs(len(a.Patterns), len(a.Contains), 5, len(a.Times), len(a.Times), len(a.Times), len(a.Times),
			len(a.Sizes), len(a.Sizes), 3, 3, 2, len(a.Limits), len(a.Cursors))
		read := pairs(len(a.Offsets), len(a.Columns), len(a.Limits))
		for i, p := range paths {
			if !yield(&reeve.Stat{Path: p}) {
				return
			}
			for _, r := range list {
				if !yield(&reeve.ListDirectory{Path: p, Hidden: r[0] == 1, Recursive: r[1] == 1, Depth: a.Depths[r[2]], Cursor: a.Cursors[r[3]], MaxEntries: a.Limits[r[4]]}) {
					return
				}
			}
			for _, r := range search {
				if !yield(a.search(p, r)) {
					return
				}
			}
			for _, r := range read {
				// The path alone, and among others.
				for _, ps := range [][]string{{p}, {paths[(i+1)%len(paths)], p, p}} {
					if !yield(&reeve.ReadFile{Paths: ps, Offset: a.Offsets[r[0]], Column: a.Columns[r[1]], Limit: a.Limits[r[2]]}) {
						return
					}
				}
			}
		}
		yield(&reeve.ReadFile{Paths: paths})
		yield(&reeve.ReadFile{})
	}
}

func (a Axes) search(path string, r []int) reeve.Call {
	kinds := []string{"", "file", "directory", "symlink", "socket"}
	sorts := []string{"", "path", "newest"}
	c := &reeve.SearchFiles{
		Path: path, Pattern: a.Patterns[r[0]], Contains: a.Contains[r[1]], Type: kinds[r[2]],
		ModifiedAfter: a.Times[r[3]], ModifiedBefore: a.Times[r[4]], CreatedAfter: a.Times[r[5]], CreatedBefore: a.Times[r[6]],
		Sort: sorts[r[9]], Ignored: r[11] == 1, Limit: a.Limits[r[12]], Cursor: a.Cursors[r[13]],
	}
	if n := a.Sizes[r[7]]; n >= 0 {
		c.LargerThan = &n
	}
	if n := a.Sizes[r[8]]; n >= 0 {
		c.SmallerThan = &n
	}
	if r[10] > 0 {
		hidden := r[10] == 2
		c.Hidden = &hidden
	}
	return c
}

// pairs gives rows that hold, for any two columns, every pair of their values.
// Row 0 is all zeros: every option left out. The choice is greedy and always
// the same.
func pairs(sizes ...int) [][]int {
	type pair struct{ c1, v1, c2, v2 int }
	open := map[pair]bool{}
	var order []pair
	for c1 := range sizes {
		for c2 := c1 + 1; c2 < len(sizes); c2++ {
			for v1 := range sizes[c1] {
				for v2 := range sizes[c2] {
					p := pair{c1, v1, c2, v2}
					open[p] = true
					order = append(order, p)
				}
			}
		}
	}
	rows := [][]int{}
	add := func(row []int) {
		rows = append(rows, row)
		for c1 := range row {
			for c2 := c1 + 1; c2 < len(row); c2++ {
				delete(open, pair{c1, row[c1], c2, row[c2]})
			}
		}
	}
	add(make([]int, len(sizes)))
	for _, seed := range order {
		if !open[seed] {
			continue
		}
		row := make([]int, len(sizes))
		for i := range row {
			row[i] = -1
		}
		row[seed.c1], row[seed.c2] = seed.v1, seed.v2
		for c := range row {
			if row[c] >= 0 {
				continue
			}
			best, most := 0, -1
			for v := range sizes[c] {
				n := 0
				for o := range row {
					switch {
					case row[o] < 0 || o == c:
					case o < c && open[pair{o, row[o], c, v}], o > c && open[pair{c, v, o, row[o]}]:
						n++
					}
				}
				if n > most {
					best, most = v, n
				}
			}
			row[c] = best
		}
		add(row)
	}
	return rows
}
