package ops

import (
	"context"
	"fmt"
	"strings"

	"reeve"
	"reeve/internal/guard"
)

// listDirectory shows what is in a folder: folders first, then the rest, each
// by the bytes of its name, a page at a time; or everything below it.
type listDirectory struct {
	seal  *seal
	turns *turns
}

// Plan implements guard.Verb.
func (listDirectory) Plan(call reeve.Call, s reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.ListDirectory](call)
	if err != nil {
		return nil, err
	}
	const verb = reeve.VerbListDirectory
	if err := given(verb, "path", c.Path); err != nil {
		return nil, err
	}
	if !c.Recursive && c.Depth != 0 {
		return nil, invalid(verb, "depth", "only goes with recursive", "Add recursive: true, or leave depth out.")
	}
	if !c.Recursive && c.MaxEntries != 0 {
		return nil, invalid(verb, "max_entries", "only goes with recursive", "Add recursive: true, or leave max_entries out.")
	}
	if err := between(verb, "depth", c.Depth, s.ListDepth); err != nil {
		return nil, err
	}
	if err := between(verb, "max_entries", c.MaxEntries, s.ListMaxEntries); err != nil {
		return nil, err
	}
	return []reeve.Intent{{Kind: reeve.IntentList, Path: c.Path}}, nil
}

// Work implements guard.Verb.
func (ld listDirectory) Work(ctx context.Context, call reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	c, err := callOf[reeve.ListDirectory](call)
	if err != nil {
		return guard.Work{}, err
	}
	from, err := ld.cursor(c)
	if err != nil {
		return guard.Work{}, err
	}
	f, err := v.Folder(ctx, 0)
	if err != nil {
		return guard.Work{}, err
	}
	defer f.Close()
	l := &reeve.Listing{Path: r.Path(f.Place())}
	if from != nil {
		l.Changed = from.changed(f.Info().Stamp)
	}
	if c.Recursive {
		done, err := ld.turns.take(ctx, reeve.VerbListDirectory)
		if err != nil {
			return guard.Work{}, err
		}
		defer done()
		return guard.Work{Answer: l}, ld.tree(ctx, c, from, v, f, l, r)
	}
	return guard.Work{Answer: l}, ld.flat(ctx, c, from, v, f, l, r)
}

// cursor reads the call's cursor, nil if there is none.
func (ld listDirectory) cursor(c *reeve.ListDirectory) (*cursor, error) {
	if c.Cursor == "" {
		return nil, nil
	}
	sort := byte(sortList)
	if c.Recursive {
		sort = sortTree
	}
	cur, err := ld.seal.read(reeve.VerbListDirectory, c.Cursor, sort, listQuery(c))
	if err != nil {
		return nil, err
	}
	if !c.Recursive && strings.Contains(cur.rel, "/") {
		return nil, invalid(reeve.VerbListDirectory, "cursor", "is not a cursor", "Leave it out to start again.")
	}
	return &cur, nil
}

func listQuery(c *reeve.ListDirectory) [8]byte {
	q := *c
	q.Cursor, q.MaxEntries = "", 0
	return queryOf(q)
}

func (ld listDirectory) flat(ctx context.Context, c *reeve.ListDirectory, from *cursor, v *guard.View, f *guard.Folder, l *reeve.Listing, r *guard.Reply) error {
	hidden := c.Hidden || v.Settings().ListHidden
	p := picker{order: foldersFirst, max: v.Settings().ListEntries}
	var after item
	if from != nil {
		after = item{name: from.rel}
		if from.isDir {
			after.kind = directory
		}
	}
	var t tally
	seen := 0
	clock := newClock(ctx, 0, "Listing a folder", func() int64 { return int64(seen) })
	err := f.Each(ctx, func(e guard.Entry) error {
		if seen++; seen%tickEvery == 0 {
			if err := clock.tick(); err != nil {
				return err
			}
		}
		it := itemOf(e)
		if !hidden && strings.HasPrefix(it.name, ".") {
			t.hidden++
			return nil
		}
		if from == nil || p.order.compare(it, after) > 0 {
			p.offer(it)
		}
		return nil
	})
	stop, err := clock.ended(err)
	if err != nil {
		return err
	}
	if stop != "" {
		// What comes first is not known before all names were seen, and an
		// arbitrary part shown as the first page would mislead.
		return &reeve.Error{Op: string(reeve.VerbListDirectory), Path: v.At(0).Shown(), Kind: reeve.IO, Code: reeve.Timeout,
			What: fmt.Sprintf("has very many entries: %d were looked at when the time was up", seen), Not: "Nothing was listed.",
			Instead: "Look for names with search_files."}
	}
	items := p.sorted()
	s := shelf{r: r}
	var last *item
	shown := 0
	for i, it := range items {
		if i%16 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		fx, put, err := shownFacts(ctx, f, &it)
		if err != nil {
			return err
		}
		if put {
			if !s.fits(it.name, fx.link) {
				break
			}
			s.put(it.name, it.kind, fx, it.protected)
		}
		last, shown = &items[i], shown+1
	}
	l.Entries, l.Left, l.Skipped = s.entries, p.total-shown, t.skipped(r)
	if l.Left > 0 && last != nil {
		l.Cursor = ld.seal.text(listMark(c, f, last.name, last.kind == directory, sortList))
	}
	return nil
}

// shownFacts asks for the facts of an entry that is to be shown. Put is false
// when it is not there any more.
func shownFacts(ctx context.Context, f *guard.Folder, it *item) (fx facts, put bool, err error) {
	if it.protected {
		return facts{}, true, nil
	}
	fx, k, err := factsOf(ctx, f, it.name)
	switch outcomeOf(err) {
	case fine:
		it.kind = k
		return fx, true, nil
	case refused:
		it.protected = true
		return facts{}, true, nil
	case unreadable:
		return facts{}, true, nil
	case gone:
		return facts{}, false, nil
	}
	return facts{}, false, err
}

func listMark(c *reeve.ListDirectory, f *guard.Folder, rel string, isDir bool, sort byte) cursor {
	st := f.Info().Stamp
	return cursor{query: listQuery(c), folder: identityOf(st.Identity), mtime: st.MTime, sort: sort, isDir: isDir, rel: rel}
}
