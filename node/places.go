package node

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Places are where one person's Reeve keeps its things.
type Places struct {
	Config string // the configuration file
	// ConfigDir is the platform's folder for it, Reeve's own as a whole. With
	// REEVE_CONFIG the file may be elsewhere.
	ConfigDir string
	State     string // record, history, questions: a directory of its own
	Data      string // the platform's place for data that people keep
	Home      string
}

// DefaultPlaces gives the platform's places. REEVE_CONFIG and REEVE_STATE
// override the first two.
func DefaultPlaces() (Places, error) {
	home, err := os.UserHomeDir()
	known := err == nil && filepath.IsAbs(home)
	if !known && (os.Getenv("REEVE_CONFIG") == "" || os.Getenv("REEVE_STATE") == "") {
		return Places{}, fmt.Errorf("the home folder is not known: set HOME to an absolute path, or both REEVE_CONFIG and REEVE_STATE")
	}
	var p Places
	if known {
		p = placesOf(home, fromEnv)
	} else {
		p = placesOf("", fromEnv)
	}
	for _, o := range []struct {
		name string
		into *string
	}{{"REEVE_CONFIG", &p.Config}, {"REEVE_STATE", &p.State}} {
		v := os.Getenv(o.name)
		if v == "" {
			continue
		}
		abs, err := filepath.Abs(v)
		if err != nil {
			return Places{}, fmt.Errorf("%s=%q is not a usable path: %v", o.name, v, err)
		}
		*o.into = abs
	}
	return p, nil
}

// placesOf gives the platform's places for a home. Env gives a variable that
// the platform heeds, or what holds without it.
func placesOf(home string, env func(name, otherwise string) string) Places {
	var p Places
	if home != "" {
		home = filepath.Clean(home)
		p.Home = home
	}
	switch runtime.GOOS {
	case "darwin":
		support := filepath.Join(home, "Library", "Application Support", "reeve")
		p.Config = filepath.Join(support, "config.toml")
		p.State = filepath.Join(support, "state")
		p.Data = filepath.Join(home, "Library", "Application Support")
	case "windows":
		roaming := env("AppData", filepath.Join(home, "AppData", "Roaming"))
		local := env("LocalAppData", filepath.Join(home, "AppData", "Local"))
		p.Config = filepath.Join(roaming, "reeve", "config.toml")
		p.State = filepath.Join(local, "reeve")
		p.Data = local
	default:
		p.Config = filepath.Join(env("XDG_CONFIG_HOME", filepath.Join(home, ".config")), "reeve", "config.toml")
		p.State = filepath.Join(env("XDG_STATE_HOME", filepath.Join(home, ".local", "state")), "reeve")
		p.Data = env("XDG_DATA_HOME", filepath.Join(home, ".local", "share"))
	}
	p.ConfigDir = filepath.Dir(p.Config)
	return p
}

// fromEnv takes a variable that holds an absolute path, as the platforms'
// own rules ask; a relative one is ignored.
func fromEnv(name, otherwise string) string {
	if v := os.Getenv(name); filepath.IsAbs(v) {
		return filepath.Clean(v)
	}
	return otherwise
}
