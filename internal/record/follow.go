package record

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"time"
)

const followEvery = 200 * time.Millisecond

// Follower gives the rows that come after a moment. It is for one goroutine.
type Follower struct {
	dir  string
	f    Filter
	seen map[string]*mark
}

// FromNow makes a Follower of all rows that are written after it returns (and
// perhaps some from just before). Reading the old rows with Rows after that,
// and then calling Run, misses none.
func FromNow(dir string, f Filter) (*Follower, error) {
	w := &Follower{dir: dir, f: f, seen: map[string]*mark{}}
	_, err := w.poll(true)
	return w, err
}

// Run calls fn for each row that any process writes from the moment on at
// which the Follower was made, in the order of time as far as they come
// together, until the context ends (which is no error) or fn returns one. It
// looks five times a second at the sizes of the segments.
func (w *Follower) Run(ctx context.Context, fn func(Entry) error) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		entries, err := w.poll(false)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := fn(e); err != nil {
				return err
			}
		}
	}
}

// mark is how far a segment was read.
type mark struct {
	at    int64
	size  int64 // as last looked at
	prev  sum
	n     int64
	first scanned
}

// poll reads what is new. The first time everything counts as seen.
func (w *Follower) poll(first bool) ([]Entry, error) {
	from := time.Now().Add(-24 * time.Hour)
	root, list, err := openRecord(w.dir, from)
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close()
	var out []Entry
	for _, s := range list {
		m := w.seen[s.Name]
		if m == nil {
			m = &mark{}
			w.seen[s.Name] = m
		}
		st, err := root.Lstat(path.Join(recordDir, s.Name))
		if err != nil || st.Size() == m.size {
			continue
		}
		m.size = st.Size()
		got, err := w.read(root, s.Name, m, first)
		if err != nil {
			return nil, err
		}
		out = append(out, got...)
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return a.Row.Time.Compare(b.Row.Time) })
	return out, nil
}

func (w *Follower) read(root *os.Root, name string, m *mark, skip bool) ([]Entry, error) {
	r, err := openReader(root, name)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if skip {
		if l, err := r.s.next(); err == nil {
			m.first = l
		}
		m.n, m.prev, m.at, err = tail(r.f, m.size)
		if errors.Is(err, errTail) {
			m.at, err = m.size, nil
		}
		return nil, err
	}
	if _, err := r.f.Seek(m.at, io.SeekStart); err != nil {
		return nil, readError(name, err)
	}
	r.s = newScanner(name, r.f)
	r.s.prev, r.s.n, r.s.at, r.info = m.prev, m.n, m.at, m.first
	var out []Entry
	for {
		e, err := r.next()
		if errors.Is(err, io.EOF) || err == nil && e.Torn {
			break // an unfinished row is read again when it has grown
		}
		if err != nil {
			return nil, err
		}
		if w.f.wants(&e) {
			out = append(out, e)
		}
	}
	m.prev, m.n, m.at, m.first = r.s.prev, r.s.n, r.s.at, r.info
	return out, nil
}
