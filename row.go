package reeve

import "time"

// Row is one line of the record: what was asked, decided and done. The
// segment adds number, chain and process. Paths are in the shown form.
type Row struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"` // call, intent, outcome, answer, root, policy, start, stop
	Call    string    `json:"call,omitempty"`
	Target  Target    `json:"target,omitempty"`
	Subject Subject   `json:"subject,omitzero"`
	Verb    Verb      `json:"verb,omitempty"`
	// Effects are real places; what was asked but never became a place (it
	// was outside, or the request was malformed) stands in Asked, bounded.
	Effects []RowEffect `json:"effects,omitempty"`
	Asked   []string    `json:"asked,omitempty"`
	// Verdict, Rule and Code are the decision that settled the call.
	Verdict Verdict `json:"verdict,omitempty"`
	Rule    string  `json:"rule,omitempty"`
	Kind    Kind    `json:"kind,omitempty"`
	Code    Code    `json:"code,omitempty"`
	// Sent is what left: bytes of text, and lines and files it came from.
	Bytes  int64         `json:"bytes,omitempty"`
	Lines  int64         `json:"lines,omitempty"`
	Files  int           `json:"files,omitempty"`
	Digest string        `json:"digest,omitempty"`
	Took   time.Duration `json:"took,omitempty"`
	Note   string        `json:"note,omitempty"`
	// Patch is a change as a unified diff, bounded, in the row that tells what
	// came of it.
	Patch string `json:"patch,omitempty"`
}

// RowEffect is one effect in a row.
type RowEffect struct {
	Kind EffectKind `json:"kind"`
	Path string     `json:"path"`
	To   string     `json:"to,omitempty"`
	// Before is the version token before a change, After the one after it.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Temp is the hidden name that the commit uses for a moment: what a start
	// after a power cut looks for.
	Temp string `json:"temp,omitempty"`
	// Refused is why this one of several was not done, by Rule; the path is
	// then as it was asked for.
	Refused Code   `json:"refused,omitempty"`
	Rule    string `json:"rule,omitempty"`
}
