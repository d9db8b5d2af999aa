package capfs

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"reeve"
)

const (
	// insideMax bounds what is read inside one folder of secrets, insideOwn
	// inside Reeve's own, which holds the history.
	insideMax = 10_000
	insideOwn = 50_000
	// insideAge is how long a look for changes inside holds: trees full of
	// files with several names must not look again for each of them.
	insideAge = 200 * time.Millisecond
	// insideWait is how long calls wait for what is read inside one folder,
	// counted from when that began. Until it is known, they are unsure.
	insideWait = time.Second
)

// insideCache knows the identities of what lies inside the folders that
// narrow access, so that another name of one of their files, or a mount of
// one of their folders, is known for what it is.
type insideCache struct {
	mu      sync.Mutex // guards both maps; never held while a folder is read
	by      map[*narrowing]*inside
	reading map[*narrowing]*insideRead
}

// insideRead is a reading that calls wait for together.
type insideRead struct {
	began time.Time
	done  chan struct{}
	got   *inside // valid when done is closed
}

// inside is what was found in one narrowing's folder. It never changes.
type inside struct {
	folder  reeve.Identity
	ids     map[fileID]struct{}
	devices map[uint64]bool // on some file systems files have another than folders
	folders map[string]*insideFolder
	// whole is false when a bound was hit or something could not be read: a
	// file that is not found may then still be inside.
	whole bool
	// beyond: another file system is mounted inside, which is not read. What
	// is in there may be on any device.
	beyond bool
	looked time.Time
}

// insideFolder is what was found in one folder, as of its stamp.
type insideFolder struct {
	stamp  reeve.Stamp // zero: changed so lately that it must be read again
	ids    []fileID
	below  []string
	beyond bool
}

// insideOf gives the narrowings that the thing is under some other name, or
// whose folder it lies in. Since is when the last look at them must have begun
// to count. Where something cannot be told of a file with several names, the
// answer is yes.
func (fs *FS) insideOf(ctx context.Context, v *view, info Info, since int64) []*narrowing {
	var out []*narrowing
	many := info.Kind == reeve.File && info.Links > 1
	for _, n := range v.narrow {
		s := n.seen.Load()
		if many && !n.sure(since, info.Device) || s != nil && s.exists && s.info.SameFile(info.Identity) {
			out = append(out, n)
			continue
		}
		if !n.Folder || s == nil || !s.exists || s.info.Kind != reeve.Directory {
			continue
		}
		in := fs.insideNow(ctx, n, s)
		_, hit := in.ids[idOf(info.Identity)]
		if hit || many && !in.whole && (in.beyond || in.devices[info.Device]) {
			out = append(out, n)
		}
	}
	return out
}

// forget drops what is known of narrowings that are no more.
func (c *insideCache) forget(still []*narrowing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keep := make(map[*narrowing]bool, len(still))
	for _, n := range still {
		keep[n] = true
	}
	for n := range c.by {
		if !keep[n] {
			delete(c.by, n)
		}
	}
}

// insideNow gives what is inside a folder; what changed there since the last
// time is read again.
func (fs *FS) insideNow(ctx context.Context, n *narrowing, s *sighting) *inside {
	c := &fs.inside
	c.mu.Lock()
	old := c.by[n]
	c.mu.Unlock()
	age := insideAge
	if fs.o.Refresh < 0 {
		age = 0
	}
	if old != nil && !old.folder.SameFile(s.info.Identity) {
		old = nil
	}
	if old != nil && time.Since(old.looked) < age {
		return old
	}
	c.mu.Lock()
	r := c.reading[n]
	if r == nil {
		r = &insideRead{began: time.Now(), done: make(chan struct{})}
		if c.reading == nil {
			c.reading = map[*narrowing]*insideRead{}
		}
		c.reading[n] = r
		go fs.readShared(r, n, s, old)
	}
	c.mu.Unlock()
	late := time.NewTimer(insideWait - time.Since(r.began))
	defer late.Stop()
	select {
	case <-r.done:
		if r.got != nil && r.got.folder.SameFile(s.info.Identity) {
			return r.got
		}
	case <-late.C:
	case <-ctx.Done():
	}
	unsure := &inside{folder: s.info.Identity, devices: map[uint64]bool{s.info.Device: true}}
	if old != nil {
		unsure.ids, unsure.beyond = old.ids, old.beyond
		for d := range old.devices {
			unsure.devices[d] = true
		}
	}
	return unsure
}

