package policy

import (
	"fmt"

	"reeve"
)

// Config is the owner's configuration as it was read: TOML, at the place of
// the system. Every key may be missing; nothing given means that the
// profile's own value holds, and without `enabled = true` file access is off.
//
//	enabled = true
//	profile = "default"                       # a preset, see Profiles
//	except  = [".env.test", "~/.kube/config"] # protected, and yet allowed: exact names or paths
//	protect = ["~/taxes", "*.gpg", "private/notes"]  # protected beside the lists
//	control = ["Justfile", "~/scripts"]       # changes are always asked
//	human_only = ["remove", "remove_folder", "control"]  # never answered by the agent's own client
//	skip_dirs  = [".git", "node_modules"]     # folders not searched unless `ignored` is asked
//	read_state = "all_lines"                  # what must be seen before a change: off, read, all_lines
//	list_hidden = false                       # names with a dot, where the caller does not say
//	search_hidden = false
//	read_roots  = "~/Music, /srv/data"        # more roots as one text, split at commas and new lines
//	write_roots = "~/Desktop"
//	elicitation  = "ask"                      # or "never": the agent's client never shows questions
//	open_console = "auto"                     # or "never": no browser page is opened for a question, and no notice sent
//	wait_seconds = 45                         # how long a call waits for an answer
//
//	[[root]]                                  # also: roots = [{path = "~/work", access = "readwrite"}]
//	path   = "~/work"
//	access = "readwrite"                      # read where it is missing
//	create = false                            # may be made by the first approved write
//
//	[approvals]                               # turn, ask, allow, refuse; see ApprovalKeys
//	create = "ask"
//
//	[limits]                                  # numbers of reeve.Settings
//	read_lines = 500
type Config struct {
	// File is the name that problems carry.
	File string
	// Broken: the file, or its choice of profile, could not be understood.
	// What it meant to protect is not known, so nothing may be allowed on its
	// behalf, not even folders named on the command line.
	Broken bool
	// Enabled is false unless the file says true and nothing else.
	Enabled bool
	Profile string
	Roots   []ConfigRoot
	// ReadRoots and WriteRoots are not split yet; see SplitRoots.
	ReadRoots, WriteRoots    Entry
	Except, Protect, Control []Entry
	// HumanOnly is nil where the key is missing.
	HumanOnly []string
	Approvals Approvals
	Limits    map[string]int64
	// SkipDirs is nil where the key is missing.
	SkipDirs                 []string
	ReadState                string
	ListHidden, SearchHidden *bool
	Elicitation, OpenConsole string
	// WaitSeconds is 0 where the key is missing, and less where it says 0.
	WaitSeconds int
}

// ConfigRoot is a root as it was written: ~ is not expanded.
type ConfigRoot struct {
	Path         string
	Access       reeve.Access
	Create       bool
	Line, Column int
}

func configKeys() []string {
	return []string{"enabled", "profile", "root", "roots", "read_roots", "write_roots", "except", "protect", "control",
		"human_only", "approvals", "limits", "skip_dirs", "read_state", "list_hidden", "search_hidden",
		"elicitation", "open_console", "wait_seconds"}
}

// ParseConfig reads a configuration. Name stands in the problems. A bad entry
// is reported with its line, left out, and disables no other; where leaving
// it out could allow more than was meant, the narrower reading holds. A file
// that is no TOML, or names a profile that does not exist, is Broken: then
// nothing is allowed, whatever the command line says.
func ParseConfig(name string, data []byte) (Config, []Problem) {
	c := Config{File: name}
	tree, bad := parseTree(name, data)
	if bad != nil {
		bad.What += "; file access is off until it is mended"
		c.Broken = true
		return c, []Problem{*bad}
	}
	r := &reader{file: name}
	for _, key := range tree.keys {
		v := tree.at[key]
		switch key {
		case "enabled":
			r.flag(v, key, &c.Enabled)
		case "profile":
			p, ok := r.word(v, key, Profiles())
			if !ok {
				// Another profile could ask less than the one that was meant.
				c.Broken = true
				r.problems[len(r.problems)-1].What += "; file access is off until it is mended"
			}
			c.Profile = p
		case "root", "roots":
			c.Roots = append(c.Roots, r.roots(v, key)...)
		case "read_roots":
			c.ReadRoots = r.joined(v, key)
		case "write_roots":
			c.WriteRoots = r.joined(v, key)
		case "except":
			c.Except, _ = r.lines(v, key, `except = [".env.test"]`)
		case "protect":
			c.Protect, _ = r.lines(v, key, `protect = ["~/private"]`)
		case "control":
			c.Control, _ = r.lines(v, key, `control = ["Justfile"]`)
		case "human_only":
			c.HumanOnly = r.humanOnly(v, key)
		case "approvals":
			c.Approvals = r.approvals(v, key)
		case "limits":
			c.Limits = r.limits(v, key)
		case "skip_dirs":
			if l, ok := r.lines(v, key, `skip_dirs = ["node_modules"]`); ok {
				c.SkipDirs = texts(l)
			}
		case "read_state":
			if w, ok := r.word(v, key, readStates()); ok {
				c.ReadState = w
			} else {
				c.ReadState = "all_lines"
				r.problems[len(r.problems)-1].What += "; all_lines holds"
			}
		case "list_hidden":
			c.ListHidden = new(bool)
			r.flag(v, key, c.ListHidden)
		case "search_hidden":
			c.SearchHidden = new(bool)
			r.flag(v, key, c.SearchHidden)
		case "elicitation":
			w, ok := r.word(v, key, []string{"ask", "never"})
			if !ok {
				w = "never"
				r.problems[len(r.problems)-1].What += "; never holds"
			}
			c.Elicitation = w
		case "open_console":
			w, ok := r.word(v, key, []string{"auto", "never"})
			if !ok {
				w = "never"
				r.problems[len(r.problems)-1].What += "; never holds"
			}
			c.OpenConsole = w
		case "wait_seconds":
			if r.kind(v, key, number, "wait_seconds = 45") {
				if v.number < 0 || v.number > 3600 {
					r.bad(v, key, fmt.Sprintf("is %d, and must be between 0 and 3600; it is left out", v.number), "")
				} else if c.WaitSeconds = int(v.number); v.number == 0 {
					c.WaitSeconds = -1
				}
			}
		default:
			r.unknown(v, "", key, configKeys())
		}
	}
	c.Enabled = c.Enabled && !c.Broken
	return c, bounded(r.problems)
}

