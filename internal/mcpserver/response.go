package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"reeve/internal/dialect"
)

// encodeResponse does by hand what needs no second look: the result is JSON
// already.
func encodeResponse(r *jsonrpc.Response, result []byte) []byte {
	id := responseID(r.ID)
	if r.Error != nil {
		return errorReply(id, r.Error)
	}
	if len(result) > maxMessage-envelopeBytes/2 {
		return (&fault{id, jsonrpc.CodeInternalError, "The answer is larger than a message may be, so it was not sent."}).reply()
	}
	b := make([]byte, 0, len(result)+len(id)+48)
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = append(append(b, `,"result":`...), result...)
	return append(b, '}')
}

func responseID(id jsonrpc.ID) []byte {
	switch v := id.Raw().(type) {
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case string:
		return dialect.AppendString(nil, v)
	}
	return []byte("null")
}

// maxErrorText bounds what an error says. The SDK quotes what it was sent.
const maxErrorText = 400

func errorReply(id []byte, err error) []byte {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		// The SDK gives no code to what comes at the wrong moment.
		wire = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	}
	text := err.Error()
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	b := (&fault{id, wire.Code, text}).reply()
	if len(wire.Data) > 0 && len(wire.Data) < 8<<10 && json.Valid(wire.Data) {
		b = fmt.Appendf(b[:len(b)-2], `,"data":%s}}`, wire.Data)
	}
	return b
}
