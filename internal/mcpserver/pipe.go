package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve/internal/dialect"
)

// pipe is our own transport: one message a line. The SDK's ends the whole
// connection on the first line that it cannot read.
type pipe struct {
	in      io.Reader
	out     io.Writer
	parcels *parcels
	// gone reports that the client has closed in, whatever is left unread
	// there; nil where nothing tells.
	gone func() bool
	// left is closed when the input has ended and the calls that ran have had
	// their time.
	left chan struct{}
}

// Connect implements mcp.Transport.
func (p *pipe) Connect(context.Context) (mcp.Connection, error) {
	c := &conn{in: p.in, out: p.out, parcels: p.parcels, gone: p.gone, left: p.left,
		room: make(chan struct{}, 1), lines: make(chan message), closed: make(chan struct{}),
		idle: make(chan struct{}, 1), running: map[jsonrpc.ID]bool{}, batches: map[jsonrpc.ID]*batch{}}
	go c.pump()
	return c, nil
}

// lastCalls is how long calls that are still running when the input ends may
// take to finish.
const lastCalls = 5 * time.Second

// A client that does not read its answers is not read from either: no call is
// taken while so many wait for their answers to be written, or so many bytes
// of answers wait. What was taken is never dropped.
const (
	maxUnanswered = 512
	maxUnsent     = 16 << 20
)

type conn struct {
	in      io.Reader
	out     io.Writer
	parcels *parcels
	gone    func() bool
	lines   chan message
	closed  chan struct{}
	once    sync.Once
	left    chan struct{}
	leave   sync.Once
	ended   atomic.Bool   // the input has ended
	unsent  atomic.Int64  // bytes that wait to be written
	room    chan struct{} // told when there may be room for a call

	// queue holds messages that were read and not yet handed on. Only Read
	// uses it.
	queue []jsonrpc.Message

	// writing keeps messages whole. It may be held for as long as the client
	// does not read, so nothing that reads waits for it, save to complain.
	writing sync.Mutex

	mu      sync.Mutex // guards what follows, and is never held for long
	running map[jsonrpc.ID]bool
	batches map[jsonrpc.ID]*batch
	busy    int           // calls whose answer is not written yet
	idle    chan struct{} // told when busy becomes 0
	hello   jsonrpc.ID    // of the initialize request
	version string        // that was agreed on, "" before
}

func (c *conn) pump() {
	deep(0)
	l := newLineReader(c.in, maxLine)
	for {
		m := l.next()
		if m.err != nil {
			c.ended.Store(true)
		}
		select {
		case c.lines <- m:
		case <-c.closed:
			return
		}
		if m.err != nil {
			return
		}
	}
}

// awaitRoom returns when one more call may be taken. It gives up when the
// connection is closed, or when the client has gone and nothing was written
// for as long as last calls may take.
func (c *conn) awaitRoom() error {
	for idle := time.Duration(0); ; {
		c.mu.Lock()
		full := c.busy >= maxUnanswered
		c.mu.Unlock()
		if !full && c.unsent.Load() < maxUnsent {
			return nil
		}
		select {
		case <-c.room:
			idle = 0
		case <-c.closed:
			return io.EOF
		case <-time.After(time.Second):
			if idle += time.Second; idle >= lastCalls && c.hungUp() {
				return io.EOF
			}
		}
	}
}

// watchWrite looks, while a write takes long, whether anybody is there to read
// it. The caller calls stop when the write has ended.
func (c *conn) watchWrite() (stop func()) {
	var mu sync.Mutex
	var t *time.Timer
	over := false
	mu.Lock()
	defer mu.Unlock()
	t = time.AfterFunc(lastCalls, func() {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case over:
		case c.hungUp():
			c.away()
		default:
			t.Reset(time.Second)
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		t.Stop()
	}
}

// hungUp: the client sends nothing any more.
func (c *conn) hungUp() bool { return c.ended.Load() || c.gone != nil && c.gone() }

// away tells Run that nobody waits for anything any more.
func (c *conn) away() {
	c.leave.Do(func() {
		if c.left != nil {
			close(c.left)
		}
	})
}

func (c *conn) made() {
	select {
	case c.room <- struct{}{}:
	default:
	}
}

// SessionID implements mcp.Connection.
func (c *conn) SessionID() string { return "" }

// Close implements mcp.Connection.
func (c *conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		if in, ok := c.in.(io.Closer); ok {
			in.Close()
		}
	})
	return nil
}

