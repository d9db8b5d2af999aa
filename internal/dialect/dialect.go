package dialect

import (
	"time"

	"reeve"
)

// Dialect is one published vocabulary of tools.
type Dialect struct {
	Name  string
	Tools []Tool
	// Instructions is the paragraph a client puts before its model. It is
	// empty when file access is off.
	Instructions func(Facts) string
	// Refusal is what a model reads when a call was refused or failed. Kind
	// and code stand in it.
	Refusal func(*reeve.Error) string
}

// Tool finds a tool by its exact name.
func (d *Dialect) Tool(name string) (*Tool, bool) {
	for i := range d.Tools {
		if d.Tools[i].Name == name {
			return &d.Tools[i], true
		}
	}
	return nil, false
}

// Changes reports whether any tool changes something.
func (d *Dialect) Changes() bool {
	for _, t := range d.Tools {
		if !t.ReadOnly {
			return true
		}
	}
	return false
}

// Tool is one spelling of one verb.
type Tool struct {
	Name  string
	Verb  reeve.Verb // the operation that it spells
	Title string     // for a list of tools: "Read files"
	Label string     // while it runs: "Reading a file"
	// Prose is the tool's own document: the description, then what each
	// parameter means. See ParseProse.
	Prose Prose
	// Params are the parameters with the limits in force.
	Params func(reeve.Settings) []Param
	// Call makes the verb's arguments from checked ones. It refuses what no
	// single parameter can tell: two that exclude each other.
	Call func(Args) (reeve.Call, error)
	// Render is what a model reads. Everything it needs stands in it, once.
	Render func(reeve.Result, Context) string

	// These must be true of the tool: clients act on them.
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// Context is what a rendering may depend on beside the result.
type Context struct {
	Call     reeve.Call
	Settings reeve.Settings
	// Session is true when the caller's session keeps a read state. Without
	// one, versions stand in the text, since nothing else remembers them.
	Session bool
	// Zone is where times are shown; nil means this computer's own.
	Zone *time.Location
}

// Time is how a moment is shown in a listing, to the minute.
func (c Context) Time(t time.Time) string {
	zone := c.Zone
	if zone == nil {
		zone = time.Local
	}
	return t.In(zone).Format("2006-01-02 15:04")
}

// Facts is what a surface has to know of the policy in force.
type Facts struct {
	// Enabled is false when file access is off: then there are no tools.
	Enabled bool
	// Generation differs whenever the policy does.
	Generation uint64
	Settings   reeve.Settings
	Roots      []Root
	// Relative is the folder that relative paths start from, "" where they
	// are refused.
	Relative string
	// Asks are the effects that the owner is asked about.
	Asks []reeve.EffectKind
	// Elicit: the agent's own client may show a question that reaches nobody
	// else, and bring its answer.
	Elicit bool
	// Wait is how long a call waits for the owner's answer: 0 leaves it to
	// the door, less is not at all.
	Wait time.Duration
}

// Serves reports whether a tool is of use: file access is on and, for one that
// changes something, a folder is granted for that. A model never learns of
// tools that could only refuse.
func (f Facts) Serves(t *Tool) bool {
	if !f.Enabled || t.ReadOnly {
		return f.Enabled
	}
	for _, r := range f.Roots {
		if r.Access == reeve.ReadWrite {
			return true
		}
	}
	return false
}

// Root is a granted folder as it is shown, odd characters escaped.
type Root struct {
	Path   string
	Access reeve.Access
}
