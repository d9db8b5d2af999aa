package edit

import (
	"fmt"
	"sort"
	"strings"

	"reeve"
)

// fitting makes the places of a change fit into a number of lines.
type fitting struct {
	places []place
	whole  Difference // Lines and Bytes
	most   int64      // lines of the longest run
}

// measure finds how long a diff with nothing left out would be.
func (f *fitting) measure() {
	for i, pl := range f.places {
		if i > 0 && !pl.follows {
			f.whole.Lines++
		}
		if pl.note != "" {
			f.whole.Lines++
		}
		for _, r := range pl.runs {
			f.whole.Lines += r.n
			f.most = max(f.most, r.n)
			held := int64(0)
			for _, l := range r.lines {
				held += int64(len(l)) + 8
			}
			if n := int64(len(r.lines)); n > 0 && n < r.n {
				held = held / n * r.n
			}
			f.whole.Bytes += held + r.lost
		}
	}
}

// cost is how many lines the chosen places take, when no run has more than
// limit lines.
func (f *fitting) cost(chosen func(int) bool, limit int64) (lines int64) {
	gap := false
	for i := range f.places {
		pl := &f.places[i]
		if !chosen(i) {
			gap = true
			continue
		}
		if gap || i > 0 && !pl.follows {
			lines++
		}
		gap = false
		if pl.note != "" {
			lines++
		}
		for k, r := range pl.runs {
			lines += r.cost(limit, pl.context(k))
		}
	}
	if gap {
		lines++
	}
	return lines
}

// context reports lines that stay at the beginning or the end of a place: they
// can be fewer, without a word.
func (pl *place) context(k int) bool {
	return pl.runs[k].kind == ' ' && (k == 0 && !pl.follows || k == len(pl.runs)-1)
}

func (r *run) cost(limit int64, context bool) int64 {
	switch {
	case r.whole(limit):
		return r.n
	case context:
		return limit
	}
	return limit + 1
}

// whole reports that nothing of a run is left out: not for one line, in place
// of which there would be another that says so.
func (r *run) whole(limit int64) bool {
	return r.n <= limit+1 && int64(len(r.lines)) == r.n
}

// choose finds which places are shown, and how many lines of a run at most.
func (f *fitting) choose(lines int64) (chosen func(int) bool, limit int64) {
	n := len(f.places)
	k := n
	chosen = spread(n, k)
	for k > 1 && f.cost(chosen, 1) > lines {
		k = max(1, min(k-1, k*7/8))
		chosen = spread(n, k)
	}
	// The largest limit that fits; 1 in any case.
	more := sort.Search(int(min(f.most, lines)), func(i int) bool { return f.cost(chosen, int64(i)+2) > lines })
	return chosen, int64(more) + 1
}

// show makes the diff, in at most so many lines; below 0 in as many as it
// takes.
func (f *fitting) show(lines, width int) Difference {
	most := int64(lines)
	if lines < 0 {
		most = f.whole.Lines + 1
	}
	chosen, limit := f.choose(most)
	w := &diffWriter{width: width, left: f.whole.Left}
	var over place // what is not shown of those since the last that is
	var n int64
	for i := range f.places {
		pl := &f.places[i]
		if !chosen(i) {
			n++
			over.gone += pl.gone
			over.new += pl.new
			continue
		}
		if n > 0 {
			w.skip(n, over)
			n, over = 0, place{}
		} else if i > 0 && !pl.follows {
			w.add("⋮")
		}
		if pl.note != "" {
			w.add(pl.note)
		}
		for k := range pl.runs {
			w.run(&pl.runs[k], limit, pl.context(k), k == 0)
		}
	}
	if n > 0 {
		w.skip(n, over)
	}
	if int64(len(w.lines)) > most { // only below some ten lines
		w.lines = append(w.lines[:max(0, most-1)], "… more of it is not shown")
	}
	out := f.whole
	out.Text, out.Left = strings.Join(w.lines, "\n"), w.left
	return out
}

// diffWriter gathers lines, and counts what is left out.
type diffWriter struct {
	lines []string
	width int
	left  reeve.Left
}

func (w *diffWriter) add(line string) { w.lines = append(w.lines, line) }

// skip tells of places that are not shown.
func (w *diffWriter) skip(n int64, over place) {
	w.left.Gone += over.gone
	w.left.New += over.new
	w.left.Places += n
	w.add(fmt.Sprintf("… %s (%s gone, %s new) are not shown", countOf(n, "more place"), countOf(over.gone, "line"), thousands(over.new)))
}

// run shows lines of one kind: all, or the first and the last of them.
func (w *diffWriter) run(r *run, limit int64, context, first bool) {
	if r.whole(limit) {
		w.some(r, 0, r.n)
		return
	}
	if context {
		if first {
			w.some(r, r.n-limit, r.n)
		} else {
			w.some(r, 0, limit)
		}
		return
	}
	head, tail := r.reach()
	tail = min(tail, limit/3)
	head = min(head, limit-tail)
	w.some(r, 0, head)
	n := r.n - head - tail
	switch r.kind {
	case '-':
		w.left.Gone += n
		w.add(fmt.Sprintf("… %s are not shown", countOf(n, "gone line")))
	case '+':
		w.left.New += n
		w.add(fmt.Sprintf("… %s are not shown", countOf(n, "new line")))
	default:
		w.add(fmt.Sprintf("… %s that stay", countOf(n, "line")))
	}
	w.some(r, r.n-tail, r.n)
}

func (w *diffWriter) some(r *run, from, to int64) {
	for i := from; i < to; i++ {
		peer := ""
		if r.peer != nil && r.peer.holds(i) {
			peer = r.peer.line(i)
		}
		text, cut := shownLine(r.line(i), peer, r.kind != ' ', w.width)
		if r.kind != ' ' {
			w.left.Chars += cut
		}
		w.add(fmt.Sprintf("%c%5d %s", r.kind, r.first+i, text))
	}
	if r.kind != ' ' && (from == 0 || to == r.n) && to > from {
		w.left.Chars += r.lost
	}
}

func (r *run) holds(i int64) bool {
	head, tail := r.reach()
	return i < head || i >= r.n-tail
}

func countOf(n int64, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return thousands(n) + " " + unit
}
