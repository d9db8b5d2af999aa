package cli

import (
	"reeve"
	"reeve/internal/record"
)

// Every change stands twice on the record: what is about to be done, and what
// came of it. A reader wants it once. The first of the two is shown only
// where the second is missing: the process was stopped in between, or is at it.

// pairs holds rows back, from the first change on that has no outcome yet,
// and passes on all but the intents whose outcome came.
type pairs struct {
	show func(record.Entry) error
	held []heldRow
	open map[pairKey][]int // places in held of intents without an outcome, the oldest first
	gone int               // how many rows have left held
}

type heldRow struct {
	e    record.Entry
	open bool // an intent that waits for its outcome
	drop bool
}

// pairKey is what the two rows of a change have in common.
type pairKey struct {
	segment, call, digest string
	verb                  reeve.Verb
}

// maxHeld bounds the rows between a change's begin and its end.
const maxHeld = 4096

func keyOf(e *record.Entry) pairKey { return pairKey{e.Segment, e.Row.Call, e.Row.Digest, e.Row.Verb} }

func (p *pairs) entry(e record.Entry) error {
	h := heldRow{e: e}
	switch k := keyOf(&e); {
	case e.Damage != "" || e.Torn:
	case e.Row.Event == eventIntent:
		if p.open == nil {
			p.open = map[pairKey][]int{}
		}
		h.open = true
		p.open[k] = append(p.open[k], p.gone+len(p.held))
	case e.Row.Event == eventOutcome && len(p.open[k]) > 0:
		i := &p.held[p.open[k][0]-p.gone]
		i.open, i.drop = false, true
		p.forget(k)
	}
	p.held = append(p.held, h)
	return p.pass(len(p.held) > maxHeld)
}

// forget takes the oldest open intent of a key away.
func (p *pairs) forget(k pairKey) {
	if p.open[k] = p.open[k][1:]; len(p.open[k]) == 0 {
		delete(p.open, k)
	}
}

// pass shows the rows that wait for nothing; with force the first one too.
func (p *pairs) pass(force bool) error {
	n := 0
	defer func() {
		p.held = p.held[n:]
		p.gone += n
	}()
	for ; n < len(p.held); n++ {
		h := &p.held[n]
		if h.open && !force {
			return nil
		}
		if h.open {
			p.forget(keyOf(&h.e))
			force = false
		}
		if h.drop {
			continue
		}
		if err := p.show(h.e); err != nil {
			return err
		}
	}
	return nil
}

// flush shows what is still held.
func (p *pairs) flush() error {
	for len(p.held) > 0 {
		if err := p.pass(true); err != nil {
			return err
		}
	}
	return nil
}

const (
	eventIntent  = "intent"
	eventOutcome = "outcome"
)
