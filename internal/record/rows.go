package record

import (
	"container/heap"
	"errors"
	"io"
	"iter"
	"os"
	"time"
)

// Rows gives the rows of all segments of all processes, computers and months
// that the filter wants, merged by time. An entry with an error stands for a
// segment that can't be read (further); the rest goes on. A missing record is
// an empty one.
func Rows(dir string, f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		root, list, err := openRecord(dir, f.Since)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		if root == nil {
			return
		}
		defer root.Close()
		merge(root, list, f, yield)
	}
}

// merge opens each segment only when the others have come to its start: of
// thousands of short ones few are open at a time.
func merge(root *os.Root, list []named, f Filter, yield func(Entry, error) bool) {
	var open queue
	defer func() {
		for _, h := range open {
			h.r.close()
		}
	}()
	// advance puts a segment back with its next row, or tells why not.
	advance := func(r *reader) bool {
		e, err := r.next()
		if err == nil {
			heap.Push(&open, held{r, e, r.key})
			return true
		}
		r.close()
		return errors.Is(err, io.EOF) || yield(Entry{Segment: r.name, N: r.s.n + 1}, err)
	}
	for len(list) > 0 || len(open) > 0 {
		if len(open) == 0 || len(list) > 0 && !list[0].Start.After(open[0].key) {
			name := list[0].Name
			list = list[1:]
			r, err := openReader(root, name)
			if err != nil {
				if !yield(Entry{Segment: name}, err) {
					return
				}
			} else if !advance(r) {
				return
			}
			continue
		}
		h := heap.Pop(&open).(held)
		if f.wants(&h.e) && !yield(h.e, nil) {
			h.r.close()
			return
		}
		if !advance(h.r) {
			return
		}
	}
}

// held is a segment with the row that it gives next.
type held struct {
	r   *reader
	e   Entry
	key time.Time
}

type queue []held

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if c := q[i].key.Compare(q[j].key); c != 0 {
		return c < 0
	}
	return q[i].r.name < q[j].r.name
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(held)) }
func (q *queue) Pop() any {
	old := *q
	h := old[len(old)-1]
	*q = old[:len(old)-1]
	return h
}
