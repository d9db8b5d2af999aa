package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
	"reeve/internal/dialect"
)

// maxMessage is the most that is ever written as one message, in bytes of
// JSON: common clients break on messages not much longer.
const maxMessage = 8 << 20

// envelope is what the protocol puts around a result, at most.
const envelopeBytes = 64 << 10

// answer is a tool result whose content is encoded once. The SDK's own way
// writes a text and then reads it through three more times.
type answer struct {
	*mcp.CallToolResult
	content  []byte // the content array
	complete bool   // this generation of the protocol wants a result type
	parcels  *parcels
}

// encoded puts a result into its final form. What would be too large to send
// becomes a refusal. Results of a shape that is not ours stay the SDK's.
func (s *Server) encoded(ctx context.Context, req *mcp.CallToolRequest, r *mcp.CallToolResult) mcp.Result {
	if r.InputRequests != nil || r.StructuredContent != nil || len(r.Content) != 1 {
		return r
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok || text.Meta != nil || text.Annotations != nil {
		return r
	}
	a := &answer{CallToolResult: r}
	if len(text.Text) <= maxMessage { // in JSON it only grows
		a.content = textContent(text.Text)
	}
	if len(a.content) > maxMessage-envelopeBytes || a.content == nil {
		r = s.refused(&reeve.Error{Op: req.Params.Name, Kind: reeve.IO, Code: reeve.TooLarge,
			What:    "the answer is larger than one message may be (8 MiB)",
			Not:     "It was not sent.",
			Instead: "Ask for less at once, with limit or a narrower path."})
		a.CallToolResult, a.content = r, textContent(r.Content[0].(*mcp.TextContent).Text)
	}
	if hello := req.Session.InitializeParams(); hello == nil || hello.ProtocolVersion >= "2026-07-28" {
		a.complete = true
	}
	if here := runOf(ctx); here != nil {
		a.parcels = here.parcels
	}
	return a
}

func textContent(text string) []byte {
	b := make([]byte, 0, len(text)+len(text)/8+64)
	b = append(b, `[{"type":"text","text":`...)
	b = dialect.AppendString(b, text)
	return append(b, `}]`...)
}

// MarshalJSON implements json.Marshaler. It is called once, by the SDK, when
// it makes the response.
func (a *answer) MarshalJSON() ([]byte, error) {
	meta, err := json.Marshal(a.Meta)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(a.content)+len(meta)+64)
	b = append(append(b, `{"_meta":`...), meta...)
	b = append(append(b, `,"content":`...), a.content...)
	if a.IsError {
		b = append(b, `,"isError":true`...)
	}
	if a.complete {
		b = append(b, `,"resultType":"complete"`...)
	}
	b = append(b, '}')
	if a.parcels != nil && len(b) >= worthAParcel {
		return a.parcels.put(b), nil
	}
	return b, nil
}
