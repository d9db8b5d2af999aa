package ops

import (
	"context"
	"strings"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/pathname"
)

// restoring is one step on its way: what is there is looked at, and compared
// with what the change left.
type restoring struct {
	restore
	reeve.RestoreStep
	view  *guard.View
	reply *guard.Reply
	at    int // of its first intent
	// planned are the paths at which something comes back.
	planned map[string]bool
	// quiet: the reply is nearly full, so that the step is only counted.
	quiet bool

	change reeve.Change
	told   reeve.RestoredStep
	err    *reeve.Error // why it was refused, in its own words
}

// maxCompared is the largest content, in bytes, whose difference is shown.
const maxCompared = 1 << 20

func (s *restoring) look(ctx context.Context) error {
	s.told = reeve.RestoredStep{Kind: s.Kind, State: reeve.StepReady, Was: s.Size}
	if !s.quiet {
		s.named()
	}
	seen := s.view.At(s.at)
	if seen.Err != nil {
		s.refused(seen.Err)
		return nil
	}
	p := seen.Place()
	if p.Display() != s.Path {
		s.not(reeve.StepChanged, "leads to "+p.Display()+" by now")
		return nil
	}
	s.change = reeve.Change{Place: p, Meta: s.Meta}
	switch s.Kind {
	case reeve.RestoreFile:
		return s.file(ctx, p)
	case reeve.RestoreLink:
		s.change.Kind = reeve.Put
		text, err := pathname.Unescape(s.Link)
		if err != nil || text == "" {
			s.not(reeve.StepLost, "led to what cannot be read any more")
		}
		s.change.Content, s.change.Meta = reeve.LinkTo(text), nil
		s.absent(p)
	case reeve.RestoreFolder:
		if s.There {
			return s.there(ctx, p)
		}
		s.change.Kind = reeve.Mkdir
		s.absent(p)
	case reeve.RestoreMove:
		s.move(seen, p)
	case reeve.RestoreRemove:
		return s.remove(ctx, p)
	}
	return nil
}

func (s *restoring) named() { s.told.Path, s.told.To = s.reply.Text(s.Path), s.reply.Text(s.To) }

// not says how the step stands; the first word counts.
func (s *restoring) not(state reeve.RestoreState, why string) {
	if s.told.State != reeve.StepReady {
		return
	}
	s.told.State = state
	if s.quiet && s.reply.Left() >= restoredOne {
		s.quiet = false
		s.named()
	}
	if !s.quiet {
		s.told.Why = s.reply.Text(why)
	}
}

// tell lists the step in the answer, or counts it.
func (s *restoring) tell(in *reeve.Restored) {
	switch {
	case !s.quiet:
		in.Steps = append(in.Steps, s.told)
	case s.told.State == reeve.StepReady:
		in.More++
	default:
		in.Blocked++
	}
}

// differs tells the difference, as far as the reply's budget goes.
func (s *restoring) differs(now, old []byte) {
	if s.quiet {
		return
	}
	lines, more := difference(now, old)
	for i, l := range lines {
		if s.reply.Left() < len(l)+restoredReserve {
			more += len(lines) - i
			break
		}
		s.told.Diff = append(s.told.Diff, s.reply.Text(l))
	}
	s.told.More = more
}

// refused is a refusal of the gate for one path.
func (s *restoring) refused(e *reeve.Error) {
	state := reeve.StepRefused
	switch e.Code {
	case reeve.NotFound:
		state = reeve.StepGone
	case reeve.Exists, reeve.IsDirectory:
		state = reeve.StepExists
	case reeve.NotEmpty:
		state = reeve.StepNotEmpty
	}
	why := strings.TrimSuffix(e.What, ".")
	if s.Kind == reeve.RestoreMove && state == reeve.StepExists {
		why = "cannot go back, since " + s.To + " " + why
	}
	s.not(state, why)
	s.err = e
}

