package policy

import (
	"reeve"
	"reeve/internal/pathname"
)

// Enabled reports whether there is anything to serve: file access is on, and
// a folder is granted. Otherwise Off says why not.
func (p *Policy) Enabled() bool { return p.on && len(p.roots) > 0 }

// Off says why nothing is served, empty while something is.
func (p *Policy) Off() string {
	switch {
	case p.Enabled():
		return ""
	case p.broken:
		return "the configuration cannot be understood, so nothing is allowed until it is mended"
	case !p.on:
		return "file access is switched off: name a folder on the command line, or set enabled = true in the configuration"
	}
	return "no folder is granted: name one on the command line, or add one with `reeve roots add FOLDER`"
}

// Grants are the granted folders, in the order in which they were given: the
// first one is what relative paths start from in most profiles.
func (p *Policy) Grants() []Root { return append([]Root(nil), p.roots...) }

// Narrowings are the fixed places that are protected or Reeve's own, on this
// system. They need not exist.
func (p *Policy) Narrowings() []Narrowing { return append([]Narrowing(nil), p.narrowings...) }

// Settings are the numbers and habits in force.
func (p *Policy) Settings() reeve.Settings {
	s := p.settings
	s.SkipDirs = append([]string(nil), s.SkipDirs...)
	return s
}

// Profile is the name of the preset in force.
func (p *Policy) Profile() string { return p.profile.Name }

// PathContext says how paths are read. Base is what relative paths start
// from: home in lam, nothing in arinova; the folder that the program was
// started in for elowen and llm-chat-file, if it is granted; else the first
// root.
func (p *Policy) PathContext() pathname.Context {
	c := pathname.Context{Style: p.profile.Style, Home: p.env.Home, GOOS: p.env.GOOS}
	first := ""
	if len(p.roots) > 0 {
		first = p.roots[0].Path
	}
	switch c.Style {
	case pathname.StyleAbsolute:
	case pathname.StyleHome:
		c.Base = c.Home
	case pathname.StyleSession, pathname.StyleWorkspace:
		c.Base = first
		for _, r := range p.roots {
			if _, ok := p.sys.below(p.env.WorkDir, r.Path); ok && p.sys.isAbs(p.env.WorkDir) {
				c.Base = p.sys.clean(p.env.WorkDir)
				break
			}
		}
	default:
		c.Base = first
	}
	return c
}

// Asked is one row of the approvals table as it holds in this run.
type Asked struct {
	// Key is one of ApprovalKeys.
	Key string
	// Answer is what is done: AskTurn, AskEach, Free or Never.
	Answer Approval
	// HumanOnly questions are never answered by the agent's own client.
	HumanOnly bool
}

// Asks is the approvals table in force for an agent, --approve included, for
// the instructions and for explain.
func (p *Policy) Asks() []Asked {
	var out []Asked
	for _, k := range ApprovalKeys() {
		a := Asked{Key: k, Answer: p.approvals[k]}
		if a.Answer == AskTurn || a.Answer == AskEach {
			switch {
			case p.run.Approve == "" || p.run.Approve == "ask":
			case p.run.Approve == "allow":
				if k != keyControl {
					a.Answer = Free
				}
			default:
				a.Answer = Never
			}
		}
		a.HumanOnly = p.humanOnly[k] && (a.Answer == AskTurn || a.Answer == AskEach)
		out = append(out, a)
	}
	return out
}
