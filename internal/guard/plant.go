package guard

import (
	"reeve"
)

// plant judges a folder that a write with Tree puts where nothing is yet: the
// changes at its place and below it, one by one, in the stead of the single
// file that the intent came to.
func (c *call) plant(s *Seen, changes []reeve.Change) error {
	if !s.Intent.Tree || s.Err != nil || s.held.Place().Exists() {
		return nil
	}
	top := s.held.Place()
	last := len(s.Effects) - 1
	effects, decisions := s.Effects[:last:last], s.decisions[:last:last]
	for _, ch := range changes {
		p, ok := planted(top, ch)
		if !ok {
			continue
		}
		e := reeve.Effect{Kind: changeEffect(ch), Place: p}
		d := c.policy.Rules.Decide(c.Subject, e)
		if c.Subject.IsOwner() && d.Verdict == reeve.Ask {
			d.Verdict = reeve.Allow
		}
		if d.Verdict != reeve.Allow && d.Verdict != reeve.Ask {
			return refusal(c.Call.Verb(), p.Display(), e.Kind, d)
		}
		if n := len(p.Components) - 1; e.Kind == reeve.EffectCreate && named(p.Components[n], "HEAD") {
			if git, ok := c.gitSays(p, n); ok {
				d = joined(d, git)
			}
		} else if s.git > 0 {
			if git, ok := c.gitSays(p, s.git-1); ok {
				d = joined(d, git)
			}
		}
		effects, decisions = append(effects, e), append(decisions, d)
	}
	if len(effects) > last {
		s.Effects, s.decisions = effects, decisions
	}
	return nil
}

// planted is the place of a change at or below a place where nothing is, as
// the gate itself makes it.
func planted(top reeve.Place, ch reeve.Change) (reeve.Place, bool) {
	n := len(top.Components)
	names := ch.Place.Components
	if ch.Kind != reeve.Put && ch.Kind != reeve.Mkdir || len(names) < n {
		return reeve.Place{}, false
	}
	p := top
	p.Components = names
	p.Missing = top.Missing + len(names) - n
	for i, name := range top.Components {
		if names[i] != name {
			return reeve.Place{}, false
		}
	}
	for _, name := range names[n:] {
		if name == "" || name == "." || name == ".." {
			return reeve.Place{}, false
		}
	}
	return p, ch.Place.Key() == p.Key() && ch.Place.Missing == p.Missing && !ch.Place.Exists()
}

// plantedBelow reports whether an effect is about something in a folder that
// the call plants: the folder stands for it in a question.
func (v *View) plantedBelow(e reeve.Effect) bool {
	for _, s := range v.seen {
		if s.Intent.Tree && s.Err == nil && s.held != nil && !s.held.Place().Exists() {
			top := s.held.Place()
			_, ok := planted(top, reeve.Change{Kind: reeve.Put, Place: e.Place})
			if ok && len(e.Place.Components) > len(top.Components) {
				return true
			}
		}
	}
	return false
}

// opens notes a file that was judged and opened in a folder of the view, for
// calls that may copy it.
func (v *View) opens(p reeve.Place) {
	for _, s := range v.seen {
		if s.Intent.Tree {
			if v.opened == nil {
				v.opened = map[string]reeve.Identity{}
			}
			v.opened[p.Key()] = p.Identity
			return
		}
	}
}

// hasOpened reports whether the very file was judged and opened that way.
func (v *View) hasOpened(p reeve.Place) bool {
	id, ok := v.opened[p.Key()]
	return ok && id.SameFile(p.Identity)
}
