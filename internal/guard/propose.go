package guard

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"reeve"
	"reeve/internal/capfs"
)

// propose binds a verb's changes to what was judged. A change to a place, or
// of a kind, that is no effect of the call's own intents is refused: a verb
// cannot widen what it asked for.
func propose(c *call, v *View, changes []reeve.Change, shown []Shown) (reeve.Proposal, error) {
	p := reeve.Proposal{Target: c.Target, Subject: c.Subject, Changes: changes}
	for _, s := range shown {
		p.Shown = append(p.Shown, s.Edit, s.Diff, s.Holds)
	}
	for _, s := range v.seen {
		if err := c.plant(s, changes); err != nil {
			return p, err
		}
		if s.Err == nil {
			p.Effects = append(p.Effects, s.Effects...)
		}
	}
	for i, ch := range changes {
		changes[i].Temp = capfs.NewTemp()
		if !judged(p.Effects, ch) {
			return p, internalError(fmt.Sprintf("a change (%s) to a place that was not judged", ch.Kind))
		}
		if ch.Kind == reeve.Put && ch.Content == nil {
			return p, internalError("a change without content")
		}
		if from, ok := ch.Content.(reeve.FromPlace); ok && !reads(p.Effects, from.Place) && !v.hasOpened(from.Place) {
			return p, internalError("a copy of a file that was not judged")
		}
		if !ch.Place.Exists() && !ch.Expect.IsZero() {
			return p, internalError("a change of a file that does not exist expects a version")
		}
	}
	return p, nil
}

// reads reports whether reading the place is one of the call's effects.
func reads(effects []reeve.Effect, p reeve.Place) bool {
	for _, e := range effects {
		if e.Kind == reeve.EffectRead && e.Place.Key() == p.Key() && e.Place.SameFile(p.Identity) {
			return true
		}
	}
	return false
}

func judged(effects []reeve.Effect, ch reeve.Change) bool {
	for _, e := range effects {
		if e.Place.Key() != ch.Place.Key() || e.Place.Kind != ch.Place.Kind {
			continue
		}
		if (e.To == nil) != (ch.To == nil) || e.To != nil && e.To.Key() != ch.To.Key() {
			continue
		}
		switch e.Kind {
		case reeve.EffectCreate, reeve.EffectReplace:
			if ch.Kind == reeve.Put {
				return true
			}
		case reeve.EffectMkdir:
			if ch.Kind == reeve.Mkdir {
				return true
			}
		case reeve.EffectRemove:
			if ch.Kind == reeve.Remove {
				return true
			}
		case reeve.EffectMove:
			if ch.Kind == reeve.Move {
				return true
			}
		}
	}
	return false
}

// fresh asks the read state about each change. Without one, a profile that
// keeps read state replaces nothing.
func (g *Gate) fresh(c *call, p *passed) error {
	p.grounds = make([]string, len(p.proposal.Changes))
	for i := range p.proposal.Changes {
		b := p.based(i)
		if b.Change.Kind != reeve.Put {
			continue
		}
		if g.o.ReadState == nil {
			if !b.Stated.IsZero() && b.Stated.Compare(b.Change.Expect) != reeve.Same {
				return &reeve.Error{Op: string(c.Call.Verb()), Path: b.Change.Place.Display(), Kind: reeve.IO, Code: reeve.Changed,
					What: "was changed since the version that was named", Not: "Nothing was written.",
					Instead: "Read it again before you change it; its version is now " + b.Change.Expect.String() + "."}
			}
			if c.policy.Settings.ReadState == "off" || !b.Change.Place.Exists() {
				continue
			}
			return &reeve.Error{Op: string(c.Call.Verb()), Path: b.Change.Place.Display(), Kind: reeve.Policy, Code: reeve.NotRead,
				What: "has not been read in this session", Not: "Nothing was written.", Instead: "Read the file first."}
		}
		var err error
		if p.grounds[i], err = g.o.ReadState.Fresh(c.Subject, c.policy.Settings, b); err != nil {
			return err
		}
	}
	return nil
}

