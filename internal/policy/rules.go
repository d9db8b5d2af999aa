package policy

import (
	"bytes"

	"reeve"
)

// rule is one line of a list.
type rule struct {
	name string // as the owner knows it: "~/.ssh", ".env.*"
	kind ruleKind
}

type ruleKind byte

const (
	isProtected ruleKind = iota
	isOwn
	isPseudo
	isControl
)

// ruleset holds rules on names, and on paths of several components: fixed
// ones that begin at the file system's root, and loose ones that may begin
// anywhere. A place is met when it, or any folder on the way to it, is.
type ruleset struct {
	names names
	fixed *branch
	loose *branch
}

// branch is a folder in a tree of rules.
type branch struct {
	kids []twig // sorted
	// lengths serve a branch with many kids.
	lengths *lengths
	// wild are the kids with a pattern for a name.
	wild []twig
	rule *rule
	// fixed branches belong to one place of the file system.
	fixed bool
}

type twig struct {
	text string
	to   *branch
}

func (b *branch) kid(t []byte) *branch {
	if b.lengths == nil {
		for i := range b.kids {
			if k := &b.kids[i]; string(t) == k.text {
				return k.to
			}
		}
		return nil
	}
	if len(t) == 0 || !b.lengths.may(t) {
		return nil
	}
	from, to := 0, len(b.kids)
	for from < to {
		if half := int(uint(from+to) >> 1); b.kids[half].text < string(t) {
			from = half + 1
		} else {
			to = half
		}
	}
	if from < len(b.kids) && b.kids[from].text == string(t) {
		return b.kids[from].to
	}
	return nil
}

// manyKids is from when on a branch knows the lengths of its kids' names.
const manyKids = 7

func (b *branch) grow(component string) *branch {
	var buf [128]byte
	c := canon(buf[:0], component)
	list := &b.kids
	if bytes.IndexByte(c, '*') >= 0 || bytes.IndexByte(c, '?') >= 0 {
		list = &b.wild
		for _, w := range b.wild {
			if w.text == string(c) {
				return w.to
			}
		}
	} else if k := b.kid(c); k != nil {
		return k
	}
	k := twig{component, &branch{fixed: b.fixed}}
	if string(c) != component {
		k.text = string(c)
	}
	if *list = append(*list, k); list == &b.wild {
		return k.to
	}
	for i := len(b.kids) - 1; i > 0 && b.kids[i].text < b.kids[i-1].text; i-- {
		b.kids[i], b.kids[i-1] = b.kids[i-1], b.kids[i]
	}
	switch {
	case b.lengths != nil && k.text != "":
		b.lengths.add(k.text)
	case b.lengths == nil && len(b.kids) >= manyKids:
		b.lengths = &lengths{}
		for _, k := range b.kids {
			if k.text != "" {
				b.lengths.add(k.text)
			}
		}
	}
	return k.to
}

func (b *branch) plant(parts []string, r *rule) {
	for _, p := range parts {
		b = b.grow(p)
	}
	if b.rule == nil {
		b.rule = r
	}
}

// follow appends the branches that a name leads to, in any of its disguises.
func (b *branch) follow(f form, to []*branch) []*branch {
	if k := b.kid(f.text); k != nil {
		to = append(to, k)
	}
	if f.colon > 0 {
		if k := b.kid(f.stream()); k != nil {
			to = append(to, k)
		}
	}
	for i := range b.wild {
		w := &b.wild[i]
		if wild(w.text, f.text) || f.colon > 0 && wild(w.text, f.stream()) {
			to = append(to, w.to)
		}
	}
	if f.tilde > 0 {
		if s, ok := f.short(); ok {
			for i := range b.kids {
				if longOf(b.kids[i].text, false).may(s) {
					to = append(to, b.kids[i].to)
				}
			}
		}
	}
	return to
}

// any finds a rule here or further along the branch.
func (b *branch) any() *rule {
	if b.rule != nil {
		return b.rule
	}
	for _, list := range [][]twig{b.kids, b.wild} {
		for i := range list {
			if r := list[i].to.any(); r != nil {
				return r
			}
		}
	}
	return nil
}

// walk is a way from the file system's root through a ruleset, one component
// at a time. It stands on the branches that have come true so far.
type walk struct {
	set  *ruleset
	n    int
	few  [6]*branch
	many []*branch // in place of few where there are more
}

func (w *walk) start(set *ruleset, rooted bool) {
	w.set = set
	if rooted && set.fixed != nil {
		w.few[0], w.n = set.fixed, 1
	}
}

func (w *walk) standing() []*branch {
	if w.many != nil {
		return w.many
	}
	return w.few[:w.n]
}

// step goes on by one component. It gives the rule on the name alone, and
// the rule on the path that ends here.
func (w *walk) step(f form) (onName, onPath *rule) {
	onName = w.set.names.match(f)
	var room [6]*branch
	to := room[:0]
	for _, b := range w.standing() {
		to = b.follow(f, to)
	}
	if w.set.loose != nil {
		to = w.set.loose.follow(f, to)
	}
	w.many = nil
	if w.n = copy(w.few[:], to); w.n < len(to) {
		w.many = append([]*branch(nil), to...)
	}
	for _, b := range w.standing() {
		if b.rule != nil {
			return onName, b.rule
		}
	}
	return onName, nil
}

// under finds a rule on a fixed place below the one where the walk stands.
func (w *walk) under() *rule {
	for _, b := range w.standing() {
		if !b.fixed {
			continue
		}
		if r := b.any(); r != nil {
			return r
		}
	}
	return nil
}

// verdict is what a rule leads to. Control files are asked; all others are
// refused.
func (p *Policy) verdict(r *rule) reeve.Decision {
	d := reeve.Decision{Verdict: reeve.Refuse}
	switch name := shown(r.name); r.kind {
	case isOwn:
		d.Rule, d.Code = "own: "+r.name, reeve.ReeveOwn
		d.Reason = "belongs to Reeve itself, and no agent is let near it"
	case isPseudo:
		d.Rule, d.Code = "pseudo: "+r.name, reeve.PseudoFS
		d.Reason = "is on a file system that shows the system itself (" + name + "), not files"
	case isControl:
		d.Verdict, d.Rule, d.HumanOnly = reeve.Ask, "control: "+r.name, p.humanOnly[keyControl]
		d.Reason = "is a control file (" + name + "): it can make a tool run something or loosen its rules"
	default:
		d.Rule, d.Code = "protected: "+r.name, reeve.Protected
		d.Reason = "is protected by the rule " + name
	}
	return d
}
