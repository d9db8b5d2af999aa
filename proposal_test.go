package reeve

import (
	"context"
	"io"
	"strings"
	"testing"
)

func proposal() Proposal {
	place := Place{Target: Local, Root: "r1", RootPath: "/home/ann", Components: []Name{"a", "b.txt"}, Kind: File}
	to := Place{Target: Local, Root: "r1", RootPath: "/home/ann", Components: []Name{"c"}, Missing: 1}
	v := NewVersion(Stamp{Size: 3}, false, nil)
	return Proposal{
		Target:  Local,
		Subject: Subject{Kind: Agent, Agent: "claude", Door: "stdio", Session: "s", SessionTold: true, Turn: "t", Connection: "c"},
		Effects: []Effect{{EffectReplace, place, nil}, {EffectMove, place, &to}},
		Changes: []Change{{Kind: Put, Place: place, Expect: v, Content: Bytes("new")}, {Kind: Move, Place: place, To: &to, Expect: v}},
	}
}

func TestDigestBindsWhatTheQuestionShowed(t *testing.T) {
	from := FromPlace{Place: proposal().Changes[0].Place, Version: NewVersion(Stamp{Size: 8}, false, nil)}
	reader := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }
	seen := map[Digest]string{}
	for name, change := range map[string]func(*Proposal){
		"nothing":                func(p *Proposal) {},
		"another computer":       func(p *Proposal) { p.Target = "laptop" },
		"owner":                  func(p *Proposal) { p.Subject.Kind = Owner },
		"another agent":          func(p *Proposal) { p.Subject.Agent = "other" },
		"another door":           func(p *Proposal) { p.Subject.Door = "http" },
		"agent and door swapped": func(p *Proposal) { p.Subject.Agent, p.Subject.Door = p.Subject.Door, p.Subject.Agent },
		"another told session":   func(p *Proposal) { p.Subject.Session = "s2" },
		"a session not told":     func(p *Proposal) { p.Subject.SessionTold = false },
		"effect kind":            func(p *Proposal) { p.Effects[0].Kind = EffectCreate },
		"effect place":           func(p *Proposal) { p.Effects[0].Place.Components = []Name{"a"} },
		"effect order":           func(p *Proposal) { p.Effects[0], p.Effects[1] = p.Effects[1], p.Effects[0] },
		"effect gone":            func(p *Proposal) { p.Effects = p.Effects[:1] },
		"effect destination":     func(p *Proposal) { p.Effects[1].To = nil },
		"effect on another":      func(p *Proposal) { p.Effects[0].Place.Target = "laptop" },
		"change kind":            func(p *Proposal) { p.Changes[0].Kind = Remove },
		"change place":           func(p *Proposal) { p.Changes[0].Place.Components = []Name{"a", "B.txt"} },
		"joined components":      func(p *Proposal) { p.Changes[0].Place.Components = []Name{"ab.txt"} },
		"another root":           func(p *Proposal) { p.Changes[0].Place.Root = "r2" },
		"another root path":      func(p *Proposal) { p.Changes[0].Place.RootPath = "/home/bob" },
		"file became folder":     func(p *Proposal) { p.Changes[0].Place.Kind = Directory },
		"more parents missing":   func(p *Proposal) { p.Changes[1].To.Missing = 2 },
		"destination":            func(p *Proposal) { p.Changes[1].To.Components = []Name{"d"} },
		"no destination":         func(p *Proposal) { p.Changes[1].To = nil },
		"version":                func(p *Proposal) { p.Changes[0].Expect = NewVersion(Stamp{Size: 4}, false, nil) },
		"a racy stamp":           func(p *Proposal) { p.Changes[0].Expect = NewVersion(Stamp{Size: 3}, true, nil) },
		"a hash":                 func(p *Proposal) { p.Changes[0].Expect = NewVersion(Stamp{Size: 3}, false, &[32]byte{1}) },
		"another hash":           func(p *Proposal) { p.Changes[0].Expect = NewVersion(Stamp{Size: 3}, false, &[32]byte{2}) },
		"no version":             func(p *Proposal) { p.Changes[0].Expect = Version{} },
		"bytes":                  func(p *Proposal) { p.Changes[0].Content = Bytes("old") },
		"empty bytes":            func(p *Proposal) { p.Changes[0].Content = Bytes(nil) },
		"no content":             func(p *Proposal) { p.Changes[0].Content = nil },
		"content from a place":   func(p *Proposal) { p.Changes[0].Content = from },
		"from another version": func(p *Proposal) {
			f := from
			f.Version = NewVersion(Stamp{Size: 9}, false, nil)
			p.Changes[0].Content = f
		},
		"streamed":              func(p *Proposal) { p.Changes[0].Content = Stream{Size: 3, Source: from} },
		"streamed, other size":  func(p *Proposal) { p.Changes[0].Content = Stream{Size: 4, Source: from} },
		"changes swapped":       func(p *Proposal) { p.Changes[0], p.Changes[1] = p.Changes[1], p.Changes[0] },
		"change gone":           func(p *Proposal) { p.Changes = p.Changes[:1] },
		"change twice":          func(p *Proposal) { p.Changes = append(p.Changes, p.Changes[1]) },
		"no effects, no change": func(p *Proposal) { p.Effects, p.Changes = nil, nil },
	} {
		p := proposal()
		to := *p.Changes[1].To
		p.Changes[1].To = &to
		change(&p)
		d := p.Digest()
		if other, ok := seen[d]; ok {
			t.Errorf("%q has the digest of %q", name, other)
		}
		seen[d] = name
	}

	want := proposal().Digest()
	for name, change := range map[string]func(*Proposal){
		"another turn":       func(p *Proposal) { p.Subject.Turn = "t2" },
		"another connection": func(p *Proposal) { p.Subject.Connection = "c2" },
		"mode, links and times": func(p *Proposal) {
			p.Changes[0].Place.Mode = 7
			p.Changes[0].Place.MTime = 9
			p.Changes[0].Place.Links = 2
		},
		"same bytes, copied": func(p *Proposal) { p.Changes[0].Content = Bytes([]byte("new")) },
	} {
		p := proposal()
		change(&p)
		if p.Digest() != want {
			t.Errorf("%s: the digest changed, so an answer would not be found again", name)
		}
	}

	hashed := func(s Stamp, racy, partial bool) Digest {
		p := proposal()
		v := NewVersion(s, racy, &[32]byte{7})
		if partial {
			v = v.AsPartial()
		}
		p.Changes[0].Expect = v
		p.Changes[1].Content = FromPlace{Place: p.Changes[0].Place, Version: v}
		return p.Digest()
	}
	for name, got := range map[string]Digest{
		"seen again a moment after it was saved": hashed(Stamp{Size: 3, MTime: 5, CTime: 5}, true, false),
		"touched, with the same content":         hashed(Stamp{Size: 3, MTime: 6, CTime: 6}, false, false),
		"told in a refusal":                      hashed(Stamp{Size: 3, MTime: 5, CTime: 5}, false, true),
	} {
		if got != hashed(Stamp{Size: 3, MTime: 5, CTime: 5}, false, false) {
			t.Errorf("%s: the same content makes another proposal, so an answer would not be found again", name)
		}
	}

	untold := func(session, connection string) Digest {
		p := proposal()
		p.Subject.SessionTold, p.Subject.Session, p.Subject.Connection = false, session, connection
		return p.Digest()
	}
	if untold("process 1", "1") != untold("process 2", "2") {
		t.Error("an answer does not outlive the process whose own session asked")
	}
	a, b := proposal(), proposal()
	a.Changes[0].Content = Stream{Size: 3, Source: from, Open: reader}
	b.Changes[0].Content = Stream{Size: 3, Source: from}
	if a.Digest() != b.Digest() {
		t.Error("the digest depends on the opener of a stream")
	}
}

func TestZeroWordsAreTheSafest(t *testing.T) {
	if (Subject{}).IsOwner() || (Subject{Kind: "OWNER"}).IsOwner() {
		t.Error("an unnamed subject is taken for the owner")
	}
	if (Decision{}).Verdict == Allow || (Decision{}).Verdict == Ask {
		t.Error("an empty decision allows")
	}
	if !EffectKind("").Changes() || !EffectKind("new").Changes() {
		t.Error("an unknown effect is taken for a reading one")
	}
	if !IntentKind("").Follows() {
		t.Error("an unknown intent acts on a link itself")
	}
	for _, k := range EffectKinds() {
		if k.Changes() != (k != EffectRead && k != EffectList) {
			t.Errorf("%s", k)
		}
	}
}
