package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
	"reeve/internal/dialect"
)

// Source tells what policy is in force. It is asked before every call and
// every few seconds, so it must be quick; it is called by many goroutines.
// An error switches the tools off until it is gone.
type Source interface {
	Facts(context.Context) (dialect.Facts, error)
}

// Waiter waits on the owner's own channels for the answer to a question. It
// returns nil when the same request should be made again, and an error when
// nobody answered: ctx's own when that is done, or one of code no_channel when
// there is nobody to ask. It never retries and never answers by itself.
type Waiter interface {
	Wait(context.Context, reeve.Pending) error
}

// Options of a Server. Doer, Dialect and Source are required.
type Options struct {
	Doer    reeve.Doer
	Dialect *dialect.Dialect
	Source  Source
	// Version of Reeve, for serverInfo.
	Version string
	// Agent is the name to record calls under. Empty means the name that
	// the client gives itself.
	Agent string
	// Waiter is where the owner may answer while a call waits. Nil waits on
	// nothing: a question ends the call at once.
	Waiter Waiter
	// WaitFor bounds that wait where the Source says nothing of it. Zero means
	// 45 s: many clients give up at 60.
	WaitFor time.Duration
	// Answers and Tickets let the agent's own client show a question that
	// reached nobody else, and bring its answer; with one of them nil it is
	// never asked.
	Answers Answers
	Tickets Tickets
	// GivenUp is told of a question whose call was cancelled. It waits on, for
	// the same call made again. Nil tells nobody.
	GivenUp func(ctx context.Context, id string)
	// Watch is how often the policy is looked at while nobody calls, so that
	// a client hears when tools come or go. Zero means 3 s, less than zero
	// never.
	Watch time.Duration
	// Calls bounds the calls that run at once; further ones wait. Zero means
	// 256.
	Calls int
	// Gone reports that the client has closed its end of Run's input, whatever
	// is left unread in it. Nil where nothing tells: a client that goes while
	// it has unread answers and unread requests is then noticed when its end
	// of the output closes.
	Gone func() bool
	// Log takes short lines for stderr. Nil drops them.
	Log func(line string)
}

// Server is the door. It is safe for concurrent use.
type Server struct {
	o       Options
	mcp     *mcp.Server
	session string // of this process
	calls   atomic.Uint64
	slots   chan struct{}
	surface surface
	clients clients
}

// New makes a server. It panics when a required option is missing, which is
// a fault of the program that calls it.
func New(o Options) *Server {
	if o.Doer == nil || o.Dialect == nil || o.Source == nil {
		panic("mcpserver: Doer, Dialect and Source are required")
	}
	if o.WaitFor <= 0 {
		o.WaitFor = 45 * time.Second
	}
	if o.Watch == 0 {
		o.Watch = 3 * time.Second
	}
	if o.Calls <= 0 {
		o.Calls = 256
	}
	s := &Server{o: o, session: token(), slots: make(chan struct{}, o.Calls)}
	s.mcp = mcp.NewServer(
		&mcp.Implementation{Name: "reeve", Title: "Reeve", Version: o.Version},
		&mcp.ServerOptions{
			// Nothing is advertised that is not there. Tools are, even when
			// there are none at the moment: they may come.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
				c.TTLMs, c.CacheScope = 0, "private"
			},
		})
	s.surface.shown = map[string][]byte{}
	s.mcp.AddReceivingMiddleware(s.methods)
	return s
}

// goodbye is how long Run waits for calls that do not heed the end.
const goodbye = 3 * time.Second

// Run serves one client over a pipe until the client leaves (nil), ctx is
// done (ctx.Err()) or a pipe breaks (its error). Only protocol messages are written
// to out. Calls that run when in ends may finish within a few seconds. in is
// closed at the end if it can be, to end a waiting read; out is not.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	s.refresh(ctx)
	if s.o.Watch > 0 {
		background.Go(func() { s.watch(ctx) })
	}
	done, left := make(chan error, 1), make(chan struct{})
	here := &run{ctx: ctx, parcels: &parcels{}}
	go func() {
		done <- s.mcp.Run(context.WithValue(ctx, runKey{}, here),
			&pipe{in: in, out: out, parcels: here.parcels, gone: s.o.Gone, left: left})
	}()
	select {
	case err := <-done:
		return s.ended(err)
	case <-left:
		select {
		case err := <-done:
			return s.ended(err)
		case <-time.After(time.Second):
			s.log("the client left while answers to it were not written")
			return nil
		}
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return s.ended(err)
	case <-time.After(goodbye):
		s.log("stopped while calls were still running")
		return ctx.Err()
	}
}

// ended: a client that leaves is no error, whichever end of the pipe it
// closes first.
func (s *Server) ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (s *Server) watch(ctx context.Context) {
	t := time.NewTicker(s.o.Watch)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.refresh(ctx)
		}
	}
}

const logBytes = 300

func (s *Server) log(line string) {
	if s.o.Log == nil {
		return
	}
	line = strings.Join(strings.Fields(line), " ")
	if len(line) > logBytes {
		line = strings.ToValidUTF8(line[:logBytes], "") + "…"
	}
	s.o.Log(line)
}

func token() string {
	var b [12]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
