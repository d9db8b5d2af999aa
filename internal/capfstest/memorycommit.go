package capfstest

import (
	"context"
	"io"
	"strings"
	"sync/atomic"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/capfs"
)

// Committer gives a committer for this file system: compare-and-swap on
// versions, all changes or none, readers never between. It works through the
// held parent, like the real one.
func (m *Memory) Committer() capfs.Committer { return &memoryCommitter{m} }

type memoryCommitter struct{ m *Memory }

// memoryStaged is one prepared change.
type memoryStaged struct {
	m       *Memory
	change  reeve.Change
	dir     *inode   // the deepest existing parent
	missing []string // folders to be made below it, outermost first
	name    string
	bytes   []byte
	link    string // text of a link to be made
	to      *inode // destination folder of a move
	toName  string
	dropped atomic.Bool
}

// Change implements capfs.Staged.
func (s *memoryStaged) Change() reeve.Change { return s.change }

// Rung implements capfs.Staged.
func (s *memoryStaged) Rung() string { return "exchange" }

// Cleanup implements capfs.Staged.
func (s *memoryStaged) Cleanup() error {
	s.dropped.Store(true)
	return nil
}

func refused(op string, p reeve.Place, code reeve.Code, what string) error {
	return &reeve.Error{Op: op, Path: p.Display(), Kind: reeve.IO, Code: code, What: what,
		Not: "Nothing was changed.", Instead: "Look at it again, then decide."}
}

// Stage implements capfs.Committer.
func (c *memoryCommitter) Stage(ctx context.Context, at capfs.At, ch reeve.Change) (capfs.Staged, error) {
	n, ok := capfs.NodeOf(at.Parent).(*memoryNode)
	if !ok || n.n.info.Kind != reeve.Directory {
		return nil, refused("stage", ch.Place, reeve.NotDirectory, "has no folder that could hold it")
	}
	below := max(1, ch.Place.Missing)
	names := ch.Place.Components
	if len(names) < below {
		return nil, refused("stage", ch.Place, reeve.Invalid, "is a granted folder itself")
	}
	s := &memoryStaged{m: c.m, change: ch, dir: n.n, name: string(names[len(names)-1])}
	for _, folder := range names[len(names)-below : len(names)-1] {
		s.missing = append(s.missing, string(folder))
	}
	switch ch.Kind {
	case reeve.Put:
		if text, ok := ch.Content.(reeve.LinkTo); ok {
			s.link = string(text)
			break
		}
		b, err := c.content(ctx, ch)
		if err != nil {
			return nil, err
		}
		s.bytes = b
	case reeve.Move:
		if ch.To == nil {
			return nil, refused("stage", ch.Place, reeve.Invalid, "is to be moved nowhere")
		}
		to, ok := capfs.NodeOf(at.To).(*memoryNode)
		if !ok || to.n.info.Kind != reeve.Directory || ch.To.Missing != 1 {
			return nil, refused("stage", *ch.To, reeve.NotFound, "has no folder that could hold it")
		}
		s.to, s.toName = to.n, ch.To.Base()
	case reeve.Remove, reeve.Mkdir:
	default:
		return nil, refused("stage", ch.Place, reeve.Invalid, "is to be changed in an unknown way")
	}
	return s, nil
}

