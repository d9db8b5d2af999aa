package policy

import "reeve"

// finding is what the rules say to a place from its name and marks.
type finding struct {
	own, protected, control *rule
	// ownBelow, protectedBelow and controlBelow are rules on fixed places
	// under this one.
	ownBelow, protectedBelow, controlBelow *rule
}

// parts gives a root's path, split; rooted is false for a place without one.
func (p *Policy) parts(pl *reeve.Place) (parts []string, rooted bool) {
	if pl.RootPath == "" {
		return nil, false
	}
	if parts, ok := p.rooted[string(pl.RootPath)]; ok {
		return parts, true
	}
	return p.sys.split(string(pl.RootPath)), true
}

// lifted gives how many components the longest exception covers that is this
// place or a folder on the way to it.
func (p *Policy) lifted(list [][]string, root []string, pl *reeve.Place) int {
	most := 0
	for _, e := range list {
		if len(e) <= most || len(e) > len(root)+len(pl.Components) {
			continue
		}
		same := true
		for i := range e {
			c := ""
			if i < len(root) {
				c = root[i]
			} else {
				c = string(pl.Components[i-len(root)])
			}
			if same = c == e[i]; !same {
				break
			}
		}
		if same {
			most = len(e)
		}
	}
	return most
}

// look judges every component of a place, and its marks.
func (p *Policy) look(pl *reeve.Place, change bool) finding {
	var f finding
	root, rooted := p.parts(pl)
	var prot, own, ctl walk
	prot.start(&p.protected, rooted)
	own.start(&p.own, rooted)
	ctl.start(&p.control, rooted)
	total := len(root) + len(pl.Components)
	free, ownFree := 0, 0
	if rooted && len(p.exceptPaths) > 0 {
		free = p.lifted(p.exceptPaths, root, pl)
	}
	if rooted && len(p.ownExcept) > 0 {
		ownFree = p.lifted(p.ownExcept, root, pl)
	}
	var buf [256]byte
	for i := range total {
		var name string
		if i < len(root) {
			name = root[i]
		} else {
			name = string(pl.Components[i-len(root)])
		}
		fm := formOf(buf[:0], name)
		if f.own == nil {
			if _, r := own.step(fm); r != nil && i >= ownFree {
				f.own = r
			}
		}
		onName, onPath := prot.step(fm)
		if f.protected == nil && i >= free {
			if onPath != nil {
				f.protected = onPath
			} else if onName != nil && !p.exceptNames[name] {
				f.protected = onName
			}
		}
		if change && f.control == nil {
			if onName, onPath = ctl.step(fm); onName != nil {
				f.control = onName
			} else {
				f.control = onPath
			}
		}
	}
	for _, m := range pl.Marks {
		switch m.Kind {
		case reeve.MarkOwn:
			if f.own == nil && (ownFree == 0 || !p.liftsMark(&p.own, root, pl, ownFree, m.Rule)) {
				f.own = &rule{m.Rule, isOwn}
			}
		case reeve.MarkPseudo:
			if f.own == nil {
				f.own = &rule{m.Rule, isPseudo}
			}
		default:
			if f.protected == nil && free != total && !(free > 0 && p.liftsMark(&p.protected, root, pl, free, m.Rule)) {
				f.protected = &rule{m.Rule, isProtected}
			}
		}
	}
	if change && rooted {
		f.ownBelow, f.protectedBelow, f.controlBelow = own.under(), prot.under(), ctl.under()
	}
	return f
}

// liftsMark reports whether a mark comes from a rule on the path itself, on a
// component that an exception covers. A mark from anywhere else (another name
// of the same file, a mount) stays.
func (p *Policy) liftsMark(set *ruleset, root []string, pl *reeve.Place, free int, mark string) bool {
	var w walk
	w.start(set, true)
	for i := range free {
		var name string
		if i < len(root) {
			name = root[i]
		} else {
			name = string(pl.Components[i-len(root)])
		}
		onName, onPath := w.step(formOf(nil, name))
		if onName != nil && onName.name == mark || onPath != nil && onPath.name == mark {
			return true
		}
	}
	return false
}
