package guard

import (
	"context"
	"slices"
	"sync"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// keep hands what was displaced to history, and what other programs saved in
// the very moment. What could not be kept is said: the change stands all the
// same. Settle, if it is not nil, is what makes the swap itself durable; it is
// called once.
func (g *Gate) keep(ctx context.Context, c *call, receipt capfs.Receipt, settle func()) {
	var once sync.Once
	beside := func() { // perhaps in a goroutine of history's
		once.Do(func() {
			if safely(func() error { settle(); return nil }) != nil {
				c.reply.Note("The change stands, but whether it is on disk is not known.")
			}
		})
	}
	if settle == nil {
		beside = func() {}
	}
	kept := g.handOver(ctx, c, receipt.Done, false, beside)
	beside() // where there was nothing to hand over, or nobody to take it
	for i, d := range receipt.Done {
		if d.Displaced == nil {
			continue
		}
		if l, ok := d.Displaced.(leaver); ok && kept[i].Failed {
			where := "It is with what Reeve keeps"
			if l.Leave() {
				where = "It lies beside it as " + pathname.Escape(string(d.Change.Temp))
			}
			c.reply.Note("No copy of the old %s could be kept: %s. %s, and the next start of Reeve tries again.",
				d.Change.Place.Display(), kept[i].Why, where)
			continue
		}
		switch {
		case kept[i].Why == "":
		case kept[i].Part:
			c.reply.Note("Not all of the old %s was kept: %s.", d.Change.Place.Display(), kept[i].Why)
		default:
			c.reply.Note("No copy of the old %s was kept: %s.", d.Change.Place.Display(), kept[i].Why)
		}
		if err := d.Displaced.Release(); err != nil {
			c.reply.Note("%s", notTidied(d.Change))
		}
	}
	for _, other := range receipt.Kept {
		d := capfs.Done{Displaced: other}
		if len(receipt.Done) > 0 {
			d.Change = receipt.Done[0].Change
		}
		at := whereWas(d)
		if k := g.handOver(ctx, c, []capfs.Done{d}, true, nil)[0]; k.Why != "" {
			c.reply.Note("Another program saved %s in the same moment, and its content could not be kept: %s. It lies beside it under a hidden name.", at, k.Why)
			continue // it is not let go: these are the only bytes of it
		}
		c.reply.Note("Another program saved %s in the same moment. Its content was kept; the owner finds it with `reeve undo --list`.", at)
		if err := other.Release(); err != nil {
			c.reply.Note("What it saved could not be tidied up.")
		}
	}
}

// whereWas is the place of what was put out of the way, in shown form.
func whereWas(d capfs.Done) string {
	if w, ok := d.Displaced.(interface{ Was() string }); ok && w.Was() != "" {
		return pathname.EscapePath(w.Was())
	}
	return d.Change.Place.Display()
}

// notTidied names what stays behind of what a change put out of the way.
func notTidied(ch reeve.Change) string {
	p := ch.Place
	return "What was at " + p.Display() + " before could not be removed whole: what is left of it lies beside it as " +
		pathname.Escape(string(ch.Temp)) + ". The next start of Reeve tries again."
}

// leaver is something displaced that can be let go of and left where it is;
// there says that this is its hidden name.
type leaver interface{ Leave() (there bool) }

// handOver gives what was done to history, and says what became of each.
func (g *Gate) handOver(ctx context.Context, c *call, done []capfs.Done, other bool, beside func()) []Kept {
	var k Kept
	switch {
	case len(done) == 0:
		return nil
	case g.o.History == nil:
		k.Why = "history is switched off"
	default:
		kept, err := g.o.History.Keep(ctx, Made{Call: c.ID, Verb: c.Call.Verb(), Subject: c.Subject, Digest: c.digest, At: g.o.Now(), Done: done, Other: other}, beside)
		if err == nil && len(kept) == len(done) {
			return kept
		}
		k = Kept{Why: "it could not be written", Failed: true} // the system's words name Reeve's own folders
	}
	return slices.Repeat([]Kept{k}, len(done))
}
