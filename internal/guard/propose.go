package guard

import (
	"context"
	"fmt"
	"slices"

	"reeve"
	"reeve/internal/capfs"
)

// propose binds a verb's changes to what was judged. A change to a place, or
// of a kind, that is no effect of the call's own intents is refused: a verb
// cannot widen what it asked for.
func propose(c *call, v *View, changes []reeve.Change, shown []Shown) (reeve.Proposal, error) {
	p := reeve.Proposal{Target: c.Target, Subject: c.Subject, Changes: changes}
	for _, s := range shown {
		// The diff is left out: it follows from the versions and the bytes.
		p.Shown = append(p.Shown, s.Edit, s.Holds)
	}
	for _, s := range v.seen {
		if err := c.plant(s, changes); err != nil {
			return p, err
		}
		if s.Err == nil {
			p.Effects = append(p.Effects, s.Effects...)
		}
		for _, d := range s.decisions {
			// Why it is asked is what the owner decides by: a yes for a folder
			// is none for the same folder with something special in it.
			if d.Verdict == reeve.Ask {
				p.Shown = append(p.Shown, d.Rule, d.Tell)
			}
		}
	}
	at := indexed(p.Effects)
	for i, ch := range changes {
		changes[i].Temp = capfs.NewTemp()
		if !judged(at, ch) {
			return p, internalError(fmt.Sprintf("a change (%s) to a place that was not judged", ch.Kind))
		}
		if ch.Kind == reeve.Put && ch.Content == nil {
			return p, internalError("a change without content")
		}
		if from, ok := ch.Content.(reeve.FromPlace); ok && !reads(at, from.Place) && !v.hasOpened(from.Place) {
			return p, internalError("a copy of a file that was not judged")
		}
		if !ch.Place.Exists() && !ch.Expect.IsZero() {
			return p, internalError("a change of a file that does not exist expects a version")
		}
	}
	return p, nil
}

// reads reports whether reading the place is one of the call's effects.
func reads(at effectsAt, p reeve.Place) bool {
	for _, e := range at[p.Key()] {
		if e.Kind == reeve.EffectRead && e.Place.SameFile(p.Identity) {
			return true
		}
	}
	return false
}

func judged(at effectsAt, ch reeve.Change) bool {
	for _, e := range at[ch.Place.Key()] {
		if e.Place.Kind != ch.Place.Kind {
			continue
		}
		if (e.To == nil) != (ch.To == nil) || e.To != nil && e.To.Key() != ch.To.Key() {
			continue
		}
		switch e.Kind {
		case reeve.EffectCreate, reeve.EffectReplace:
			if ch.Kind == reeve.Put {
				return true
			}
		case reeve.EffectMkdir:
			if ch.Kind == reeve.Mkdir {
				return true
			}
		case reeve.EffectRemove:
			if ch.Kind == reeve.Remove {
				return true
			}
		case reeve.EffectMove:
			if ch.Kind == reeve.Move {
				return true
			}
		}
	}
	return false
}

// fresh asks the read state about each change. Without one, a profile that
// keeps read state replaces nothing.
func (g *Gate) fresh(c *call, p *passed) error {
	p.grounds = make([]string, len(p.proposal.Changes))
	for i := range p.proposal.Changes {
		b := p.based(i)
		if b.Change.Kind != reeve.Put {
			continue
		}
		if g.o.ReadState == nil {
			if !b.Stated.IsZero() && b.Stated.Compare(b.Change.Expect) != reeve.Same {
				return &reeve.Error{Op: string(c.Call.Verb()), Path: b.Change.Place.Display(), Kind: reeve.IO, Code: reeve.Changed,
					What: "was changed since the version that was named", Not: "Nothing was written.",
					Instead: "Read it again before you change it; its version is now " + b.Change.Expect.String() + "."}
			}
			if c.policy.Settings.ReadState == "off" || !b.Change.Place.Exists() {
				continue
			}
			return &reeve.Error{Op: string(c.Call.Verb()), Path: b.Change.Place.Display(), Kind: reeve.Policy, Code: reeve.NotRead,
				What: "has not been read in this session", Not: "Nothing was written.", Instead: "Read the file first."}
		}
		var err error
		if p.grounds[i], err = g.o.ReadState.Fresh(c.Subject, c.policy.Settings, b); err != nil {
			return err
		}
	}
	return nil
}

// based is the i-th change with what its verb said of its ground.
func (p *passed) based(i int) Based {
	b := Based{Change: p.proposal.Changes[i]}
	if i < len(p.work.Basis) {
		b.Basis = p.work.Basis[i]
	}
	return b
}

// foresee asks the committer what is unusual about each change, where
// somebody will be asked about them.
func (g *Gate) foresee(ctx context.Context, p *passed) {
	see, ok := g.o.Changes.(Foreseer)
	if !ok || !p.asks() {
		return
	}
	for _, ch := range p.proposal.Changes {
		_ = p.view.at(ctx, ch, func(at capfs.At) error { // what fails here fails again when it is staged
			if s := see.Foresee(ctx, at, ch); s != "" && !slices.Contains(p.foreseen, s) {
				p.foreseen = append(p.foreseen, s)
			}
			return nil
		})
	}
	p.proposal.Shown = append(p.proposal.Shown, p.foreseen...)
}

// asks reports whether policy asks about any of the effects.
func (p *passed) asks() bool {
	for _, s := range p.view.seen {
		for _, d := range s.decisions {
			if d.Verdict == reeve.Ask {
				return true
			}
		}
	}
	return false
}

// id is the proposal's digest, made once: it reads all that is to be written.
func (p *passed) id() reeve.Digest {
	if p.digest == (reeve.Digest{}) {
		p.digest = p.proposal.Digest()
	}
	return p.digest
}
