package capfs

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"sync"
	"time"

	"reeve"
)

// Grant is one folder that the owner granted.
type Grant struct {
	ID reeve.RootID
	// Path is absolute and clean, raw bytes, as the owner wrote it. Links in
	// it are followed once, when it is taken.
	Path   string
	Access reeve.Access
	// Create: the folder may be made later; until then the root is pending.
	Create bool
	// Known is what stood there when the owner granted it. Its zero value
	// means that whatever stands there when it is first taken was meant.
	Known Known
}

// Known is what a granted path led to, so that it can be told after a restart
// whether it still does.
type Known struct {
	Real string // link-free, as on disk
	// Identity is zero where no folder was ever held.
	reeve.Identity
	UID uint32 // the folder's owner
	// Suspended, if not empty, is why only this very folder, or the owner's
	// yes, makes the root usable again.
	Suspended string
}

// RootID derives a root's name from its granted path: twelve characters that
// stay the same while the path does.
func RootID(path string) reeve.RootID {
	sum := sha256.Sum256([]byte(path))
	return reeve.RootID(strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:12]))
}

// Narrowing is a fixed path that narrows access wherever it is met, under
// whatever name: a folder of secrets, a file of secrets, Reeve's own.
type Narrowing struct {
	Path   string // absolute and clean; it need not exist
	Kind   reeve.MarkKind
	Rule   string // as the owner knows it
	Folder bool   // what lies inside it counts too
}

// Status is a grant and what became of it.
type Status struct {
	Grant
	// Real is the link-free path of the folder, as on disk.
	Real  string
	State reeve.RootState
	// Note says in a fragment why the state is not open.
	Note string
	// Held is what the root is compared with from now on.
	Held Known
}

// SetGrants makes the given folders the granted ones and gives their states.
// A grant that did not change keeps its handle; a new one, or one of which
// something else is known now, is taken here. It may be called at any time,
// also with what stands already. A folder that is not held within Options.Wait
// is lost until its file system answers.
func (fs *FS) SetGrants(grants []Grant, narrow []Narrowing) []Status {
	limit := time.Now().Add(fs.o.Wait)
	old := fs.view.Load()
	next := &view{narrow: make([]*narrowing, 0, len(narrow))}
	kept := map[string]*narrowing{}
	for _, n := range old.narrow {
		kept[n.key()] = n
	}
	for _, n := range narrow {
		fresh := &narrowing{Narrowing: n}
		if was := kept[fresh.key()]; was != nil {
			fresh = was
		} else {
			kept[fresh.key()] = fresh
		}
		next.narrow = append(next.narrow, fresh)
	}
	seen := map[reeve.RootID]bool{}
	for _, g := range grants {
		if g.ID == "" {
			g.ID = RootID(g.Path)
		}
		if seen[g.ID] {
			continue
		}
		seen[g.ID] = true
		next.roots = append(next.roots, root{grant: g})
	}
	taking := map[int]*opening{}
	for i := range next.roots {
		r := &next.roots[i]
		if was := old.root(r.grant.ID); was != nil && was.stays(r.grant) && was.now.keep() {
			r.now = was.now
			continue
		}
		o := &opening{fs: fs, grant: r.grant, done: make(chan struct{})}
		taking[i] = o
		go o.run()
	}
	late := time.NewTimer(time.Until(limit))
	defer late.Stop()
	for _, o := range taking {
		select {
		case <-o.done:
		case <-late.C:
			late.Reset(0)
		}
	}
	events := fs.publish(next, taking)
	if events == nil {
		return nil
	}
	fs.inside.forget(next.narrow)
	fs.look(context.Background(), fs.clock(), max(time.Until(limit), lookWait))
	fs.firstSight(next.narrow, limit)
	for _, e := range events {
		fs.event(e.Kind, e.Root)
	}
	return fs.Roots()
}

// firstSight waits some more for what narrows access and was never seen: a
// round goes on without who is slow to answer, and on a busy computer that is
// anybody.
func (fs *FS) firstSight(list []*narrowing, limit time.Time) {
	if soon := time.Now().Add(4 * stuckAfter); soon.Before(limit) {
		limit = soon
	}
	waited := false
	for _, n := range list {
		for n.seen.Load() == nil && n.busy.Load() && time.Now().Before(limit) {
			waited = true
			time.Sleep(time.Millisecond)
		}
	}
	if waited {
		fs.resettle()
	}
}

// publish puts a new view in force, with what was taken for it so far. Nil
// means that the FS is closed.
func (fs *FS) publish(next *view, taking map[int]*opening) []Event {
	events := []Event{}
	for i, o := range taking {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.now == nil {
			o.now = notTaken(o.grant, silentNote, nil)
		}
		o.out = true
		next.roots[i].now = o.now
		known := o.kind == RootIsLost || o.kind == RootIsSuspended && o.now.note == o.grant.Known.Suspended
		if o.kind != "" && !known {
			events = append(events, Event{o.kind, status(o.grant, o.now)})
		}
	}
	fs.mu.Lock()
	if fs.closed.Load() {
		fs.mu.Unlock()
		for _, r := range next.roots {
			r.now.drop()
		}
		return nil
	}
	next.settle()
	old := fs.view.Swap(next)
	fs.mu.Unlock()
	for _, r := range old.roots {
		r.now.drop()
	}
	return events
}