func (c *memoryCommitter) content(ctx context.Context, ch reeve.Change) ([]byte, error) {
	switch x := ch.Content.(type) {
	case reeve.Bytes:
		return append([]byte(nil), x...), nil
	case reeve.Stream:
		r, err := x.Open(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		if err == nil && int64(len(b)) != x.Size {
			err = refused("stage", ch.Place, reeve.Changed, "would get another number of bytes than was said")
		}
		return b, err
	case reeve.FromPlace:
		c.m.mu.Lock()
		defer c.m.mu.Unlock()
		n, _, err := c.m.find(x.Place.Path(), false)
		if err != nil || n.info.Kind != reeve.File || versionOf(n).Compare(x.Version) != reeve.Same {
			return nil, refused("stage", x.Place, reeve.Changed, "is no longer what was to be copied")
		}
		return append([]byte(nil), n.content...), nil
	}
	return nil, refused("stage", ch.Place, reeve.Invalid, "has no content to be given")
}

func versionOf(n *inode) reeve.Version {
	if n.info.Kind != reeve.File {
		return reeve.NewVersion(n.state().Stamp, false, nil)
	}
	sum := blake3.Sum256(n.content)
	return reeve.NewVersion(n.state().Stamp, false, &sum)
}

// Swap implements capfs.Committer. One lock is held from the first comparison
// to the last change, so that nobody sees some of them.
func (c *memoryCommitter) Swap(_ context.Context, staged []capfs.Staged) (capfs.Receipt, error) {
	m := c.m
	m.mu.Lock()
	defer m.mu.Unlock()
	undo := []func(){}
	back := func(err error) (capfs.Receipt, error) {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
		return capfs.Receipt{}, err
	}
	var r capfs.Receipt
	for _, s := range staged {
		ms, ok := s.(*memoryStaged)
		if !ok || ms.m != m || ms.dropped.Load() {
			return back(refused("swap", s.Change().Place, reeve.Invalid, "was not staged here, or cleaned up already"))
		}
		done, u, err := m.apply(ms)
		undo = append(undo, u...)
		if err != nil {
			return back(err)
		}
		r.Done = append(r.Done, done)
	}
	for _, s := range staged {
		s.Cleanup()
	}
	return r, nil
}

// apply makes one change and gives what would take it back.
func (m *Memory) apply(s *memoryStaged) (done capfs.Done, undo []func(), err error) {
	ch := s.change
	done = capfs.Done{Change: ch, Rung: s.Rung()}
	dir := s.dir
	for i, name := range s.missing {
		next := dir.entries[m.key(name)]
		if next == nil {
			next = m.newInode(reeve.Directory, dir.info.Device)
			at := dir
			m.put(at, name, next)
			undo = append(undo, func() { m.cut(at, name) })
			made := ch.Place
			made.Components = made.Components[:len(made.Components)-len(s.missing)+i]
			made.Missing, made.Kind, made.Stamp = 0, reeve.Directory, next.info.Stamp
			done.Made = append(done.Made, made)
		}
		if next.info.Kind != reeve.Directory {
			return done, undo, refused("swap", ch.Place, reeve.Changed, "has something in the place of its folder")
		}
		dir = next
	}
	was := dir.entries[m.key(s.name)]
	if err := expected(ch, was); err != nil {
		return done, undo, err
	}
	put := func(d *inode, name string, n *inode) {
		old := d.entries[m.key(name)]
		m.put(d, name, n)
		undo = append(undo, func() {
			if old == nil {
				m.cut(d, name)
			} else {
				m.put(d, name, old)
			}
		})
	}
	switch ch.Kind {
	case reeve.Put:
		if s.link != "" {
			n := m.newInode(reeve.Symlink, dir.info.Device)
			n.text = s.link
			put(dir, s.name, n)
			break
		}
		n := m.newInode(reeve.File, dir.info.Device)
		n.content = s.bytes
		if was != nil {
			n.info.Mode, n.info.UID, n.info.GID = was.info.Mode, was.info.UID, was.info.GID
		}
		put(dir, s.name, n)
		done.Version = versionOf(n)
	case reeve.Mkdir:
		put(dir, s.name, m.newInode(reeve.Directory, dir.info.Device))
	case reeve.Remove, reeve.Move:
		if ch.Kind == reeve.Remove && !ch.Tree && len(was.entries) > 0 {
			return done, undo, refused("swap", ch.Place, reeve.NotEmpty, "is a folder that is not empty")
		}
		if ch.Kind == reeve.Move {
			if s.to.entries[m.key(s.toName)] != nil {
				return done, undo, refused("swap", *ch.To, reeve.Exists, "exists already")
			}
			put(s.to, s.toName, was)
		}
		m.cut(dir, s.name)
		undo = append(undo, func() { m.put(dir, s.name, was) })
	}
	if was != nil && ch.Kind != reeve.Move {
		done.Displaced = &memoryDisplaced{m, was}
	}
	return done, undo, nil
}

// expected is the comparison of compare-and-swap.
func expected(ch reeve.Change, was *inode) error {
	create := ch.Kind == reeve.Mkdir || ch.Kind == reeve.Put && ch.Expect.IsZero()
	switch {
	case create && was != nil:
		return refused("swap", ch.Place, reeve.Exists, "exists already")
	case create:
		return nil
	case was == nil:
		return refused("swap", ch.Place, reeve.Changed, "is not there any more")
	case ch.Kind == reeve.Put && was.info.Kind != reeve.File:
		return refused("swap", ch.Place, reeve.Changed, "is no file any more")
	case ch.Expect.IsZero() && !was.info.SameFile(ch.Place.Identity),
		!ch.Expect.IsZero() && versionOf(was).Compare(ch.Expect) != reeve.Same:
		return refused("swap", ch.Place, reeve.Changed, "was changed since it was looked at")
	}
	return nil
}

// memoryDisplaced is what a change put out of the way.
type memoryDisplaced struct {
	m *Memory
	n *inode
}

// Info implements capfs.Displaced.
func (d *memoryDisplaced) Info() capfs.Info {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	return d.n.state()
}

// Open implements capfs.Displaced.
func (d *memoryDisplaced) Open(context.Context) (capfs.OpenFile, error) {
	return &memoryFile{memoryNode{m: d.m, n: d.n}}, nil
}

// Release implements capfs.Displaced.
func (d *memoryDisplaced) Release() error { return nil }

// Tree gives the paths of everything below a folder, folders with a slash at
// the end, links with their text, files with their content: for comparing
// before and after.
func (m *Memory) Tree(path string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _, err := m.find(path, true)
	if err != nil {
		return nil
	}
	var out []string
	var walk func(n *inode, at string)
	walk = func(n *inode, at string) {
		for _, k := range n.order {
			c, p := n.entries[k], at+"/"+n.spelled[k]
			switch c.info.Kind {
			case reeve.Directory:
				out = append(out, p+"/")
				walk(c, p)
			case reeve.Symlink:
				out = append(out, p+" -> "+c.text)
			default:
				out = append(out, p+" "+string(c.content))
			}
		}
	}
	walk(n, strings.TrimSuffix(path, "/"))
	return out
}