// maxProblems is how many problems of one file are told.
const maxProblems = 100

func bounded(problems []Problem) []Problem {
	if left := len(problems) - maxProblems; left > 0 {
		problems = append(problems[:maxProblems], Problem{File: problems[0].File, What: fmt.Sprintf("%d more problems are not shown", left)})
	}
	return problems
}

// roots reads [[root]] tables or a list of inline ones.
func (r *reader) roots(v *value, entry string) []ConfigRoot {
	const example = `roots = [{path = "~/work", access = "readwrite"}]`
	if !r.kind(v, entry, list, example) {
		return nil
	}
	var out []ConfigRoot
	for _, e := range v.list {
		if e.line == 0 {
			e.line, e.column = v.line, v.column
		}
		if !r.kind(e, "an entry of "+entry, group, example) {
			continue
		}
		root := ConfigRoot{Access: reeve.Read, Line: e.line, Column: e.column}
		for _, key := range e.group.keys {
			f := e.group.at[key]
			switch key {
			case "path":
				if r.kind(f, entry+".path", text, `path = "~/work"`) {
					root.Path, root.Line, root.Column = f.text, f.line, f.column
				}
			case "access":
				if w, ok := r.word(f, entry+".access", []string{string(reeve.Read), string(reeve.ReadWrite)}); ok {
					root.Access = reeve.Access(w)
				} else {
					r.problems[len(r.problems)-1].What += "; it is granted for reading"
				}
			case "create":
				r.flag(f, entry+".create", &root.Create)
			default:
				r.unknown(f, entry, key, []string{"path", "access", "create"})
			}
		}
		if root.Path == "" {
			r.bad(e, entry, "names no path; it is left out", `Write for example: path = "~/work"`)
			continue
		}
		out = append(out, root)
	}
	return out
}

// joined reads a text of folders; a list of texts is taken as lines.
func (r *reader) joined(v *value, entry string) Entry {
	if v.kind == list {
		lines, _ := r.lines(v, entry, entry+` = "~/Music, ~/Pictures"`)
		e := Entry{Line: v.line, Column: v.column}
		for _, l := range lines {
			e.Text += l.Text + "\n"
		}
		return e
	}
	if !r.kind(v, entry, text, entry+` = "~/Music, ~/Pictures"`) {
		return Entry{}
	}
	return Entry{v.text, v.line, v.column}
}

// humanOnly reads the rows of the approvals table that only a person may
// answer. If an entry can't be read, the default holds beside the others.
func (r *reader) humanOnly(v *value, entry string) []string {
	before := len(r.problems)
	lines, ok := r.lines(v, entry, `human_only = ["remove", "control"]`)
	if !ok {
		return nil
	}
	out := []string{}
	for _, l := range lines {
		if !contains(ApprovalKeys(), l.Text) {
			r.bad(&value{line: l.Line, column: l.Column}, entry, fmt.Sprintf("names %q, which is no row of the approvals", l.Text), meant(l.Text, ApprovalKeys()))
			continue
		}
		out = append(out, l.Text)
	}
	if len(r.problems) > before {
		out = append(out, defaultHumanOnly()...)
	}
	return out
}

func defaultHumanOnly() []string {
	return []string{string(reeve.EffectRemove), keyRemoveFolder, keyControl}
}
