package policy

import (
	"fmt"
	"strings"

	"reeve"
)

// Narrowing is a fixed place that is protected or Reeve's own, for lookups by
// identity: another name of it must not help.
type Narrowing struct {
	Path string // absolute, clean
	Kind reeve.MarkKind
	Rule string // as it stands in a mark: "~/.ssh"
	// Folder says that it is known to be a folder. Places that the owner
	// named may be either.
	Folder bool
}

// Policy is a compiled policy. It never changes.
type Policy struct {
	env      Env
	sys      system
	profile  Profile
	settings reeve.Settings
	on       bool
	broken   bool
	run      Run

	roots      []Root
	rooted     map[string][]string // a root's path, split
	protected  ruleset
	own        ruleset // Reeve's own and pseudo file systems
	control    ruleset
	narrowings []Narrowing
	// exceptNames and exceptPaths are the owner's exceptions; ownExcept are
	// the places inside Reeve's own folders that are not its own.
	exceptNames map[string]bool
	exceptPaths [][]string
	ownExcept   [][]string
	exceptList  []string

	approvals Approvals
	humanOnly map[string]bool
	asking    Asking
	allowed   map[reeve.Access]reeve.Decision
}

type compiler struct {
	*Policy
	file     string
	problems []Problem
	home     []string
	aliases  []alias
	rules    []rule
}

// Compile makes the policy. What cannot be used is reported and left out;
// the policy is never nil, and never wider than the entries that could be
// used.
func Compile(env Env, profile Profile, cfg Config, run Run) (*Policy, []Problem) {
	c := &compiler{Policy: &Policy{env: env, sys: systemOf(env.GOOS), profile: profile, run: run}, file: cfg.File}
	c.on = cfg.Enabled || run.Enabled || len(run.ReadRoots)+len(run.WriteRoots) > 0
	if profile.Name == "" || len(profile.Approvals) == 0 {
		c.say(Entry{}, "", "no profile was loaded; file access is off")
		c.on = false
	}
	c.broken = cfg.Broken
	c.on = c.on && !c.broken
	c.learnAliases()
	c.settle(cfg)
	c.grant(cfg)
	c.protect(cfg)
	c.ownPlaces()
	c.controlFiles(cfg)
	c.excepted(cfg)
	c.checkRoots()
	c.allowed = map[reeve.Access]reeve.Decision{
		reeve.Read:      {Verdict: reeve.Allow, Rule: "root: read", Reason: "is in a folder that was granted for reading"},
		reeve.ReadWrite: {Verdict: reeve.Allow, Rule: "root: readwrite", Reason: "is in a folder that was granted for reading and writing"},
	}
	return c.Policy, c.problems
}

func (c *compiler) say(e Entry, entry, what string) {
	c.problems = append(c.problems, Problem{File: c.file, Line: e.Line, Column: e.Column, Entry: entry, What: what})
}

// settle joins the numbers, habits and approvals of profile and configuration.
func (c *compiler) settle(cfg Config) {
	s := c.profile.Settings
	s.SkipDirs = append([]string(nil), s.SkipDirs...)
	applyLimits(&s, cfg.Limits)
	if cfg.SkipDirs != nil {
		s.SkipDirs = append([]string(nil), cfg.SkipDirs...)
	}
	if cfg.ReadState != "" {
		s.ReadState = cfg.ReadState
	}
	if cfg.ListHidden != nil {
		s.ListHidden = *cfg.ListHidden
	}
	if cfg.SearchHidden != nil {
		s.SearchHidden = *cfg.SearchHidden
	}
	c.settings = s
	c.asking = askingOf(cfg)
	c.approvals = Approvals{}
	for _, k := range ApprovalKeys() {
		c.approvals[k] = AskEach
		for _, from := range []Approvals{c.profile.Approvals, cfg.Approvals} {
			if a, ok := from[k]; ok && contains(approvalWords(k), string(a)) {
				c.approvals[k] = a
			}
		}
	}
	human := cfg.HumanOnly
	if human == nil {
		human = defaultHumanOnly()
	}
	c.humanOnly = map[string]bool{}
	for _, k := range human {
		c.humanOnly[k] = true
	}
}

// grant collects the roots.
func (c *compiler) grant(cfg Config) {
	g := grants{sys: c.sys}
	add := func(e Entry, key, path string, r Root, narrower bool) {
		full, ok := c.absolute(path)
		if !ok {
			c.say(e, key, fmt.Sprintf("names %q, which is not an absolute path; it is left out", path))
			return
		}
		r.Path = full
		if g.add(r, narrower) {
			c.say(e, key, fmt.Sprintf("names %q twice with different access; it is granted for reading", path))
		}
	}
	if len(c.run.ReadRoots)+len(c.run.WriteRoots) > 0 {
		c.file = ""
		for _, p := range c.run.WriteRoots {
			add(Entry{}, "the command line", p, Root{Access: reeve.ReadWrite, Source: FromCommandLine}, true)
		}
		for _, p := range c.run.ReadRoots {
			add(Entry{}, "the command line", p, Root{Access: reeve.Read, Source: FromCommandLine}, true)
		}
		c.file = cfg.File
	} else {
		for _, r := range cfg.Roots {
			add(Entry{Line: r.Line, Column: r.Column}, "root", r.Path, Root{Access: r.Access, Source: FromConfig, Create: r.Create}, true)
		}
		// A profile's own roots and the two preferences only add: a write root
		// is simply readable too.
		for _, r := range c.profile.Roots {
			add(Entry{}, "profile "+c.profile.Name, r.Path, Root{Access: r.Access, Source: FromProfile, Create: r.Create}, false)
		}
		for _, pref := range []struct {
			key string
			e   Entry
			a   reeve.Access
		}{{"read_roots", cfg.ReadRoots, reeve.Read}, {"write_roots", cfg.WriteRoots, reeve.ReadWrite}} {
			roots, bad := SplitRoots(pref.e.Text, c.env.Home)
			for _, b := range bad {
				c.say(pref.e, pref.key, b+"; it is left out")
			}
			for _, p := range roots {
				add(pref.e, pref.key, p, Root{Access: pref.a, Source: FromConfig, Create: pref.a == reeve.ReadWrite}, false)
			}
		}
	}
	c.roots = g.roots
	c.rooted = map[string][]string{}
	for i := range c.roots {
		if c.run.ReadOnly {
			c.roots[i].Access = reeve.Read
		}
		c.rooted[c.roots[i].Path] = c.sys.split(c.roots[i].Path)
	}
}

// absolute undoes ~ and @data in front of a path and cleans it.
func (c *compiler) absolute(path string) (string, bool) {
	if strings.ContainsRune(path, 0) {
		return "", false
	}
	if rest, ok := strings.CutPrefix(path, "@data/"); ok && c.env.DataHome != "" {
		path = c.env.DataHome + c.sys.sep() + rest
	}
	path, _ = c.sys.expand(path, c.env.Home)
	if !c.sys.isAbs(path) {
		return "", false
	}
	return c.sys.clean(path), true
}
