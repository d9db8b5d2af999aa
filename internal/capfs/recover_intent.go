package capfs

import (
	"path/filepath"
	"time"

	"reeve"
)

// judgeIntent is judge for a change of which only the record tells: by what
// it was to make or move, and when.
func (r *recovery) judgeIntent(at site, in Intent) *CutShort {
	name := filepath.Base(in.Path)
	c := &CutShort{Temp: in.Temp, Path: in.Path, To: in.To, Folder: filepath.Dir(in.Path), At: in.At, OldKind: reeve.Absent}
	now, err := at.look(name)
	there := err == nil
	if !there && !missing(err) {
		return c
	}
	before := func(i Info) bool {
		return !in.Before.IsZero() && reeve.NewVersion(i.Stamp, false, nil).Compare(in.Before) != reeve.Different
	}
	aside := func() (Info, bool) {
		for _, hidden := range []string{string(in.Temp), string(in.Temp) + aside} {
			if i, err := at.look(hidden); err == nil && !(there && now.SameFile(i.Identity)) {
				return i, before(i) || i.Kind == reeve.Directory
			}
		}
		return Info{}, false
	}
	r.cut = c
	switch in.Kind {
	case reeve.EffectCreate, reeve.EffectMkdir:
		c.Kind = reeve.Put
		if in.Kind == reeve.EffectMkdir {
			c.Kind = reeve.Mkdir
		}
		if there && (now.Kind == reeve.Directory) == (in.Kind == reeve.EffectMkdir) && madeIn(now, in) {
			r.standsAs(at, name, asMade(now, in.At))
		}
	case reeve.EffectReplace:
		c.Kind = reeve.Put
		if old, is := aside(); is && there {
			c.Old, c.OldKind = old.Stamp, old.Kind
			r.standsAs(at, name, asMade(now, in.At))
		}
	case reeve.EffectRemove:
		c.Kind = reeve.Remove
		if old, is := aside(); is && !there {
			c.Old, c.OldKind, c.Stands = old.Stamp, old.Kind, true
		}
	case reeve.EffectMove:
		c.Kind = reeve.Move
		r.judgeMoved(c, in, there, before)
	}
	return c
}

func (r *recovery) judgeMoved(c *CutShort, in Intent, there bool, before func(Info) bool) {
	node, _, err := r.l.fs.walkPlain(filepath.Dir(in.To))
	if err != nil || there {
		return
	}
	defer node.Close()
	to, err := siteOf(node)
	if err != nil {
		return
	}
	defer to.close()
	if now, err := to.look(filepath.Base(in.To)); err == nil && before(now) {
		c.Old, c.OldKind = now.Stamp, now.Kind
		r.standsAs(to, filepath.Base(in.To), now.Stamp)
	}
}

// cutMost is how long after its intent a change that was cut short can have
// been made.
const cutMost = 2 * time.Minute

// madeIn: a thing came to be in the time of a change.
func madeIn(now Info, in Intent) bool {
	born := now.Birth
	if born == 0 {
		born = min(now.MTime, now.CTime)
	}
	last := in.At.Add(cutMost)
	if !in.Until.IsZero() && in.Until.Before(last) {
		last = in.Until // what came later is somebody else's
	}
	return born >= in.At.UnixNano()-int64(coarseWindow) && born <= last.UnixNano()
}

// asMade is the stamp of a thing as the change left it: another one where it
// was written to later.
func asMade(now Info, at time.Time) reeve.Stamp {
	s := now.Stamp
	if now.MTime > at.Add(cutMost).UnixNano() {
		s.MTime = 0
	}
	return s
}
