package guard

import (
	"context"

	"reeve/internal/capfs"
)

// keep hands what was displaced to history, and what other programs saved in
// the very moment. What could not be kept is said: the change stands all the
// same.
func (g *Gate) keep(ctx context.Context, c *call, receipt capfs.Receipt) {
	for i, d := range receipt.Done {
		why := g.keepOne(ctx, c, d, i, len(receipt.Done))
		if d.Displaced == nil {
			continue
		}
		if why != "" {
			c.reply.Note("No copy of the old %s was kept: %s.", d.Change.Place.Display(), why)
		}
		if err := d.Displaced.Release(); err != nil {
			c.reply.Note("What was there before could not be tidied up.")
		}
	}
	for _, other := range receipt.Kept {
		d := capfs.Done{Displaced: other}
		if len(receipt.Done) > 0 {
			d.Change = receipt.Done[0].Change
		}
		if why := g.keepOne(ctx, c, d, 0, 1); why != "" {
			c.reply.Note("Another program saved %s in the same moment, and its content could not be kept: %s. It lies beside it under a hidden name.", d.Change.Place.Display(), why)
			continue // it is not let go: these are the only bytes of it
		}
		c.reply.Note("Another program saved %s in the same moment. Its content was kept in the history.", d.Change.Place.Display())
		if err := other.Release(); err != nil {
			c.reply.Note("What it saved could not be tidied up.")
		}
	}
}

func (g *Gate) keepOne(ctx context.Context, c *call, d capfs.Done, n, of int) (why string) {
	if g.o.History == nil {
		return "history is switched off"
	}
	why, err := g.o.History.Keep(ctx, Made{Call: c.ID, Verb: c.Call.Verb(), Subject: c.Subject, Digest: c.digest, At: g.o.Now(), N: n, Of: of, Done: d})
	if err != nil {
		return "it could not be written" // the system's words name Reeve's own folders
	}
	return why
}
