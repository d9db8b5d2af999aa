package node

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
	"reeve/internal/record"
)

const (
	// recoverTime bounds what a start does about changes that were cut short.
	recoverTime = 10 * time.Second
	// recoverDays is how far back a start after a power cut looks for changes
	// of which the record has the beginning and no end.
	recoverDays = 7
	// laterEvery is how often displaced files that other programs may still
	// write to are looked after.
	laterEvery = time.Minute
)

// recover finishes or takes back what processes that ended in the middle of a
// change have left. Where there is no journal it costs one look.
func (n *Node) recover(ctx context.Context) {
	// What history has taken is entered first, so that what is recovered then
	// is not entered twice.
	n.rescued(ctx)
	left, _ := os.ReadDir(journals(n.places.State))
	if slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".journal") }) {
		n.recovered(ctx, nil)
	}
	if intents, boot := n.cutShort(ctx); boot != "" && n.calls.enter() {
		go func() {
			defer n.calls.leave()
			if n.recovered(context.WithoutCancel(ctx), intents) {
				_ = writeWhole(n.bootFile(), []byte(boot))
			}
		}()
	}
}

// later looks after what other programs write to displaced files, until the
// node ends.
func (n *Node) later(ctx context.Context) {
	tick := time.NewTicker(laterEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n.changes.ladder.Pending() && n.calls.enter() {
			n.recovered(ctx, nil)
			n.calls.leave()
		}
	}
}

// recovered runs a recovery and puts on record what it did. It reports
// whether all could be seen to.
func (n *Node) recovered(ctx context.Context, intents []capfs.Intent) bool {
	ctx, stop := context.WithTimeout(ctx, recoverTime)
	defer stop()
	cut := n.newCuts()
	done, err := n.changes.ladder.Recover(ctx, capfs.RecoverOptions{Intents: intents, Keep: cut.found, Ended: cut.ended})
	rows, err2 := cut.finish(ctx)
	for _, r := range done {
		if cut.tells(r.Temp) {
			continue
		}
		row := reeve.Row{Event: "recovered", Target: reeve.Local, Asked: []string{r.Path}, Note: r.What}
		if id := cut.kept[r.Temp]; id != "" {
			row.Note += "; `reeve undo " + id + "` brings it back"
		}
		rows = append(rows, row)
	}
	if err = errors.Join(err, err2); err != nil {
		rows = append(rows, reeve.Row{Event: "recovered", Target: reeve.Local, Note: "could not finish: " + err.Error()})
	}
	for _, row := range rows {
		row.Time = n.source.now()
		_ = n.record.Append(ctx, row)
	}
	return err == nil
}

// rescued enters what processes had taken for the history when they ended.
func (n *Node) rescued(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, recoverTime)
	defer stop()
	list, err := n.changes.history.Recover(ctx)
	row := reeve.Row{Time: n.source.now(), Event: "recovered", Target: reeve.Local}
	for _, e := range list {
		row.Asked, row.Note = nil, "what was there before was given to history: undo "+e.Change
		if e.Path != "" {
			row.Asked = []string{e.Path}
		}
		_ = n.record.Append(ctx, row)
	}
	if err != nil {
		row.Asked, row.Note = nil, "could not finish: "+err.Error()
		_ = n.record.Append(ctx, row)
	}
}

// bootFile holds the start of this computer up to which changes were seen to.
func (n *Node) bootFile() string { return filepath.Join(n.places.State, "boot") }

// cutShort finds, after a restart of the computer, the changes that the
// record has an intent of and no outcome. A process that was merely killed
// leaves a journal; a power cut may take that with it. Boot is empty when
// there is nothing to look at.
func (n *Node) cutShort(ctx context.Context) (list []capfs.Intent, boot string) {
	now := record.Boot()
	if now == "" {
		return nil, ""
	}
	if was, err := os.ReadFile(n.bootFile()); err == nil && string(was) == now {
		return nil, ""
	}
	if _, err := os.Stat(filepath.Join(n.places.State, "record")); err != nil {
		return nil, "" // nothing was ever recorded here
	}
	machine, err := record.Machine(n.places.State)
	if err != nil {
		return nil, ""
	}
	type key struct{ segment, digest string }
	open := map[key]reeve.Row{}
	for e, err := range record.Rows(n.places.State, record.Filter{Since: n.source.now().AddDate(0, 0, -recoverDays)}) {
		if err != nil || ctx.Err() != nil {
			continue
		}
		m, rest, _ := strings.Cut(path.Base(e.Segment), "-")
		b, _, _ := strings.Cut(rest, "-")
		if m != machine || b == now {
			continue
		}
		k := key{e.Segment, e.Row.Digest}
		switch e.Row.Event {
		case "intent":
			open[k] = e.Row
		case "outcome":
			delete(open, k)
		}
	}
	started := bootTime()
	for _, row := range open {
		for _, in := range intentsOf(row) {
			in.Until = started
			list = append(list, in)
		}
	}
	return list, now
}

// intentsOf are the changes that an intent row tells of.
func intentsOf(row reeve.Row) (list []capfs.Intent) {
	for _, e := range row.Effects {
		if e.Temp == "" {
			continue
		}
		in := capfs.Intent{Kind: e.Kind, Path: unshown(e.Path), To: unshown(e.To), Temp: reeve.Name(e.Temp), At: row.Time}
		if in.Before.UnmarshalText([]byte(e.Before)) == nil && in.Path != "" {
			list = append(list, in)
		}
	}
	return list
}

// unshown gives the raw bytes of a path in the shown form, empty if it is
// none.
func unshown(shown string) string {
	parts := strings.Split(shown, "/")
	for i, p := range parts {
		raw, err := pathname.Unescape(p)
		if err != nil {
			return ""
		}
		parts[i] = raw
	}
	return strings.Join(parts, "/")
}
