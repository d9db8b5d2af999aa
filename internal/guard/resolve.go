package guard

import (
	"context"
	"errors"

	"reeve"
)

// effects turns an intent into what would happen at the place it leads to. The
// folders above it that an earlier intent was judged for are left out.
func effects(s *Seen, up above) ([]reeve.Effect, error) {
	p := s.held.Place()
	one := func(k reeve.EffectKind) []reeve.Effect { return []reeve.Effect{{Kind: k, Place: p}} }
	switch s.Intent.Kind {
	case reeve.IntentRead:
		return one(reeve.EffectRead), nil
	case reeve.IntentList:
		return one(reeve.EffectList), nil
	case reeve.IntentWalk, reeve.IntentStat:
		if p.Kind == reeve.Directory {
			return one(reeve.EffectList), nil
		}
		return one(reeve.EffectRead), nil
	case reeve.IntentWrite:
		list := up.parents(p)
		if p.Exists() {
			return append(list, reeve.Effect{Kind: reeve.EffectReplace, Place: p}), nil
		}
		return append(list, reeve.Effect{Kind: reeve.EffectCreate, Place: p}), nil
	case reeve.IntentMkdir:
		return append(up.parents(p), reeve.Effect{Kind: reeve.EffectMkdir, Place: p}), nil
	case reeve.IntentRemove:
		return one(reeve.EffectRemove), nil
	case reeve.IntentMove:
		to := s.to.Place()
		return append(up.parents(to), reeve.Effect{Kind: reeve.EffectMove, Place: p, To: &to}), nil
	}
	return nil, internalError("an intent of unknown kind " + string(s.Intent.Kind))
}

// there refuses what cannot be because of what is or is not at a place that
// policy has already allowed.
func (g *Gate) there(ctx context.Context, c *call, s *Seen) error {
	p := s.held.Place()
	verb := c.Call.Verb()
	switch s.Intent.Kind {
	case reeve.IntentRead, reeve.IntentList, reeve.IntentWalk, reeve.IntentStat, reeve.IntentRemove, reeve.IntentMove:
		if !p.Exists() {
			return g.missing(ctx, c, s)
		}
	}
	if err := c.asFolder(s); err != nil {
		return err
	}
	if (s.Intent.Kind == reeve.IntentRemove || s.Intent.Kind == reeve.IntentMove) && len(p.Components) == 0 {
		return &reeve.Error{Op: string(verb), Path: s.shown, Kind: reeve.Policy, Code: reeve.HoldsRoot,
			What: "is a granted folder itself", Not: notDone(s.Effects[0].Kind), Instead: "Only what is in it can be moved or deleted."}
	}
	missing := p.Missing
	if s.to != nil {
		missing = s.to.Place().Missing
	}
	if missing > 1 && !s.Intent.Parents {
		up := above(nil).parents(p)
		if s.to != nil {
			up = above(nil).parents(s.to.Place())
		}
		return &reeve.Error{Op: string(verb), Path: s.shown, Kind: reeve.IO, Code: reeve.NotFound,
			What: "needs the folder " + up[0].Place.Display() + ", which does not exist",
			Not:  "Nothing was written.", Instead: "Create the folder first."}
	}
	switch s.Intent.Kind {
	case reeve.IntentRead, reeve.IntentWrite:
		switch p.Kind {
		case reeve.Directory:
			if s.Intent.Tree {
				break // the verb knows what was to be put there, and says how
			}
			instead := "List it to see what is in it."
			if s.Intent.Kind == reeve.IntentWrite {
				instead = "Give the path of a file in it; list it to see what is there."
			}
			return &reeve.Error{Op: string(verb), Path: s.shown, Kind: reeve.IO, Code: reeve.IsDirectory,
				What: "is a folder", Not: notDone(s.Effects[0].Kind), Instead: instead}
		case reeve.Special:
			return special(verb, s, s.Effects[0].Kind)
		}
	case reeve.IntentList:
		if p.Kind == reeve.Special {
			return special(verb, s, reeve.EffectList)
		}
		if p.Kind != reeve.Directory {
			return &reeve.Error{Op: string(verb), Path: s.shown, Kind: reeve.IO, Code: reeve.NotDirectory,
				What: "is not a folder", Not: "Nothing was listed.", Instead: "Read it as a file, or list the folder it is in."}
		}
	case reeve.IntentWalk:
		if p.Kind == reeve.Special {
			return special(verb, s, reeve.EffectList)
		}
	case reeve.IntentMkdir:
		if p.Exists() {
			return exists(verb, s.shown, p, reeve.Place{})
		}
	case reeve.IntentMove:
		if to := s.to.Place(); to.Exists() {
			return exists(verb, to.Display(), to, p)
		}
	}
	return nil
}

func special(verb reeve.Verb, s *Seen, k reeve.EffectKind) error {
	return &reeve.Error{Op: string(verb), Path: s.shown, Kind: reeve.IO, Code: reeve.SpecialFile,
		What: "is a pipe, socket or device, which is never opened", Not: notDone(k),
		Instead: "Only ordinary files and folders can be used."}
}

// exists refuses to make or move something onto what is there. From is what
// would be moved, if anything.
func exists(verb reeve.Verb, path string, p, from reeve.Place) error {
	e := &reeve.Error{Op: string(verb), Path: path, Kind: reeve.IO, Code: reeve.Exists,
		What: "exists already", Not: "Nothing was changed.", Instead: "Choose another name, or remove it first."}
	if p.Kind == reeve.Directory {
		e.What = "exists already, as a folder"
		e.Instead = IntoFolder(p, from, e.Instead)
	}
	return e
}

// IntoFolder is the next call for somebody who named a folder that exists and
// means to put something into it; otherwise where there is nothing to put.
func IntoFolder(folder, from reeve.Place, otherwise string) string {
	if len(from.Components) == 0 {
		return otherwise
	}
	into := folder
	into.Components = append(folder.Components[:len(folder.Components):len(folder.Components)], from.Components[len(from.Components)-1])
	return "To put it into that folder, give its name there as well: to " + into.Display() + "."
}

// gone reports that a held file with marks of its own is not what stands at
// its name any more.
func (s *Seen) gone(ctx context.Context) bool {
	p := s.held.Place()
	if p.Kind != reeve.File || len(p.Marks) == 0 {
		return false
	}
	up, err := s.held.Parent(ctx)
	if err != nil {
		return errors.Is(err, reeve.Changed)
	}
	up.Close()
	return false
}
