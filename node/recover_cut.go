package node

import (
	"context"
	"errors"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/history"
	"reeve/internal/pathname"
)

// A change that its process did not live to enter is entered by the next
// start: the file layer knows whether it stands, the record whose it was. So
// the owner can take it back like any other.

// cuts are the changes that one recovery comes upon.
type cuts struct {
	n     *Node
	list  []capfs.CutShort
	calls []*cutCall // of the record, the oldest first
	since time.Time  // from when on they are known
	told  map[toldKey]bool
	// kept is what was given to history by itself, by its hidden name.
	kept map[reeve.Name]string
	// err says that what is known of the changes is not all: nothing is
	// entered on the ground of it.
	err error
	// entered are changes that have their entry.
	entered map[reeve.Name]string
}

// cutBefore is how long before a change its intent may have been recorded.
const cutBefore = 24 * time.Hour

func (n *Node) newCuts() *cuts {
	return &cuts{n: n, kept: map[reeve.Name]string{}, entered: map[reeve.Name]string{}, told: map[toldKey]bool{}}
}

// ended implements capfs.RecoverOptions.Ended.
func (c *cuts) ended(_ context.Context, s capfs.CutShort) {
	for _, had := range c.list {
		if had.Temp == s.Temp {
			return
		}
	}
	c.list = append(c.list, s)
}

// found keeps what was displaced when a process ended before history had it:
// as the change that it was, where that is known. Otherwise it is no change of
// an agent, and comes back only by its ID.
func (c *cuts) found(ctx context.Context, f capfs.Found) error {
	if f.Of != nil && f.Of.Stands && f.Why == "displaced" {
		call, i := c.call(ctx, *f.Of)
		if c.err != nil {
			return c.err // it stays where it is, for the next start
		}
		if call != nil {
			had := call.had(call.row.Effects[i])
			if had == nil {
				return c.enter(ctx, call, i, *f.Of, f.Displaced)
			}
			if i := f.Info(); had.Kept && had.Meta != nil && had.Meta.MTime == i.MTime && (i.Kind != reeve.File || had.Size == i.Size) {
				if c.whole(ctx, had) {
					return nil // it was copied before the process ended
				}
				// The entry reached the disk before the power went, and the
				// copy did not. The same content heals it.
				e, d, err := c.n.changes.history.Again(ctx, had.Entry, displacedOf(f.Displaced))
				if err != nil {
					return err
				}
				return c.n.changes.keeper.safe(e, d)
			}
		}
	}
	t := history.Thing{Target: reeve.Local, Path: pathname.EscapePath(f.Path), Effect: reeve.EffectReplace,
		Kind: f.Info().Kind, Displaced: displacedOf(f.Displaced)}
	if t.Kind != reeve.File {
		t.Effect = reeve.EffectRemove // nothing of another kind is ever replaced
	}
	if f.Path != "" {
		t.Root = c.root(f.Path, "")
	}
	es, ds, err := c.n.changes.history.Keep(ctx, history.Call{Change: history.NewID(), ID: f.Why, Verb: Found,
		Subject: reeve.Subject{Kind: reeve.Owner}, At: c.n.source.now()}, t)
	if err != nil {
		return err
	}
	c.kept[hidden(f)] = es[0].Change
	return c.n.changes.keeper.safe(es[0], ds[0])
}

// Found is the verb of what a start found, or a program wrote later, and is no
// change of its own.
const Found reeve.Verb = "recover"

func hidden(f capfs.Found) reeve.Name {
	if f.Of != nil {
		return f.Of.Temp
	}
	return f.Temp
}

// safe says why what was displaced must stay where it is: history should have
// it and has not. What is beyond its bounds goes, as it would have gone.
func (k *keeper) safe(e history.Entry, d history.Detail) error {
	if d.Kept || e.Blob != "" || e.Kind == reeve.Special {
		return nil
	}
	if _, why := k.store.Would(e.Size); why != "" {
		return nil
	}
	return errors.New(d.NotKept)
}

