package history

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reeve"
)

// Filter says which entries are wanted. Its zero value wants all.
type Filter struct {
	Change string
	// Path, in the shown form, wants entries of it and of what is below it,
	// as it was before a move or after.
	Path  string
	Since time.Time
}

func (f Filter) wants(e Entry) bool {
	switch {
	case f.Change != "" && e.Change != f.Change,
		!f.Since.IsZero() && e.At.Before(f.Since),
		f.Path != "" && !under(f.Path, e.Path) && !under(f.Path, e.To):
		return false
	}
	return true
}

func under(dir, p string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '\\' || strings.HasSuffix(dir, "/"))
}

// Entries gives the entries that are wanted, the latest first. Damaged lines
// are reported and passed over; an error is one of the folder itself. What an
// entry names may have been let go of already: Open tells.
func (s *Store) Entries(ctx context.Context, f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		root, err := s.open(false)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		var list []Entry
		if err == nil {
			list, err = s.load(ctx, root, f)
			root.Close()
		}
		if err != nil {
			yield(Entry{}, failed("history", "the history could not be read", err))
			return
		}
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// load reads all segments, the latest entries first.
func (s *Store) load(ctx context.Context, root *os.Root, f Filter) ([]Entry, error) {
	files, err := readNames(root, entriesDir)
	if err != nil {
		return nil, err
	}
	slices.Sort(files) // by their start, so that little is left to sort
	slices.Reverse(files)
	parts := make([][]Entry, len(files))
	errs := make([]error, len(files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), readers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if _, ok := startOf(files[i]); ok {
					parts[i], errs[i] = s.read(root, path.Join(entriesDir, files[i]), f)
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := 0
	for i, err := range errs {
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil, err
		}
		n += len(parts[i])
	}
	list := make([]Entry, 0, n)
	for _, p := range parts {
		list = append(list, p...)
	}
	slices.SortFunc(list, func(a, b Entry) int {
		switch {
		case a.Order != b.Order:
			if a.Order > b.Order {
				return -1
			}
			return 1
		case a.Change != b.Change:
			return strings.Compare(a.Change, b.Change)
		}
		return b.N - a.N
	})
	return list, nil
}

// readers is how many segments are read at the same time.
const readers = 4

// read gives the entries of a segment that are wanted, the latest first.
func (s *Store) read(root *os.Root, name string, f Filter) (list []Entry, err error) {
	st, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > 64*segmentMost {
		s.o.Report(name, "is no segment of entries")
		return nil, nil
	}
	b, err := root.ReadFile(name)
	if err != nil {
		return nil, err
	}
	text := string(b)
	if f == (Filter{}) {
		list = make([]Entry, 0, strings.Count(text, "\n"))
	}
	for n := 1; text != ""; n++ {
		line, rest, whole := strings.Cut(text, "\n")
		text = rest
		if !whole {
			s.o.Report(name, "ends in half an entry, as after a power cut; it is passed over")
			break
		}
		e, err := parse(line)
		if err != nil {
			s.o.Report(name, "has a damaged line: it "+err.Error())
			continue
		}
		if f.wants(e) {
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// Change gives the entries of one change in the order they were made; none is
// an error with code reeve.NotFound.
func (s *Store) Change(ctx context.Context, id string) ([]Entry, error) {
	var list []Entry
	for e, err := range s.Entries(ctx, Filter{Change: id}) {
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, &reeve.Error{Op: "history", Path: id, Kind: reeve.Input, Code: reeve.NotFound,
			What: "is no change that history knows", Instead: "A change is known for the days its copies are kept."}
	}
	slices.Reverse(list)
	return list, nil
}
