package guard

import (
	"fmt"

	"reeve"
	"reeve/internal/pathname"
)

// Bounds of what a row says, so that a row stays a row.
const (
	rowEffectsMax = 1000
	rowAskedMax   = 10
)

func (g *Gate) row(c *call, event string) reeve.Row {
	now := g.o.Now()
	r := reeve.Row{Time: now, Event: event, Call: bounded(c.ID, 128), Target: c.Target, Subject: c.Subject, Took: now.Sub(c.started)}
	if c.Call != nil {
		r.Verb = c.Call.Verb()
	}
	return r
}

// asked are the paths of intents as written, for rows of what never became a
// place.
func asked(intents []reeve.Intent) []string {
	var list []string
	for i, in := range intents {
		if i == rowAskedMax {
			list = append(list, "…")
			break
		}
		list = append(list, shownPath(in.Path))
		if in.To != "" {
			list = append(list, shownPath(in.To))
		}
	}
	return list
}

func rowEffects(v *View) []reeve.RowEffect {
	var list []reeve.RowEffect
	for _, s := range v.seen {
		if s.Err != nil {
			list = append(list, reeve.RowEffect{Kind: intentEffect(s.Intent.Kind), Path: s.shown, Refused: s.Err.Code, Rule: s.rule})
		}
		for _, e := range s.Effects {
			list = append(list, rowEffect(e))
		}
		if len(list) >= rowEffectsMax {
			return append(list[:rowEffectsMax], reeve.RowEffect{Path: fmt.Sprintf("… of %d paths in all", v.Len())})
		}
	}
	return list
}

func rowEffect(e reeve.Effect) reeve.RowEffect {
	r := reeve.RowEffect{Kind: e.Kind, Path: e.Place.Display()}
	if e.To != nil {
		r.To = e.To.Display()
	}
	return r
}

// rowChanges has one entry for each change, then the effects (folders made)
// that have none of their own.
func rowChanges(p reeve.Proposal) []reeve.RowEffect {
	list := make([]reeve.RowEffect, 0, len(p.Changes))
	for _, ch := range p.Changes {
		r := reeve.RowEffect{Kind: changeEffect(ch), Path: ch.Place.Display(), Before: ch.Expect.String(), Temp: string(ch.Temp)}
		if ch.To != nil {
			r.To = pathname.EscapePath(ch.To.Path())
		}
		list = append(list, r)
	}
	own := madeOnPurpose(p.Changes)
	for _, e := range p.Effects {
		if e.Kind == reeve.EffectMkdir && !own[e.Place.Key()] {
			list = append(list, rowEffect(e))
		}
	}
	return list
}

func changeEffect(ch reeve.Change) reeve.EffectKind {
	switch ch.Kind {
	case reeve.Remove:
		return reeve.EffectRemove
	case reeve.Move:
		return reeve.EffectMove
	case reeve.Mkdir:
		return reeve.EffectMkdir
	}
	if ch.Place.Exists() {
		return reeve.EffectReplace
	}
	return reeve.EffectCreate
}
