package reeve

// SubjectKind says whose hand a request comes from.
type SubjectKind string

const (
	// Agent is a model and its client: never trusted with policy.
	Agent SubjectKind = "agent"
	// Owner is the person whose files these are. An owner skips being asked,
	// and nothing else.
	Owner SubjectKind = "owner"
)

// Subject is who is asking. The zero value is an unnamed agent without a
// session, which is the least trusted subject there is.
type Subject struct {
	Kind SubjectKind `json:"kind,omitempty"`
	// Agent is the client's name as its door knows it ("cli", "claude-code").
	Agent string `json:"agent,omitempty"`
	// Door is how the request came in: "stdio", "http", "cli", "library".
	Door string `json:"door,omitempty"`
	// Session keys the read state. Empty means no session, hence no read state.
	Session string `json:"session,omitempty"`
	// SessionTold is true when the client named the session itself. Only a
	// told session enters a proposal's digest: a door's own session ends with
	// its process, and an answer must outlive that.
	SessionTold bool `json:"session_told,omitempty"`
	// Turn keys the ledger of approvals. Empty means unknown, and an unknown
	// turn remembers nothing.
	Turn string `json:"turn,omitempty"`
	// Connection identifies the transport's connection where there is one.
	Connection string `json:"connection,omitempty"`
}

// IsOwner reports whether the subject is the owner. Anything else, the zero
// value included, is an agent.
func (s Subject) IsOwner() bool { return s.Kind == Owner }
