package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/internal/pathname"
	"reeve/internal/policy"
	"reeve/node"
)

// runFlags are what `call`, `explain`, `doctor` and `mcp` share: for one run,
// without touching the configuration.
type runFlags struct {
	profile, approve string
	read, root       []string
	readOnly         bool
}

func (f *runFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.profile, "profile", "", "the rules and limits of `PROFILE`: "+strings.Join(policy.Profiles(), ", "))
	fl.StringVar(&f.approve, "approve", "", "`HOW` to answer what would be asked: ask, allow (control files still ask) or deny")
	fl.StringArrayVar(&f.read, "read", nil, "grant `DIR` for reading, for this run; may be repeated")
	fl.SortFlags = false
}

func (f *runFlags) addRoot(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.root, "root", nil, "grant `DIR` for reading and changing, for this run; may be repeated")
}

// config makes the node's configuration of the flags. What is wrong with them
// is told here, before anything is opened.
func (f *runFlags) config() (node.Config, error) {
	c := node.Config{Profile: f.profile, Approve: f.approve, ReadOnly: f.readOnly, Version: programVersion()}
	if known := policy.Profiles(); f.profile != "" && !slices.Contains(known, f.profile) {
		return c, usagef("--profile: there is no profile %q. There are %s.", bounded(f.profile), strings.Join(known, ", "))
	}
	switch f.approve {
	case "", "ask", "allow", "deny":
	default:
		return c, usagef("--approve: %q is none of ask, allow and deny.", bounded(f.approve))
	}
	for _, dir := range f.root {
		if err := f.grant(&c, "--root", dir, reeve.ReadWrite); err != nil {
			return c, err
		}
	}
	for _, dir := range f.read {
		if err := f.grant(&c, "--read", dir, reeve.Read); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (f *runFlags) grant(c *node.Config, flag, dir string, access reeve.Access) error {
	abs, err := absolute(dir)
	if err != nil {
		return usagef("%s: %v", flag, err)
	}
	// Named twice, once only for reading: the narrower word holds, and that is
	// said where the rules are made.
	if f := (node.Folder{Path: abs, Access: access}); !slices.Contains(c.Folders, f) {
		c.Folders = append(c.Folders, f)
	}
	return nil
}

// absolute makes a folder named on the command line absolute: relative to the
// working folder, with ~ for the home folder, since a client that starts
// Reeve has no shell that would have expanded it.
func absolute(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("the folder's name is empty")
	}
	if strings.HasPrefix(dir, "$'") || strings.Contains(dir, "/$'") {
		if raw, err := unescaped(dir); err == nil {
			dir = raw
		}
	}
	if dir == "~" || strings.HasPrefix(dir, "~/") || strings.HasPrefix(dir, `~\`) && filepath.Separator == '\\' {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("the home folder is not known: set HOME")
		}
		return filepath.Join(home, dir[1:]), nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", errors.New("the working folder is gone: name the folder by its whole path")
	}
	return abs, nil
}

// unescaped undoes the shown form of each component. Another spelling of it
// is no shown form: a folder may really be named so.
func unescaped(path string) (string, error) {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		raw, exact, err := pathname.UnescapeExact(p)
		if err != nil {
			return "", err
		}
		if !exact {
			return "", errors.New("is not how any name is shown")
		}
		parts[i] = raw
	}
	return strings.Join(parts, "/"), nil
}

// mustBeFolder tells a mistyped folder before a run, where nothing could come
// of it.
func mustBeFolder(folders []node.Folder) error {
	for _, f := range folders {
		if what := notFolder(f.Path); what != "" {
			return usagef("%s %s.", pathname.EscapePath(f.Path), what)
		}
	}
	return nil
}

// notFolder says in what way a path is no folder, or nothing.
func notFolder(path string) string {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case err != nil:
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return "cannot be looked at: " + err.Error()
	case !st.IsDir():
		return "is not a folder; name the folder that it is in"
	}
	return ""
}
