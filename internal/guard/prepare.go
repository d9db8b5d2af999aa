package guard

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"reeve"
	"reeve/internal/capfs"
)

// stage writes the new content beside the intent row. Both are durable when
// it returns; what was staged is returned with an error too, to be cleaned
// up.
func (g *Gate) stage(ctx context.Context, p *passed, row reeve.Row) (staged []capfs.Staged, err error) {
	recorded := make(chan error, 1)
	go func() { recorded <- g.o.Record.AppendSync(ctx, row) }()
	defer func() { // on every way out: no row may follow the call's end
		if rerr := <-recorded; rerr != nil {
			err = unrecordedChange(rerr)
		}
	}()
	for _, ch := range p.proposal.Changes {
		s, err := g.stageOne(ctx, p.view, ch)
		if err != nil {
			return staged, err
		}
		staged = append(staged, s)
	}
	return staged, nil
}

// stageOne prepares one change at the folders that were judged.
func (g *Gate) stageOne(ctx context.Context, v *View, ch reeve.Change) (staged capfs.Staged, err error) {
	err = v.at(ctx, ch, func(at capfs.At) (err error) {
		staged, err = g.o.Changes.Stage(ctx, at, ch)
		return err
	})
	return staged, err
}

// at holds the folders of a change while fn runs.
func (v *View) at(ctx context.Context, ch reeve.Change, fn func(capfs.At) error) error {
	for _, s := range v.changesAt(ch.Place.Key()) {
		at := capfs.At{Parent: s.held, To: s.to, Source: v.source(ch)}
		if s.held.Place().Exists() {
			up, err := s.held.Parent(ctx)
			if err != nil {
				return err
			}
			defer up.Close()
			at.Parent = up
		}
		return fn(at)
	}
	return internalError("a change to a place that is not held")
}

// source is the held file that a change copies, nil for other changes.
func (v *View) source(ch reeve.Change) *capfs.Held {
	from, ok := ch.Content.(reeve.FromPlace)
	if !ok {
		return nil
	}
	if s := v.readAt(from.Place.Key()); s != nil {
		return s.held
	}
	return nil
}

func unrecordedChange(err error) error {
	return &reeve.Error{Kind: reeve.IO, Code: reeve.RecordFailed, Cause: err,
		What: "the record could not be written, so nothing was changed", Not: "Nothing was written.",
		Instead: "The owner can look with `reeve doctor`."}
}

// ready is a proposal that may be swapped: staged, with the locks of its
// devices held and its premises found as they were.
type ready struct {
	staged []capfs.Staged
	unlock func()
}

// free gives back the locks: what follows a swap needs them no more.
func (r *ready) free() {
	if r.unlock != nil {
		r.unlock()
		r.unlock = nil
	}
}

func (r *ready) release() {
	for _, s := range r.staged {
		s.Cleanup() // after a swap it does nothing
	}
	r.free()
}

// prepare is everything before the swap, in a worker that can be left behind.
// Left behind, it releases what it had by itself.
func (g *Gate) prepare(ctx context.Context, c *call, p *passed, a Approval) (*ready, error) {
	row := g.row(c, "intent")
	row.Verdict, row.Rule, row.Effects, row.Digest = reeve.Allow, a.Channel, rowChanges(p.proposal), c.digest.String()
	var mu sync.Mutex
	var done *ready
	left := false
	_, err := capfs.CallWhile(ctx, g.o.Files, c.policy.Settings.CallTime, func(ctx context.Context) (_ struct{}, err error) {
		r := &ready{}
		defer func() {
			if e := recover(); e != nil {
				err = panicked(e)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil || left {
				r.release()
				return
			}
			done = r
		}()
		if r.staged, err = g.stage(ctx, p, row); err != nil {
			return struct{}{}, err
		}
		if r.unlock, err = g.commits.lock(ctx, devices(p.proposal)); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, g.premises(ctx, c, p)
	})
	mu.Lock()
	defer mu.Unlock()
	left = true
	if err != nil {
		if done != nil {
			done.release()
		}
		return nil, err
	}
	return done, nil
}

// swapTime is how long a swap may take before the call ends without knowing
// what came of it.
const swapTime = time.Minute

func (g *Gate) swap(ctx context.Context, staged []capfs.Staged) (r capfs.Receipt, err error) {
	err = safely(func() (err error) {
		r, err = g.o.Changes.Swap(ctx, staged)
		return err
	})
	return r, err
}

// halfDone is the error of a swap that was rolled back, and not wholly.
type halfDone struct {
	err  *reeve.Error
	note string
}

func (h *halfDone) Error() string { return h.err.Error() }
func (h *halfDone) Unwrap() error { return h.err }

// notSwapped is what is said of a swap that failed. What the roll-back could
// not put back is kept and named.
func (g *Gate) notSwapped(ctx context.Context, c *call, r capfs.Receipt, err error) error {
	if len(r.Done)+len(r.Kept) > 0 {
		g.keep(ctx, c, r, nil)
	}
	if len(r.Left) == 0 {
		return err
	}
	var names []string
	for i, p := range r.Left {
		if i == 5 {
			names = append(names, fmt.Sprintf("and %d more", len(r.Left)-i))
			break
		}
		names = append(names, p.Display())
	}
	e := *asRefusal(c.Call.Verb(), "", err)
	left := "left as another program made it: " + strings.Join(names, ", ")
	e.Not = "The change was taken back, but not everywhere: " + left + "."
	e.Instead = "Look at these before anything else."
	c.final = true
	return &halfDone{&e, left}
}

func unknownOutcome(c *call) error {
	return &reeve.Error{Op: string(c.Call.Verb()), Kind: reeve.IO, Code: reeve.OutcomeUnknown,
		What: "the change had begun when the file system stopped answering", Not: "Whether it stands is not known yet.",
		Instead: "Look at the file before anything else. The record tells when it is known."}
}
