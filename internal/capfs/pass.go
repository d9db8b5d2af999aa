package capfs

import (
	"context"
	"time"

	"reeve"
)

// child holds one entry and looks at it.
func (fs *FS) child(ctx context.Context, m *mount, parent Node, name string) (child Node, info Info, err error) {
	err = fs.touch(ctx, m, func() (err error) {
		if child, err = parent.Child(name); err == nil {
			if info, err = child.Info(false); err != nil {
				child.Close()
			}
		}
		return err
	})
	return child, info, err
}

// statChild looks at an entry without holding it, where the layer can.
func (fs *FS) statChild(ctx context.Context, m *mount, parent Node, name string) (info Info, err error) {
	s, ok := parent.(Stater)
	if !ok {
		var child Node
		if child, info, err = fs.child(ctx, m, parent, name); err == nil {
			child.Close()
		}
		return info, err
	}
	err = fs.touch(ctx, m, func() (err error) { info, err = s.StatChild(name); return err })
	return info, err
}

// mountOf tells mounts apart: by the mount itself where the system tells it,
// since one mount may show several devices (overlays, subvolumes).
func mountOf(i Info) uint64 {
	if i.Mount != 0 {
		return i.Mount
	}
	return i.Device
}

func (fs *FS) readLink(ctx context.Context, m *mount, link Node) (text string, err error) {
	r, ok := link.(LinkReader)
	if !ok {
		return "", errUnable
	}
	err = fs.touch(ctx, m, func() (err error) { text, err = r.ReadLink(); return err })
	return text, err
}

// spelling gives a name as on disk, or as it was written where nobody tells.
func (fs *FS) spelling(ctx context.Context, m *mount, parent Node, name string) string {
	s, ok := parent.(Speller)
	if !ok {
		return name
	}
	err := fs.touch(ctx, m, func() error {
		real, err := s.Spelling(name)
		if err == nil && real != "" {
			name = real
		}
		return err
	})
	_ = err // the written name is then the best there is
	return name
}

// pass is where every thing that is walked through or arrived at is judged by
// what it is, whatever it is called: another granted folder takes over, a
// narrowing leaves its mark, another file system is looked at by type. Depth is
// how many names lead to the child, 0 where no folder can be another root.
// Often says that many children of one folder are passed: what narrows access
// is then looked at again only for those that may have got a name since.
func (fs *FS) pass(ctx context.Context, v *view, at frame, child Node, info Info, depth int, often bool) (frame, error) {
	next := at
	next.info = info
	crossed := mountOf(info) != mountOf(at.info)
	if crossed {
		next.m = fs.mounts.of(info.Device)
		err := fs.touch(ctx, next.m, func() error {
			next.fsys = fileSystemOf(child)
			return nil
		})
		if err != nil {
			return at, err
		}
		if next.fsys.Pseudo {
			next.marks = withMark(next.marks, reeve.Mark{Kind: reeve.MarkPseudo, Rule: next.fsys.Name})
		}
	}
	switched := false
	for _, k := range v.index[idOf(info.Identity)] {
		switch {
		case !k.identity.SameFile(info.Identity):
		case k.root < 0:
			next.marks = withMark(next.marks, k.narrow.mark())
		case info.Kind == reeve.Directory && !switched && depth > 0:
			switched = true
			next.root, next.depth = k.root, depth
			for _, m := range v.roots[k.root].marks {
				next.marks = withMark(next.marks, m)
			}
		}
	}
	many := info.Kind == reeve.File && info.Links > 1
	if crossed || many {
		since := int64(0)
		if many {
			since = fs.lookFor(ctx, info, often && !next.fsys.Coarse)
		}
		for _, n := range fs.insideOf(ctx, v, info, since) {
			next.marks = withMark(next.marks, n.mark())
		}
	}
	return next, nil
}

// lookFor sees to it that the last look at what narrows access counts for a
// thing that may have another name there, and gives when such a look must
// have begun. Another name changes a file's ctime.
func (fs *FS) lookFor(ctx context.Context, info Info, often bool) int64 {
	since := fs.clock()
	if often && info.CTime < fs.refresh.wall.Load()-int64(time.Second) {
		since -= int64(insideAge)
	}
	fs.look(ctx, since, lookSurely)
	return since
}
