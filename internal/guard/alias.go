package guard

import "reeve"

// aliases judges the last effect of an intent also under each name that a
// link gave it on the way. What a link called .env leads to is a .env to every
// program that uses it, whatever the file itself is called; so a rule on
// either name holds.
func (c *call) aliases(s *Seen, last int) error {
	judge := func(e reeve.Effect, name reeve.Place) error {
		d := c.policy.Rules.Decide(c.Subject, e)
		switch {
		case d.Verdict == reeve.Allow, d.Verdict == reeve.Ask && c.Subject.IsOwner():
			return nil
		case d.Verdict == reeve.Ask && e.Kind.Changes():
			if d.Rule != s.decisions[last].Rule {
				d.Tell = "It is reached by the link " + name.Display() + ", and that " + d.Reason + "."
				s.decisions[last] = joined(s.decisions[last], d)
			}
			return nil
		}
		return refusal(c.Call.Verb(), s.shown, e.Kind, d)
	}
	for _, a := range s.held.Aliases() {
		e := s.Effects[last]
		e.Place = a
		if err := judge(e, a); err != nil {
			return err
		}
	}
	if s.to == nil {
		return nil
	}
	for _, a := range s.to.Aliases() {
		e := s.Effects[last]
		e.To = &a
		if err := judge(e, a); err != nil {
			return err
		}
	}
	return nil
}
