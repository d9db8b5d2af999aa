package policy

// Env is what the rules need to know of the computer. All paths are absolute
// and in the spelling of GOOS.
type Env struct {
	// Home is what ~ stands for; DataHome is the folder of programs' data
	// (@data in a profile). ConfigDir and StateDir are Reeve's own.
	Home, DataHome, ConfigDir, StateDir string
	// ConfigHome is the folder of programs' settings where it is not
	// ~/.config. It may be empty.
	ConfigHome string
	GOOS       string
	// Own are further places that are Reeve's own: a configuration file that
	// lies in a folder of other things, a socket.
	Own []string
	// WorkDir is the folder that the program was started in.
	WorkDir string
	// Real maps paths from above (or folders over them) to where they really
	// lie, where that is another path: a home behind a link. Rules on fixed
	// places hold for both spellings.
	Real map[string]string
}

// Run is what the command line says for this run.
type Run struct {
	// Profile replaces the configuration's.
	Profile string
	// Approve is "" or "ask": what the profile and the configuration say;
	// "allow": yes to all that would ask, control files not; "deny": all that
	// would ask is refused. Anything else counts as "deny".
	Approve string
	// ReadRoots and WriteRoots are absolute. When there are any, they stand in
	// place of the roots of configuration and profile.
	ReadRoots, WriteRoots []string
	// ReadOnly turns every root into one for reading.
	ReadOnly bool
	// Enabled switches file access on, as naming a folder does.
	Enabled bool
}

// ProfileName is the profile that holds: the command line's, the
// configuration's, or the default.
func ProfileName(cfg Config, run Run) string {
	switch {
	case run.Profile != "":
		return run.Profile
	case cfg.Profile != "":
		return cfg.Profile
	}
	return DefaultProfile
}
