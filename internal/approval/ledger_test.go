package approval

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"reeve"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func effect(kind reeve.EffectKind, path string) reeve.Effect {
	return reeve.Effect{Kind: kind, Place: reeve.Place{Target: reeve.Local, Root: "r", RootPath: "/home/ann", Components: []reeve.Name{reeve.Name(path)}}}
}

func agent(turn string) reeve.Subject {
	return reeve.Subject{Kind: reeve.Agent, Agent: "claude", Door: "stdio", Session: "s", Turn: turn}
}

func TestLedgerRemembersATurnAndNothingElse(t *testing.T) {
	now := noon
	l := NewLedger(LedgerOptions{Now: func() time.Time { return now }})
	a := effect(reeve.EffectReplace, "a")
	l.Remember(agent("1"), a, 0)

	later := a // written since: other numbers, another root that holds it too
	later.Place.Stamp = reeve.Stamp{Identity: reeve.Identity{Inode: 9}, Size: 3}
	later.Place.Root, later.Place.RootPath, later.Place.Components = "outer", "/home", []reeve.Name{"ann", "a"}
	later.Kind = reeve.EffectCreate
	for name, c := range map[string]struct {
		s    reeve.Subject
		e    reeve.Effect
		want bool
	}{
		"the same":              {agent("1"), a, true},
		"written since":         {agent("1"), later, true},
		"another turn":          {agent("2"), a, false},
		"no turn":               {agent(""), a, false},
		"another file":          {agent("1"), effect(reeve.EffectReplace, "b"), false},
		"another case":          {agent("1"), effect(reeve.EffectReplace, "A"), false},
		"a removal":             {agent("1"), effect(reeve.EffectRemove, "a"), false},
		"a move":                {agent("1"), effect(reeve.EffectMove, "a"), false},
		"a send":                {agent("1"), effect(reeve.EffectSend, "a"), false},
		"a folder of that name": {agent("1"), effect(reeve.EffectMkdir, "a"), false},
		"another computer": {agent("1"), reeve.Effect{Kind: a.Kind, Place: reeve.Place{Target: "laptop", RootPath: "/home/ann",
			Components: []reeve.Name{"a"}}}, false},
		"another agent":   {reeve.Subject{Agent: "other", Door: "stdio", Session: "s", Turn: "1"}, a, false},
		"another door":    {reeve.Subject{Agent: "claude", Door: "http", Session: "s", Turn: "1"}, a, false},
		"another session": {reeve.Subject{Agent: "claude", Door: "stdio", Session: "s2", Turn: "1"}, a, false},
		"fields shifted":  {reeve.Subject{Agent: "claude", Door: "stdio", Session: "s1", Turn: ""}, a, false},
	} {
		if got := l.Covers(c.s, c.e); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestLedgerNeverRemembersWhatIsOneByOne(t *testing.T) {
	l := NewLedger(LedgerOptions{})
	to := effect(reeve.EffectCreate, "b").Place
	for _, k := range append(reeve.EffectKinds(), "", "chmod") {
		e := effect(k, "a")
		l.Remember(agent("1"), e, 0)
		l.Remember(agent("1"), e, time.Minute)
		want := k == reeve.EffectCreate || k == reeve.EffectReplace || k == reeve.EffectMkdir
		if k == reeve.EffectRead || k == reeve.EffectList || !want {
			if l.Covers(agent("1"), e) {
				t.Errorf("%q is remembered", k)
			}
		} else if !l.Covers(agent("1"), e) {
			t.Errorf("%q is not remembered", k)
		}
		e.To = &to
		l.Remember(agent("1"), e, time.Minute)
		if l.Covers(agent("1"), e) {
			t.Errorf("%q with two ends is remembered", k)
		}
	}
	l.Remember(agent("1"), reeve.Effect{Kind: reeve.EffectCreate}, 0)
	if l.Covers(agent("1"), reeve.Effect{Kind: reeve.EffectCreate}) {
		t.Error("no place at all is remembered")
	}
}

func TestWithoutATurnNothingIsRemembered(t *testing.T) {
	l := NewLedger(LedgerOptions{})
	a := effect(reeve.EffectCreate, "a")
	l.Remember(agent(""), a, 0)
	l.Remember(agent(""), a, -time.Minute)
	if l.Covers(agent(""), a) || l.Covers(agent("1"), a) {
		t.Error("an unknown turn is remembered")
	}
}

func TestNoTurnLastsOverHalfAnHour(t *testing.T) {
	now := noon
	l := NewLedger(LedgerOptions{Now: func() time.Time { return now }})
	a := effect(reeve.EffectCreate, "a")
	l.Covers(agent("1"), a) // the turn begins with the first question
	now = now.Add(29 * time.Minute)
	l.Remember(agent("1"), a, 0)
	if !l.Covers(agent("1"), a) {
		t.Error("not covered inside the turn")
	}
	now = now.Add(time.Minute)
	if l.Covers(agent("1"), a) {
		t.Error("covered after 30 minutes")
	}
	l.Remember(agent("1"), a, 0)
	now = now.Add(time.Second)
	if l.Covers(agent("1"), a) {
		t.Error("the name of a turn that is over began it again")
	}
	now = noon.Add(-time.Hour)
	if l.Covers(agent("1"), a) {
		t.Error("a clock that is set back lengthens a turn")
	}
}

func TestTenMinutesOnThisFile(t *testing.T) {
	now := noon
	l := NewLedger(LedgerOptions{Now: func() time.Time { return now }})
	a := effect(reeve.EffectReplace, "a")
	l.Remember(agent(""), a, 10*time.Minute)
	for _, s := range []reeve.Subject{agent(""), agent("7")} {
		if !l.Covers(s, a) {
			t.Error("not covered, whatever the turn")
		}
	}
	other := agent("")
	other.Session = "s2"
	if l.Covers(other, a) || l.Covers(agent(""), effect(reeve.EffectReplace, "b")) {
		t.Error("leaks to another session or file")
	}
	now = now.Add(10 * time.Minute)
	if l.Covers(agent(""), a) {
		t.Error("covered after ten minutes")
	}
	l.Remember(agent(""), a, 24*time.Hour)
	now = now.Add(MaxTurn)
	if l.Covers(agent(""), a) {
		t.Error("covered for longer than anything may be")
	}
	l.Remember(agent(""), a, time.Minute)
	now = now.Add(-time.Hour)
	if l.Covers(agent(""), a) {
		t.Error("a clock that is set back lengthens a grant")
	}
}

func TestLedgerStaysSmall(t *testing.T) {
	now := noon
	l := NewLedger(LedgerOptions{Now: func() time.Time { return now }, Turns: 4, Places: 3})
	for i := range 10 {
		l.Remember(agent("1"), effect(reeve.EffectCreate, fmt.Sprint(i)), 0)
	}
	if !l.Covers(agent("1"), effect(reeve.EffectCreate, "2")) || l.Covers(agent("1"), effect(reeve.EffectCreate, "3")) {
		t.Error("a turn holds another number of places than it should")
	}
	for i := range 10 {
		l.Covers(agent("1"), effect(reeve.EffectCreate, "0")) // in use
		l.Remember(agent(fmt.Sprint("t", i)), effect(reeve.EffectCreate, "0"), 0)
	}
	if len(l.turns) != 4 || !l.Covers(agent("1"), effect(reeve.EffectCreate, "0")) || l.Covers(agent("t0"), effect(reeve.EffectCreate, "0")) {
		t.Errorf("%d turns; the one in use was forgotten before an old one", len(l.turns))
	}
	for i := range 10 {
		l.Remember(agent(""), effect(reeve.EffectCreate, fmt.Sprint("g", i)), time.Minute)
	}
	if len(l.grants) != 3 {
		t.Errorf("%d grants", len(l.grants))
	}
	now = now.Add(2 * time.Minute)
	l.Remember(agent(""), effect(reeve.EffectCreate, "new"), time.Minute)
	if !l.Covers(agent(""), effect(reeve.EffectCreate, "new")) {
		t.Error("grants that are over take the room of new ones")
	}
}

func TestLedgerFromManyGoroutines(t *testing.T) {
	l := NewLedger(LedgerOptions{Turns: 8})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				s, e := agent(fmt.Sprint(g, i%20)), effect(reeve.EffectCreate, fmt.Sprint(i))
				l.Remember(s, e, time.Duration(i%2)*time.Minute)
				l.Covers(s, e)
			}
		})
	}
	wg.Wait()
}
