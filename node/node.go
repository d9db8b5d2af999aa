package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/asking"
	"reeve/internal/capfs"
	"reeve/internal/guard"
	"reeve/internal/ops"
	"reeve/internal/policy"
	"reeve/internal/readstate"
	"reeve/internal/record"
)

// Node is one assembled computer. It is safe for concurrent use.
type Node struct {
	places  Places
	files   *capfs.FS
	record  *record.Segment
	source  *source
	gate    *guard.Gate
	table   *approval.Table
	changes *changes
	calls   calls
	stop    context.CancelFunc // of what runs beside the calls
}

// New assembles a node: it reads the configuration, holds the granted folders
// and makes sure that the record can be written. A configuration that cannot
// be used is no error: the node then refuses everything, and Status says why.
func New(ctx context.Context, c Config) (*Node, error) {
	p, err := DefaultPlaces()
	if err != nil && (c.ConfigFile == "" || c.StateDir == "") {
		return nil, err
	}
	if c.Home != "" { // another home: what the environment says of this one does not hold
		p = placesOf(c.Home, func(_, otherwise string) string { return otherwise })
	}
	if c.ConfigFile != "" {
		p.Config = c.ConfigFile
	}
	if p.ConfigDir == "" {
		p.ConfigDir = filepath.Dir(p.Config)
	}
	if c.StateDir != "" {
		p.State = c.StateDir
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.StartWait <= 0 {
		c.StartWait = 50 * time.Millisecond
	}
	for _, f := range c.Folders {
		if !filepath.IsAbs(f.Path) {
			return nil, fmt.Errorf("the folder %q is not an absolute path", f.Path)
		}
	}
	if c.Profile != "" {
		if _, err := policy.LoadProfile(c.Profile); err != nil {
			return nil, err
		}
	}
	n := &Node{places: p}
	n.record, err = record.Open(record.Options{Dir: p.State, Now: c.Now,
		Process: record.Process{Name: "reeve", Version: c.Version, PID: os.Getpid()}})
	if err != nil {
		return nil, err
	}
	n.files = capfs.New(capfs.Options{Now: c.Now, Event: n.rootEvent, Wait: c.StartWait})
	n.source = &source{config: p.Config, places: p, run: runOf(c), files: n.files, now: c.Now,
		known: newKnownRoots(p.State, c.Now)}
	if _, err := n.source.get(); err != nil {
		return nil, errors.Join(err, n.Shutdown(ctx))
	}
	if n.changes, err = newChanges(n.files, p.State, c.Now); err != nil {
		return nil, errors.Join(fmt.Errorf("the state folder %s cannot be used: %w; REEVE_STATE names another", p.State, err), n.Shutdown(ctx))
	}
	n.table = approval.NewTable(approval.TableOptions{Dir: p.State, Now: c.Now})
	n.gate, err = guard.New(guard.Options{Files: n.files, Policies: n.source, Record: recorder{n.record},
		Verbs: ops.Verbs(ops.Options{Key: n.cursorKey, Kept: n.changes.history}), Ledger: approval.NewLedger(approval.LedgerOptions{Now: c.Now}),
		ReadState: seen{readstate.New(readstate.Options{Now: c.Now})},
		Changes:   n.changes.ladder, History: n.changes.keeper,
		Approvals: approvals{n.table}, Redact: c.Redact, Now: c.Now})
	if err != nil {
		return nil, errors.Join(err, n.Shutdown(ctx))
	}
	n.recover(ctx)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	go n.later(background)
	return n, nil
}

// Do implements reeve.Doer: the gate. A node that is shutting down refuses.
func (n *Node) Do(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
	if !n.calls.enter() {
		return reeve.Outcome{}, &reeve.Error{Kind: reeve.IO, Code: reeve.Cancelled, What: "Reeve is ending", Not: "Nothing was done."}
	}
	defer n.calls.leave()
	return n.gate.Do(ctx, r)
}

// Refused puts on record what a door refused before there was anything to
// ask the gate, and gives the error to be said.
func (n *Node) Refused(ctx context.Context, r reeve.Request, e *reeve.Error) error {
	return n.gate.Refused(ctx, r, e)
}

// cursorKey is the secret of cursors: one for each state folder, so that what
// one process gave another takes. Without it, cursors serve this process only.
func (n *Node) cursorKey() []byte {
	key, err := asking.Key(n.places.State)
	if err != nil {
		return nil
	}
	return key
}

// Places tells where this node's configuration and state are.
func (n *Node) Places() Places { return n.places }

// Shutdown waits for the calls that run, as long as ctx allows, then lets go
// of the folders and ends the record's segment: a change that has begun gets
// its outcome row. Calls that come later are refused. It may be called twice.
func (n *Node) Shutdown(ctx context.Context) error {
	if n.stop != nil {
		n.stop()
	}
	n.calls.end(ctx)
	err := n.files.Close()
	if n.changes != nil {
		n.changes.close()
	}
	if e := n.record.Close(); err == nil && !errors.Is(e, fs.ErrClosed) {
		err = e
	}
	return err
}

// Wait returns when Shutdown was called and no call runs any more, or when
// ctx ends.
func (n *Node) Wait(ctx context.Context) error { return n.calls.wait(ctx) }

// rootEvent puts what happened to a root between calls on record.
func (n *Node) rootEvent(e capfs.Event) {
	row := reeve.Row{Time: n.source.now(), Event: "root", Target: reeve.Local,
		Note: string(e.Kind) + ": " + e.Root.Note, Asked: []string{e.Root.Path}}
	if err := n.source.happened(e); err != nil {
		row.Note += "; this could not be remembered: " + cause(err)
	}
	// A row that cannot be written shows at the next call, which is refused.
	_ = n.record.Append(context.Background(), row)
}

// recorder is the record as the gate wants it.
type recorder struct{ s *record.Segment }

func (r recorder) Append(ctx context.Context, row reeve.Row) error { return r.s.Append(ctx, row) }

func (r recorder) AppendSync(ctx context.Context, row reeve.Row) error {
	_, err := r.s.AppendSync(ctx, row)
	return err
}

// cause is the system's own word for an error, without the path it repeats.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