func (s *restoring) absent(p reeve.Place) {
	if p.Exists() {
		s.not(reeve.StepExists, "is there again, where the change had left nothing")
	}
}

// there looks into a folder that stands where one comes back.
func (s *restoring) there(ctx context.Context, p reeve.Place) error {
	f, err := s.view.Folder(ctx, s.at)
	if err != nil {
		return err
	}
	defer f.Close()
	others, first := 0, ""
	err = f.Each(ctx, func(e guard.Entry) error {
		in := p
		in.Components = append(p.Components[:len(p.Components):len(p.Components)], reeve.Name(e.Name))
		if !s.planned[in.Display()] {
			if others++; others == 1 {
				first = pathname.Escape(e.Name)
			}
		}
		return ctx.Err()
	})
	switch {
	case err != nil:
		return err
	case others == 1:
		s.not(reeve.StepExists, "is there again, with "+first+" in it")
	case others > 1:
		s.not(reeve.StepExists, "is there again, with "+first+" and "+counted(int64(others-1), "other", "others")+" in it")
	case !s.quiet:
		s.told.Why = s.reply.Text("is there again, and what was in it comes back into it")
	}
	return nil
}

// move takes a thing back to where it was: a file if nobody has changed it
// since, a folder with what is in it by now.
func (s *restoring) move(seen *guard.Seen, p reeve.Place) {
	s.change.Kind, s.change.Meta = reeve.Move, nil
	e := seen.Effects[len(seen.Effects)-1]
	s.change.To = e.To
	if e.To == nil || e.To.Display() != s.To {
		s.not(reeve.StepChanged, "would come to another place by now")
	}
	s.told.Now = p.Size
	was := s.LeftStamp
	now := reeve.NewVersion(p.Stamp, false, nil)
	is := was.IsZero() || was.SameFile(p.Identity)
	if p.Kind == reeve.File {
		s.change.Expect = now
	}
	switch {
	case p.Kind != s.LeftKind:
		s.not(reeve.StepChanged, "is something else by now")
	case !s.Left.IsZero() && s.Left.Compare(now) == reeve.Same:
	case p.Kind == reeve.File && !was.IsZero() && was.Size == p.Size && was.MTime == p.MTime:
		// Also where it is another file: an earlier undo has brought it back.
	case is && p.Kind == reeve.File && !was.IsZero():
		s.not(reeve.StepChanged, "was changed since")
	case !is:
		s.not(reeve.StepChanged, "was replaced since")
	}
}

// remove takes away what was created, if nobody has put anything into it.
func (s *restoring) remove(ctx context.Context, p reeve.Place) error {
	s.change.Kind, s.change.Meta = reeve.Remove, nil
	look := s.view.At(s.at + 1)
	switch {
	case p.Kind != s.LeftKind:
		s.not(reeve.StepChanged, "is something else by now")
		return nil
	case look.Err != nil:
		s.refused(look.Err)
		return nil
	case look.Place().Key() != p.Key():
		s.not(reeve.StepChanged, "leads to "+look.Place().Display()+" by now")
		return nil
	}
	switch p.Kind {
	case reeve.File:
		f, err := s.view.Open(ctx, s.at+1)
		now, err := s.now(ctx, f, err)
		s.differs(now, nil)
		return err
	case reeve.Directory:
		f, err := s.view.Folder(ctx, s.at+1)
		if err != nil {
			return err
		}
		defer f.Close()
		n := 0
		if err := f.Each(ctx, func(guard.Entry) error { n++; return ctx.Err() }); err != nil {
			return err
		}
		if n > 0 {
			s.not(reeve.StepNotEmpty, "has "+counted(int64(n), "entry", "entries")+" in it, and stays")
		}
	case reeve.Symlink:
		if !s.Left.IsZero() && s.Left.Compare(reeve.NewVersion(p.Stamp, false, nil)) == reeve.Different {
			s.not(reeve.StepChanged, "was changed since")
		}
	}
	return nil
}
