package ops

import (
	"context"
	"time"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/pathname"
)

// stat tells the facts of one path, a link's own and not those of what it
// leads to. No content is read.
type stat struct{}

// Plan implements guard.Verb.
func (stat) Plan(call reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.Stat](call)
	if err != nil {
		return nil, err
	}
	if err := given(reeve.VerbStat, "path", c.Path); err != nil {
		return nil, err
	}
	return []reeve.Intent{{Kind: reeve.IntentStat, Path: c.Path}}, nil
}

// Work implements guard.Verb.
func (stat) Work(_ context.Context, _ reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	s := v.At(0)
	info := s.Info()
	p := s.Place()
	f := &reeve.Facts{
		Path: r.Path(p), Kind: info.Kind, Size: info.Size, Links: info.Links, Access: p.Access,
		Modified: moment(info.MTime), Created: moment(info.Birth), Accessed: moment(info.ATime),
		Permissions: permissions(info.Kind, info.Mode),
	}
	switch info.Kind {
	case reeve.Symlink:
		f.Link = r.Text(pathname.EscapePath(info.Link))
	case reeve.File:
		f.Version = reeve.NewVersion(info.Stamp, racy(info.Stamp, v.Now()), nil).AsPartial()
	}
	return guard.Work{Answer: f}, nil
}

// moment is a time of the file system; 0 is unknown.
func moment(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// racyFor is how long after a change the stamp of a file may still be that of
// a later change: the coarsest clock of the file systems in daily use.
const racyFor = 2 * time.Second

// racy reports a stamp taken so soon after the last change. One that lies in
// the future is racy too: nobody knows that file's clock.
func racy(s reeve.Stamp, now time.Time) bool {
	return now.UnixNano()-max(s.MTime, s.CTime) < int64(racyFor)
}

// permissions writes a mode as ls does. Special files have "?" for their
// type: which one it is was not asked.
func permissions(k reeve.FileKind, mode uint32) string {
	b := []byte("?rwxrwxrwx")
	switch k {
	case reeve.File:
		b[0] = '-'
	case reeve.Directory:
		b[0] = 'd'
	case reeve.Symlink:
		b[0] = 'l'
	}
	for i := range 9 {
		if mode&(1<<(8-i)) == 0 {
			b[1+i] = '-'
		}
	}
	for _, x := range []struct {
		bit      uint32
		at       int
		set, off byte
	}{{0o4000, 3, 's', 'S'}, {0o2000, 6, 's', 'S'}, {0o1000, 9, 't', 'T'}} {
		if mode&x.bit == 0 {
			continue
		}
		if b[x.at] == 'x' {
			b[x.at] = x.set
		} else {
			b[x.at] = x.off
		}
	}
	return string(b)
}
