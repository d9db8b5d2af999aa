package reeve

// IntentKind is what a verb wants to do with a path, known before any disk is
// touched.
type IntentKind string

const (
	IntentRead IntentKind = "read" // the bytes of a file
	IntentList IntentKind = "list" // the names in one folder
	IntentWalk IntentKind = "walk" // search below a folder
	IntentStat IntentKind = "stat" // the facts of the thing itself, links not followed

	IntentWrite  IntentKind = "write"  // new bytes for a file, which may not exist yet
	IntentMkdir  IntentKind = "mkdir"  // a folder, its parents included
	IntentRemove IntentKind = "remove" // the thing itself, links not followed
	IntentMove   IntentKind = "move"   // the thing itself, to Intent.To
)

// Intent is one thing a verb says it wants, from the request alone.
type Intent struct {
	Kind IntentKind `json:"kind"`
	// Path and To are as the caller wrote them: unparsed, unchecked.
	Path string `json:"path"`
	To   string `json:"to,omitempty"`
	// Parents allows missing parent folders to be made.
	Parents bool `json:"parents,omitempty"`
	// Tree lets a write put a whole folder there, where nothing is yet: the
	// changes below the place are judged one by one when they are proposed.
	Tree bool `json:"tree,omitempty"`
	// Optional intents that are refused do not fail the call: the verb is
	// shown the refusal instead (one of several paths of a read).
	Optional bool `json:"optional,omitempty"`
}

// Follows reports whether the last component is followed when it is a link.
func (k IntentKind) Follows() bool {
	switch k {
	case IntentStat, IntentRemove, IntentMove:
		return false
	}
	return true
}

// Changes reports whether the intent is to alter anything.
func (k IntentKind) Changes() bool {
	switch k {
	case IntentWrite, IntentMkdir, IntentRemove, IntentMove:
		return true
	}
	return false
}

// EffectKind is what would happen to a place. Policy, approvals, ledger and
// record speak of effects, never of tool names.
type EffectKind string

const (
	EffectRead    EffectKind = "read"
	EffectList    EffectKind = "list"
	EffectCreate  EffectKind = "create"
	EffectReplace EffectKind = "replace"
	EffectRemove  EffectKind = "remove"
	EffectMove    EffectKind = "move"
	EffectMkdir   EffectKind = "mkdir"
	EffectSend    EffectKind = "send"
)

// EffectKinds lists every effect, in the order that explain shows them.
func EffectKinds() []EffectKind {
	return []EffectKind{EffectRead, EffectList, EffectCreate, EffectReplace,
		EffectMkdir, EffectMove, EffectRemove, EffectSend}
}

// Changes reports whether the effect alters anything or leaves the computer.
func (k EffectKind) Changes() bool { return k != EffectRead && k != EffectList }

// Effect is an intent once the place is known.
type Effect struct {
	Kind  EffectKind `json:"kind"`
	Place Place      `json:"place"`
	// To is the other end of a move or a send.
	To *Place `json:"to,omitempty"`
}

// Verdict is what policy says to one effect.
type Verdict string

const (
	// Refuse is the zero value's meaning too: an empty verdict never allows.
	Refuse Verdict = "refuse"
	Ask    Verdict = "ask"
	Allow  Verdict = "allow"
)

// Decision is a verdict with the rule that gave it.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	// Rule names the deciding rule, stable enough to be recorded ("protected:
	// ~/.ssh", "root: read", "approvals: create").
	Rule string `json:"rule"`
	// Reason is a plain sentence fragment for people and models.
	Reason string `json:"reason,omitempty"`
	Code   Code   `json:"code,omitempty"`
	// HumanOnly questions are never answered by the agent's own client.
	HumanOnly bool `json:"human_only,omitempty"`
	// Remember allows the answer to be kept in the ledger for the turn.
	Remember bool `json:"remember,omitempty"`
	// Tell is what a question must say beyond the change itself, a whole
	// sentence: that it is a control file, what a folder holds.
	Tell string `json:"tell,omitempty"`
	// Fix is the one command with which the owner could allow it, if any.
	Fix string `json:"fix,omitempty"`
}
