package approval

import (
	"sync"
	"time"

	"reeve"
)

// MaxTurn is how long anything approved is remembered, at most.
const MaxTurn = 30 * time.Minute

// LedgerOptions bound a ledger; the zero value is good.
type LedgerOptions struct {
	Now    func() time.Time // nil means time.Now
	Turns  int              // turns remembered, 0 means 64
	Places int              // places for each turn, and grants by time for all, 0 means 512
}

// Ledger remembers approvals for told turns, and grants by time ("10 minutes
// on this file"). It lives in memory: another process asks again. What does
// not fit is forgotten, which costs a question, never a file. Its methods may
// be called by many goroutines at once.
type Ledger struct {
	o LedgerOptions

	mu     sync.Mutex
	turns  map[who]*turn
	grants map[grant]span
	uses   uint64
}

// who tells subjects apart: an approval never passes to another agent,
// session or turn.
type who struct{ door, agent, session, turn string }

type grant struct {
	who
	place string
}

// span is a stretch of time. Before its start it does not hold either: a
// clock that is set back must not lengthen it.
type span struct{ from, to time.Time }

func (s span) holds(now time.Time) bool { return !now.Before(s.from) && now.Before(s.to) }

type turn struct {
	span
	places map[string]struct{}
	used   uint64
}

// NewLedger makes an empty ledger.
func NewLedger(o LedgerOptions) *Ledger {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Turns <= 0 {
		o.Turns = 64
	}
	if o.Places <= 0 {
		o.Places = 512
	}
	return &Ledger{o: o, turns: map[who]*turn{}, grants: map[grant]span{}}
}

// Covers reports whether the effect was approved before: in the subject's
// turn, or for a time that has not passed.
func (l *Ledger) Covers(s reeve.Subject, e reeve.Effect) bool {
	key, ok := rememberable(e)
	if !ok {
		return false
	}
	now := l.o.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if span, ok := l.grants[grant{subject(s, ""), key}]; ok && span.holds(now) {
		return true
	}
	// A turn begins with the first question in it, not with the first yes.
	t := l.turn(s, now)
	if t == nil || !t.holds(now) {
		return false
	}
	_, ok = t.places[key]
	return ok
}

// Remember notes an approved effect. A positive d keeps it for that long (at
// most MaxTurn) on this one place, whatever the turn; otherwise it is kept for
// the subject's turn, and not at all when no turn was told.
func (l *Ledger) Remember(s reeve.Subject, e reeve.Effect, d time.Duration) {
	key, ok := rememberable(e)
	if !ok {
		return
	}
	now := l.o.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if d > 0 {
		l.grant(grant{subject(s, ""), key}, now, min(d, MaxTurn))
	}
	t := l.turn(s, now)
	if t == nil || !t.holds(now) {
		return
	}
	if len(t.places) < l.o.Places {
		t.places[key] = struct{}{}
	}
}

// rememberable gives the key of an effect. Only what makes or replaces a
// thing is remembered: one yes to a removal is a yes to that one.
func rememberable(e reeve.Effect) (string, bool) {
	if e.To != nil || e.Place.RootPath == "" && len(e.Place.Components) == 0 {
		return "", false
	}
	switch e.Kind {
	case reeve.EffectCreate, reeve.EffectReplace:
		return "file\x00" + e.Place.Key(), true
	case reeve.EffectMkdir:
		return "folder\x00" + e.Place.Key(), true
	}
	return "", false
}

func subject(s reeve.Subject, turn string) who { return who{s.Door, s.Agent, s.Session, turn} }

// turn finds or begins the subject's turn, nil when none was told. A turn
// that is over stays known as over: its name can't begin it anew.
func (l *Ledger) turn(s reeve.Subject, now time.Time) *turn {
	if s.Turn == "" {
		return nil
	}
	l.uses++
	w := subject(s, s.Turn)
	t := l.turns[w]
	if t == nil {
		if len(l.turns) >= l.o.Turns {
			l.forgetTurn()
		}
		t = &turn{span: span{now, now.Add(MaxTurn)}, places: map[string]struct{}{}}
		l.turns[w] = t
	}
	t.used = l.uses
	return t
}

func (l *Ledger) forgetTurn() {
	var oldest who
	least := l.uses + 1
	for w, t := range l.turns {
		if t.used < least {
			oldest, least = w, t.used
		}
	}
	delete(l.turns, oldest)
}

func (l *Ledger) grant(g grant, now time.Time, d time.Duration) {
	if len(l.grants) >= l.o.Places {
		for k, s := range l.grants {
			if !s.holds(now) {
				delete(l.grants, k)
			}
		}
	}
	if _, known := l.grants[g]; known || len(l.grants) < l.o.Places {
		l.grants[g] = span{now, now.Add(d)}
	}
}
