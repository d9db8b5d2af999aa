package capfs

import (
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
