package ops

import (
	"context"
	"fmt"
	"strings"

	"reeve"
	"reeve/internal/guard"
)

// tree lists everything below a folder, depth first. A folder whose name
// is on the profile's list is shown and not walked into.
func (ld listDirectory) tree(ctx context.Context, c *reeve.ListDirectory, from *cursor, v *guard.View, f *guard.Folder, l *reeve.Listing, r *guard.Reply) error {
	set := v.Settings()
	most := set.ListMaxEntries
	if c.MaxEntries > 0 {
		most = c.MaxEntries
	}
	depth := set.ListDepth
	if c.Depth > 0 {
		depth = c.Depth
	}
	s := shelf{r: r}
	full := ""
	w := &walker{order: foldersFirst, hidden: c.Hidden || set.ListHidden, skip: names(set.SkipDirs), depth: depth, entries: set.WalkEntries}
	clock := newClock(ctx, 0, "Listing a folder", func() int64 { return int64(w.looked) })
	w.tick = clock.tick
	w.visit = func(st step) error {
		if len(s.entries) == most {
			full = "entries"
			return errStop
		}
		fx, put, err := shownFacts(ctx, st.folder, &st.item)
		if err != nil || !put {
			return err
		}
		if !s.fits(st.rel(), fx.link) {
			full = "bytes"
			return errStop
		}
		s.put(st.rel(), st.item.kind, fx, st.item.protected)
		return nil
	}
	resume, resumeDir := w.goOn(from)
	stop, err := clock.ended(w.walk(ctx, f, resume, resumeDir))
	if err != nil {
		return err
	}
	if from != nil {
		l.Changed = l.Changed || w.changed(stop)
	}
	if full != "" {
		stop = full
	}
	way := " List a folder in it by its own path."
	if stop != "" && w.last != "" {
		m := listMark(c, f, w.last, w.lastIsDir, sortTree)
		m.time = w.lastTime
		way = "" // the cursor is the way
		l.Cursor = ld.seal.text(m)
	}
	switch stop {
	case "entries":
		r.Note("A recursive listing shows at most %d entries at a time here.%s", most, way)
	case "bytes":
		r.Note("The rest did not fit into one answer.%s", way)
	case stopCap:
		stop = "entries"
		r.Note("A recursive listing looks at no more than %d entries at a time.%s", set.WalkEntries, way)
	case stopTime:
		r.Note("The time for one call was up.%s", way)
	}
	if stop == "" && w.tally.depth > 0 {
		stop = leftDepth
		r.Note("%s below level %d: list one of them by its own path to go deeper.", folders(w.tally.depth, "was", "were"), min(depth, maxDepth))
	}
	// What stands for protection is its mark in the listing.
	w.tally.protected = 0
	l.Entries, l.Truncated, l.Skipped = s.entries, stop, w.tally.skipped(r)
	if w.tally.ignored > 0 {
		r.Note("%s shown but not walked into (%s): list one by its own path to see what is in it.",
			folders(w.tally.ignored, "was", "were"), strings.Join(set.SkipDirs, ", "))
	}
	return nil
}

func folders(n int, one, many string) string {
	if n == 1 {
		return "1 folder " + one
	}
	return fmt.Sprintf("%d folders %s", n, many)
}

func names(list []string) map[string]bool {
	if len(list) == 0 {
		return nil
	}
	m := make(map[string]bool, len(list))
	for _, n := range list {
		m[n] = true
	}
	return m
}
