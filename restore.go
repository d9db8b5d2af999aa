package reeve

// VerbRestore brings back what history keeps. No dialect offers it: it is the
// owner's.
const VerbRestore Verb = "restore"

// Restore takes a change back, step by step, all of the steps or none. It is
// made of what history says, and refused to everybody but the owner. Each
// step names what the change left, and is refused when something else is
// there by now.
type Restore struct {
	Change string        `json:"change"` // the ID of what is taken back
	Steps  []RestoreStep `json:"steps"`
	// DryRun tells what would happen, and how what is there differs.
	DryRun bool `json:"dry_run,omitempty"`
}

// RestoreKind is what one step does.
type RestoreKind string

const (
	RestoreFile   RestoreKind = "file"   // the old bytes come back
	RestoreLink   RestoreKind = "link"   // a symbolic link comes back
	RestoreFolder RestoreKind = "folder" // a folder comes back, empty
	RestoreMove   RestoreKind = "move"   // back to where it was
	RestoreRemove RestoreKind = "remove" // what was created goes; a folder only when it is empty
)

// RestoreStep is one step. Paths are in shown form.
type RestoreStep struct {
	Kind RestoreKind `json:"kind"`
	// Path is where it happens; for a move, where the thing is now.
	Path string `json:"path"`
	To   string `json:"to,omitempty"` // of a move
	// Left is the version that the change left at Path, zero where it left
	// nothing. LeftKind says what it left.
	Left     Version  `json:"left,omitzero"`
	LeftKind FileKind `json:"left_kind,omitempty"`
	// LeftStamp is the stamp of what was moved, which a move keeps but for
	// its ctime.
	LeftStamp Stamp `json:"left_stamp,omitzero"`
	// Any: what the change left is not known. A file that is there by now gives
	// way, whatever is in it.
	Any bool `json:"any,omitempty"`
	// There: a folder that comes back is there already. It is taken for it if
	// nothing is in it but what comes back too.
	There bool `json:"there,omitempty"`
	// Blob names what is kept of a file, Size is its bytes.
	Blob string `json:"blob,omitempty"`
	Size int64  `json:"size,omitempty"`
	Link string `json:"link,omitempty"` // a link's text, in shown form
	Meta *Meta  `json:"meta,omitempty"`
}

// RestoreState says how a step stands.
type RestoreState string

const (
	StepReady    RestoreState = "ready"     // it can be done
	StepDone     RestoreState = "done"      // it was done
	StepChanged  RestoreState = "changed"   // somebody changed it since
	StepGone     RestoreState = "gone"      // what the change left is not there any more
	StepExists   RestoreState = "exists"    // something is there where nothing was left
	StepNotEmpty RestoreState = "not_empty" // a folder with something in it stays
	StepLost     RestoreState = "lost"      // the kept copy is damaged, or no longer kept
	StepRefused  RestoreState = "refused"   // see Why
)

// Restored answers Restore.
type Restored struct {
	Change Text           `json:"change"`
	DryRun bool           `json:"dry_run,omitempty"`
	Steps  []RestoredStep `json:"steps"`
	// More counts steps that can be done (or were) and are not listed, Blocked
	// those that cannot: an answer has its bounds.
	More    int `json:"more,omitempty"`
	Blocked int `json:"blocked,omitempty"`
}

// RestoredStep is one step as it stands.
type RestoredStep struct {
	Kind  RestoreKind  `json:"kind"`
	State RestoreState `json:"state"`
	Path  Text         `json:"path"`
	To    Text         `json:"to,omitzero"`
	// Why is what stands in the way, or what is to be known of a step that can
	// be done.
	Why Text `json:"why,omitzero"`
	// Was is the size in bytes of what comes back, Now of what is there.
	Was int64 `json:"was,omitempty"`
	Now int64 `json:"now,omitempty"`
	// Diff are lines that go ("- ") and lines that come ("+ "), bounded; More
	// counts those that are not shown. None where it is no text.
	Diff []Text `json:"diff,omitempty"`
	More int    `json:"more,omitempty"`
}

// Verb implements Call.
func (*Restore) Verb() Verb { return VerbRestore }

// AnswerKind implements Answer.
func (*Restored) AnswerKind() string { return "restored" }
