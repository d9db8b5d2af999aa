package capfs

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"reeve"
)

// narrowing is a fixed path with what was last seen there.
type narrowing struct {
	Narrowing
	seen atomic.Pointer[sighting]
	m    atomic.Pointer[mount]
}

// sighting is what stood at a narrowing's path, links followed.
type sighting struct {
	exists bool
	info   Info
	real   string
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

// refresher sees to it that identities of narrowings are looked at again, by
// one worker at a time, which no call waits for longer than lookWait.
type refresher struct {
	last atomic.Pointer[time.Time] // when the last look ended
	mu   sync.Mutex
	busy chan struct{} // closed when the running look ends
	from time.Time     // when that began
}

const (
	// lookWait is how long a call waits for the look at narrowings. A mount
	// that does not answer there must not hold calls on other mounts; what
	// was seen before stays in force.
	lookWait = 50 * time.Millisecond
	// lookTime bounds one look.
	lookTime = 2 * time.Second
)

// look refreshes what is known of narrowings when it is older than the
// options allow, or now. After the first hang on a mount it goes on without.
func (fs *FS) look(ctx context.Context, now bool) {
	v := fs.view.Load()
	if len(v.narrow) == 0 {
		return
	}
	r := &fs.refresh
	if last := r.last.Load(); !now && last != nil && time.Since(*last) < fs.o.Refresh {
		return
	}
	for try := 0; ; try++ {
		r.mu.Lock()
		busy, running := r.busy, r.busy != nil
		if !running {
			busy = make(chan struct{})
			r.busy, r.from = busy, time.Now()
			go fs.lookOnce(busy)
		}
		limit := lookWait - time.Since(r.from)
		r.mu.Unlock()
		if now {
			limit = lookTime + grace
		}
		wait(ctx, busy, limit)
		if !now || !running || try > 0 {
			return
		}
		// What was running may have begun before the grants changed.
	}
}

func wait(ctx context.Context, done <-chan struct{}, limit time.Duration) {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	case <-ctx.Done():
	}
}

func (fs *FS) lookOnce(done chan struct{}) {
	defer func() {
		fs.refresh.mu.Lock()
		fs.refresh.busy = nil
		ended := time.Now()
		fs.refresh.last.Store(&ended)
		fs.refresh.mu.Unlock()
		close(done)
	}()
	v := fs.view.Load()
	moved, err := CallFor(context.Background(), fs, lookTime, func(ctx context.Context) (bool, error) {
		any := false
		for _, n := range v.narrow {
			any = fs.see(ctx, n) || any
			if ctx.Err() != nil {
				break
			}
		}
		return any, nil
	})
	if moved || err != nil {
		fs.resettle()
	}
}

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

// see looks at one narrowing and reports whether its identity changed.
func (fs *FS) see(ctx context.Context, n *narrowing) bool {
	was := n.seen.Load()
	m := n.m.Load()
	next := &sighting{real: n.Path}
	err := fs.touch(ctx, m, func() error {
		info, err := fs.layer.Stat(n.Path, true)
		if err != nil {
			return err
		}
		next.exists, next.info = true, info
		if was != nil && was.exists && was.info.SameFile(info.Identity) {
			next.real = was.real
			return nil
		}
		next.real, err = fs.layer.Real(n.Path)
		return err
	})
	if err != nil && !missing(err) {
		return false // what was seen before stays in force
	}
	if next.exists {
		n.m.Store(fs.mounts.of(next.info.Device))
	}
	n.seen.Store(next)
	return was == nil || was.exists != next.exists || was.real != next.real ||
		next.exists && !was.info.SameFile(next.info.Identity)
}
