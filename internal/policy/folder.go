package policy

import "reeve"

// Folder compiles the rules for the entries of one folder. The function that
// it gives says what may be done with an entry as Decide would: whether a
// file may be read, or a folder listed. A link is judged by its own name;
// what it leads to is not followed. It may be used by many goroutines.
//
// The Fix of a refusal is left out here; Decide tells it.
func (p *Policy) Folder(pl reeve.Place) func(name string, kind reeve.FileKind) reeve.Decision {
	if f := p.quick(&pl); f != nil {
		return f
	}
	// Something about the folder itself is special: every entry is judged on
	// its whole path.
	parts := pl.Components[:len(pl.Components):len(pl.Components)]
	return func(name string, kind reeve.FileKind) reeve.Decision {
		child := pl
		child.Components = append(parts, reeve.Name(name))
		child.Kind, child.Missing, child.Links = kind, 0, 0
		k := reeve.EffectRead
		if kind == reeve.Directory {
			k = reeve.EffectList
		}
		d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: k, Place: child})
		d.Fix = ""
		return d
	}
}

// quick serves the common case, a folder that nothing speaks against: then an
// entry can only be met by rules on its name, and by the few on paths that
// have come true as far as this folder.
func (p *Policy) quick(pl *reeve.Place) func(string, reeve.FileKind) reeve.Decision {
	allowed, ok := p.allowed[pl.Access]
	if !ok || !p.Enabled() || len(pl.Marks) > 0 {
		return nil
	}
	root, rooted := p.parts(pl)
	depth := len(root) + len(pl.Components)
	if rooted && (p.lifted(p.exceptPaths, root, pl) > 0 || p.lifted(p.ownExcept, root, pl) > 0 ||
		p.exceptedIn(p.exceptPaths, root, pl, depth) || p.exceptedIn(p.ownExcept, root, pl, depth)) {
		return nil
	}
	if f := p.look(pl, false); f.own != nil || f.protected != nil {
		return nil
	}
	prot, own := p.standing(&p.protected, root, pl, rooted), p.standing(&p.own, root, pl, rooted)
	return func(name string, _ reeve.FileKind) reeve.Decision {
		var buf [256]byte
		f := formOf(buf[:0], name)
		for _, b := range own {
			if r := b.child(f); r != nil {
				return p.verdict(r)
			}
		}
		for _, b := range prot {
			if r := b.child(f); r != nil {
				return p.verdict(r)
			}
		}
		if r := p.protected.names.match(f); r != nil && !p.exceptNames[name] {
			return p.verdict(r)
		}
		return allowed
	}
}

// exceptedIn reports whether an exception names an entry of this folder.
func (p *Policy) exceptedIn(list [][]string, root []string, pl *reeve.Place, depth int) bool {
	for _, e := range list {
		if len(e) == depth+1 && p.lifted([][]string{e[:depth]}, root, pl) == depth {
			return true
		}
	}
	return false
}

// standing is where a place stands in a tree of rules, with the start of the
// loose ones.
func (p *Policy) standing(set *ruleset, root []string, pl *reeve.Place, rooted bool) []*branch {
	var w walk
	w.start(set, rooted)
	for _, c := range root {
		w.step(formOf(nil, c))
	}
	for _, c := range pl.Components {
		w.step(formOf(nil, string(c)))
	}
	return append([]*branch(nil), w.standing()...)
}

// child gives the rule that ends with this name, without going further.
func (b *branch) child(f form) *rule {
	var room [4]*branch
	for _, k := range b.follow(f, room[:0]) {
		if k.rule != nil {
			return k.rule
		}
	}
	return nil
}
