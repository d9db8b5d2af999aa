package capfs

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"reeve"
)

// Options are copied by New. The zero value is this system's own layer with
// the safest bounds.
type Options struct {
	// Layer reaches the files; nil is this system's own.
	Layer Layer
	// Target names the computer in every place; empty is reeve.Local.
	Target reeve.Target
	// Timeout bounds the file-system work of one call; 0 is 10 s.
	Timeout time.Duration
	// Now is the clock that stamps are compared with; nil is time.Now.
	Now func() time.Time
	// MaxAbandoned is how many workers may hang at once; 0 is 64. Half as
	// many may touch one mount at the same moment, others wait their turn.
	MaxAbandoned int
	// Refresh is how old the identities of narrowings may get before the
	// next call looks at them again; 0 is one second, negative is always.
	Refresh time.Duration
	// Wait is how long SetGrants waits for folders that are not held yet,
	// and for what narrows access; 0 is two seconds. What has not answered by
	// then is lost, and is there as soon as it answers.
	Wait time.Duration
	// Event is told what happened to a root between calls. It is called
	// without any lock held, by the worker that saw it, and must not block.
	Event func(Event)
}

// EventKind says what happened to a root.
type EventKind string

const (
	// RootTakenUp: another plain folder of the same owner stood at the
	// root's path and was taken up.
	RootTakenUp EventKind = "root_taken_up"
	// RootIsSuspended: something else stands there; the owner must confirm.
	RootIsSuspended EventKind = "root_suspended"
	// RootIsLost: nothing is there, or it cannot be reached.
	RootIsLost EventKind = "root_lost"
	// RootOpened: a pending or lost root is there (again).
	RootOpened EventKind = "root_opened"
)

// Event is one thing that happened to a root, for the record.
type Event struct {
	Kind EventKind
	Root Status
}

// FS holds the granted folders of one computer. It is safe for use by many
// goroutines. No lock is held while the file system is asked anything.
type FS struct {
	o     Options
	layer Layer
	own   io.Closer // the layer, if New made it

	view   atomic.Pointer[view]
	mu     sync.Mutex // guards replacing view, and nothing that can block
	closed atomic.Bool

	mounts  mountTable
	hanging atomic.Int32 // workers abandoned and not back yet
	batches sync.Pool    // *[]DirEntry

	born    time.Time
	refresh looker
	inside  insideCache
	telling sync.Map // device → whether its folders' stamps tell what is made
}

// New makes an FS without grants. It touches no disk.
func New(o Options) *FS {
	fs := &FS{born: time.Now()}
	if o.Layer == nil {
		o.Layer = systemLayer()
		fs.own, _ = o.Layer.(io.Closer)
	}
	if o.Target == "" {
		o.Target = reeve.Local
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxAbandoned <= 0 {
		o.MaxAbandoned = 64
	}
	if o.Wait <= 0 {
		o.Wait = 2 * time.Second
	}
	if o.Refresh == 0 {
		o.Refresh = time.Second
	}
	fs.o, fs.layer = o, o.Layer
	fs.view.Store(&view{})
	return fs
}

// Close lets go of every root. Opened files and folders stay usable by their
// holders, but nothing new can be opened; new calls are refused. A second Close does nothing.
func (fs *FS) Close() error {
	if fs.closed.Swap(true) {
		return nil
	}
	fs.mu.Lock()
	old := fs.view.Swap(&view{})
	fs.mu.Unlock()
	for _, r := range old.roots {
		r.now.drop()
	}
	if fs.own != nil {
		return fs.own.Close()
	}
	return nil
}