// based is the i-th change with what its verb said of its ground.
func (p *passed) based(i int) Based {
	b := Based{Change: p.proposal.Changes[i]}
	if i < len(p.work.Basis) {
		b.Basis = p.work.Basis[i]
	}
	return b
}

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
	for _, s := range v.seen {
		if s.held == nil || len(s.Effects) == 0 {
			continue
		}
		for _, e := range s.Effects {
			if e.Place.Key() != ch.Place.Key() || !e.Kind.Changes() {
				continue
			}
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
	}
	return internalError("a change to a place that is not held")
}

// foresee asks the committer what is unusual about each change, where
// somebody will be asked about them.
func (g *Gate) foresee(ctx context.Context, p *passed) {
	see, ok := g.o.Changes.(Foreseer)
	if !ok || !p.asks() {
		return
	}
	for _, ch := range p.proposal.Changes {
		_ = p.view.at(ctx, ch, func(at capfs.At) error { // what fails here fails again when it is staged
			if s := see.Foresee(ctx, at, ch); s != "" && !slices.Contains(p.foreseen, s) {
				p.foreseen = append(p.foreseen, s)
			}
			return nil
		})
	}
	p.proposal.Shown = append(p.proposal.Shown, p.foreseen...)
}

// asks reports whether policy asks about any of the effects.
func (p *passed) asks() bool {
	for _, s := range p.view.seen {
		for _, d := range s.decisions {
			if d.Verdict == reeve.Ask {
				return true
			}
		}
	}
	return false
}

// source is the held file that a change copies, nil for other changes.
func (v *View) source(ch reeve.Change) *capfs.Held {
	from, ok := ch.Content.(reeve.FromPlace)
	if !ok {
		return nil
	}
	for _, s := range v.seen {
		if s.held != nil && s.Intent.Kind == reeve.IntentRead && s.Place().Key() == from.Place.Key() {
			return s.held
		}
	}
	return nil
}

func unrecordedChange(err error) error {
	return &reeve.Error{Kind: reeve.IO, Code: reeve.RecordFailed, Cause: err,
		What: "the record could not be written, so nothing was changed", Not: "Nothing was written.",
		Instead: "The owner can look with `reeve doctor`."}
}

// premises looks again, under the lock, at everything that was judged: the
// same paths must lead to the same places, and policy must still say what it
// said. Otherwise what was approved is not what would happen.
func (g *Gate) premises(ctx context.Context, c *call, p *passed) error {
	now, err := g.o.Policies.Current(ctx)
	if err != nil || !now.Enabled {
		return changedMeanwhile(c, "the rules changed")
	}
	again := *c
	again.policy = now
	for _, s := range p.view.seen {
		if s.Err != nil {
			continue
		}
		t, err := g.look(ctx, &again, s.Intent)
		if err != nil {
			return err
		}
		if err := again.plant(t, p.proposal.Changes); err != nil {
			(&View{seen: []*Seen{t}}).close()
			return err
		}
		same, elsewhere := sameLook(s, t)
		(&View{seen: []*Seen{t}}).close()
		if elsewhere {
			c.final = true // not tried again: this is another place
			return changedMeanwhile(c, "the path leads elsewhere now, or the rules changed")
		}
		if !same {
			return changedMeanwhile(c, "another program replaced the file")
		}
	}
	return nil
}

// sameLook compares two looks at one intent: elsewhere means that it leads to
// another place, or that policy says something else there; otherwise same
// tells whether the very thing that was judged is still there.
func sameLook(a, b *Seen) (same, elsewhere bool) {
	if len(a.Effects) != len(b.Effects) {
		return false, !a.held.Place().Exists() && !b.held.Place().Exists() || a.held.Place().Key() != b.held.Place().Key()
	}
	same = true
	for i, e := range a.Effects {
		f := b.Effects[i]
		if e.Place.Key() != f.Place.Key() || e.Place.Root != f.Place.Root || (e.To == nil) != (f.To == nil) ||
			e.To != nil && (e.To.Key() != f.To.Key() || e.To.Root != f.To.Root) ||
			a.decisions[i].Verdict != b.decisions[i].Verdict || a.decisions[i].Rule != b.decisions[i].Rule ||
			a.decisions[i].HumanOnly != b.decisions[i].HumanOnly {
			return false, true
		}
		same = same && e.Kind == f.Kind && sameThing(e.Place, f.Place) && (e.To == nil || sameThing(*e.To, *f.To))
	}
	return same, false
}

