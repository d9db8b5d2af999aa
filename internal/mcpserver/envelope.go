package mcpserver

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"reeve/internal/dialect"
)

const (
	// maxNesting is less than what makes the SDK give up, so that the words
	// are ours.
	maxNesting = 500
	maxID      = 512 // bytes of an id in JSON
	maxName    = 128 // bytes of a tool's name
)

// fault is a message that could not be taken, and how to say so.
type fault struct {
	id   []byte // as it stood in the message, nil if it is not known
	code int64
	text string
}

func badMessage(id []byte, code int64, format string, args ...any) *fault {
	return &fault{id, code, fmt.Sprintf(format, args...) + ". Nothing was done."}
}

// reply is the fault as a message.
func (f *fault) reply() []byte {
	id := f.id
	if id == nil {
		id = []byte("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"error":{"code":`...)
	b = strconv.AppendInt(b, f.code, 10)
	b = append(b, `,"message":`...)
	b = dialect.AppendString(b, f.text)
	return append(b, "}}"...)
}

// read takes one message apart. What the protocol does not allow is a fault
// here, before the SDK sees it: there it would end the connection, or be
// passed over in silence.
func read(data []byte) (jsonrpc.Message, *fault) {
	if data[0] != '{' {
		if json.Valid(data) {
			return nil, badMessage(nil, jsonrpc.CodeInvalidRequest, "A message must be a JSON object")
		}
		return nil, badMessage(nil, jsonrpc.CodeParseError, "The line is not JSON")
	}
	members, depth, err := dialect.Split(data)
	if err != nil {
		return nil, badMessage(nil, jsonrpc.CodeParseError, "The line is not JSON: %v", err)
	}
	var at struct{ version, id, method, params, result, err *dialect.Member }
	var twice string
	for i := range members {
		m := &members[i]
		var slot **dialect.Member
		switch m.Key {
		case "jsonrpc":
			slot = &at.version
		case "id":
			slot = &at.id
		case "method":
			slot = &at.method
		case "params":
			slot = &at.params
		case "result":
			slot = &at.result
		case "error":
			slot = &at.err
		default:
			continue
		}
		if *slot != nil {
			twice = m.Key
		}
		*slot = m
	}
	id, rawID, ok := readID(at.id)
	invalid := func(format string, args ...any) (jsonrpc.Message, *fault) {
		return nil, badMessage(rawID, jsonrpc.CodeInvalidRequest, format, args...)
	}
	switch {
	case twice == "id":
		rawID = nil
		return invalid("%q is given twice", twice)
	case twice != "":
		return invalid("%q is given twice", twice)
	case !ok:
		return invalid("An id must be a string or a whole number below 2^53")
	case at.version == nil || string(at.version.Raw) != `"2.0"`:
		return invalid(`"jsonrpc" must be "2.0"`)
	case depth > maxNesting:
		return invalid("The message nests deeper than %d levels", maxNesting)
	}
	if at.method == nil {
		if rawID == nil || at.result == nil && at.err == nil {
			return invalid("The message has no method")
		}
		return readResponse(id, at.result, at.err), nil
	}
	if at.method.Type != dialect.String {
		return invalid(`"method" must be a string`)
	}
	method, flaw := dialect.Text(at.method.Raw)
	if flaw != dialect.Sound || len(method) > maxName {
		return invalid("The method is no name")
	}
	req := &jsonrpc.Request{ID: id, Method: method}
	if at.params != nil {
		if at.params.Type != dialect.Object {
			return nil, badMessage(rawID, jsonrpc.CodeInvalidParams, `"params" must be an object`)
		}
		if why := checkParams(method, at.params.Raw); why != "" {
			return nil, badMessage(rawID, jsonrpc.CodeInvalidParams, "%s", why)
		}
		req.Params = at.params.Raw
	}
	return req, nil
}

// readID gives an id for the SDK and as it was written. Absent is fine, null
// is not.
func readID(m *dialect.Member) (id jsonrpc.ID, raw []byte, ok bool) {
	if m == nil {
		return id, nil, true
	}
	if len(m.Raw) > maxID {
		return id, nil, false
	}
	var v any
	switch m.Type {
	case dialect.String:
		s, flaw := dialect.Text(m.Raw)
		if flaw != dialect.Sound {
			return id, nil, false
		}
		v = s
	case dialect.Number:
		f, err := strconv.ParseFloat(string(m.Raw), 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
			return id, nil, false
		}
		v = f
	default:
		return id, nil, false
	}
	id, err := jsonrpc.MakeID(v)
	return id, m.Raw, err == nil
}

func readResponse(id jsonrpc.ID, result, failed *dialect.Member) *jsonrpc.Response {
	r := &jsonrpc.Response{ID: id}
	if failed == nil {
		r.Result = result.Raw
		return r
	}
	e := &jsonrpc.Error{}
	if json.Unmarshal(failed.Raw, e) != nil || e.Message == "" {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client failed"}
	}
	r.Error = e
	return r
}

// checkParams looks at the outer shape of a call's parameters, where the
// SDK's own words would quote them whole.
func checkParams(method string, raw []byte) string {
	members, seen, why := once(raw)
	if why != "" {
		return why
	}
	for _, m := range members {
		switch {
		case m.Key == "_meta":
			if m.Type != dialect.Object {
				return `"_meta" must be an object`
			}
			if _, _, why := once(m.Raw); why != "" {
				return why
			}
		case method != "tools/call":
		case m.Key == "name" && (m.Type != dialect.String || len(m.Raw) > maxName):
			return `"name" must be the name of a tool`
		}
	}
	if method == "tools/call" && !seen["name"] {
		return `"name" is missing: say which tool to call`
	}
	return ""
}

// once takes an object apart in which no key may stand twice: of two, the
// one that was checked might not be the one that is used.
func once(raw []byte) (members []dialect.Member, seen map[string]bool, why string) {
	members, _, err := dialect.Split(raw)
	if err != nil {
		return nil, nil, "The params are not JSON"
	}
	seen = make(map[string]bool, len(members))
	for _, m := range members {
		switch {
		case seen[m.Key] && len(m.Key) > maxName:
			return nil, nil, "A key is given twice"
		case seen[m.Key]:
			return nil, nil, fmt.Sprintf("%q is given twice", m.Key)
		}
		seen[m.Key] = true
	}
	return members, seen, ""
}
