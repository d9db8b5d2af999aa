package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
)

// client is the cheapest there can be, so that what is measured is the
// server: it writes a fixed line and reads one back.
func benchClient(b *testing.B, run func(context.Context, io.ReadCloser, io.WriteCloser), line string) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() { run(ctx, inR, outW); close(done) }()
	lines := bufio.NewReaderSize(outR, 1<<20)
	talk := func(s string) int {
		if _, err := io.WriteString(inW, s); err != nil {
			b.Fatal(err)
		}
		n := 0
		for {
			part, err := lines.ReadSlice('\n')
			n += len(part)
			if err == nil {
				return n
			}
			if err != bufio.ErrBufferFull {
				b.Fatal(err)
			}
		}
	}
	talk(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n")
	b.ReportAllocs()
	for b.Loop() {
		talk(line)
	}
	b.StopTimer()
	inW.Close()
	outR.Close()
	stop()
	<-done
}

// lines of source text, about n bytes of it.
func source1(n int) []string {
	var out []string
	for size := 0; size < n; size += 46 {
		out = append(out, "\tif err := store.Put(\"key\", value); err != nil {")
	}
	return out
}

// BenchmarkCall compares the door, with a Doer that does nothing, with the
// SDK's own bare tool that returns the same text.
func BenchmarkCall(b *testing.B) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"/r/a"}}}` + "\n"
	for _, size := range []int{0, 2 << 10, 48 << 10} {
		ready := file("/r/a", source1(size)...)
		o := options(func(context.Context, reeve.Request) (reeve.Outcome, error) { return ready, nil })
		b.Run(fmt.Sprintf("reeve/%d", size), func(b *testing.B) {
			benchClient(b, func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) {
				_ = New(o).Run(ctx, in, out)
			}, call)
		})
		text := strings.Join(source1(size), "\n")
		b.Run(fmt.Sprintf("sdk/%d", size), func(b *testing.B) {
			benchClient(b, func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) {
				s := mcp.NewServer(&mcp.Implementation{Name: "bare"}, nil)
				s.AddTool(&mcp.Tool{Name: "read_file", InputSchema: json.RawMessage(`{"type":"object"}`)},
					func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
					})
				_ = s.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
			}, call)
		})
	}
}
