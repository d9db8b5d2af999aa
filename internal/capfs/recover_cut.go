package capfs

import (
	"path/filepath"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
)

// CutShort is a change that a process was in the middle of when it ended.
type CutShort struct {
	Kind reeve.ChangeKind
	// Temp is the hidden name that the change used: reeve.Change.Temp.
	Temp reeve.Name
	// Path and To are absolute, in raw bytes. To is set for a move.
	Path, To string
	// Folder is the folder, there before the change, that it was made in.
	Folder string
	// Stands says that the change was made, and was not taken back.
	Stands bool
	// Version is what a change that stands left at Path (at To, for a move),
	// and Left its kind; zero after a removal. Where somebody has changed that
	// since, it compares as different from what is there now.
	Version reeve.Version
	Left    reeve.FileKind
	// Old and OldKind are of what was at Path before.
	Old     reeve.Stamp
	OldKind reeve.FileKind
	// Made are the folders made on the way, outermost first.
	Made []string
	At   time.Time
}

// judge finds out whether a noted change was made, by what stands where. It
// touches nothing. A change of several that is taken back does not stand.
func (r *recovery) judge(at site, n noteStep, undo bool) *CutShort {
	c := &CutShort{Kind: reeve.ChangeKind(n.Kind), Temp: n.Temp, Folder: string(n.Folder), Old: n.Old, OldKind: n.OldKind, At: time.Unix(0, n.At)}
	c.Path, c.Made = pathBelow(n.Folder, n.Missing, n.Name)
	switch n.Kind {
	case stepInPlace:
		c.Kind = reeve.Put // inPlace compares the bytes, and says
		return c
	case stepKind(reeve.Move):
		if n.To != nil {
			c.To, c.Made = pathBelow(n.To.Folder, n.To.Missing, n.To.Name)
		}
		if !undo {
			r.judgeMove(c, at, n)
		}
	case stepKind(reeve.Remove):
		now, err := at.look(string(n.Name))
		c.Stands = !undo && (missing(err) || err == nil && !now.SameFile(n.Old.Identity))
	default:
		in, list, all := belowAll(at, n.Missing)
		defer closeAll(list)
		if all && !undo && r.wasPut(at, in, n) {
			r.cut = c
			r.standsAs(in, string(n.Name), n.New)
		}
	}
	return c
}

// wasPut: the new thing has its name, or has had it, since the old one lies
// aside.
func (r *recovery) wasPut(at, in site, n noteStep) bool {
	now, err := in.look(string(n.Name))
	if err != nil && !missing(err) {
		return false
	}
	there := err == nil
	if n.Old.IsZero() {
		return there && (!n.New.IsZero() && now.SameFile(n.New.Identity) || n.New.IsZero() && madeBy(n, now))
	}
	if there && now.SameFile(n.Old.Identity) {
		return false
	}
	if there && now.SameFile(n.New.Identity) {
		return true
	}
	for _, name := range []string{string(n.Temp), string(n.Temp) + aside} {
		if info, err := at.look(name); err == nil && info.SameFile(n.Old.Identity) {
			return true
		}
	}
	return false
}

func (r *recovery) judgeMove(c *CutShort, at site, n noteStep) {
	if n.To == nil {
		return
	}
	to, there, err := r.folder(n.To.Folder, n.To.FolderID)
	if err != nil || !there {
		return
	}
	defer to.close()
	in, list, all := belowAll(to, n.To.Missing)
	defer closeAll(list)
	if !all {
		return
	}
	now, err := in.look(string(n.To.Name))
	if err != nil {
		return
	}
	source, err := at.look(string(n.Name))
	away := missing(err) || err == nil && !source.SameFile(n.Old.Identity)
	is := now.SameFile(n.Old.Identity)
	left := n.Old
	if n.Copied {
		is, left = now.SameFile(n.New.Identity) || n.New.IsZero() && now.Kind == n.OldKind, n.New
	}
	if is && away {
		r.cut = c
		r.standsAs(in, string(n.To.Name), left)
	}
}

// stands notes on the change at hand that it stands as it is there now.
func (r *recovery) stands(at site, name string) { r.standsAs(at, name, reeve.Stamp{}) }

// standsAs is stands for what is known to have been left with a stamp; what
// differs from it by now was changed by somebody else.
func (r *recovery) standsAs(at site, name string, left reeve.Stamp) {
	c := r.cut
	if c == nil {
		return
	}
	c.Stands = true
	now, err := at.look(name)
	if err != nil {
		c.Version = reeve.NewVersion(left, false, nil)
		return
	}
	c.Left = now.Kind
	if !left.IsZero() && now.Kind == reeve.File && (!now.SameFile(left.Identity) || now.Size != left.Size || now.MTime != left.MTime) {
		left.Size, left.CTime = -1, 0 // no file is like that
		c.Version = reeve.NewVersion(left, false, nil)
		return
	}
	c.Version = reeve.NewVersion(now.Stamp, racy(now.Stamp, r.l.o.Now(), true), r.hash(at, name, now))
}

// hash is that of a file's content, nil where it could not be had.
func (r *recovery) hash(at site, name string, now Info) *[32]byte {
	if now.Kind != reeve.File {
		return nil
	}
	f, info, err := at.open(name, false)
	if err != nil {
		return nil
	}
	defer f.Close()
	h := blake3.New()
	buf := make([]byte, chunk)
	for at := int64(0); at < info.Size; {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), info.Size-at)], at)
		if n == 0 || err != nil && at+int64(n) < info.Size || r.ctx.Err() != nil {
			return nil
		}
		h.Write(buf[:n])
		at += int64(n)
	}
	if after, err := at.facts(f); err != nil || !same(after, info) || !same(info, now) {
		return nil
	}
	var sum [32]byte
	h.Sum(sum[:0])
	return &sum
}

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

// ended tells of the change at hand.
func (r *recovery) ended() {
	if r.cut != nil && r.o.Ended != nil {
		r.o.Ended(r.ctx, *r.cut)
	}
}

// pathBelow gives the path of a name below folders that were still to be
// made, and those of the folders.
func pathBelow(folder reeve.Name, missing []reeve.Name, name reeve.Name) (string, []string) {
	at := string(folder)
	var made []string
	for _, m := range missing {
		at = join(at, string(m))
		made = append(made, at)
	}
	return join(at, string(name)), made
}
