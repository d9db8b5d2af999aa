package ops

import (
	"context"

	"reeve"
	"reeve/internal/guard"
)

// searchFiles finds names below a folder, by pattern, kind, size, times and a
// text in the file, in path order or the newest first.
type searchFiles struct {
	seal  *seal
	turns *turns
}

const findVerb = reeve.VerbSearchFiles

// Plan implements guard.Verb.
func (searchFiles) Plan(call reeve.Call, s reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.SearchFiles](call)
	if err != nil {
		return nil, err
	}
	if err := between(findVerb, "limit", c.Limit, s.MaxLimit); err != nil {
		return nil, err
	}
	if err := checkFind(c, s); err != nil {
		return nil, err
	}
	path := c.Path
	if path == "" {
		path = "." // the folder that relative paths start from
	}
	return []reeve.Intent{{Kind: reeve.IntentWalk, Path: path}}, nil
}

// Work implements guard.Verb.
func (sf searchFiles) Work(ctx context.Context, call reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	c, err := callOf[reeve.SearchFiles](call)
	if err != nil {
		return guard.Work{}, err
	}
	set := v.Settings()
	sort, query := byte(sortPath), findQuery(c)
	if c.Sort == "newest" {
		sort = sortNewest
	}
	now := v.Now()
	var from *cursor
	if c.Cursor != "" {
		cur, err := sf.seal.read(findVerb, c.Cursor, sort, query)
		if err != nil {
			return guard.Work{}, err
		}
		from, now = &cur, moment(cur.now).In(now.Location())
	}
	m, err := newMatcher(c, set, now)
	if err != nil {
		return guard.Work{}, err
	}
	f := &finder{now: v.Now().UnixNano(), seal: sf.seal, call: c, set: set, m: m, r: r, from: from, newest: sort == sortNewest,
		mark: cursor{query: query, now: now.UnixNano(), sort: sort}}
	f.limit = set.SearchResults
	if c.Limit > 0 {
		f.limit = c.Limit
	}
	// No more entries fit a reply than its budget has lines.
	f.limit = min(f.limit, r.Left()/(lineCost+1)+1)
	if v.At(0).Place().Kind == reeve.Directory {
		done, werr := sf.turns.take(ctx, findVerb)
		if werr != nil {
			return guard.Work{}, werr
		}
		defer done()
		err = f.folder(ctx, v)
	} else {
		err = f.file(ctx, v)
	}
	if err != nil {
		return guard.Work{}, err
	}
	f.notes(v)
	return guard.Work{Answer: &f.found}, nil
}

func findQuery(c *reeve.SearchFiles) [8]byte {
	q := *c
	q.Cursor, q.Limit = "", 0
	return queryOf(q)
}

// finder is one search on its way.
type finder struct {
	seal   *seal
	call   *reeve.SearchFiles
	set    reeve.Settings
	m      *matcher
	r      *guard.Reply
	from   *cursor
	mark   cursor
	newest bool
	limit  int

	shelf shelf
	heap  newestHits
	now   int64 // when this page was asked for
	// touched: a match was changed after the first page was asked for.
	touched bool
	full    string // "results" or "bytes" when there are more
	single  bool   // the start is a file
	found   reeve.Found
}

