package guard

import (
	"context"
	"math/rand/v2"
	"time"

	"reeve"
)

// premises looks again, under the lock, at everything that was judged: the
// same paths must lead to the same places, and policy must still say what it
// said. Otherwise what was approved is not what would happen.
func (g *Gate) premises(ctx context.Context, c *call, p *passed) error {
	now, err := g.o.Policies.Current(ctx)
	if err != nil || !now.Enabled {
		return changedMeanwhile(c, "", "the rules were changed while this call was on its way")
	}
	again := *c
	again.policy = now
	up := above{}
	for _, s := range p.view.seen {
		if s.Err != nil {
			continue
		}
		t, err := g.look(ctx, &again, s.Intent, up)
		if err != nil {
			return err
		}
		if err := again.plant(t, p.proposal.Changes); err != nil {
			(&View{seen: []*Seen{t}}).close()
			return err
		}
		same, elsewhere := sameLook(s, t)
		(&View{seen: []*Seen{t}}).close()
		if elsewhere {
			c.final = true // not tried again: this is another place
			return changedMeanwhile(c, s.shown, "leads elsewhere than when it was looked at, or other rules hold for it now")
		}
		if !same {
			return changedMeanwhile(c, s.shown, "was replaced by another program since it was looked at")
		}
	}
	return nil
}

// sameLook compares two looks at one intent: elsewhere means that it leads to
// another place, or that policy says something else there; otherwise same
// tells whether the very thing that was judged is still there.
func sameLook(a, b *Seen) (same, elsewhere bool) {
	if len(a.Effects) != len(b.Effects) {
		return false, !a.held.Place().Exists() && !b.held.Place().Exists() || a.held.Place().Key() != b.held.Place().Key()
	}
	same = true
	for i, e := range a.Effects {
		f := b.Effects[i]
		if e.Place.Key() != f.Place.Key() || e.Place.Root != f.Place.Root || (e.To == nil) != (f.To == nil) ||
			e.To != nil && (e.To.Key() != f.To.Key() || e.To.Root != f.To.Root) ||
			a.decisions[i].Verdict != b.decisions[i].Verdict || a.decisions[i].Rule != b.decisions[i].Rule ||
			a.decisions[i].HumanOnly != b.decisions[i].HumanOnly {
			return false, true
		}
		same = same && e.Kind == f.Kind && sameThing(e.Place, f.Place) && (e.To == nil || sameThing(*e.To, *f.To))
	}
	return same, false
}

func sameThing(a, b reeve.Place) bool {
	return a.Kind == b.Kind && a.Missing == b.Missing &&
		(a.Identity.IsZero() && b.Identity.IsZero() || a.SameFile(b.Identity))
}

// changedMeanwhile refuses to go on, about a path as the caller wrote it, or
// about the call where the path is empty.
func changedMeanwhile(c *call, path, what string) error {
	return &reeve.Error{Op: string(c.Call.Verb()), Path: path, Kind: reeve.IO, Code: reeve.Changed,
		What: what, Not: "Nothing was written.",
		Instead: "Look again, and make the call again if it is still right."}
}

// tries is how often a change is worked out anew when somebody else keeps
// changing the file.
const tries = 10

// again waits a little, longer each time, and says whether to try once more.
func again(ctx context.Context, try int) bool {
	if try >= tries {
		return false
	}
	t := time.NewTimer(time.Duration(rand.Int64N(int64(try) * int64(2*time.Millisecond))))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