func sameThing(a, b reeve.Place) bool {
	return a.Kind == b.Kind && a.Missing == b.Missing &&
		(a.Identity.IsZero() && b.Identity.IsZero() || a.SameFile(b.Identity))
}

func changedMeanwhile(c *call, why string) error {
	return &reeve.Error{Op: string(c.Call.Verb()), Kind: reeve.IO, Code: reeve.Changed,
		What: "changed between the question and the change: " + why, Not: "Nothing was written.",
		Instead: "Look again, and make the call again if it is still right."}
}

// devices are the file systems that a proposal touches, in order.
func devices(p reeve.Proposal) []uint64 {
	seen := map[uint64]bool{}
	for _, e := range p.Effects {
		seen[e.Place.Device] = true
		if e.To != nil {
			seen[e.To.Device] = true
		}
	}
	list := make([]uint64, 0, len(seen))
	for d := range seen {
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list
}

// locks is one lock for each device, so that a file system that hangs in a
// swap holds up no other. Taken in one order, given back together.
type locks struct {
	mu sync.Mutex
	by map[uint64]chan struct{}
}

func (l *locks) lock(ctx context.Context, devices []uint64) (unlock func(), err error) {
	var held []chan struct{}
	unlock = func() {
		for _, ch := range held {
			<-ch
		}
	}
	for _, d := range devices {
		l.mu.Lock()
		if l.by == nil {
			l.by = map[uint64]chan struct{}{}
		}
		ch := l.by[d]
		if ch == nil {
			ch = make(chan struct{}, 1)
			l.by[d] = ch
		}
		l.mu.Unlock()
		select {
		case ch <- struct{}{}:
			held = append(held, ch)
		case <-ctx.Done():
			unlock()
			return nil, ctx.Err()
		}
	}
	return unlock, nil
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
	_, err := capfs.CallFor(ctx, g.o.Files, c.policy.Settings.CallTime, func(ctx context.Context) (_ struct{}, err error) {
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
		g.keep(ctx, c, r)
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

// keep hands what was displaced to history, and what other programs saved in
// the very moment. What could not be kept is said: the change stands all the
// same.
func (g *Gate) keep(ctx context.Context, c *call, receipt capfs.Receipt) {
	for i, d := range receipt.Done {
		why := g.keepOne(ctx, c, d, i, len(receipt.Done))
		if d.Displaced == nil {
			continue
		}
		if why != "" {
			c.reply.Note("No copy of the old %s was kept: %s.", d.Change.Place.Display(), why)
		}
		if err := d.Displaced.Release(); err != nil {
			c.reply.Note("What was there before could not be tidied up: %v.", err)
		}
	}
	for _, other := range receipt.Kept {
		d := capfs.Done{Displaced: other}
		if len(receipt.Done) > 0 {
			d.Change = receipt.Done[0].Change
		}
		if why := g.keepOne(ctx, c, d, 0, 1); why != "" {
			c.reply.Note("Another program saved %s in the same moment, and its content could not be kept: %s. It lies beside it under a hidden name.", d.Change.Place.Display(), why)
			continue // it is not let go: these are the only bytes of it
		}
		c.reply.Note("Another program saved %s in the same moment. Its content was kept in the history.", d.Change.Place.Display())
		if err := other.Release(); err != nil {
			c.reply.Note("What it saved could not be tidied up: %v.", err)
		}
	}
}

func (g *Gate) keepOne(ctx context.Context, c *call, d capfs.Done, n, of int) (why string) {
	if g.o.History == nil {
		return "history is switched off"
	}
	why, err := g.o.History.Keep(ctx, Made{Call: c.ID, Verb: c.Call.Verb(), Subject: c.Subject, Digest: c.digest, At: g.o.Now(), N: n, Of: of, Done: d})
	if err != nil {
		return "it could not be written (" + err.Error() + ")"
	}
	return why
}

// tries is how often a change is worked out anew when somebody else keeps
// changing the file.
const tries = 10

// again waits a little, longer each time, and says whether to try once more.
func again(ctx context.Context, try int) bool {
	if try >= tries {
		return false
	}
	t := time.NewTimer(time.Duration(rand.Int64N(int64(try) * int64(2*time.Millisecond))))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
