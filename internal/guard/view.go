package guard

import (
	"context"
	"fmt"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// View is what a verb may see: the things behind its own intents, each
// resolved, judged and held. It is for one call, and closed when the call
// ends. There is no way to write through it, and none to name a path that
// was not judged.
type View struct {
	files    *capfs.FS
	rules    Rules
	subject  reeve.Subject
	target   reeve.Target
	settings reeve.Settings
	paths    pathname.Context
	now      func() time.Time
	seen     []*Seen
	opened   map[string]reeve.Identity // by key, files of folders that may be copied
	byPlace  map[string][]*Seen        // see changesAt
	byRead   map[string]*Seen
}

// Seen is one intent, resolved and judged.
type Seen struct {
	Intent reeve.Intent
	// Effects are what the intent comes to here; the last one is the thing
	// asked for, those before it are parent folders to be made.
	Effects []reeve.Effect
	// Err is why an optional intent was refused. The rest is empty then.
	Err *reeve.Error

	shown     string // the path as written
	rule      string // that Err rests on
	asFolder  bool
	held, to  *capfs.Held
	decisions []reeve.Decision // one for each effect
	git       int              // components to the git folder that the last effect is in, and one; 0 is none
}

// Place is where the thing really is.
func (s *Seen) Place() reeve.Place { return s.held.Place() }

// Info is what the file system tells about it.
func (s *Seen) Info() capfs.Info { return s.held.Info() }

// Shown is the path as the caller wrote it, escaped.
func (s *Seen) Shown() string { return s.shown }

// Len is the number of intents.
func (v *View) Len() int { return len(v.seen) }

// At gives the i-th intent.
func (v *View) At(i int) *Seen { return v.seen[i] }

// Settings are the profile's numbers and habits.
func (v *View) Settings() reeve.Settings { return v.settings }

// Target is the computer that the call is for.
func (v *View) Target() reeve.Target { return v.target }

// Subject is who asks.
func (v *View) Subject() reeve.Subject { return v.subject }

// Now is the gate's clock.
func (v *View) Now() time.Time { return v.now() }

// Roots are the granted folders and their states, without touching a disk.
func (v *View) Roots() []capfs.Status { return v.files.Roots() }

// Relative is the folder that relative paths start from, empty where the
// profile refuses relative paths.
func (v *View) Relative() string { return relativeBase(v.paths) }

// Open opens the i-th intent's file for reading: the very thing that was
// judged. The caller closes it.
func (v *View) Open(ctx context.Context, i int) (*capfs.File, error) {
	s := v.seen[i]
	if err := s.readable(); err != nil {
		return nil, err
	}
	f, err := s.held.File(ctx)
	return f, v.words(s, err)
}

// Base opens the file that the i-th intent wants to change, for a verb that
// works the new content out from the old. Policy is asked whether it may be
// read at all. It is no read in the sense of the read state.
func (v *View) Base(ctx context.Context, i int) (*capfs.File, error) {
	s := v.seen[i]
	if s.Err != nil {
		return nil, s.Err
	}
	if s.Intent.Kind != reeve.IntentWrite || len(s.decisions) != len(s.Effects) {
		return nil, internalError(fmt.Sprintf("an intent to %s was opened as the base of a change", s.Intent.Kind))
	}
	if d := v.rules.Decide(v.subject, reeve.Effect{Kind: reeve.EffectRead, Place: s.Place()}); d.Verdict != reeve.Allow {
		return nil, refusal("read", s.shown, reeve.EffectRead, d)
	}
	f, err := s.held.File(ctx)
	return f, v.words(s, err)
}

// Folder opens the i-th intent's folder for listing, with the rules compiled
// for its entries. The caller closes it.
func (v *View) Folder(ctx context.Context, i int) (*Folder, error) {
	s := v.seen[i]
	if err := s.readable(); err != nil {
		return nil, err
	}
	f, err := s.held.Folder(ctx)
	if err != nil {
		return nil, v.words(s, err)
	}
	return v.folder(f), nil
}

func (v *View) folder(f *capfs.Folder) *Folder {
	return &Folder{view: v, held: f, rule: v.rules.Folder(f.Place())}
}

// words gives an error of the file system the path as the caller wrote it.
func (v *View) words(s *Seen, err error) error {
	if err == nil {
		return nil
	}
	return withPath(err, s.shown)
}

// readable is a second look at what decide has settled, so that a verb that
// opens an intent of another kind gets a refusal.
func (s *Seen) readable() error {
	if s.Err != nil {
		return s.Err
	}
	if s.held == nil || len(s.decisions) == 0 {
		return internalError("an intent was opened before it was judged")
	}
	for i, e := range s.Effects {
		if e.Kind.Changes() || s.decisions[i].Verdict != reeve.Allow {
			return internalError(fmt.Sprintf("an intent to %s was opened for reading", s.Intent.Kind))
		}
	}
	return nil
}

func (v *View) close() {
	for _, s := range v.seen {
		if s.held != nil {
			s.held.Close()
		}
		if s.to != nil {
			s.to.Close()
		}
	}
}

// relativeBase is the folder that relative paths start from.
func relativeBase(c pathname.Context) string {
	switch c.Style {
	case pathname.StyleAbsolute:
		return ""
	case pathname.StyleHome:
		return c.Home
	}
	return c.Base
}
