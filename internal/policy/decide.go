package policy

import (
	"reeve"
)

// Decide judges one effect. It is pure: the same arguments always get the
// same answer. Every decision names its rule.
//
// The facts of a thing (stat) are a read of a file and a list of a folder;
// what is neither may be told about and is never opened.
func (p *Policy) Decide(s reeve.Subject, e reeve.Effect) reeve.Decision {
	if !p.Enabled() {
		return reeve.Decision{Verdict: reeve.Refuse, Rule: "off", Code: reeve.Disabled,
			Reason: "cannot be used: file access is switched off", Fix: "reeve roots add FOLDER"}
	}
	if s.Kind != "" && s.Kind != reeve.Agent && s.Kind != reeve.Owner {
		return invalid("subject", "cannot be used: nobody knows who asks")
	}
	change := e.Kind.Changes()
	two := e.Kind == reeve.EffectMove || e.Kind == reeve.EffectSend
	if !known(e.Kind) || two != (e.To != nil) {
		return invalid("effect", "cannot be used: the effect is not one that Reeve knows")
	}
	need := reeve.Read
	if change && e.Kind != reeve.EffectSend { // what is sent is only read here
		need = reeve.ReadWrite
	}
	from := p.look(&e.Place, change)
	if d, no := p.refuse(&e.Place, &from, need, e.Kind); no {
		return d
	}
	control := from.control
	if moves(e) && control == nil {
		control = from.controlBelow
	}
	if e.To != nil {
		to := p.look(e.To, true)
		if d, no := p.refuse(e.To, &to, reeve.ReadWrite, e.Kind); no {
			return d
		}
		if control == nil {
			control = to.control
		}
		if control == nil && moves(e) {
			control = to.controlBelow
		}
	}
	if !change {
		return p.allowed[e.Place.Access]
	}
	if control != nil {
		return p.ask(s, keyControl, p.verdict(control))
	}
	key := approvalKey(e.Kind, e.Place.Kind)
	return p.ask(s, key, reeve.Decision{Verdict: reeve.Ask, Rule: "approvals: " + key, Reason: "needs the owner's yes",
		HumanOnly: p.humanOnly[key], Remember: p.approvals[key] == AskTurn})
}

func known(k reeve.EffectKind) bool {
	switch k {
	case reeve.EffectRead, reeve.EffectList, reeve.EffectCreate, reeve.EffectReplace,
		reeve.EffectRemove, reeve.EffectMove, reeve.EffectMkdir, reeve.EffectSend:
		return true
	}
	return false
}

// moves reports whether what lies below the place goes with it.
func moves(e reeve.Effect) bool {
	return (e.Kind == reeve.EffectMove || e.Kind == reeve.EffectRemove) && e.Place.Kind == reeve.Directory
}

func invalid(rule, reason string) reeve.Decision {
	return reeve.Decision{Verdict: reeve.Refuse, Rule: "invalid: " + rule, Code: reeve.Invalid, Reason: reason}
}

// refuse says no for one end of an effect, where there is a reason to.
func (p *Policy) refuse(pl *reeve.Place, f *finding, need reeve.Access, k reeve.EffectKind) (reeve.Decision, bool) {
	switch {
	case pl.Access != reeve.Read && pl.Access != reeve.ReadWrite:
		return reeve.Decision{Verdict: reeve.Refuse, Rule: "root: none", Code: reeve.OutsideRoots,
			Reason: "is outside the folders that were granted"}, true
	case f.own != nil:
		return p.verdict(f.own), true
	case f.protected != nil:
		d := p.verdict(f.protected)
		d.Fix = p.exceptFix(pl)
		return d, true
	case need == reeve.ReadWrite && pl.Access == reeve.Read:
		return p.readOnly(pl), true
	case pl.Kind == reeve.Special && (k == reeve.EffectCreate || k == reeve.EffectReplace || k == reeve.EffectSend):
		return reeve.Decision{Verdict: reeve.Refuse, Rule: "special", Code: reeve.SpecialFile,
			Reason: "is not a file or folder but a pipe, a socket or a device"}, true
	}
	if k != reeve.EffectMove && k != reeve.EffectRemove {
		return reeve.Decision{}, false
	}
	if len(pl.Components) == 0 && pl.RootPath != "" {
		return reeve.Decision{Verdict: reeve.Refuse, Rule: "root: itself", Code: reeve.OutsideRoots,
			Reason: "is a granted folder itself, and the folder around it was not granted"}, true
	}
	if pl.Kind != reeve.Directory && pl.Kind != reeve.Absent {
		return reeve.Decision{}, false
	}
	switch {
	case f.ownBelow != nil:
		d := p.verdict(f.ownBelow)
		d.Reason = "holds what belongs to Reeve itself"
		return d, true
	case f.protectedBelow != nil:
		d := p.verdict(f.protectedBelow)
		d.Reason = "is a folder over a protected place (" + f.protectedBelow.name + ")"
		return d, true
	}
	if r := p.narrowerBelow(pl); r != nil {
		return reeve.Decision{Verdict: reeve.Refuse, Rule: "root: below", Code: reeve.ReadOnlyRoot,
			Reason: "is a folder over " + shown(r.Path) + ", which was granted for reading only"}, true
	}
	return reeve.Decision{}, false
}

// narrowerBelow finds a root for reading under a place.
func (p *Policy) narrowerBelow(pl *reeve.Place) *Root {
	root, rooted := p.parts(pl)
	if !rooted {
		return nil
	}
	for i := range p.roots {
		r := &p.roots[i]
		parts := p.rooted[r.Path]
		if r.Access != reeve.Read || len(parts) <= len(root)+len(pl.Components) {
			continue
		}
		under := true
		for j := range len(root) + len(pl.Components) {
			c := ""
			if j < len(root) {
				c = root[j]
			} else {
				c = string(pl.Components[j-len(root)])
			}
			if c != parts[j] && string(canon(nil, c)) != string(canon(nil, parts[j])) {
				under = false
				break
			}
		}
		if under {
			return r
		}
	}
	return nil
}

func (p *Policy) readOnly(pl *reeve.Place) reeve.Decision {
	d := reeve.Decision{Verdict: reeve.Refuse, Rule: "root: read", Code: reeve.ReadOnlyRoot,
		Reason: "is in a folder that was granted for reading only"}
	if p.run.ReadOnly {
		d.Rule, d.Reason = "root: read-only run", "cannot be changed: this run is for reading only"
		return d
	}
	path := string(pl.RootPath)
	if path == "" || p.byCommandLine() {
		return d // the next run can name the folder otherwise
	}
	d.Fix = "reeve roots add " + quoteArg(path)
	return d
}

func (p *Policy) byCommandLine() bool {
	return len(p.roots) > 0 && p.roots[0].Source == FromCommandLine
}
