package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
	"reeve/internal/dialect"
)

// call runs one tool. It never returns an error: what went wrong is for the
// model to read.
func (s *Server) call(ctx context.Context, req *mcp.CallToolRequest) (res *mcp.CallToolResult, _ error) {
	defer func() {
		if p := recover(); p != nil {
			s.log(fmt.Sprintf("fault in %s: %v (%s)", req.Params.Name, p, panicked()))
			res = s.refused(&reeve.Error{Op: req.Params.Name, Kind: reeve.IO, Code: reeve.Failed,
				What:    "there is a fault in Reeve",
				Not:     "There is no answer to this call.",
				Instead: "Tell the user; `reeve log` shows what was done before it."})
		}
	}()
	ctx, stop := bound(ctx)
	defer stop()
	subject, bad := s.subject(req)
	if err := s.enter(ctx); err != nil {
		return s.refused(s.atTheDoor(ctx, subject, s.unread(req), err)), nil
	}
	defer func() { <-s.slots }()

	tool, _ := s.o.Dialect.Tool(req.Params.Name)
	facts := s.refresh(ctx)
	call, err := tool.Decode(req.Params.Arguments, facts.Settings)
	if err == nil {
		err = bad
	}
	if err != nil {
		return s.refused(s.atTheDoor(ctx, subject, s.unread(req), err)), nil
	}
	r := reeve.Request{
		ID:      s.nextID(),
		Target:  reeve.Local,
		Subject: subject,
		Call:    call,
	}
	ctx, told := s.progress(ctx, req)
	defer told()
	end := s.settle(ctx, &asked{req: req, r: r, facts: facts})
	switch out := end.out; {
	case end.err != nil:
		res = s.refused(end.err)
	case end.input != nil:
		return end.input, nil
	case out.Pending != nil:
		res = s.pending(out.Pending, end.nobody, end.client)
	case out.Result == nil || out.Result.Answer == nil:
		panic("an outcome without an answer")
	default:
		text := tool.Render(*out.Result, dialect.Context{Call: call, Settings: facts.Settings, Session: subject.Session != ""})
		res = s.result(text, dialect.ResultMeta(*out.Result), false)
	}
	return noted(res, end.note), nil
}

// noted adds a line for the model after what it reads.
func noted(res *mcp.CallToolResult, note string) *mcp.CallToolResult {
	if note != "" {
		t := res.Content[0].(*mcp.TextContent)
		t.Text = strings.TrimRight(t.Text, "\n") + "\n" + note
	}
	return res
}

// bound ends the call's context with Run's.
func bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	here := runOf(ctx)
	if here == nil {
		return ctx, cancel
	}
	unhook := context.AfterFunc(here.ctx, cancel)
	return ctx, func() { unhook(); cancel() }
}

func (s *Server) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return cancelled("")
	}
}

func cancelled(op string) *reeve.Error {
	return &reeve.Error{Op: op, Kind: reeve.IO, Code: reeve.Cancelled,
		What: "the call was cancelled", Not: "There is no answer to it."}
}

func (s *Server) result(text string, meta dialect.Meta, failed bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Meta:    mcp.Meta{dialect.MetaKey: meta},
		Content: []mcp.Content{&mcp.TextContent{Text: text}},
		IsError: failed,
	}
}

// refused renders any error. A Doer returns *reeve.Error only; of another
// one the words stay here, since nobody has cleared them.
func (s *Server) refused(err error) *mcp.CallToolResult {
	e, ok := reeve.AsError(err)
	if !ok {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			e = cancelled("")
		} else {
			s.log("fault: an error of another kind: " + err.Error())
			e = &reeve.Error{Kind: reeve.IO, Code: reeve.Failed, What: "there is a fault in Reeve",
				Not: "There is no answer to this call.", Instead: "Tell the user."}
		}
	}
	return s.result(s.o.Dialect.Refusal(e), dialect.RefusalMeta(e), true)
}

// panicked is where the fault was, as file:line.
func panicked() string {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	for after := false; ; {
		f, more := frames.Next()
		if after && !strings.HasPrefix(f.Function, "runtime.") {
			return f.File[strings.LastIndexByte(f.File, '/')+1:] + ":" + strconv.Itoa(f.Line)
		}
		after = after || f.Function == "runtime.gopanic"
		if !more {
			return "?"
		}
	}
}
