package capfs

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lookWait is how long a call waits for a look at narrowings: a mount
	// that does not answer there must not hold calls on other mounts. What
	// was seen before stays in force, and what was not seen is unsure.
	lookWait = 50 * time.Millisecond
	// lookSurely is the same where the answer decides: for a file with several
	// names. A round in which nothing answers ends before that.
	lookSurely = time.Second
	// stuckAfter is how long one question may take before another worker
	// goes on with the rest.
	stuckAfter = 50 * time.Millisecond
	// maxStuck is how many workers may wait in one lane.
	maxStuck = 4
)

// foldersKeepTime: this system stamps a folder whenever an entry is made.
// FAT on Windows does not.
const foldersKeepTime = runtime.GOOS != "windows"

// looker sees to it that narrowings are looked at again, in rounds.
type looker struct {
	mu    sync.Mutex
	now   *round           // the running one
	stuck map[string]*lane // workers that have not come back are counted here
	of    *view            // the view that lanes are of
	lanes []laneList
	began atomic.Int64 // when the last round that ended began, by fs.clock
	wall  atomic.Int64 // the same by the clock that stamps are compared with
}

// round is one look at all narrowings.
type round struct {
	began, wall int64
	left        atomic.Int32 // lanes that have not ended
	moved       atomic.Bool
	done        chan struct{}
}

// lane is what probably lies on one device: one worker at a time asks there,
// so that a device that does not answer holds up its own narrowings alone.
type lane struct {
	stuck atomic.Int32
}

// laneList is a lane's narrowings in one view.
type laneList struct {
	*lane
	device uint64 // 0 where it is a guess
	list   []*narrowing
}

// look makes sure that a round has ended that began at or after since, or
// gives up after limit: a narrowing's own time then tells how old it is.
func (fs *FS) look(ctx context.Context, since int64, limit time.Duration) {
	l := &fs.refresh
	if l.began.Load() >= since || len(fs.view.Load().narrow) == 0 {
		return
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	for l.began.Load() < since {
		l.mu.Lock()
		r := l.now
		if r == nil {
			r = &round{began: fs.clock(), wall: fs.o.Now().UnixNano(), done: make(chan struct{})}
			l.now = r
			go fs.round(r)
		}
		l.mu.Unlock()
		select {
		case <-r.done:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// lookOften is what every call begins with.
func (fs *FS) lookOften(ctx context.Context) {
	since := fs.clock()
	if fs.o.Refresh > 0 {
		since -= int64(fs.o.Refresh)
	}
	fs.look(ctx, since, lookWait)
}

func (fs *FS) round(r *round) {
	lanes := fs.lanes(fs.view.Load())
	if len(lanes) == 0 {
		lanes = []laneList{{lane: &lane{}}}
	}
	r.left.Store(int32(len(lanes)))
	for _, l := range lanes[1:] {
		go fs.ask(r, l, 0)
	}
	fs.ask(r, lanes[0], 0)
}

func (fs *FS) laneEnded(r *round) {
	if r.left.Add(-1) > 0 {
		return
	}
	if r.moved.Load() {
		fs.resettle()
	}
	l := &fs.refresh
	l.mu.Lock()
	l.now = nil
	l.wall.Store(r.wall)
	l.began.Store(r.began)
	l.mu.Unlock()
	close(r.done)
}

// lanes sorts narrowings by device: the one they were seen on, or else where
// their path probably leads.
func (fs *FS) lanes(v *view) []laneList {
	l := &fs.refresh
	if l.of == v { // only rounds come here, and they one at a time
		return l.lanes
	}
	var out []laneList
	at := map[string]int{}
	var mounts []string
	unseen := slices.ContainsFunc(v.narrow, func(n *narrowing) bool { return n.seen.Load() == nil })
	if m, ok := fs.layer.(MountPointer); ok && unseen {
		mounts = m.MountPoints()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stuck == nil {
		l.stuck = map[string]*lane{}
	}
	last, lastAt := uint64(0), -1
	for _, n := range v.narrow {
		device, key := uint64(0), ""
		if s := n.seen.Load(); s != nil {
			device = s.device
		}
		if device != 0 && device == last && lastAt >= 0 {
			out[lastAt].list = append(out[lastAt].list, n)
			continue
		}
		if device != 0 {
			key = deviceKey(device)
		} else {
			key = guessedMount(n.Path, mounts)
		}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			if l.stuck[key] == nil {
				l.stuck[key] = &lane{}
			}
			out = append(out, laneList{lane: l.stuck[key], device: device})
		}
		out[i].list = append(out[i].list, n)
		last, lastAt = device, i
	}
	if !unseen {
		l.of, l.lanes = v, out
	}
	return out
}

func deviceKey(device uint64) string {
	var b [9]byte
	for i := range 8 {
		b[i+1] = byte(device >> (8 * i))
	}
	return string(b[:])
}

// guessedMount is the deepest of the mounts above a path, or, where they are
// not known, the topmost folder.
func guessedMount(path string, mounts []string) string {
	best := ""
	for _, m := range mounts {
		if len(m) > len(best) && contains(m, path, false) {
			best = m
		}
	}
	if best == "" {
		top, rest := splitTop(path)
		name, _ := cutName(rest)
		best = top + name
	}
	return best
}

// MountPointer is a Layer that knows where file systems are mounted, without
// asking them.
type MountPointer interface {
	MountPoints() []string
}

// asker is one worker in a lane.
type asker struct {
	state atomic.Int32 // asking, then ended or given up
	at    atomic.Int64 // the narrowing it is at
}

const (
	asking = iota
	askEnded
	askGivenUp
)

// ask looks at a lane's narrowings from an index on. When one of them does
// not answer, another worker goes on behind it.
func (fs *FS) ask(r *round, l laneList, from int) {
	if l.stuck.Load() >= maxStuck || l.device != 0 && fs.mounts.of(l.device).dead() {
		fs.laneEnded(r)
		return
	}
	a := &asker{}
	a.at.Store(int64(from))
	late := time.AfterFunc(stuckAfter, func() { fs.overdue(r, l, a, int64(from)) })
	folders := &folderLook{fs: fs}
	moved := false
	for i := from; i < len(l.list) && a.state.Load() == asking && !fs.closed.Load(); i++ {
		a.at.Store(int64(i))
		n := l.list[i]
		if !n.busy.CompareAndSwap(false, true) {
			continue
		}
		if fs.see(n, r.began, folders) {
			moved = true
			r.moved.Store(true)
		}
		n.busy.Store(false)
	}
	if a.state.CompareAndSwap(asking, askEnded) {
		late.Stop()
		fs.laneEnded(r)
		return
	}
	l.stuck.Add(-1)
	if moved {
		fs.resettle()
	}
}

// overdue gives a worker up that has not moved since the last time.
func (fs *FS) overdue(r *round, l laneList, a *asker, before int64) {
	at := a.at.Load()
	if at != before {
		if a.state.Load() == asking {
			time.AfterFunc(stuckAfter, func() { fs.overdue(r, l, a, at) })
		}
		return
	}
	l.stuck.Add(1)
	if !a.state.CompareAndSwap(asking, askGivenUp) {
		l.stuck.Add(-1)
		return
	}
	fs.ask(r, l, int(at)+1)
}

// sure reports that the last look at a narrowing began at or after a time, or
// that nothing it can have become since then lies on the device.
func (n *narrowing) sure(since int64, device uint64) bool {
	s := n.seen.Load()
	if s == nil {
		return false
	}
	return n.at.Load() >= since || s.device != 0 && s.device != device
}
