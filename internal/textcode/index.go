package textcode

import (
	"sort"
	"sync"
)

const (
	maxMarks    = 4096
	maxLongRows = 4
	maxColumns  = 1024
	markStride  = 64 << 10
)

// Index remembers where lines start in one version of one file, so that the
// next page starts there instead of at the beginning. It grows by use, holds
// at most about 130 KB, and may be used by several calls at once.
//
// It must never be used for other bytes than those it was made from: keep it
// by identity and version, and drop it when the version is another or unknown.
type Index struct {
	mu      sync.Mutex
	lines   marks
	total   int64 // lines, when counted
	counted bool
	least   int64 // the highest line number known to exist
	long    []longLine
	utf8    bool // the whole content is valid UTF-8
	hash    *[32]byte
}

// NewIndex makes an empty index.
func NewIndex() *Index { return &Index{} }

// Total is the number of lines; counted is false while it is only what is
// known to exist at least.
func (x *Index) Total() (lines int64, counted bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.counted {
		return x.total, true
	}
	return x.least, false
}

// mark says that number n (a line, or a character of a line) starts at off.
type mark struct{ off, n int64 }

// marks are sparse and ascending. When there are too many, every other one
// goes and the stride doubles.
type marks struct {
	list   []mark
	stride int64
}

// add takes a mark if it is a stride further than the last one.
func (m *marks) add(x mark, most int) {
	if m.stride == 0 {
		m.stride = markStride
	}
	if k := len(m.list); k > 0 && x.off < m.list[k-1].off+m.stride {
		return
	}
	if len(m.list) >= most {
		for i := range most / 2 {
			m.list[i] = m.list[2*i+1]
		}
		m.list = m.list[:most/2]
		m.stride *= 2
	}
	m.list = append(m.list, x)
}

// find gives the last mark that is not after n, or first.
func (m *marks) find(n int64, first mark) mark {
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].n > n })
	if i == 0 {
		return first
	}
	return m.list[i-1]
}

// longLine has marks inside one line of over a stride.
type longLine struct {
	start int64
	cols  marks
}

func (x *Index) sawLine(m mark) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lines.add(m, maxMarks)
	x.least = max(x.least, m.n)
}

// sawLines notes that line n exists, without a place.
func (x *Index) sawLines(n int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.least = max(x.least, n)
}

func (x *Index) setTotal(n int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.total, x.counted = n, true
}

func (x *Index) findLine(n int64, first mark) mark {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.lines.find(n, first)
}

func (x *Index) sawColumn(start int64, m mark) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.long {
		if x.long[i].start == start {
			x.long[i].cols.add(m, maxColumns)
			return
		}
	}
	if len(x.long) >= maxLongRows {
		x.long = x.long[:copy(x.long, x.long[1:])]
	}
	l := longLine{start: start}
	l.cols.add(m, maxColumns)
	x.long = append(x.long, l)
}

func (x *Index) findColumn(start, col int64, first mark) mark {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.long {
		if x.long[i].start == start {
			return x.long[i].cols.find(col, first)
		}
	}
	return first
}

func (x *Index) setHash(h [32]byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hash = &h
}

func (x *Index) getHash() *[32]byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.hash
}

func (x *Index) setUTF8() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.utf8 = true
}

func (x *Index) isUTF8() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.utf8
}