// enter writes the entry of one change. Displaced is nil where nothing was.
func (c *cuts) enter(ctx context.Context, call *cutCall, i int, s capfs.CutShort, d capfs.Displaced) error {
	e := call.row.Effects[i]
	t := history.Thing{Target: call.row.Target, Root: c.root(s.Path, s.Folder), Effect: e.Kind, Path: e.Path, To: e.To,
		After: s.Version, Kind: s.OldKind, Stamp: s.Old}
	if t.Before.UnmarshalText([]byte(e.Before)) != nil {
		t.Before = reeve.Version{}
	}
	switch e.Kind {
	case reeve.EffectCreate:
		t.Kind = s.Left
	case reeve.EffectMkdir:
		t.Kind = reeve.Directory
	}
	for _, m := range s.Made {
		t.Made = append(t.Made, pathname.EscapePath(m))
	}
	if d != nil {
		t.Displaced = displacedOf(d)
	}
	n := i
	if call.undoes != "" { // several calls are one undo
		n = len(call.have)
	}
	es, ds, err := c.n.changes.history.KeepFrom(ctx, history.Call{Change: call.change, Undoes: call.undoes, ID: call.row.Call,
		Verb: call.row.Verb, Subject: call.row.Subject, Digest: call.row.Digest, At: s.At}, n, t)
	if err != nil {
		return err
	}
	call.have = append(call.have, kept{es[0], ds[0]})
	c.entered[s.Temp] = call.change
	return c.n.changes.keeper.safe(es[0], ds[0])
}

// had gives the entry that an effect has.
func (c *cutCall) had(e reeve.RowEffect) *kept {
	for i, k := range c.have {
		if k.Effect == e.Kind && k.Path == e.Path && !k.Later {
			return &c.have[i]
		}
	}
	return nil
}

// whole says that everything an entry keeps is there to be brought back.
func (c *cuts) whole(ctx context.Context, k *kept) bool {
	store := c.n.changes.history
	switch {
	case k.Blob == "":
		return true
	case k.Kind != reeve.Directory:
		return store.Check(ctx, k.Blob, k.Size) == nil
	}
	list, err := store.Tree(ctx, k.Blob)
	for _, n := range list {
		if n.Blob != "" && err == nil {
			err = store.Check(ctx, n.Blob, n.Size)
		}
	}
	return err == nil
}

// finish enters the changes that displaced nothing, and tells of all of them.
func (c *cuts) finish(ctx context.Context) (rows []reeve.Row, err error) {
	for _, s := range c.list {
		call, i := c.call(ctx, s)
		if c.err != nil {
			return rows, errors.Join(err, c.err)
		}
		if call == nil {
			continue
		}
		e := call.row.Effects[i]
		key := toldKey{call.row.Call, call.row.Digest, e.Path}
		switch e.Kind {
		case reeve.EffectCreate, reeve.EffectMkdir, reeve.EffectMove:
			if s.Stands && call.had(e) == nil {
				err = errors.Join(err, c.enter(ctx, call, i, s, nil))
			}
		}
		if call.ended || c.told[key] {
			continue
		}
		row := reeve.Row{Event: "recovered", Call: call.row.Call, Target: call.row.Target, Subject: call.row.Subject, Verb: call.row.Verb,
			Digest: call.row.Digest, Effects: []reeve.RowEffect{e}, Note: "not made"}
		if s.Stands {
			row.Effects[0].After, row.Note = s.Version.String(), "made"
			switch {
			case call.had(e) != nil:
				row.Note = "made: undo " + call.change
			case e.Kind == reeve.EffectRemove && c.kept[s.Temp] != "":
			case e.Kind == reeve.EffectRemove && s.OldKind == reeve.Directory:
				// An empty folder is put nowhere before it goes.
				row.Note = "it is gone, by this change or by another program"
			case e.Kind == reeve.EffectRemove:
				// Nothing of it lies anywhere: another program was faster.
				row.Effects[0].After, row.Note = "", "not made: it was gone already"
			}
		}
		c.told[key] = true
		rows = append(rows, row)
	}
	return rows, err
}

// tells reports that a change has a row of its own, so that what became of
// its hidden file needs none.
func (c *cuts) tells(temp reeve.Name) bool {
	for _, s := range c.list {
		if s.Temp == temp && s.Stands {
			call, _ := c.call(context.Background(), s)
			return call != nil && c.kept[temp] == ""
		}
	}
	return false
}
