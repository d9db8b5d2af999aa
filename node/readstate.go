package node

import (
	"reeve"
	"reeve/internal/guard"
	"reeve/internal/readstate"
)

// seen is the read state as the gate wants it.
type seen struct{ state *readstate.State }

// Read implements guard.ReadState.
func (s seen) Read(who reeve.Subject, p reeve.Place, page reeve.Page) {
	r := readstate.Seen{Version: page.Version, Total: page.Total, Counted: page.Counted, Whole: page.Whole, Redacted: page.Redacted}
	for _, l := range page.Lines {
		r.Lines = append(r.Lines, readstate.Line{N: l.N, Text: l.Text.String(), Column: l.Column, Chars: l.Chars, Cut: l.Cut})
	}
	s.state.Read(who, p, r)
}

// Fresh implements guard.ReadState.
func (s seen) Fresh(who reeve.Subject, set reeve.Settings, b guard.Based) (string, error) {
	g, err := s.state.Fresh(who, readstate.Ask{Change: b.Change, Edit: b.Edit, Stated: b.Stated, Lines: b.Lines,
		Touched: ranges(b.Touched), Rules: rulesOf(set)})
	return string(g), err
}

// Wrote implements guard.ReadState.
func (s seen) Wrote(who reeve.Subject, b guard.Based, ground string, after reeve.Version) {
	s.state.Wrote(who, b.Change, readstate.Written{Version: after, Edit: b.Edit, Ground: readstate.Ground(ground), Touched: ranges(b.Written)})
}

// rulesOf are a profile's rules on what a change may rest on. A version that
// the caller states stands in for a read only where every line must have been
// seen; a call without a session is asked for nothing in elowen alone.
func rulesOf(set reeve.Settings) readstate.Rules {
	return readstate.Rules{Mode: set.ReadState, Version: set.ReadState == readstate.AllLines, Inert: set.Profile == "elowen"}
}

func ranges(list []guard.LineRange) []readstate.Range {
	out := make([]readstate.Range, len(list))
	for i, r := range list {
		out[i] = readstate.Range{From: r.From, To: r.To}
	}
	return out
}
