package readstate

import "slices"

// Range is lines (or characters) From to To, both included, counted from 1.
type Range struct{ From, To int64 }

// ranges are in order and neither touch nor overlap.
type ranges []Range

// maxRanges bounds the stretches of one file. Where there are more, the
// shortest is forgotten: it has to be read again.
const maxRanges = 256

func (r *ranges) add(n Range) {
	if n.From > n.To || n.From < 1 {
		return
	}
	list := *r
	i, _ := slices.BinarySearchFunc(list, n.From-1, func(x Range, at int64) int {
		if x.To < at {
			return -1
		}
		return 1
	})
	j := i
	for j < len(list) && list[j].From <= n.To+1 {
		n.From, n.To = min(n.From, list[j].From), max(n.To, list[j].To)
		j++
	}
	list = slices.Replace(list, i, j, n)
	if len(list) > maxRanges {
		short := 0
		for k, x := range list {
			if x.To-x.From < list[short].To-list[short].From {
				short = k
			}
		}
		list = slices.Delete(list, short, short+1)
	}
	*r = list
}

func (r ranges) has(n int64) bool {
	_, ok := slices.BinarySearchFunc(r, n, func(x Range, at int64) int {
		switch {
		case x.To < at:
			return -1
		case x.From > at:
			return 1
		}
		return 0
	})
	return ok
}

// covers reports whether 1 to n are all there.
func (r ranges) covers(n int64) bool {
	return n == 0 || len(r) > 0 && r[0].From == 1 && r[0].To >= n
}

// gaps lists what is not there between 1 and n.
func (r ranges) gaps(n int64) (out []Range) {
	next := int64(1)
	for _, x := range r {
		if x.From > n {
			break
		}
		if x.From > next {
			out = append(out, Range{next, x.From - 1})
		}
		next = x.To + 1
	}
	if next <= n {
		out = append(out, Range{next, n})
	}
	return out
}

// window is a line that was shown in part.
type window struct {
	line  int64
	shown ranges
	chars int64 // of the whole line, 0 while its end was not shown
}

const maxWindows = 8

// runs are hashes of lines, stretch by stretch, in order.
type runs struct{ list []run }

type run struct {
	first  int64
	hashes []uint64
}

// Bounds of the hashes of one file.
const (
	maxHashes = 256 << 10
	maxRuns   = 256
)

func (r *runs) words() int {
	n := 0
	for _, x := range r.list {
		n += 4 + cap(x.hashes)
	}
	return n
}

func (r *runs) len() int {
	n := 0
	for _, x := range r.list {
		n += len(x.hashes)
	}
	return n
}

// find is the place of the run that holds the line, or of the next one.
func (r *runs) find(line int64) (i int, ok bool) {
	return slices.BinarySearchFunc(r.list, line, func(x run, at int64) int {
		switch {
		case x.first+int64(len(x.hashes)) <= at:
			return -1
		case x.first > at:
			return 1
		}
		return 0
	})
}

func (r *runs) get(line int64) (uint64, bool) {
	i, ok := r.find(line)
	if !ok {
		return 0, false
	}
	return r.list[i].hashes[line-r.list[i].first], true
}

// put notes a line. Lines mostly come in order.
func (r *runs) put(line int64, h uint64) {
	i, ok := r.find(line)
	if ok {
		return
	}
	if i > 0 {
		if x := &r.list[i-1]; x.first+int64(len(x.hashes)) == line {
			x.hashes = append(x.hashes, h)
			if i < len(r.list) && r.list[i].first == line+1 {
				x.hashes = append(x.hashes, r.list[i].hashes...)
				r.list = slices.Delete(r.list, i, i+1)
			}
			return
		}
	}
	if i < len(r.list) && r.list[i].first == line+1 {
		x := &r.list[i]
		x.first, x.hashes = line, slices.Insert(x.hashes, 0, h)
		return
	}
	if len(r.list) < maxRuns {
		r.list = slices.Insert(r.list, i, run{line, []uint64{h}})
	}
}

// putAll notes a stretch of lines.
func (r *runs) putAll(first int64, hashes []uint64) {
	i, ok := r.find(first)
	end := first + int64(len(hashes))
	free := !ok && (i == len(r.list) || r.list[i].first > end)
	switch {
	case free && (i == 0 || r.list[i-1].first+int64(len(r.list[i-1].hashes)) < first):
		if len(r.list) < maxRuns {
			r.list = slices.Insert(r.list, i, run{first, hashes})
		}
	case free:
		r.list[i-1].hashes = append(r.list[i-1].hashes, hashes...)
	default: // it overlaps, or closes a gap
		for j, h := range hashes {
			r.put(first+int64(j), h)
		}
	}
}

// whole gives the hashes of lines 1 to n if all of them are known.
func (r *runs) whole(n int64) ([]uint64, bool) {
	if n == 0 {
		return nil, true
	}
	if len(r.list) == 0 || r.list[0].first != 1 || int64(len(r.list[0].hashes)) < n {
		return nil, false
	}
	return r.list[0].hashes[:n], true
}
