package ops

import (
	"container/list"
	"sync"

	"reeve"
	"reeve/internal/textcode"
)

// indexes keeps line indexes by the exact state of a file: identity, size and
// times. Another state is another key, and the least recently used one goes.
type indexes struct {
	mu   sync.Mutex
	most int
	by   map[reeve.Stamp]*list.Element
	used *list.List // of *indexed, the latest first
}

type indexed struct {
	key   reeve.Stamp
	index *textcode.Index
}

func newIndexes(most int) *indexes {
	return &indexes{most: most, by: map[reeve.Stamp]*list.Element{}, used: list.New()}
}

// get finds the index of a state, nil if there is none.
func (x *indexes) get(key reeve.Stamp) *textcode.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.by[key]
	if e == nil {
		return nil
	}
	x.used.MoveToFront(e)
	return e.Value.(*indexed).index
}

// put keeps an index. One that another call has put meanwhile stays.
func (x *indexes) put(key reeve.Stamp, i *textcode.Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.by[key]; e != nil {
		x.used.MoveToFront(e)
		return
	}
	x.by[key] = x.used.PushFront(&indexed{key, i})
	for x.used.Len() > x.most {
		x.remove(x.used.Back())
	}
}

// drop forgets a state whose bytes turned out not to stand still.
func (x *indexes) drop(key reeve.Stamp) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.by[key]; e != nil {
		x.remove(e)
	}
}

func (x *indexes) remove(e *list.Element) {
	x.used.Remove(e)
	delete(x.by, e.Value.(*indexed).key)
}
