package policy

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"reeve"
)

// alias says that one folder may also be met under another path.
type alias struct{ from, to []string }

func (c *compiler) learnAliases() {
	add := func(from []string, to string) {
		if to != "" && c.sys.isAbs(to) {
			if parts := c.sys.split(to); !slices.Equal(from, parts) {
				c.aliases = append(c.aliases, alias{from, parts})
			}
		}
	}
	if c.env.Home != "" {
		c.home = c.sys.split(c.env.Home)
		add(append(slices.Clone(c.home), ".config"), c.env.ConfigHome)
		add(append(slices.Clone(c.home), ".local", "share"), c.env.DataHome)
	}
	for _, from := range slices.Sorted(maps.Keys(c.env.Real)) {
		add(c.sys.split(from), c.env.Real[from])
	}
}

// spellings gives the paths under which a fixed place may be met, the given
// one first.
func (c *compiler) spellings(parts []string) [][]string {
	out := [][]string{parts}
	for _, a := range c.aliases {
		for _, p := range out {
			if len(p) >= len(a.from) && slices.Equal(p[:len(a.from)], a.from) {
				out = append(out, append(slices.Clone(a.to), p[len(a.from):]...))
			}
		}
	}
	return out
}

// line adds one rule of a list; false means that the text is none. Mine says
// that a fixed place is one of this system's, so that its identity is worth a
// look.
func (c *compiler) line(set *ruleset, text string, kind ruleKind, mine, maybeFolder bool) bool {
	name := strings.TrimRight(text, "/")
	if c.sys.windows {
		name = strings.TrimRight(name, `/\`)
	}
	if name == "" {
		name = "*" // the root of everything
	}
	r := c.rule(name, kind)
	if !strings.ContainsAny(name, `/\~@:`) {
		return set.names.add(name, r)
	}
	var parts []string
	fixed := true
	if set.fixed == nil {
		set.fixed = &branch{fixed: true}
	}
	switch {
	case name == "~" || strings.HasPrefix(name, "~/") || c.sys.windows && strings.HasPrefix(name, `~\`):
		// Without a home the place may be anywhere.
		fixed = c.home != nil
		parts = c.sys.cut(slices.Clip(c.home), name[1:])
	case strings.HasPrefix(name, "@data/") && c.env.DataHome != "":
		parts = c.sys.cut(c.sys.split(c.env.DataHome), name[len("@data"):])
	default:
		fixed = name[0] == '/' || c.sys.isAbs(name)
		if parts = c.sys.components(name); c.sys.windows && fixed {
			parts = c.sys.split(name)
		}
	}
	switch {
	case len(parts) == 0:
		return fixed && set.names.add("*", r)
	case fixed:
		exact := kind == isProtected && mine && !strings.ContainsAny(name, "*?")
		for _, parts := range c.spellings(parts) {
			set.fixed.plant(parts, r)
			if exact {
				c.narrowings = append(c.narrowings, Narrowing{Path: c.sys.join(parts), Kind: reeve.MarkProtected, Rule: name, Folder: maybeFolder || name != text})
			}
		}
	case len(parts) == 1:
		return set.names.add(parts[0], r)
	default:
		if set.loose == nil {
			set.loose = &branch{}
		}
		set.loose.plant(parts, r)
	}
	return true
}

// rule takes rules from a block, since there are hundreds of them.
func (c *compiler) rule(name string, kind ruleKind) *rule {
	if len(c.rules) == cap(c.rules) {
		c.rules = make([]rule, 0, 256)
	}
	c.rules = append(c.rules, rule{name, kind})
	return &c.rules[len(c.rules)-1]
}

func (c *compiler) list(set *ruleset, name string, kind ruleKind) {
	l, err := loadList(name)
	if err != nil {
		c.say(Entry{}, "", fmt.Sprintf("the list %s cannot be read (%v); file access is off", name, err))
		c.on = false
		return
	}
	set.names.backups = set.names.backups || l.backups
	for _, text := range l.all {
		c.line(set, text, kind, true, false)
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, text := range l.systems[goos] {
			c.line(set, text, kind, goos == c.env.GOOS, false)
		}
	}
}

func (c *compiler) protect(cfg Config) {
	for _, l := range c.profile.Protect {
		c.list(&c.protected, l, isProtected)
	}
	for _, e := range cfg.Protect {
		if !c.line(&c.protected, strings.TrimSpace(e.Text), isProtected, true, true) {
			c.say(e, "protect", strconv.Quote(e.Text)+" is no name or path; it is left out")
		}
	}
	if c.env.Home == "" {
		c.say(Entry{}, "", "the home folder is not known; its protected places are protected in every folder")
	}
}

// ownPlaces are Reeve's own folders, and what shows the kernel instead of
// files.
func (c *compiler) ownPlaces() {
	c.own.fixed = &branch{fixed: true}
	for _, p := range []struct{ name, path string }{{"configuration", c.env.ConfigDir}, {"state", c.env.StateDir}} {
		if p.path == "" {
			c.say(Entry{}, "", "the place of Reeve's "+p.name+" is not known; file access is off")
			c.on = false
			continue
		}
		if !c.sys.isAbs(p.path) || len(c.sys.components(p.path)) == 0 {
			c.say(Entry{}, "", "the place of Reeve's "+p.name+" is not the absolute path of a folder; file access is off")
			c.on = false
			continue
		}
		c.ownPlace(p.name, p.path)
	}
	for _, path := range c.env.Own {
		if c.sys.isAbs(path) {
			c.ownPlace("own", path)
		}
	}
	// The folder that lam may write to lies inside them on some systems.
	if c.env.DataHome != "" {
		for _, parts := range c.spellings(append(c.sys.split(c.env.DataHome), "reeve", "lam")) {
			c.ownExcept = append(c.ownExcept, parts)
		}
	}
	if !c.sys.windows {
		for _, dir := range []string{"proc", "sys", "dev"} {
			c.own.fixed.plant([]string{dir}, &rule{dir, isPseudo})
		}
		c.ownExcept = append(c.ownExcept, []string{"dev", "shm"})
	}
}

func (c *compiler) ownPlace(name, path string) {
	for _, parts := range c.spellings(c.sys.split(path)) {
		c.own.fixed.plant(parts, &rule{name, isOwn})
		c.narrowings = append(c.narrowings, Narrowing{Path: c.sys.join(parts), Kind: reeve.MarkOwn, Rule: name, Folder: name != "own"})
	}
}

func (c *compiler) controlFiles(cfg Config) {
	c.list(&c.control, "control", isControl)
	for _, e := range cfg.Control {
		if !c.line(&c.control, strings.TrimSpace(e.Text), isControl, false, false) {
			c.say(e, "control", strconv.Quote(e.Text)+" is no name or path; it is left out")
		}
	}
}

// excepted takes the owner's exceptions: exact names, or exact paths.
func (c *compiler) excepted(cfg Config) {
	c.exceptNames = map[string]bool{}
	for _, n := range c.profile.Except {
		c.exceptNames[n] = true
	}
	for _, e := range cfg.Except {
		switch full, abs := c.absolute(e.Text); {
		case strings.ContainsAny(e.Text, "*?"):
			c.say(e, "except", strconv.Quote(e.Text)+" is a pattern; an exception is one exact name or path, and this one is left out")
			continue
		case abs:
			parts := c.spellings(c.sys.split(full))
			if c.ownPath(parts[0]) {
				c.say(e, "except", strconv.Quote(e.Text)+" is Reeve's own, which no exception opens")
				continue
			}
			c.exceptPaths = append(c.exceptPaths, parts...)
		case strings.ContainsRune(e.Text, '/') || c.sys.windows && strings.ContainsRune(e.Text, '\\'):
			c.say(e, "except", strconv.Quote(e.Text)+" is neither a name nor an absolute path; it is left out")
			continue
		default:
			if c.protected.names.match(formOf(nil, e.Text)) == nil {
				c.say(e, "except", strconv.Quote(e.Text)+" is no name that is protected everywhere, so it changes nothing; if a certain place is meant, write its whole path")
			}
			c.exceptNames[e.Text] = true
		}
		c.exceptList = append(c.exceptList, e.Text)
	}
}

// checkRoots tells of roots in which nothing can be used: being granted does
// not lift a protection.
func (c *compiler) checkRoots() {
	file := c.file
	defer func() { c.file = file }()
	for _, r := range c.roots {
		c.file = file
		if r.Source == FromCommandLine {
			c.file = ""
		}
		pl := reeve.Place{RootPath: reeve.Name(r.Path), Access: r.Access, Kind: reeve.Directory}
		f := c.look(&pl, false)
		switch {
		case f.own != nil:
			c.say(Entry{}, "", "the folder "+shown(r.Path)+" is granted and "+c.verdict(f.own).Reason)
		case f.protected != nil:
			c.problems = append(c.problems, Problem{File: c.file, Entry: shown(r.Path), What: "is granted and protected by the rule " + f.protected.name + ", so nothing in it can be used",
				Instead: "To open it all the same, " + c.write(c.exceptFix(&pl))})
		}
	}
}

// write makes the words of a fix go on a sentence.
func (c *compiler) write(fix string) string {
	if len(c.exceptList) > 0 {
		return fix
	}
	return "write " + fix
}

func (c *compiler) ownPath(parts []string) bool {
	var w walk
	w.start(&c.own, true)
	for _, p := range parts {
		if _, r := w.step(formOf(nil, p)); r != nil && r.kind == isOwn {
			return true
		}
	}
	return false
}
