package mcpserver

import (
	"context"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
	"reeve/internal/pathname"
)

// Refuser puts a refusal on record that the door made by itself, before there
// was anything for the Doer to judge. A Doer that is one gets them all. The
// error it gives is what the caller is told: the refusal, or that it could not
// be recorded. It is called by many goroutines, and not again for one call.
type Refuser interface {
	Refused(context.Context, reeve.Request, *reeve.Error) error
}

// atTheDoor records a refusal that no Doer has seen, and gives the one to be
// said. The call on record has paths and no other arguments.
func (s *Server) atTheDoor(ctx context.Context, sub reeve.Subject, c *reeve.Unread, err error) error {
	to, ok := s.o.Doer.(Refuser)
	e, known := reeve.AsError(err)
	if !ok || !known {
		return err
	}
	r := reeve.Request{ID: s.nextID(), Target: reeve.Local, Subject: sub, Call: c}
	if said := to.Refused(ctx, r, e); said != nil {
		return said
	}
	return e
}

// nextID names a call, for the record.
func (s *Server) nextID() string {
	return s.session[:8] + "-" + strconv.FormatUint(s.calls.Add(1), 10)
}

// unread is what stands on record of a call that was not taken.
func (s *Server) unread(req *mcp.CallToolRequest) *reeve.Unread {
	c := &reeve.Unread{Tool: reeve.Verb(shownName(req.Params.Name))}
	if tool, ok := s.o.Dialect.Tool(req.Params.Name); ok {
		s.surface.mu.Lock()
		set := s.surface.facts.Settings
		s.surface.mu.Unlock()
		c.Tool, c.Paths = tool.Verb, tool.Paths(req.Params.Arguments, set)
	}
	return c
}

// shownName is the name of a tool that does not exist, fit to be shown.
func shownName(name string) string {
	if len(name) > 64 {
		name = name[:64] + "…"
	}
	return pathname.Show(strings.ToValidUTF8(name, ""))
}
