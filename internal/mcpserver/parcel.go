package mcpserver

import (
	"bytes"
	"context"
	"strconv"
	"sync"
)

// The SDK reads whatever it is given as JSON through once more before it
// hands it to the transport, byte by byte: half of what a full page costs.
// Large answers therefore travel past it. What goes through is a ticket, and
// the pipe, which is ours too, puts the answer in its place.

// worthAParcel is from where on it pays.
const worthAParcel = 1 << 10

const ticketHead, ticketTail = `{"reeve/parcel":`, `}`

// parcels are the answers of one pipe that are on their way. They are gone
// with the pipe.
type parcels struct {
	mu   sync.Mutex
	last uint64
	held map[uint64][]byte
}

// put keeps an answer and gives the ticket for it.
func (p *parcels) put(body []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		p.held = map[uint64][]byte{}
	}
	p.last++
	p.held[p.last] = body
	return append(strconv.AppendUint([]byte(ticketHead), p.last, 10), ticketTail...)
}

// take gives what a result stands for: the answer of a ticket, once, or the
// result itself.
func (p *parcels) take(result []byte) []byte {
	s, ok := bytes.CutPrefix(result, []byte(ticketHead))
	if !ok {
		return result
	}
	s, ok = bytes.CutSuffix(s, []byte(ticketTail))
	if !ok {
		return result
	}
	n, err := strconv.ParseUint(string(s), 10, 64)
	if err != nil {
		return result
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	body, ok := p.held[n]
	if !ok {
		return result
	}
	delete(p.held, n)
	return body
}

// run is what handlers know of the Run that they serve. The SDK keeps the
// end of a context from them, but not its values.
type run struct {
	ctx     context.Context
	parcels *parcels
}

type runKey struct{}

func runOf(ctx context.Context) *run {
	r, _ := ctx.Value(runKey{}).(*run)
	return r
}
