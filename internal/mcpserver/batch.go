package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"reeve/internal/dialect"
)

// maxBatch bounds the messages of one batch.
const maxBatch = 100

// noBatches is the first version of the protocol without batches.
const noBatches = "2025-06-18"

// batch collects the answers to messages that came as one array: they go
// back as one array, when the last is there.
type batch struct {
	waiting int
	parts   [][]byte
	size    int
}

// add takes an answer and, if it was the last one, gives the whole. An
// answer that no longer fits a message is replaced by saying so.
func (b *batch) add(id jsonrpc.ID, data []byte) []byte {
	b.waiting--
	if b.size+len(data) > maxMessage-envelopeBytes {
		data = (&fault{responseID(id), jsonrpc.CodeInternalError,
			"The answers to the batch are larger than a message may be. Ask for this one by itself."}).reply()
	}
	b.put(data)
	if b.waiting > 0 {
		return nil
	}
	return b.whole()
}

func (b *batch) put(data []byte) {
	b.parts = append(b.parts, data)
	b.size += len(data) + 1
}

func (b *batch) whole() []byte {
	out := make([]byte, 0, b.size+2)
	out = append(out, '[')
	for i, p := range b.parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, p...)
	}
	return append(out, ']')
}

// takeBatch reads an array of messages, where the agreed version has them.
func (c *conn) takeBatch(data []byte) error {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	list, err := dialect.SplitArray(data, maxBatch)
	var bad *fault
	switch {
	case err != nil:
		bad = badMessage(nil, jsonrpc.CodeParseError, "The line is not JSON: %v", err)
	case version >= noBatches:
		bad = badMessage(nil, jsonrpc.CodeInvalidRequest, "This version of the protocol has no batches. Send each message on a line of its own")
	case len(list) == 0 || len(list) > maxBatch:
		bad = badMessage(nil, jsonrpc.CodeInvalidRequest, "A batch must hold 1 to %d messages", maxBatch)
	}
	if bad != nil {
		return c.write(bad.reply())
	}
	b := &batch{}
	var calls []jsonrpc.ID
	for _, v := range list {
		msg, bad := read(v.Raw)
		if bad != nil {
			b.put(bad.reply())
			continue
		}
		if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
			c.mu.Lock()
			taken := c.batches[req.ID] != nil || c.running[req.ID]
			if !taken {
				c.batches[req.ID] = b
			}
			c.mu.Unlock()
			switch {
			case taken:
				b.put(badMessage(nil, jsonrpc.CodeInvalidRequest, "An id is in use already").reply())
				continue
			case req.Method == "subscriptions/listen", req.Method == "initialize":
				c.mu.Lock()
				delete(c.batches, req.ID)
				c.mu.Unlock()
				b.put(badMessage(responseID(req.ID), jsonrpc.CodeInvalidRequest, "%q cannot stand in a batch", req.Method).reply())
				continue
			}
			calls = append(calls, req.ID)
		}
		c.enqueue(msg)
	}
	if b.waiting = len(calls); b.waiting == 0 && len(b.parts) > 0 {
		return c.write(b.whole())
	}
	return nil
}
