package mcpserver

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve/internal/dialect"
)

// surface is what the client can see, as of the last look at the policy.
type surface struct {
	mu     sync.Mutex
	known  bool
	facts  dialect.Facts
	failed string            // the last error of the source
	shown  map[string]string // tool name → its whole surface in JSON
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
	for i := range s.o.Dialect.Tools {
		t := &s.o.Dialect.Tools[i]
		if !f.Serves(t) {
			if _, ok := p.shown[t.Name]; ok {
				delete(p.shown, t.Name)
				s.mcp.RemoveTools(t.Name)
			}
			continue
		}
		tool, text, err := describe(t, f)
		if err != nil { // a fault in the dialect, which its tests find
			s.log(err.Error())
			continue
		}
		if p.shown[t.Name] != text {
			p.shown[t.Name] = text
			s.mcp.AddTool(tool, s.call)
		}
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

// describe makes the tool as clients see it, and the same as text.
func describe(t *dialect.Tool, f dialect.Facts) (*mcp.Tool, string, error) {
	schema, err := t.Schema(f.Settings)
	if err != nil {
		return nil, "", err
	}
	destructive, open := t.Destructive, t.OpenWorld
	tool := &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Prose.Description,
		InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{
			Title:           t.Label,
			ReadOnlyHint:    t.ReadOnly,
			DestructiveHint: &destructive,
			IdempotentHint:  t.Idempotent,
			OpenWorldHint:   &open,
		},
	}
	text, err := json.Marshal(tool)
	return tool, string(text), err
}
