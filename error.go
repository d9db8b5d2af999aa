package reeve

import (
	"errors"
	"strings"
)

// Kind is the family of an error. It says what the caller should do: stop
// (Policy), ask a person (Approval), mend the arguments (Input), or look at
// the system's own word (IO). Match with errors.Is(err, reeve.Policy).
type Kind string

const (
	Policy   Kind = "policy"
	Approval Kind = "approval"
	IO       Kind = "io"
	Input    Kind = "input"
)

// Error lets a Kind be the target of errors.Is.
func (k Kind) Error() string { return string(k) }

// Code is the exact reason, stable across releases and computers. Match with
// errors.Is(err, reeve.NotFound).
type Code string

const (
	OutsideRoots  Code = "outside_roots"
	Protected     Code = "protected"
	ReeveOwn      Code = "reeve_own"
	PseudoFS      Code = "pseudo_filesystem"
	ReadOnlyRoot  Code = "read_only_root"
	RootSuspended Code = "root_suspended"
	HoldsRoot     Code = "holds_root" // a folder with a granted folder in it
	LinkOutside   Code = "link_outside"
	TooManyLinks  Code = "too_many_links"
	Disabled      Code = "disabled"
	NotRead       Code = "not_read"
	Changed       Code = "changed"
	Ambiguous     Code = "ambiguous"
	NoMatch       Code = "no_match" // the text to be replaced is not in the file
	NotFound      Code = "not_found"
	Exists        Code = "exists"
	NotDirectory  Code = "not_a_directory"
	IsDirectory   Code = "is_a_directory"
	NotEmpty      Code = "not_empty"
	SpecialFile   Code = "special_file"
	Permission    Code = "permission"
	Cancelled     Code = "cancelled"
	Timeout       Code = "timeout"
	MountDead     Code = "mount_not_answering"
	Busy          Code = "busy" // too many calls of this kind run at the moment
	TooLarge      Code = "too_large"
	NoSpace       Code = "no_space"
	Binary        Code = "binary"
	Encoding      Code = "encoding" // the file's bytes are in an encoding that cannot be kept
	Declined      Code = "declined"
	NoChannel     Code = "no_channel"
	Waiting       Code = "waiting"
	BadAnswer     Code = "bad_answer" // an answer that belongs to another question, or is used up
	Invalid       Code = "invalid_argument"
	Damaged       Code = "damaged" // what Reeve kept is no longer what it was
	RecordFailed  Code = "record_failed"
	// OutcomeUnknown: a change had begun when its file system stopped answering.
	OutcomeUnknown Code = "outcome_unknown"
	Failed         Code = "failed" // the system's own word is in Cause

	LocalRootDenied    Code = "LOCAL_FS_ROOT_DENIED"
	LocalExecutionLost Code = "LOCAL_EXECUTION_LOST"
)

// Error lets a Code be the target of errors.Is.
func (c Code) Error() string { return string(c) }

// Error is a refusal or failure: the only kind of error that Do returns.
type Error struct {
	Op   string `json:"op,omitempty"`   // the verb, or the step inside it
	Path string `json:"path,omitempty"` // as the caller wrote it, escaped
	Kind Kind   `json:"kind"`
	Code Code   `json:"code"`
	// What happened, without the path in front: "is outside the folders …".
	What string `json:"what"`
	// Not says what was not done: "Nothing was read."
	Not string `json:"not,omitempty"`
	// Instead says what to do now, and where the owner could allow it, the
	// one command that would.
	Instead string `json:"instead,omitempty"`
	// Cause is the system's own error. It does not cross JSON as a value:
	// its text is part of What where a caller needs it.
	Cause error `json:"-"`
}

// Error is the whole refusal as short sentences, without kind and code.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Path != "" && e.What != "" {
		b.WriteByte(' ')
	}
	b.WriteString(e.What)
	if s := b.String(); s != "" && !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") {
		b.WriteByte('.')
	}
	for _, s := range []string{e.Not, e.Instead} {
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}

// Is matches kinds and codes.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case Kind:
		return e.Kind == t
	case Code:
		return e.Code == t
	}
	return false
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// AsError gives the *Error in err, if there is one.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}
