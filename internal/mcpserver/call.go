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
	if err := s.enter(ctx); err != nil {
		return s.refused(err), nil
	}
	defer func() { <-s.slots }()

	tool, _ := s.o.Dialect.Tool(req.Params.Name)
	facts := s.refresh(ctx)
	call, err := tool.Decode(req.Params.Arguments, facts.Settings)
	if err != nil {
		return s.refused(err), nil
	}
	subject, err := s.subject(req)
	if err != nil {
		return s.refused(err), nil
	}
	r := reeve.Request{
		ID:      s.session[:8] + "-" + strconv.FormatUint(s.calls.Add(1), 10),
		Target:  reeve.Local,
		Subject: subject,
		Call:    call,
	}
	ctx, told := s.progress(ctx, req)
	defer told()
	out, err := s.settle(ctx, r)
	switch {
	case err != nil:
		return s.refused(err), nil
	case out.Pending != nil:
		return s.result(s.o.Dialect.Refusal(dialect.Waiting(out.Pending)), dialect.PendingMeta(out.Pending), true), nil
	case out.Result == nil || out.Result.Answer == nil:
		panic("an outcome without an answer")
	}
	text := tool.Render(*out.Result, dialect.Context{Call: call, Settings: facts.Settings, Session: subject.Session != ""})
	return s.result(text, dialect.ResultMeta(*out.Result), false), nil
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
