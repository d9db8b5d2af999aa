package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve/internal/pathname"
)

// methods stands before the SDK's own handling: it keeps the surface fresh,
// puts in instructions that fit the policy of this moment, and takes tool
// results into our own encoding.
func (s *Server) methods(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "initialize", "server/discover":
			f := s.refresh(ctx)
			res, err := next(ctx, method, req)
			if err != nil {
				return nil, err
			}
			switch r := res.(type) {
			case *mcp.InitializeResult:
				r.Instructions = s.o.Dialect.Instructions(f)
			case *mcp.DiscoverResult:
				r.Instructions = s.o.Dialect.Instructions(f)
			}
			return res, nil
		case "tools/list":
			s.refresh(ctx)
		case "tools/call":
			if call, ok := req.(*mcp.CallToolRequest); ok {
				return s.callTool(ctx, method, call, next)
			}
		}
		return next(ctx, method, req)
	}
}

func (s *Server) callTool(ctx context.Context, method string, req *mcp.CallToolRequest, next mcp.MethodHandler) (mcp.Result, error) {
	name := req.Params.Name
	if _, ok := s.o.Dialect.Tool(name); !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: s.noTool(name)}
	}
	var res mcp.Result
	var err error
	if s.listed(name) {
		res, err = next(ctx, method, req)
	} else {
		// Switched off: the Doer says so, and it stands on record.
		res, err = s.call(ctx, req)
	}
	if err != nil {
		return nil, err
	}
	if r, ok := res.(*mcp.CallToolResult); ok {
		return s.encoded(ctx, req, r), nil
	}
	return res, nil
}

func (s *Server) noTool(name string) string {
	var names []string
	for _, t := range s.o.Dialect.Tools {
		if s.listed(t.Name) {
			names = append(names, t.Name)
		}
	}
	if len(name) > 64 {
		name = name[:64] + "…"
	}
	msg := fmt.Sprintf("There is no tool %q. Nothing was done. ", pathname.Show(strings.ToValidUTF8(name, "")))
	if len(names) == 0 {
		return msg + "File access is off, so there are no tools."
	}
	return msg + "The tools are " + strings.Join(names, ", ") + "."
}
