package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
	"reeve/internal/dialect"
)

// methods stands before the SDK's own handling: it keeps the surface fresh,
// puts in instructions that fit the policy of this moment, and takes tool
// results into our own encoding.
func (s *Server) methods(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		deep(len(method))
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
			res, err := next(ctx, method, req)
			if r, ok := res.(*mcp.ListToolsResult); ok && err == nil {
				return s.listing(r, runOf(ctx)), nil
			}
			return res, err
		case "tools/call":
			if call, ok := req.(*mcp.CallToolRequest); ok {
				return s.callTool(ctx, method, call, next)
			}
		}
		return next(ctx, method, req)
	}
}

// deep makes the stack of a goroutine large enough for a message's work at
// once, while little is on it. Growing in steps copies what is on it each
// time, and to do so looks each function up in tables of the program's file:
// 200 KB of them are in memory then that nobody needs again.
//
//go:noinline
func deep(n int) byte {
	var room [12 << 10]byte
	room[n%len(room)] = 1 // or it would not be there
	return room[n/2%len(room)]
}

func (s *Server) callTool(ctx context.Context, method string, req *mcp.CallToolRequest, next mcp.MethodHandler) (mcp.Result, error) {
	name := req.Params.Name
	if _, ok := s.o.Dialect.Tool(name); !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: s.noTool(ctx, req)}
	}
	var res mcp.Result
	var err error
	if s.listed(name) {
		res, err = s.hand(ctx, method, req, next)
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

// noTool is the answer to a call of a tool that does not exist. The protocol
// wants it as an error of its own, without a tool's result.
func (s *Server) noTool(ctx context.Context, req *mcp.CallToolRequest) string {
	var names []string
	for _, t := range s.o.Dialect.Tools {
		if s.listed(t.Name) {
			names = append(names, t.Name)
		}
	}
	name := shownName(req.Params.Name)
	msg := fmt.Sprintf("There is no tool %q. Nothing was done. ", name)
	subject, _ := s.subject(req) // with a bad _meta, as far as it is known
	err := s.atTheDoor(ctx, subject, s.unread(req), &reeve.Error{Kind: reeve.Input, Code: reeve.Invalid,
		What: fmt.Sprintf("there is no tool %q", name), Not: "Nothing was done."})
	if e, ok := reeve.AsError(err); ok && e.Code == reeve.RecordFailed {
		msg += "This could not be put on record " + dialect.Mark(e) + ". "
	}
	if len(names) == 0 {
		return msg + "File access is off, so there are no tools."
	}
	return msg + "The tools are " + strings.Join(names, ", ") + "."
}
