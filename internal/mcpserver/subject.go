package mcpserver

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reeve"
)

// What a client may tell about itself in a call's _meta.
const (
	sessionKey = "reeve/session"
	turnKey    = "reeve/turn"
)

const (
	agentBytes = 64
	idBytes    = 128
)

// subject says who asks. A session the client did not tell is this process.
func (s *Server) subject(req *mcp.CallToolRequest) (reeve.Subject, error) {
	sub := reeve.Subject{Kind: reeve.Agent, Door: "stdio", Agent: s.o.Agent,
		Session: s.session, Connection: s.session}
	if sub.Agent == "" {
		if info := req.ClientInfo(); info != nil {
			sub.Agent = agentName(info.Name)
		}
	}
	meta := req.Params.GetMeta()
	told, err := metaID(meta, sessionKey)
	if err != nil {
		return sub, err
	}
	if told != "" {
		sub.Session, sub.SessionTold = told, true
	}
	sub.Turn, err = metaID(meta, turnKey)
	return sub, err
}

// metaID reads a name that a client gave to a session or turn.
func metaID(meta map[string]any, key string) (string, error) {
	v, ok := meta[key]
	if !ok {
		return "", nil
	}
	id, ok := v.(string)
	if !ok || id == "" || len(id) > idBytes || strings.ContainsFunc(id, func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r)
	}) {
		return "", &reeve.Error{Kind: reeve.Input, Code: reeve.Invalid,
			What: `_meta["` + key + `"] must be a string of 1 to 128 bytes without control characters`,
			Not:  "Nothing was done."}
	}
	return id, nil
}

// agentName makes a client's own name fit for a record and a question:
// printable, on one line, short. Invisible and reordering characters go.
func agentName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, !unicode.IsPrint(r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name[:min(len(name), 4*agentBytes)])
	name = strings.Join(strings.Fields(name), " ")
	if len(name) > agentBytes {
		name = strings.ToValidUTF8(name[:agentBytes], "")
	}
	return name
}
