package reeve

import (
	"encoding/json"
	"strings"
)

// Text is text that has passed the gate: policy, redaction and the byte
// budget have acted on it. Results carry their text and names in this type,
// and only the gate's Reply makes one from a string, so that no surface can
// show what was not checked. It is always valid UTF-8.
type Text struct{ s string }

// Cleared makes a Text. Only internal/guard may call it; repotest fails the
// build when anything else does. Bytes that are not UTF-8 become U+FFFD; what
// has to show them escapes them before.
func Cleared(s string) Text { return Text{strings.ToValidUTF8(s, "\uFFFD")} }

// String gives the text for rendering.
func (t Text) String() string { return t.s }

// IsZero reports an empty text.
func (t Text) IsZero() bool { return t.s == "" }

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.s) }

// UnmarshalJSON takes a text that another computer's gate has cleared.
func (t *Text) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &t.s) }