// stays reports that a root need not be taken anew for a grant.
func (r *root) stays(g Grant) bool {
	switch {
	case r.grant.Path != g.Path:
		return false
	case r.grant.Known == g.Known:
		return true
	case g.Known.Real == "":
		return r.now.state != reeve.StateSuspended
	}
	return r.now.state == reeve.StateOpen && g.Known.Suspended == "" &&
		r.now.real == g.Known.Real && r.now.info.SameFile(g.Known.Identity)
}

// opening is a granted folder that is being taken. Whoever waits for it may
// go on without.
type opening struct {
	fs    *FS
	grant Grant
	done  chan struct{} // closed when there is a first result

	mu   sync.Mutex
	now  *taken    // what stands for it so far
	kind EventKind // what is to be told of that
	out  bool      // now is in force
	told bool      // done is closed
}

// run takes the folder in a worker. One whose time is over goes on waiting,
// and what it brings then still counts.
func (o *opening) run() {
	m := newMount()
	_, err := Call(context.Background(), o.fs, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, o.fs.touch(ctx, m, func() error {
			t, kind, err := o.fs.take(o.grant)
			if err != nil {
				t, kind = o.fs.failed(o.grant, err, m), ""
			}
			o.deliver(t, kind)
			return nil
		})
	})
	if err != nil {
		o.deliver(o.fs.failed(o.grant, err, m), "")
	}
}

func (o *opening) deliver(t *taken, kind EventKind) {
	if t.m == nil {
		t.m = newMount()
	}
	t.refs.Store(1)
	o.mu.Lock()
	was, out := o.now, o.out
	r := root{grant: o.grant, now: was}
	switch {
	case out:
		if !o.fs.replace(&r, t) {
			o.mu.Unlock()
			return
		}
	default:
		was.drop()
		o.kind = kind
	}
	o.now = t
	if !o.told {
		o.told = true
		close(o.done)
	}
	o.mu.Unlock()
	if out && kind == "" && t.state == reeve.StateOpen {
		kind = RootOpened
	}
	if out && kind != "" {
		o.fs.event(kind, status(o.grant, t))
	}
}

// Roots gives the state of every root as last seen. It touches no disk.
func (fs *FS) Roots() []Status {
	v := fs.view.Load()
	out := make([]Status, len(v.roots))
	for i := range v.roots {
		out[i] = v.roots[i].status()
	}
	return out
}

// Confirm is the owner's yes to what stands now at the path of a root. Links
// in the granted path are followed again, this once.
func (fs *FS) Confirm(id reeve.RootID) error {
	r := fs.view.Load().root(id)
	if r == nil {
		return &reeve.Error{Op: "confirm", Path: string(id), Kind: reeve.Input, Code: reeve.NotFound,
			What: "is not a granted folder", Not: "Nothing was changed.", Instead: "`reeve roots list` shows them."}
	}
	g := r.grant
	g.Known = Known{}
	now := fs.takeNew(g)
	fs.replace(r, now)
	s := status(r.grant, now)
	if s.State == reeve.StateOpen {
		fs.event(RootOpened, s)
		return nil
	}
	if s.State == reeve.StateSuspended {
		return rootSuspended("confirm", "", s)
	}
	return rootLost("confirm", "", s)
}

func (fs *FS) event(kind EventKind, s Status) {
	if fs.o.Event != nil {
		fs.o.Event(Event{kind, s})
	}
}

// takeNew takes a folder at its granted path, in a worker.
func (fs *FS) takeNew(g Grant) *taken {
	o := &opening{fs: fs, grant: g, done: make(chan struct{})}
	o.run()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.out = true // what comes later replaces this
	return o.now
}

const silentNote = "its file system does not answer"

// failed is a root that could not be looked at.
func (fs *FS) failed(g Grant, err error, m *mount) *taken {
	if e, ok := reeve.AsError(err); ok && e.Code != reeve.Timeout && e.Code != reeve.MountDead {
		return notTaken(g, "it cannot be used: "+e.What, m)
	}
	return notTaken(g, silentNote, m)
}

// notTaken is a root of which nothing but its grant is known: the next call
// looks again.
func notTaken(g Grant, note string, m *mount) *taken {
	if m == nil {
		m = newMount()
	}
	t := &taken{state: reeve.StateLost, real: g.Path, note: note, m: m, blank: true, was: g.Known}
	if g.Known.Real != "" {
		t.real = g.Known.Real
	}
	t.refs.Store(1)
	return t
}
