package ops

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
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
	s.not(state, strings.TrimSuffix(e.What, "."))
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

// file brings bytes back, over what the change left or where it left nothing.
func (s *restoring) file(ctx context.Context, p reeve.Place) error {
	s.change.Kind = reeve.Put
	var now []byte
	switch {
	case s.Any:
		if p.Exists() && p.Kind != reeve.File {
			s.not(reeve.StepExists, "is no file by now")
		}
	case s.Left.IsZero():
		s.absent(p)
	case !p.Exists():
		s.not(reeve.StepGone, "is not there any more")
	case p.Kind != reeve.File:
		s.not(reeve.StepChanged, "is no file any more")
	}
	if p.Kind == reeve.File {
		f, err := s.view.Base(ctx, s.at)
		if now, err = s.now(ctx, f, err); err != nil {
			return err
		}
	}
	old, err := s.old(ctx)
	if err != nil {
		return err
	}
	s.differs(now, old)
	var hash [32]byte
	if b, err := hex.DecodeString(s.Blob); err == nil {
		copy(hash[:], b)
	}
	source := reeve.FromPlace{Place: p, Version: reeve.NewVersion(reeve.Stamp{Size: s.Size}, false, &hash)}
	s.change.Content = reeve.Stream{Size: s.Size, Source: source, Open: func(ctx context.Context) (io.ReadCloser, error) {
		r, _, err := s.kept.Open(ctx, s.Blob)
		return r, err
	}}
	return nil
}

// now compares what is there with what the change left, and gives the bytes
// if they are few.
func (s *restoring) now(ctx context.Context, f *guard.File, err error) ([]byte, error) {
	if err == nil {
		defer f.Close()
		var b []byte
		var sum [32]byte
		if s.told.Now = f.Size(); f.Size() <= maxCompared {
			if b, err = readStillAll(ctx, f); err == nil {
				sum = hashOf(b)
			}
		} else {
			sum, err = hashStill(ctx, f)
		}
		if err == nil {
			v := f.Version(&sum)
			if !s.Left.IsZero() && s.Left.Compare(v) == reeve.Different {
				s.not(reeve.StepChanged, "was changed since")
			}
			if !s.Left.IsZero() || s.Any {
				s.change.Expect = v
			}
			return b, nil
		}
	}
	if errors.Is(err, errMoving) {
		s.not(reeve.StepChanged, "is being changed by another program right now")
		return nil, nil
	}
	if e, ok := reeve.AsError(err); ok && ctx.Err() == nil {
		s.refused(e)
		return nil, nil
	}
	return nil, err
}

// old makes sure of what is kept, and gives the bytes if they are few.
func (s *restoring) old(ctx context.Context) ([]byte, error) {
	r, size, err := s.kept.Open(ctx, s.Blob)
	if err == nil {
		defer r.Close()
		var b bytes.Buffer
		if size != s.Size {
			s.not(reeve.StepLost, "has a kept copy that is damaged")
			return nil, nil
		}
		to := io.Writer(io.Discard)
		if size <= maxCompared {
			to = &b
		}
		if _, err = io.Copy(to, r); err == nil {
			return b.Bytes(), nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	why := "has a kept copy that cannot be read"
	switch {
	case errors.Is(err, reeve.NotFound):
		why = "has no copy any more: copies are kept for a number of days and bytes only"
	case errors.Is(err, reeve.Damaged):
		why = "has a kept copy that is damaged"
	}
	s.not(reeve.StepLost, why)
	return nil, nil
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

// refusal is why nothing was done.
func (s *restoring) refusal() error {
	if s.err != nil && s.told.State == reeve.StepRefused {
		e := *s.err
		e.Not = notRestored
		return &e
	}
	code := reeve.Changed
	switch s.told.State {
	case reeve.StepGone:
		code = reeve.NotFound
	case reeve.StepExists:
		code = reeve.Exists
	case reeve.StepNotEmpty:
		code = reeve.NotEmpty
	case reeve.StepLost:
		code = reeve.Damaged
	}
	return &reeve.Error{Op: string(restoreVerb), Path: s.Path, Kind: reeve.IO, Code: code, What: s.told.Why.String(), Not: notRestored,
		Instead: s.instead()}
}

// instead is the way on from a step that cannot be done.
func (s *restoring) instead() string {
	switch s.told.State {
	case reeve.StepExists:
		return "Move what is there to another name; then it can be taken back."
	case reeve.StepNotEmpty:
		return "Move what is in it elsewhere; then it can be taken back."
	case reeve.StepLost:
		return "`reeve undo --list` shows which other changes can be taken back."
	}
	if s.Kind == reeve.RestoreMove {
		return "It can be moved by hand; `reeve undo --list` shows the changes made since, which may be taken back first."
	}
	return "`reeve undo --dry-run` shows what is there now and what was there before."
}
