package ops

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"

	"reeve"
	"reeve/internal/guard"
)

// file brings bytes back, over what the change left or where it left nothing.
func (s *restoring) file(ctx context.Context, p reeve.Place) error {
	s.change.Kind = reeve.Put
	var now []byte
	switch {
	case s.Any:
		if p.Exists() && p.Kind != reeve.File {
			s.not(reeve.StepExists, "is no file by now")
		} else if p.Exists() {
			// Whose it is nobody knows, so it must not be lost.
			if kept, why := s.kept.Would(p.Size); kept <= 0 {
				s.not(reeve.StepExists, "is there, and no copy of it would be kept, since "+why)
			}
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
		v := f.Version(nil)
		switch s.told.Now = f.Size(); {
		case f.Size() <= maxCompared:
			if b, err = readStillAll(ctx, f); err == nil {
				sum = hashOf(b)
				v = f.Version(&sum)
			}
		case !s.Left.IsZero() && (s.Left.Compare(v) == reeve.Same || !s.Left.Hashed()):
			// The stamps tell, and reading gigabytes would tell no more.
		default:
			if sum, err = hashStill(ctx, f); err == nil {
				v = f.Version(&sum)
			}
		}
		if err == nil {
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
