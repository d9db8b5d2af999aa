package guard

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// nearLimit bounds the entries looked at for a name that looks alike.
const nearLimit = 10_000

var errEnough = errors.New("enough")

// missing says that nothing is there, and which name that looks the same is:
// composed or decomposed, with another space, in another letter case. Only
// names that a listing would show are ever suggested.
func (g *Gate) missing(ctx context.Context, c *call, s *Seen) error {
	p := s.held.Place()
	e := &reeve.Error{Op: string(c.Call.Verb()), Path: s.shown, Kind: reeve.IO, Code: reeve.NotFound,
		What: "does not exist", Not: notDone(s.Effects[len(s.Effects)-1].Kind)}
	if near := g.near(ctx, c, s, p); near != "" {
		e.Instead = "The name " + near + " is there and looks the same: it differs in letter case, accents or spaces. Use it exactly as shown."
		return e
	}
	if p.Missing > 1 {
		up := above(nil).parents(p)[0].Place
		e.What = "does not exist: there is no folder " + up.Display()
	}
	e.Instead = "List the folder to see what is there."
	return e
}

func (g *Gate) near(ctx context.Context, c *call, s *Seen, p reeve.Place) string {
	if p.Missing < 1 || p.Missing > len(p.Components) {
		return ""
	}
	at := len(p.Components) - p.Missing
	want := string(p.Components[at])
	parent, err := standing(ctx, s.held, p.Missing)
	if err != nil {
		return ""
	}
	defer parent.Close()
	where := parent.Place()
	if d := c.policy.Rules.Decide(c.Subject, reeve.Effect{Kind: reeve.EffectList, Place: where}); d.Verdict != reeve.Allow {
		return ""
	}
	rule := c.policy.Rules.Folder(where)
	key, found, n := lookAlike(want), "", 0
	err = parent.Each(ctx, func(e capfs.DirEntry) error {
		if n++; n > nearLimit {
			return errEnough
		}
		if e.Name != want && lookAlike(e.Name) == key && rule(e.Name, e.Kind).Verdict == reeve.Allow {
			found = e.Name
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return ""
	}
	if found == "" {
		return ""
	}
	return pathname.Escape(found)
}

// standing opens the deepest folder that exists above a missing thing.
func standing(ctx context.Context, h *capfs.Held, missing int) (*capfs.Folder, error) {
	for range missing {
		up, err := h.Parent(ctx)
		if err != nil {
			return nil, err
		}
		defer up.Close()
		h = up
	}
	return h.Folder(ctx)
}

// lookAlike folds what a reader cannot tell apart.
func lookAlike(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\u200b', r == '\u2060', r == '\ufeff':
			return ' '
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(name))
}
