package record

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	headsEvery = 1000 // rows between two namings of other segments' heads
	headsMost  = 64   // segments named at a time
	headsInRow = 20   // as many as fit into one row
	headsAge   = 24 * time.Hour
)

// heads makes the rows that name the heads of other segments of the last day,
// the newest first. What can't be read is passed over: naming heads is a
// service to others, and no reason to refuse a call.
func (s *Segment) heads(f *file) [][]byte {
	now := s.o.Now()
	var dirs []*os.Root
	for _, month := range monthsSince(now.Add(-headsAge), now) {
		if dir, err := f.root.OpenRoot(path.Join(recordDir, month)); err == nil {
			dirs = append(dirs, dir)
			defer dir.Close()
		}
	}
	var refs []Ref
	for _, r := range recent(dirs, path.Base(f.name), now) {
		ref, err := headOf(r.dir, r.file)
		if err == nil && f.claimed[ref.Segment] < ref.N {
			f.claimed[ref.Segment] = ref.N
			refs = append(refs, ref)
		}
	}
	var rows [][]byte
	for part := range slices.Chunk(refs, headsInRow) {
		l := line{Heads: part}
		l.Time, l.Event = now.UTC(), eventHead
		if body, err := controlBody(&l); err == nil && len(body) <= maxBody {
			rows = append(rows, body)
		}
	}
	return rows
}

func monthsSince(from, to time.Time) []string {
	a, b := from.UTC().Format(monthLayout), to.UTC().Format(monthLayout)
	if a == b {
		return []string{a}
	}
	return []string{a, b}
}

// candidate is a segment that may be named.
type candidate struct {
	dir  *os.Root // its month
	file string
	mod  time.Time
}

// recent gives the segments written to in the last day, the newest first.
// Where a day has very many, those that started last are looked at: the older
// ones that still run have named others themselves.
func recent(months []*os.Root, own string, now time.Time) []candidate {
	var list []candidate
	for _, dir := range months {
		names, err := readNames(dir, ".")
		if err != nil {
			continue
		}
		names = slices.DeleteFunc(names, func(n string) bool { return n == own || startText(n) == "" })
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(startText(b), startText(a)) })
		for _, n := range names[:min(len(names), 2*headsMost)] {
			st, err := dir.Lstat(n)
			if err == nil && st.Mode().IsRegular() && now.Sub(st.ModTime()) < headsAge {
				list = append(list, candidate{dir, n, st.ModTime()})
			}
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return b.mod.Compare(a.mod) })
	return list[:min(len(list), headsMost)]
}

// headOf reads the last whole row of a segment from its end. The segment's
// name in the Ref starts with the name of its folder.
func headOf(dir *os.Root, file string) (Ref, error) {
	f, err := openRead(dir, file)
	if err != nil {
		return Ref{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Ref{}, err
	}
	n, s, _, err := tail(f, st.Size())
	if err != nil {
		return Ref{}, err
	}
	return Ref{filepath.Base(dir.Name()) + "/" + file, n, hex.EncodeToString(s[:])}, nil
}

var errTail = errors.New("ends with something that is not a row")

// tail gives number and sum of the last whole row before size, and the offset
// after it; zeroes when there is none yet.
func tail(f io.ReaderAt, size int64) (n int64, s sum, end int64, err error) {
	from := max(0, size-2*maxRow)
	b := make([]byte, size-from)
	if got, err := f.ReadAt(b, from); err != nil && !(errors.Is(err, io.EOF) && got == len(b)) {
		return 0, sum{}, 0, err
	}
	last := bytes.LastIndexByte(b, '\n')
	if last < 0 {
		if from > 0 {
			return 0, sum{}, 0, errTail
		}
		return 0, sum{}, 0, nil
	}
	first := bytes.LastIndexByte(b[:last], '\n')
	if first < 0 && from > 0 {
		return 0, sum{}, 0, errTail
	}
	l, s, err := parse(b[first+1:last], sum{})
	if err != nil && !errors.Is(err, errSum) { // the row before is not known here
		return 0, sum{}, 0, errTail
	}
	return l.N, s, from + int64(last) + 1, nil
}

// Head gives the last row of every segment, for keeping elsewhere: Verify
// compares with it. Segments without a readable last row are left out; Verify
// tells about them.
func Head(dir string) ([]Ref, error) {
	root, list, err := openRecord(dir, time.Time{})
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close()
	var refs []Ref
	for _, s := range list {
		dir, err := root.OpenRoot(path.Join(recordDir, path.Dir(s.Name)))
		if err != nil {
			continue
		}
		if ref, err := headOf(dir, path.Base(s.Name)); err == nil && ref.N > 0 {
			refs = append(refs, ref)
		}
		dir.Close()
	}
	return refs, nil
}
