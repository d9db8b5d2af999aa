package capfs

import (
	"path/filepath"
	"sync/atomic"
	"time"

	"reeve"
)

// narrowing is a fixed path with what was last seen there.
type narrowing struct {
	Narrowing
	seen atomic.Pointer[sighting] // nil until its file system answered once
	// at is when the last look that got an answer began, by fs.clock.
	at atomic.Int64
	// busy: somebody is asking and has not come back.
	busy atomic.Bool
}

// sighting is what stood at a narrowing's path, links followed. It never
// changes.
type sighting struct {
	exists bool
	info   Info // as of when it was first seen: only what it is, not its state
	real   string
	// device is where it is, or would be made, 0 where nothing tells.
	device uint64
	// under is the deepest folder on the way to what is missing, and stamp
	// its state before that was found to be missing: while it stays the same,
	// nothing was made there. Empty where the stamp does not tell that.
	under string
	stamp reeve.Stamp
}

func (n *narrowing) key() string {
	k := string(n.Kind) + "\x00" + n.Rule + "\x00" + n.Path
	if n.Folder {
		k += "/"
	}
	return k
}

func (n *narrowing) mark() reeve.Mark { return reeve.Mark{Kind: n.Kind, Rule: n.Rule} }

// withMark appends without touching what others share, and only once.
func withMark(marks []reeve.Mark, m reeve.Mark) []reeve.Mark {
	for _, have := range marks {
		if have == m {
			return marks
		}
	}
	return append(marks[:len(marks):len(marks)], m)
}

// clock is a time of this FS alone that never goes back; it is never 0.
func (fs *FS) clock() int64 { return int64(time.Since(fs.born)) + 1 }

// resettle computes the index anew where identities moved.
func (fs *FS) resettle() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed.Load() {
		return
	}
	v := fs.view.Load()
	nv := &view{roots: append([]root(nil), v.roots...), narrow: v.narrow}
	nv.settle()
	fs.view.Store(nv)
}

// see looks at one narrowing and reports whether its identity changed. What
// was seen before stays in force when there is no answer.
func (fs *FS) see(n *narrowing, began int64, folders *folderLook) (moved bool) {
	was := n.seen.Load()
	if was != nil && was.under != "" {
		if f, err := folders.of(was.under); err == nil && f.info.Stamp == was.stamp {
			n.at.Store(began)
			return false
		}
	}
	next, err := fs.sight(n.Path, was, folders)
	if err != nil {
		return false
	}
	n.seen.Store(next)
	n.at.Store(began)
	return was == nil || was.exists != next.exists || was.real != next.real ||
		next.exists && !was.info.SameFile(next.info.Identity)
}

// sight asks what stands at a path.
func (fs *FS) sight(path string, was *sighting, folders *folderLook) (*sighting, error) {
	info, err := fs.layer.Stat(path, true)
	if err == nil {
		if was != nil && was.exists && was.info.Kind == info.Kind && was.info.SameFile(info.Identity) {
			return was, nil
		}
		s := &sighting{exists: true, info: info, real: path, device: info.Device}
		s.real, err = fs.layer.Real(path)
		return s, err
	}
	if !missing(err) {
		return nil, err
	}
	s := &sighting{real: path}
	for first := path; ; {
		dir := filepath.Dir(first)
		if dir == first {
			return s, nil
		}
		f, err := folders.of(dir)
		if missing(err) {
			first = dir
			continue
		}
		if err != nil {
			return nil, err
		}
		s.device = f.info.Device
		// Asked after the folder's stamp was taken, and without following: a
		// link that leads nowhere may lead somewhere later, and its folder
		// would not tell.
		if f.tells {
			if _, err := fs.layer.Stat(first, false); missing(err) {
				s.under, s.stamp = dir, f.info.Stamp
			}
		}
		return s, nil
	}
}

// folderLook looks at each folder once for one worker's round: most of what
// narrows access is missing, and missing in few folders.
type folderLook struct {
	fs *FS
	by map[string]folderSeen
}

type folderSeen struct {
	info Info
	err  error
	// tells: whatever is made in the folder from now on changes its stamp.
	tells bool
}

func (l *folderLook) of(dir string) (folderSeen, error) {
	if f, ok := l.by[dir]; ok {
		return f, f.err
	}
	var f folderSeen
	now := l.fs.o.Now()
	f.info, f.err = l.fs.layer.Stat(dir, true)
	f.tells = f.err == nil && f.info.Kind == reeve.Directory && !racy(f.info.Stamp, now, false) && l.fs.stampsTell(dir, f.info)
	if l.by == nil {
		l.by = map[string]folderSeen{}
	}
	l.by[dir] = f
	return f, f.err
}

// stampsTell: folders on this device get a new time with every entry that is
// made, and at once.
func (fs *FS) stampsTell(dir string, info Info) bool {
	if !foldersKeepTime {
		return false
	}
	if tells, ok := fs.telling.Load(info.Device); ok {
		return tells.(bool)
	}
	real, err := fs.layer.Real(dir)
	if err != nil {
		return false
	}
	node, held, err := fs.walkPlain(real)
	if err != nil || held.Device != info.Device {
		if err == nil {
			node.Close()
		}
		return false
	}
	tells := !fileSystemOf(node).Coarse
	node.Close()
	fs.telling.Store(info.Device, tells)
	return tells
}
