package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve/internal/dialect"
)

// The SDK reads the schema of each tool that it is given twice, through
// buffers of its own and into values that nobody uses: a third of the memory
// of a start. So it is given one tool that stands for all of them. The list
// that clients see is made here, and a call is handed on under that one name.

// standIn is the name of the one tool.
const standIn = "reeve"

// announce gives the SDK its tool. Every time but the first it tells clients
// that the list has changed.
func (s *Server) announce() {
	s.mcp.AddTool(&mcp.Tool{Name: standIn, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if meant, ok := ctx.Value(meantKey{}).(*mcp.CallToolRequest); ok {
				req = meant
			}
			return s.call(ctx, req)
		})
}

type meantKey struct{}

// hand lets the SDK make the call: it knows how a result that asks the client
// something must look.
func (s *Server) hand(ctx context.Context, method string, req *mcp.CallToolRequest, next mcp.MethodHandler) (mcp.Result, error) {
	under, params := *req, *req.Params
	params.Name = standIn
	under.Params = &params
	return next(context.WithValue(ctx, meantKey{}, req), method, &under)
}

// describe is the tool as clients see it, in JSON.
func describe(t *dialect.Tool, f dialect.Facts) ([]byte, error) {
	s, err := t.Surface(f.Settings)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(s.Description)+len(s.InputSchema)+512)
	b = dialect.AppendString(append(b, `{"name":`...), s.Name)
	b = dialect.AppendString(append(b, `,"title":`...), s.Title)
	b = dialect.AppendString(append(b, `,"description":`...), s.Description)
	b = append(append(b, `,"inputSchema":`...), s.InputSchema...)
	a := s.Annotations
	b = dialect.AppendString(append(b, `,"annotations":{"title":`...), a.Title)
	b = strconv.AppendBool(append(b, `,"readOnlyHint":`...), a.ReadOnlyHint)
	b = strconv.AppendBool(append(b, `,"destructiveHint":`...), a.DestructiveHint)
	b = strconv.AppendBool(append(b, `,"idempotentHint":`...), a.IdempotentHint)
	b = strconv.AppendBool(append(b, `,"openWorldHint":`...), a.OpenWorldHint)
	return append(b, "}}"...), nil
}

// listing is a list of tools whose entries are JSON already.
type listing struct {
	*mcp.ListToolsResult
	tools   [][]byte
	parcels *parcels
}

// listing puts the tools as clients see them, by name, into the SDK's list.
func (s *Server) listing(r *mcp.ListToolsResult, here *run) *listing {
	l := &listing{ListToolsResult: r}
	if here != nil {
		l.parcels = here.parcels
	}
	if len(r.Tools) == 0 { // a page after the last
		return l
	}
	s.surface.mu.Lock()
	defer s.surface.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.surface.shown)) {
		l.tools = append(l.tools, s.surface.shown[name])
	}
	return l
}

// noTools is how the SDK writes a list without any.
const noTools = `"tools":[]}`

// MarshalJSON implements json.Marshaler. It is called once, by the SDK, when
// it makes the response.
func (l *listing) MarshalJSON() ([]byte, error) {
	bare := *l.ListToolsResult
	bare.Tools = []*mcp.Tool{}
	around, err := json.Marshal(&bare)
	if err != nil {
		return nil, err
	}
	head, ok := bytes.CutSuffix(around, []byte(noTools))
	if !ok {
		return nil, errors.New("the list of tools has another form than expected")
	}
	size := len(around)
	for _, t := range l.tools {
		size += len(t) + 1
	}
	b := append(make([]byte, 0, size), head...)
	b = append(b, noTools[:len(noTools)-2]...)
	for i, t := range l.tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t...)
	}
	b = append(b, "]}"...)
	if l.parcels != nil && len(b) >= worthAParcel {
		return l.parcels.put(b), nil
	}
	return b, nil
}
