package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzSession: whatever lines a client sends, the server ends well, answers a
// ping that comes after them, and writes nothing but whole messages.
func FuzzSession(f *testing.F) {
	const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}`
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a"},"_meta":{"progressToken":1}}}`
	for _, s := range []string{hello, hello + "\n" + call, call, hello + "\n[" + call + "]", `[[[`, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`,
		hello + "\n" + `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"x"}}`, hello + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		hello + "\n" + `{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{}}`, hello + "\n" + `{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		hello + "\n" + `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"},"inputResponses":{"a":{}},"requestState":"x"}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		// The ping must be a line of its own and have an id of its own.
		in = strings.ReplaceAll(in, "last-ping", "") + "\n" + `{"jsonrpc":"2.0","id":"last-ping","method":"ping"}`
		var out bytes.Buffer
		if err := New(options(answers)).Run(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		alive := false
		for line := range strings.Lines(out.String()) {
			var m any
			if !strings.HasSuffix(line, "\n") || json.Unmarshal([]byte(line), &m) != nil {
				t.Fatalf("%q: not a message: %q", in, line)
			}
			alive = alive || line == `{"jsonrpc":"2.0","id":"last-ping","result":{}}`+"\n"
		}
		if !alive {
			t.Fatalf("%q: no answer to the ping in %q", in, out.String())
		}
	})
}

// slow gives a stream in pieces of odd sizes.
type slow struct {
	r    io.Reader
	rand *rand.Rand
}

func (s *slow) Read(p []byte) (int, error) { return s.r.Read(p[:1+s.rand.IntN(len(p))]) }

func TestLinesAreCutAtTheirEndsHoweverTheyArrive(t *testing.T) {
	const limit = 200_000
	random := rand.New(rand.NewPCG(1, 2))
	var stream bytes.Buffer
	var want []int // lengths, -1 for too long
	for range 300 {
		n := random.IntN(300)
		switch random.IntN(20) {
		case 0:
			n = limit - 2 + random.IntN(5)
		case 1:
			n = 64<<10 - 3 + random.IntN(6)
		case 2:
			n = limit * 3
		}
		stream.WriteString(strings.Repeat("x", n) + "\n")
		if n > limit {
			n = -1
		}
		want = append(want, n)
	}
	l := newLineReader(&slow{&stream, random}, limit)
	for i, n := range want {
		m := l.next()
		switch {
		case m.err != nil:
			t.Fatalf("line %d: %v", i, m.err)
		case (m.long != nil) != (n < 0), n >= 0 && len(m.data) != n:
			t.Fatalf("line %d has %d bytes, long %v; want %d", i, len(m.data), m.long != nil, n)
		case m.long != nil && (len(m.long.head) != keptHead || len(m.long.tail) != keptTail):
			t.Fatalf("line %d kept %d and %d bytes of its ends", i, len(m.long.head), len(m.long.tail))
		}
	}
	if m := l.next(); m.err != io.EOF {
		t.Errorf("after the end: %+v", m)
	}
}
