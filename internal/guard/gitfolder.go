package guard

import (
	"context"
	"slices"
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

// Git takes every folder for a repository that holds HEAD, objects and refs,
// whatever it is called, and runs what is set up in it. So a file HEAD is
// judged as if its folder were called .git, and so is what makes git run
// something in a folder that has a HEAD already.

const gitWords = "Git takes any folder with a file HEAD for a repository, and runs what is set up in it."

// gitFolders judges the last effect of an intent also as a change of a git
// folder, where it is one under another name.
func (g *Gate) gitFolders(ctx context.Context, c *call, s *Seen, last int) {
	e := s.Effects[last]
	in, d, ok := g.asGit(ctx, c, e)
	if s.git = 0; ok {
		s.git = in + 1
	}
	if ok && d.Rule != s.decisions[last].Rule {
		s.decisions[last] = joined(s.decisions[last], d)
	}
}

// asGit gives what policy says of a change in a git folder, if it says more
// than of others, and how many components lead to that folder.
func (g *Gate) asGit(ctx context.Context, c *call, e reeve.Effect) (in int, d reeve.Decision, ok bool) {
	p := e.Place
	switch e.Kind {
	case reeve.EffectMove:
		p = *e.To
	case reeve.EffectCreate, reeve.EffectReplace:
	default:
		return 0, d, false
	}
	if in, ok = g.gitFolder(ctx, c, p); ok {
		d, ok = c.gitSays(p, in)
	}
	return in, d, ok
}

// gitSays gives what policy says of a new file in a folder that is a
// repository, which so many components lead to.
func (c *call) gitSays(p reeve.Place, in int) (reeve.Decision, bool) {
	if c.Subject.IsOwner() {
		return reeve.Decision{}, false
	}
	p.Components = slices.Concat(p.Components[:in], []reeve.Name{".git"}, p.Components[in:])
	d := c.policy.Rules.Decide(c.Subject, reeve.Effect{Kind: reeve.EffectCreate, Place: p})
	d.Tell = gitWords
	return d, d.Verdict == reeve.Ask
}

// gitFolder gives how many components lead to the folder that is, or would
// become, a repository by this change. It looks at the disk only for names
// that git runs something for.
func (g *Gate) gitFolder(ctx context.Context, c *call, p reeve.Place) (in int, ok bool) {
	last := len(p.Components) - 1
	if last < 0 {
		return 0, false
	}
	if named(p.Components[last], "HEAD") {
		return last, true
	}
	for i := last; i >= 0; i-- {
		n := p.Components[i]
		switch {
		case i == last && (named(n, "config") || named(n, "config.worktree") || named(n, "commondir")),
			i == last-1 && named(n, "info") && named(p.Components[last], "attributes"),
			i == last && named(n, "info"), // a whole folder that is moved or copied there
			named(n, "hooks"):
			if g.hasHead(ctx, c, p, i) {
				return i, true
			}
		}
	}
	return 0, false
}

// hasHead looks for a file HEAD in the folder that the first components of a
// place lead to. What can't be looked at counts as there.
func (g *Gate) hasHead(ctx context.Context, c *call, p reeve.Place, in int) bool {
	if in <= len(p.Components)-p.Missing {
		head := p
		head.Components = slices.Concat(p.Components[:in], []reeve.Name{"HEAD"})
		parsed, err := pathname.Parse(head.Display(), c.policy.Paths)
		if err != nil {
			return true
		}
		h, err := g.o.Files.Resolve(ctx, parsed, false)
		if err != nil {
			return true
		}
		defer h.Close()
		return h.Place().Exists()
	}
	return false // the folder itself is still to be made
}

func named(n reeve.Name, name string) bool { return strings.EqualFold(string(n), name) }
