package attack

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// Generation is a version of the protocol.
type Generation string

const (
	// Gen2025 opens with initialize and keeps a session.
	Gen2025 Generation = "2025-11-25"
	// Gen2026 has no handshake: every request carries its own version, client
	// and capabilities.
	Gen2026 Generation = "2026-07-28"
)

// LineOptions say how a LineClient behaves.
type LineOptions struct {
	Generation Generation // empty: Gen2025
	Name       string     // the client's name; empty: "attack"
	// Capabilities is what the client declares, as JSON; nil: none.
	Capabilities json.RawMessage
	// Answer replies to requests of the server (elicitation). Nil refuses
	// them as unknown methods.
	Answer func(method string, params json.RawMessage) (any, error)
	// Wait bounds Close: then the process is killed. 0 means 5 s.
	Wait time.Duration
	// MaxLine is the longest line taken, in bytes; 0 means 64 MiB.
	MaxLine int
	// Keep is how many lines the transcript holds at least, the latest ones;
	// 0 means 1,000.
	Keep int
}

// LineClient speaks MCP over a program's standard input and output, line by
// line and by hand, so that it can also say what no library would.
//
// It may be used by several goroutines at once.
type LineClient struct {
	o   LineOptions
	in  io.WriteCloser
	out io.Closer
	cmd *exec.Cmd // nil over a plain connection

	writing sync.Mutex
	mu      sync.Mutex
	next    int64
	waiting map[string]chan message
	ended   chan struct{}
	endErr  error
	log     []Line
	stderr  lockedBuffer
	closed  sync.Once
	closeEr error
}

// Line is one line of the transcript.
type Line struct {
	Sent bool // by the client
	Text []byte
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *RPCError       `json:"error"`
}

// RPCError is an error reply of the protocol itself.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Error gives code and message.
func (e *RPCError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// StartLine starts the program and reads its output until it ends. The
// command must not have been started, nor its input and output set; its
// standard error is kept unless it is set.
func StartLine(cmd *exec.Cmd, o LineOptions) (*LineClient, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := newLine(in, o)
	c.cmd, c.out = cmd, out
	if cmd.Stderr == nil {
		cmd.Stderr = &c.stderr
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go c.read(out)
	return c, nil
}

// DialLine speaks over a connection that is already there.
func DialLine(conn io.ReadWriteCloser, o LineOptions) *LineClient {
	c := newLine(conn, o)
	go c.read(conn)
	return c
}

func newLine(in io.WriteCloser, o LineOptions) *LineClient {
	if o.Generation == "" {
		o.Generation = Gen2025
	}
	if o.Name == "" {
		o.Name = "attack"
	}
	if len(o.Capabilities) == 0 {
		o.Capabilities = json.RawMessage("{}")
	}
	if o.Wait == 0 {
		o.Wait = 5 * time.Second
	}
	if o.Keep == 0 {
		o.Keep = 1000
	}
	if o.MaxLine == 0 {
		o.MaxLine = 64 << 20
	}
	return &LineClient{o: o, in: in, waiting: map[string]chan message{}, ended: make(chan struct{})}
}

// Open does the handshake of the generation (initialize and initialized, or
// server/discover) and gives the server's raw result.
func (c *LineClient) Open(ctx context.Context) (json.RawMessage, error) {
	if c.o.Generation >= Gen2026 {
		return c.Call(ctx, "server/discover", map[string]any{})
	}
	res, err := c.Call(ctx, "initialize", map[string]any{
		"protocolVersion": c.o.Generation, "clientInfo": c.info(), "capabilities": c.o.Capabilities,
	})
	if err != nil {
		return res, err
	}
	return res, c.Notify("notifications/initialized", map[string]any{})
}

func (c *LineClient) info() map[string]any {
	return map[string]any{"name": c.o.Name, "version": "1"}
}

// Call makes a request and waits for its result. The error is an *RPCError
// when the server answered with one. Under Gen2026 the fields that every
// request carries are put into params["_meta"], unless they are there.
func (c *LineClient) Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	c.mu.Lock()
	c.next++
	id := fmt.Sprint(c.next)
	reply := make(chan message, 1)
	c.waiting[id] = reply
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": c.meta(params)})
	if err != nil {
		return nil, err
	}
	if err := c.Raw(line); err != nil {
		return nil, err
	}
	got := func(m message) (json.RawMessage, error) {
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	}
	select {
	case m := <-reply:
		return got(m)
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), c.Notify("notifications/cancelled", map[string]any{"requestId": json.RawMessage(id)}))
	case <-c.ended:
		select {
		case m := <-reply:
			return got(m)
		default:
			return nil, c.endErr
		}
	}
}