// readShared reads for all calls that wait, and goes on when they have gone.
func (fs *FS) readShared(r *insideRead, n *narrowing, s *sighting, old *inside) {
	in, err := Call(context.Background(), fs, func(ctx context.Context) (*inside, error) {
		return fs.readInside(ctx, n, s, old), nil
	})
	c := &fs.inside
	c.mu.Lock()
	if err == nil {
		r.got = in
		if c.by == nil {
			c.by = map[*narrowing]*inside{}
		}
		c.by[n] = in
	}
	delete(c.reading, n)
	c.mu.Unlock()
	close(r.done)
}

// readInside goes through the folders inside, breadth first, on the folder's
// own mount, and reads those that are not as they were.
func (fs *FS) readInside(ctx context.Context, n *narrowing, s *sighting, old *inside) *inside {
	limit := insideMax
	if n.Kind == reeve.MarkOwn {
		limit = insideOwn
	}
	m := fs.mounts.of(s.info.Device)
	in := &inside{folder: s.info.Identity, whole: true, folders: map[string]*insideFolder{}}
	queue, count, same := []string{s.real}, 0, old != nil && old.whole
	for len(queue) > 0 && in.whole {
		path := queue[0]
		queue = queue[1:]
		var f *insideFolder
		if old != nil {
			f = old.folders[path]
		}
		info, err := fs.statPath(ctx, m, path)
		if err == nil && (f == nil || f.stamp != info.Stamp) {
			same = false
			f, err = fs.readInsideFolder(ctx, m, path, limit-count)
		}
		switch {
		case missing(err):
			same = false
		case err != nil:
			in.whole = false
		default:
			in.folders[path] = f
			queue = append(queue, f.below...)
			count += len(f.ids)
			in.whole = count <= limit
			in.beyond = in.beyond || f.beyond
		}
	}
	in.whole = in.whole && !in.beyond
	if same && in.whole && len(in.folders) == len(old.folders) {
		in.ids, in.devices = old.ids, old.devices
	} else {
		in.ids, in.devices = make(map[fileID]struct{}, count), map[uint64]bool{s.info.Device: true}
		for _, f := range in.folders {
			for _, id := range f.ids {
				in.ids[id] = struct{}{}
				in.devices[id.device] = true
			}
		}
	}
	in.looked = time.Now()
	return in
}

func (fs *FS) statPath(ctx context.Context, m *mount, path string) (info Info, err error) {
	err = fs.touch(ctx, m, func() (err error) { info, err = fs.layer.Stat(path, false); return err })
	return info, err
}

// readInsideFolder reads one folder. Beyond limit it stops, with more than
// that many identities.
func (fs *FS) readInsideFolder(ctx context.Context, m *mount, path string, limit int) (*insideFolder, error) {
	var folder Node
	var info Info
	err := fs.touch(ctx, m, func() (err error) {
		var held Node
		if held, info, err = fs.walkPlain(path); err != nil {
			return err
		}
		defer held.Close()
		o, ok := held.(FolderOpener)
		if !ok {
			return errUnable
		}
		folder, err = o.OpenFolder()
		return err
	})
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	lister, ok := folder.(Lister)
	if !ok {
		return nil, errUnable
	}
	f := &insideFolder{stamp: info.Stamp}
	if racy(info.Stamp, fs.o.Now(), false) {
		f.stamp = reeve.Stamp{}
	}
	var batch []DirEntry
	for first := true; ; first = false {
		err := fs.touch(ctx, m, func() (err error) { batch, err = lister.List(batch[:0], first); return err })
		for _, e := range batch {
			inner, err := fs.statChild(ctx, m, folder, e.Name)
			if missing(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if inner.Kind == reeve.Directory {
				if mountOf(inner) != mountOf(info) {
					f.beyond = true
					f.stamp = reeve.Stamp{} // its going leaves no trace in the folder
					continue
				}
				f.below = append(f.below, join(path, e.Name))
			}
			f.ids = append(f.ids, idOf(inner.Identity))
			if len(f.ids) > limit {
				return f, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
