package asking

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
)

func tickets(now *time.Time) *Tickets {
	return NewTickets(TicketOptions{Key: func() ([]byte, error) { return bytes.Repeat([]byte{7}, 32), nil }, Now: func() time.Time { return *now }})
}

func TestATicketIsForOneQuestionSubjectAndConnection(t *testing.T) {
	now := time.Now()
	p := reeve.Pending{ID: "ABCDEFG", Digest: reeve.Digest{1}, Expires: now.Add(15 * time.Minute)}
	s := reeve.Subject{Kind: reeve.Agent, Door: "stdio", Agent: "claude", Session: "s", Connection: "c"}
	k := tickets(&now)
	ticket, err := k.Issue(p, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(ticket) > 100 || strings.Contains(ticket, "ABCDEFG") {
		t.Errorf("%q", ticket)
	}
	for name, change := range map[string]func(*reeve.Pending, *reeve.Subject){
		"another card":       func(p *reeve.Pending, _ *reeve.Subject) { p.ID = "ABCDEFH" },
		"another digest":     func(p *reeve.Pending, _ *reeve.Subject) { p.Digest[31] = 1 },
		"another door":       func(_ *reeve.Pending, s *reeve.Subject) { s.Door = "http" },
		"another agent":      func(_ *reeve.Pending, s *reeve.Subject) { s.Agent = "codex" },
		"another session":    func(_ *reeve.Pending, s *reeve.Subject) { s.Session = "t" },
		"another connection": func(_ *reeve.Pending, s *reeve.Subject) { s.Connection = "d" },
		"no connection":      func(_ *reeve.Pending, s *reeve.Subject) { s.Connection = "" },
		"an owner":           func(_ *reeve.Pending, s *reeve.Subject) { s.Kind = reeve.Owner },
		"fields run together": func(_ *reeve.Pending, s *reeve.Subject) {
			s.Agent, s.Session = "claudes", ""
		},
	} {
		q, r := p, s
		change(&q, &r)
		if err := k.Redeem(ticket, q, r); !errors.Is(err, reeve.BadAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, bad := range map[string]string{"nothing": "", "noise": "!!!!", "longer": ticket + "A", "shorter": ticket[1:], "a line break": ticket[:10] + "\n" + ticket[11:], "padded": ticket + "="} {
		if err := k.Redeem(bad, p, s); !errors.Is(err, reeve.BadAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// None of that has used it up; a turn may differ, since a turn ends.
	s.Turn = "later"
	if err := k.Redeem(ticket, p, s); err != nil {
		t.Fatal(err)
	}
	if err := k.Redeem(ticket, p, s); !errors.Is(err, reeve.BadAnswer) {
		t.Error("used twice")
	}
}

func TestATicketExpires(t *testing.T) {
	now := time.Now()
	s := reeve.Subject{}
	for name, c := range map[string]struct {
		question, after time.Duration
		good            bool
	}{
		"in time":                {15 * time.Minute, 9 * time.Minute, true},
		"after its own time":     {15 * time.Minute, 10 * time.Minute, false},
		"after its question's":   {time.Minute, time.Minute + time.Second, false},
		"before its question's":  {time.Minute, 50 * time.Second, true},
		"a day later":            {15 * time.Minute, 24 * time.Hour, false},
		"a clock that goes back": {15 * time.Minute, -time.Hour, true},
	} {
		at := now
		k := tickets(&at)
		p := reeve.Pending{ID: "ABCDEFG", Expires: at.Add(c.question)}
		ticket, err := k.Issue(p, s)
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(c.after)
		if err := k.Redeem(ticket, p, s); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOneOfManyRedeemsATicket(t *testing.T) {
	now := time.Now()
	k := tickets(&now)
	p := reeve.Pending{ID: "ABCDEFG", Expires: now.Add(time.Minute)}
	ticket, err := k.Issue(p, reeve.Subject{})
	if err != nil {
		t.Fatal(err)
	}
	var won atomic.Int32
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			if k.Redeem(ticket, p, reeve.Subject{}) == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d redeemed it", won.Load())
	}
}

func TestAFullMemoryRefusesRatherThanForgets(t *testing.T) {
	now := time.Now()
	k := tickets(&now)
	p := reeve.Pending{ID: "ABCDEFG", Expires: now.Add(time.Hour)}
	refused := false
	for range mostUsed + 1 {
		ticket, err := k.Issue(p, reeve.Subject{})
		if err != nil {
			t.Fatal(err)
		}
		refused = k.Redeem(ticket, p, reeve.Subject{}) != nil
	}
	if !refused || len(k.used) != mostUsed {
		t.Errorf("%d remembered", len(k.used))
	}
	now = now.Add(11 * time.Minute)
	ticket, _ := k.Issue(p, reeve.Subject{})
	if err := k.Redeem(ticket, p, reeve.Subject{}); err != nil || len(k.used) != 1 {
		t.Errorf("%v, %d remembered", err, len(k.used))
	}
}

func FuzzRedeem(f *testing.F) {
	now := time.Now()
	k := tickets(&now)
	p := reeve.Pending{ID: "ABCDEFG", Expires: now.Add(time.Minute)}
	good, err := k.Issue(p, reeve.Subject{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("")
	f.Add(good[:40])
	f.Add(strings.Repeat("A", len(good)))
	f.Add(good + "\n")
	f.Fuzz(func(t *testing.T, s string) {
		if s != good && k.Redeem(s, p, reeve.Subject{}) == nil {
			t.Errorf("%q was redeemed", s)
		}
	})
}