// folder searches below a folder.
func (f *finder) folder(ctx context.Context, v *guard.View) error {
	start, err := v.Folder(ctx, 0)
	if err != nil {
		return err
	}
	defer start.Close()
	st := start.Info().Stamp
	f.mark.folder, f.mark.mtime = identityOf(st.Identity), st.MTime
	f.found.Path = f.r.Path(start.Place())
	f.shelf.r = f.r
	depth := f.set.SearchDepth
	hidden := f.set.SearchHidden
	if f.call.Hidden != nil {
		hidden = *f.call.Hidden
	}
	w := &walker{order: byName, hidden: hidden, depth: depth, entries: f.set.WalkEntries, below: f.m.glob.Below}
	if !f.call.Ignored {
		w.skip = names(f.set.SkipDirs)
	}
	clock := newClock(ctx, f.set.SearchTime, "Searching", func() int64 { return int64(w.looked) })
	w.tick = clock.tick
	ctx, cancel := clock.within()
	defer cancel()
	f.m.tally, f.m.clock = &w.tally, clock
	w.visit = func(s step) error { return f.entry(ctx, s) }
	var resume []string
	resumeDir := false
	if f.from != nil {
		f.found.Changed = f.from.changed(st)
		if !f.newest { // the newest of all are known only after all were seen
			resume, resumeDir = w.goOn(f.from)
		}
	}
	if err = clock.tick(); err == nil {
		err = w.walk(ctx, start, resume, resumeDir)
	}
	stop, err := clock.ended(err)
	if err != nil {
		return err
	}
	if f.newest {
		f.putNewest()
		// What was touched since the page before is newer than where that
		// ended, and is left out here.
		f.found.Changed = f.found.Changed || f.from != nil && f.touched
	} else if f.from != nil {
		f.found.Changed = f.found.Changed || w.changed(stop)
	}
	f.found.Entries, f.found.Looked, f.found.Skipped = f.shelf.entries, w.looked, w.tally.skipped(f.r)
	f.found.Incomplete = incomplete(stop, &w.tally)
	if !f.newest && (f.full != "" || stop != "") && w.last != "" {
		f.mark.rel, f.mark.isDir, f.mark.time = w.last, w.lastIsDir, w.lastTime
		f.found.Cursor = f.seal.text(f.mark)
	}
	return nil
}

// incomplete gives the reasons for which matches may be missing beyond what
// a cursor leads to.
func incomplete(stop string, t *tally) []string {
	var why []string
	if stop != "" {
		why = append(why, stop)
	}
	if t.depth > 0 {
		why = append(why, leftDepth)
	}
	if t.unreadable > 0 {
		why = append(why, leftUnreadable)
	}
	return why
}

// entry looks at one entry of the walk.
func (f *finder) entry(ctx context.Context, s step) error {
	if s.item.protected || s.ignored {
		return nil // counted; not even its name is told
	}
	h := hit{rel: s.rel(), kind: s.item.kind}
	ok, err := f.m.matches(ctx, s, &h)
	if err != nil || !ok {
		return err
	}
	if f.newest {
		f.touched = f.touched || h.facts.modified > f.mark.now && h.facts.modified <= f.now
		if f.from == nil || compareNewest(h, hit{rel: f.from.rel, facts: facts{modified: f.from.time}}) > 0 {
			f.heap.offer(h, f.limit)
		}
		return nil
	}
	// One more than fits is looked for, so that an answer that holds all
	// there is says so.
	if len(f.shelf.entries) == f.limit {
		f.full = "results"
		return errStop
	}
	if !f.shelf.fits(h.rel, h.facts.link) {
		f.full = "bytes"
		return errStop
	}
	f.shelf.put(h.rel, h.kind, h.facts, false)
	return nil
}

// file searches where the start is a file itself: that one.
func (f *finder) file(ctx context.Context, v *guard.View) error {
	s := v.At(0)
	if f.from != nil {
		return invalid(findVerb, "cursor", "leads nowhere in a single file", "Leave it out.")
	}
	p, info := s.Place(), s.Info()
	f.single, f.found.Path, f.found.Looked = true, f.r.Path(p), 1
	f.shelf.r = f.r
	var t tally
	clock := newClock(ctx, f.set.SearchTime, "Searching", func() int64 { return 1 })
	ctx, cancel := clock.within()
	defer cancel()
	f.m.tally, f.m.clock = &t, clock
	h := hit{rel: p.Base(), kind: kindOf(info.Kind),
		facts: facts{size: info.Size, modified: info.MTime, birth: info.Birth, links: info.Links}}
	ok := f.m.byName(h.rel, h.rel, h.kind) && f.m.byFacts(h.kind, h.facts)
	stop := ""
	if ok && f.m.needle != nil {
		src, err := v.Open(ctx, 0)
		if err != nil {
			return err
		}
		defer src.Close()
		var lerr error
		ok, lerr = f.m.look(ctx, src, src.Size())
		if stop, lerr = clock.ended(lerr); lerr != nil {
			return lerr
		}
	}
	if ok && stop == "" {
		f.shelf.put(h.rel, h.kind, h.facts, false)
	}
	f.found.Entries, f.found.Skipped, f.found.Incomplete = f.shelf.entries, t.skipped(f.r), incomplete(stop, &t)
	return nil
}