func (c *LineClient) meta(params map[string]any) map[string]any {
	if c.o.Generation < Gen2026 {
		return params
	}
	out := map[string]any{}
	for k, v := range params {
		out[k] = v
	}
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    c.o.Generation,
		"io.modelcontextprotocol/clientInfo":         c.info(),
		"io.modelcontextprotocol/clientCapabilities": c.o.Capabilities,
	}
	if own, ok := params["_meta"].(map[string]any); ok {
		for k, v := range own {
			meta[k] = v
		}
	}
	out["_meta"] = meta
	return out
}

// Tool calls a tool and gives the raw result object.
func (c *LineClient) Tool(ctx context.Context, name string, args any) (json.RawMessage, error) {
	return c.Call(ctx, "tools/call", map[string]any{"name": name, "arguments": args})
}

// Notify sends a notification.
func (c *LineClient) Notify(method string, params map[string]any) error {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": c.meta(params)})
	if err != nil {
		return err
	}
	return c.Raw(line)
}

// Raw sends bytes as one line, whatever they are.
func (c *LineClient) Raw(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.note(true, line)
	_, err := c.in.Write(append(bytes.Clone(line), '\n'))
	return err
}

func (c *LineClient) note(sent bool, line []byte) {
	c.mu.Lock()
	if len(c.log) >= 2*c.o.Keep {
		c.log = append(c.log[:0], c.log[len(c.log)-c.o.Keep:]...)
	}
	c.log = append(c.log, Line{sent, bytes.Clone(line)})
	c.mu.Unlock()
}

func (c *LineClient) read(out io.Reader) {
	s := bufio.NewScanner(out)
	s.Buffer(make([]byte, 0, 64<<10), c.o.MaxLine)
	for s.Scan() {
		line := s.Bytes()
		c.note(false, line)
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue // it stands in the transcript
		}
		if m.Method == "" {
			c.mu.Lock()
			w := c.waiting[string(m.ID)]
			c.mu.Unlock()
			if w != nil {
				select {
				case w <- m:
				default: // answered twice; both stand in the transcript
				}
			}
			continue
		}
		if len(m.ID) > 0 {
			go c.answer(m.ID, m.Method, m.Params)
		}
	}
	c.endErr = s.Err()
	if c.endErr == nil {
		c.endErr = io.ErrUnexpectedEOF
	}
	close(c.ended)
}

func (c *LineClient) answer(id json.RawMessage, method string, params json.RawMessage) {
	reply := map[string]any{"jsonrpc": "2.0", "id": id}
	switch {
	case method == "ping":
		reply["result"] = map[string]any{}
	case c.o.Answer == nil:
		reply["error"] = map[string]any{"code": -32601, "message": "method not found"}
	default:
		v, err := c.o.Answer(method, params)
		if err != nil {
			reply["error"] = map[string]any{"code": -32603, "message": err.Error()}
		} else {
			reply["result"] = v
		}
	}
	line, err := json.Marshal(reply)
	if err == nil {
		// The server may have gone; the reader notices.
		_ = c.Raw(line)
	}
}

// Transcript gives the lines so far, in both directions; of a long talk the
// last LineOptions.Keep at least.
func (c *LineClient) Transcript() []Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Line(nil), c.log...)
}

// Stderr gives what the program has written to its standard error.
func (c *LineClient) Stderr() []byte { return c.stderr.bytes() }

// Close closes the program's input and waits for it to end; a program that
// does not is killed, and that is an error. It may be called again.
func (c *LineClient) Close() error {
	c.closed.Do(func() {
		c.closeEr = c.in.Close()
		if c.cmd == nil {
			return
		}
		kill := time.AfterFunc(c.o.Wait, func() {
			c.cmd.Process.Kill()
			// A child of its own may hold the output open for ever.
			time.AfterFunc(c.o.Wait, func() { c.out.Close() })
		})
		<-c.ended // Wait must not be called while its output is read
		err := c.cmd.Wait()
		if !kill.Stop() {
			err = errors.Join(errors.New("the program did not end when its input was closed, and was killed"), err)
		}
		c.closeEr = errors.Join(c.closeEr, err)
	})
	return c.closeEr
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.b.Bytes())
}