// Read implements mcp.Connection. It returns an error only when the input
// has ended: a line that is no message is answered, and the next one read.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			m := c.queue[0]
			c.queue = c.queue[1:]
			return m, nil
		}
		select {
		case <-c.closed:
			return nil, io.EOF
		case m := <-c.lines:
			if m.err != nil {
				c.finish()
				c.away()
				return nil, m.err
			}
			if err := c.take(m); err != nil {
				c.away()
				return nil, err
			}
		}
	}
}

// take queues what a line holds, or answers why it does not.
func (c *conn) take(m message) error {
	switch {
	case m.long != nil:
		return c.write(badMessage(longID(m.long), jsonrpc.CodeInvalidRequest,
			"The message is longer than %s bytes", dialect.Thousands(maxLine)).reply())
	case len(m.data) == 0:
		return nil
	case m.data[0] == '[':
		return c.takeBatch(m.data)
	}
	msg, bad := read(m.data)
	if bad != nil {
		return c.write(bad.reply())
	}
	// What is no call, a cancellation above all, gets through to here even
	// when there is no room.
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		if err := c.awaitRoom(); err != nil {
			return err
		}
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() && c.inUse(req.ID) {
		// The SDK would drop it without a word. The call that has the id
		// must not be taken for failed, so the id is not given here.
		return c.write(badMessage(nil, jsonrpc.CodeInvalidRequest, "The id %s is that of a call that is still running", responseID(req.ID)).reply())
	}
	c.enqueue(msg)
	return nil
}

// inUse reports whether a call with this id waits for its answer.
func (c *conn) inUse(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running[id]
}

func (c *conn) enqueue(msg jsonrpc.Message) {
	c.queue = append(c.queue, msg)
	req, ok := msg.(*jsonrpc.Request)
	// A subscription runs as long as the connection does.
	if !ok || !req.IsCall() || req.Method == "subscriptions/listen" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[req.ID] = true
	c.busy++
	if req.Method == "initialize" {
		c.hello = req.ID
	}
}

// finish waits for the calls that are still running: whoever pipes requests
// in and closes the input wants the answers.
func (c *conn) finish() {
	timer := time.NewTimer(lastCalls)
	defer timer.Stop()
	for {
		c.mu.Lock()
		n := c.busy
		c.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-c.idle:
		case <-timer.C:
			return
		case <-c.closed:
			return
		}
	}
}

// Write implements mcp.Connection.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		data, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return err
		}
		if len(data) > maxMessage {
			return nil // only a notification could be that large, and none is
		}
		return c.write(data)
	}
	data, counted := c.settle(resp, encodeResponse(resp, c.parcels.take(resp.Result)))
	var err error
	if data != nil {
		err = c.write(data)
	}
	if counted {
		c.mu.Lock()
		defer c.mu.Unlock()
		defer c.made()
		if c.busy--; c.busy == 0 {
			select {
			case c.idle <- struct{}{}:
			default:
			}
		}
	}
	return err
}

// settle strikes a call off before its answer is written, since the client
// may use the id again as soon as it has that. It gives what is to be
// written, nil while a batch is not complete, and whether the call was
// counted as busy.
func (c *conn) settle(resp *jsonrpc.Response, data []byte) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if resp.ID == c.hello && resp.Error == nil && c.version == "" {
		var hello struct{ ProtocolVersion string }
		if json.Unmarshal(resp.Result, &hello) == nil {
			c.version = hello.ProtocolVersion
		}
	}
	counted := c.running[resp.ID]
	delete(c.running, resp.ID)
	if b := c.batches[resp.ID]; b != nil {
		delete(c.batches, resp.ID)
		data = b.add(resp.ID, data)
	}
	return data, counted
}

// write writes one message as one line, in one piece. A client that has gone
// and left its end of the output open, unread, is not waited for.
func (c *conn) write(data []byte) error {
	c.unsent.Add(int64(len(data)))
	defer func() {
		c.unsent.Add(-int64(len(data)))
		c.made()
	}()
	c.writing.Lock()
	defer c.writing.Unlock()
	defer c.watchWrite()()
	_, err := c.out.Write(append(data, '\n'))
	return err
}
