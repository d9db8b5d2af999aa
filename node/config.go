package node

import (
	"time"

	"reeve"
)

// Folder is a folder granted for one run.
type Folder struct {
	Path   string // absolute
	Access reeve.Access
}

// Config says how a node is assembled. The zero value is the owner's own
// configuration at the platform's places, and with none there, a node that
// refuses everything.
type Config struct {
	// ConfigFile and StateDir default to those of DefaultPlaces.
	ConfigFile, StateDir string
	// Home is what ~ stands for and where the protected places of a home are;
	// empty means the home of the user this process runs as.
	Home string
	// Folders, if there are any, replace the configuration's roots for this
	// run and switch file access on for it. The configuration's rules and
	// limits hold all the same.
	Folders []Folder
	// Profile names the policy preset; empty means the configuration's, and
	// without one "default".
	Profile string
	// Approve is "ask", "allow" (yes to all that would be asked, control
	// files excepted) or "deny". Empty means the configuration's own.
	Approve string
	// ReadOnly turns every granted folder into one that is only read.
	ReadOnly bool
	// Version is the program's own, for the record.
	Version string
	// Redact, if set, is applied to every text that leaves.
	Redact func(string) string
	// StartWait is how long New waits for granted folders whose file system
	// does not answer, 0 is 50 ms. A folder that has not answered by then is
	// lost until it does; calls ask it again.
	StartWait time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}
