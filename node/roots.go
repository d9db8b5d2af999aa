package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"reeve"
	"reeve/internal/policy"
)

// ErrEditByHand says that the configuration is written in a way that cannot
// be changed without touching what the owner wrote around it.
var ErrEditByHand = errors.New("the configuration has a form that has to be changed by hand")

// RootEdit is what AddRoot did.
type RootEdit struct {
	// Added is false when the folder stood there with the same access.
	Added bool
	// Changed is true when it stood there with another access.
	Changed bool
	// SwitchedOn: file access was off because nothing had been written yet.
	SwitchedOn bool
	// StillOff: the owner has written enabled = false, which stands.
	StillOff bool
}

type rootsOnly struct {
	Enabled *bool `toml:"enabled"`
	Root    []struct {
		Path   string `toml:"path"`
		Access string `toml:"access"`
	} `toml:"root"`
}

// granted is a root's path as the rules read it: ~ expanded, clean.
func granted(path string) string {
	if home, err := os.UserHomeDir(); err == nil && (path == "~" || strings.HasPrefix(path, "~/")) {
		path = home + path[1:]
	}
	return filepath.Clean(path)
}

// AddRoot grants a folder: what stands there now is remembered in the state
// folder, and the path is written into the configuration, which is made when
// there is none; everything else in the file stays as it is, comments too. The
// first one switches file access on. A running node sees it at its next call.
//
// A folder that is granted already, and was replaced by something that only
// the owner may confirm, is an error: see ConfirmRoot.
func AddRoot(ctx context.Context, p Places, path string, access reeve.Access) (RootEdit, error) {
	s, err := LookAtRoot(ctx, path)
	if err != nil {
		return RootEdit{}, err
	}
	path = s.path
	known := newKnownRoots(p.State, nil)
	was := known.of(path)
	has, err := inConfig(p.Config, path)
	if err != nil {
		return RootEdit{}, err
	}
	switch {
	case !has || was.Real == "":
		if err := known.remember(path, s.known, "roots add", false); err != nil {
			return RootEdit{}, fmt.Errorf("what stands there could not be remembered: %w", err)
		}
	case !fits(was, s.known):
		return RootEdit{}, errReplaced(s.Path)
	}
	done, err := addRoot(p.Config, path, access)
	if err != nil && !has {
		err = errors.Join(err, known.forget(path))
	}
	return done, err
}

// inConfig reports that a folder stands in the configuration.
func inConfig(configFile, path string) (bool, error) {
	b, err := readConfig(configFile)
	if err != nil {
		return false, err
	}
	c, err := decodeRoots(b)
	if err != nil {
		return false, fmt.Errorf("the configuration %s has a fault, so it was not changed: %w", configFile, err)
	}
	for _, r := range c.Root {
		if granted(r.Path) == path {
			return true, nil
		}
	}
	return false, nil
}

func addRoot(configFile, path string, access reeve.Access) (RootEdit, error) {
	var done RootEdit
	if !filepath.IsAbs(path) || !utf8.ValidString(path) {
		return done, fmt.Errorf("%q cannot stand in a configuration: it must be absolute, and valid UTF-8", path)
	}
	path = filepath.Clean(path)
	err := editConfig(configFile, func(old []byte) ([]byte, error) {
		done = RootEdit{}
		before, err := decodeRoots(old)
		if err != nil {
			return nil, fmt.Errorf("the configuration %s has a fault, so it was not changed: %w", configFile, err)
		}
		text := old
		for _, r := range before.Root {
			if granted(r.Path) != path {
				continue
			}
			if r.Access == string(access) {
				done.StillOff = before.Enabled != nil && !*before.Enabled
				return old, nil
			}
			if text, err = cutRoot(text, path); err != nil {
				return nil, err
			}
			done.Changed = true
			break
		}
		if before.Enabled == nil {
			text = append([]byte("enabled = true\n"), text...)
			done.SwitchedOn = len(before.Root) == 0
		} else {
			done.StillOff = !*before.Enabled
		}
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, '\n')
		}
		text = fmt.Appendf(text, "\n[[root]]\npath = %s\naccess = %q\n", policy.QuoteTOML(path), string(access))
		done.Added = !done.Changed
		return text, checkEdit(text, before, path, string(access))
	})
	return done, err
}

// RemoveRoot takes a folder out of the configuration, and forgets what stood
// there.
func RemoveRoot(p Places, path string) (removed bool, err error) {
	path = filepath.Clean(path)
	if removed, err = removeRoot(p.Config, path); err != nil || !removed {
		return removed, err
	}
	return true, newKnownRoots(p.State, nil).forget(path)
}

func removeRoot(configFile, path string) (removed bool, err error) {
	err = editConfig(configFile, func(old []byte) ([]byte, error) {
		removed = false
		before, err := decodeRoots(old)
		if err != nil {
			return nil, fmt.Errorf("the configuration %s has a fault, so it was not changed: %w", configFile, err)
		}
		if !slices.ContainsFunc(before.Root, func(r struct {
			Path   string `toml:"path"`
			Access string `toml:"access"`
		}) bool {
			return granted(r.Path) == path
		}) {
			return old, nil
		}
		text, err := cutRoot(old, path)
		if err != nil {
			return nil, err
		}
		removed = true
		return text, checkEdit(text, before, path, "")
	})
	return removed, err
}
