package ops

import (
	"context"
	"errors"
	"strings"

	"reeve/internal/guard"
)

const (
	// maxDepth bounds every walk: each level holds a folder open.
	maxDepth = 200
	// maxHeld bounds the names that a walk holds, over all its levels.
	maxHeld = 200_000
	// maxSpare bounds what is kept of a portion for the next folder.
	maxSpare = 512
)

// errStop ends a walk early because the answer is full.
var errStop = errors.New("stop")

// step is one entry that a walk has come to. It is good until visit returns.
type step struct {
	folder *guard.Folder // that holds the entry
	prefix string        // path of folder relative to the start, "" or ending with "/"
	path   []string      // components of the entry, relative to the start
	item   item
	// ignored: a folder that is not walked into because of its name.
	ignored bool
}

func (s step) rel() string { return s.prefix + s.item.name }

// walker goes through everything below a folder, depth first, each folder's
// entries in a fixed order and a folder before what is in it. Links are told
// and not followed. Its memory is bounded however many entries there are.
type walker struct {
	order   order
	hidden  bool            // dot names too
	skip    map[string]bool // names of folders not walked into
	depth   int             // levels; 1 is the start's own entries
	entries int             // most entries to look at
	visit   func(step) error
	below   func(rel string) bool // whether a folder is worth walking into; nil: always
	tick    func() error          // every now and then; an error ends the walk

	tally  tally
	looked int
	// last is the entry that was done last, where a cursor goes on.
	last      string
	lastIsDir bool
	lastTime  int64 // when the folder that holds it was changed
	// resumeTime is the lastTime of the walk that is gone on with. found says
	// that its last folder is still there, moved that it has changed since.
	resumeTime   int64
	found, moved bool

	spare    [][]item // for each depth, what the portion before used
	path     []string
	held     int
	streamed int
}

// walk starts below start. resume is where an earlier walk ended, nil for the
// beginning; resumeDir says that its last component was a folder.
func (w *walker) walk(ctx context.Context, start *guard.Folder, resume []string, resumeDir bool) error {
	if w.depth <= 0 || w.depth > maxDepth {
		w.depth = maxDepth
	}
	return w.level(ctx, start, "", resume, resumeDir)
}

// level goes through one folder. Its entries are taken in portions, the
// smallest first, so that a folder of millions costs no more memory than the
// bound: for each portion it is streamed again.
func (w *walker) level(ctx context.Context, f *guard.Folder, prefix string, resume []string, resumeDir bool) error {
	var from item
	after, inclusive := len(resume) > 0, true
	if len(resume) == 1 {
		w.found, w.moved = true, f.Info().MTime != w.resumeTime
	}
	if after {
		from = item{name: resume[0]}
		if len(resume) > 1 || resumeDir {
			from.kind = directory
		}
	}
	depth := len(w.path)
	if depth == len(w.spare) {
		w.spare = append(w.spare, nil)
	}
	for portion := 0; ; portion++ {
		p := picker{order: w.order, max: max(1024, (maxHeld-w.held)/2), kept: w.spare[depth][:0]}
		err := f.Each(ctx, func(e guard.Entry) error {
			if w.streamed++; w.streamed%tickEvery == 0 {
				if err := w.tick(); err != nil {
					return err
				}
			}
			it := itemOf(e)
			if after {
				if c := w.order.compare(it, from); c < 0 || c == 0 && !inclusive {
					return nil
				}
			}
			if !w.hidden && strings.HasPrefix(it.name, ".") {
				if portion == 0 {
					w.tally.hidden++
				}
				return nil
			}
			p.offer(it)
			return nil
		})
		if err != nil {
			return err
		}
		items := p.sorted()
		w.held += len(items)
		for i, it := range items {
			if i == 0 && after && inclusive && w.order.compare(it, from) == 0 {
				err = w.again(ctx, f, prefix, it, resume[1:], resumeDir)
			} else {
				err = w.entry(ctx, f, prefix, it)
			}
			if err != nil {
				return err
			}
		}
		w.held -= len(items)
		if p.total > len(items) {
			from, after, inclusive = items[len(items)-1], true, false
		}
		w.spare[depth] = nil
		if cap(items) <= maxSpare {
			clear(items) // no name is kept alive
			w.spare[depth] = items
		}
		if p.total == len(items) {
			return nil
		}
	}
}

// goOn makes the walk continue where a cursor says, and gives the arguments
// for walk.
func (w *walker) goOn(c *cursor) (resume []string, resumeDir bool) {
	if c == nil {
		return nil, false
	}
	w.last, w.lastIsDir, w.lastTime, w.resumeTime = c.rel, c.isDir, c.time, c.time
	return strings.Split(c.rel, "/"), c.isDir
}

// changed reports, after a walk that was gone on with, that the folder where
// it went on is another than before, or not there.
func (w *walker) changed(stop string) bool { return w.moved || !w.found && stop == "" }

// again is for the entry that the last answer ended at or in: it was visited
// then, and what is in it may not have been.
func (w *walker) again(ctx context.Context, f *guard.Folder, prefix string, it item, resume []string, resumeDir bool) error {
	w.path = append(w.path, it.name)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	s := step{folder: f, prefix: prefix, path: w.path, item: it}
	in, err := w.into(ctx, &s)
	if outcomeOf(err) == gone {
		return nil
	}
	if err != nil || in == nil {
		return err
	}
	defer in.Close()
	return w.level(ctx, in, s.rel()+"/", resume, resumeDir)
}

func (w *walker) entry(ctx context.Context, f *guard.Folder, prefix string, it item) error {
	if w.looked >= w.entries {
		return stopped(stopCap)
	}
	w.looked++
	if err := ctx.Err(); err != nil { // each time: a pattern may be slow
		return err
	}
	if w.looked%tickEvery == 0 {
		if err := w.tick(); err != nil {
			return err
		}
	}
	w.path = append(w.path, it.name)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	s := step{folder: f, prefix: prefix, path: w.path, item: it}
	in, err := w.into(ctx, &s)
	if err != nil {
		if outcomeOf(err) == gone {
			return nil
		}
		return err
	}
	if in != nil {
		defer in.Close()
	}
	if s.item.protected {
		w.tally.protected++
	}
	if err := w.visit(s); err != nil {
		return err
	}
	w.last, w.lastIsDir, w.lastTime = s.rel(), it.kind == directory, f.Info().MTime
	if in == nil {
		return nil
	}
	return w.level(ctx, in, s.rel()+"/", nil, false)
}

// into opens a folder that is to be walked into, nil if it is none or is not.
// Policy may refuse it for what it really is, which its name did not tell.
func (w *walker) into(ctx context.Context, s *step) (*guard.Folder, error) {
	if s.item.kind != directory || s.item.protected {
		return nil, nil
	}
	if w.skip[s.item.name] {
		w.tally.ignored++
		s.ignored = true
		return nil, nil
	}
	if w.below != nil && !w.below(s.rel()) {
		return nil, nil
	}
	if len(s.path) >= w.depth {
		w.tally.depth++
		return nil, nil
	}
	in, err := s.folder.Into(ctx, s.item.name)
	switch outcomeOf(err) {
	case fine:
		return in, nil
	case refused:
		s.item.protected = true
		return nil, nil
	case unreadable:
		w.tally.cannotRead(s.path)
		return nil, nil
	}
	return nil, err
}
