package mcpserver

import (
	"bytes"
	"context"
	"sync"

	"reeve/internal/dialect"
)

// surface is what the client can see, as of the last look at the policy.
type surface struct {
	mu     sync.Mutex
	known  bool
	facts  dialect.Facts
	failed string            // the last error of the source
	shown  map[string][]byte // tool name → its whole surface in JSON
}

// refresh looks at the policy and tells clients when tools came, went or
// changed their limits. The facts in force are returned.
func (s *Server) refresh(ctx context.Context) dialect.Facts {
	f, err := s.o.Source.Facts(ctx)
	p := &s.surface
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		if ctx.Err() != nil {
			return p.facts
		}
		if err.Error() != p.failed {
			p.failed = err.Error()
			s.log("the policy cannot be read, so there are no tools: " + p.failed)
		}
		f = dialect.Facts{Settings: p.facts.Settings, Generation: p.facts.Generation}
	} else {
		p.failed = ""
	}
	if p.known && f.Generation == p.facts.Generation && f.Enabled == p.facts.Enabled {
		p.facts = f
		return f
	}
	p.known, p.facts = true, f
	changed := false
	for i := range s.o.Dialect.Tools {
		t := &s.o.Dialect.Tools[i]
		if !f.Serves(t) {
			if _, ok := p.shown[t.Name]; ok {
				delete(p.shown, t.Name)
				changed = true
			}
			continue
		}
		text, err := describe(t, f)
		if err != nil { // a fault in the dialect, which its tests find
			s.log(err.Error())
			continue
		}
		if !bytes.Equal(p.shown[t.Name], text) {
			p.shown[t.Name] = text
			changed = true
		}
	}
	if changed {
		s.announce()
	}
	return f
}

// listed reports whether the client can see the tool.
func (s *Server) listed(name string) bool {
	s.surface.mu.Lock()
	defer s.surface.mu.Unlock()
	_, ok := s.surface.shown[name]
	return ok
}
