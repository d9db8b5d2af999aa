package guard

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// Options are the parts that a gate is made of. Files, Policies, Record and
// Verbs are required. What is missing of the rest makes the gate refuse what
// would need it: a gate without Changes changes nothing.
type Options struct {
	Target    reeve.Target // empty: reeve.Local
	Files     *capfs.FS
	Policies  Policies
	Record    Recorder
	Verbs     map[reeve.Verb]Verb
	Ledger    Ledger
	Approvals Approvals
	ReadState ReadState
	History   History
	Changes   capfs.Committer
	// Redact, if set, is applied to every text that leaves, also by several
	// goroutines at once.
	Redact func(string) string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Gate is the one Doer of a computer. It is safe for concurrent use.
type Gate struct {
	o       Options
	verbs   map[reeve.Verb]Verb
	queues  queues // one for each path that is being changed
	commits locks  // held for a swap only, one for each device
}

// New makes a gate.
func New(o Options) (*Gate, error) {
	if o.Files == nil || o.Policies == nil || o.Record == nil || len(o.Verbs) == 0 {
		return nil, errors.New("guard: files, policies, record and verbs are required")
	}
	if o.Target == "" {
		o.Target = reeve.Local
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	g := &Gate{o: o, verbs: make(map[reeve.Verb]Verb, len(o.Verbs))}
	for name, v := range o.Verbs {
		g.verbs[name] = v
	}
	return g, nil
}

// call is one request on its way through the gate.
type call struct {
	reeve.Request
	verb    Verb
	policy  Current
	intents []reeve.Intent
	reply   *Reply
	started time.Time
	// event is how a refusal is recorded: a call that was refused, or the
	// outcome of an intent that is on record. Committed counts the latter.
	event     string
	committed int
	final     bool // not to be tried again
	digest    reeve.Digest
	// approved are answers that were taken for this call: one that is tried
	// again with the same digest is not asked again.
	approved map[reeve.Digest]Approval
}

// passed is what the pass hands on: a verb's work and the premises it rests
// on. The view stays open until the call ends.
type passed struct {
	view     *View
	work     Work
	proposal reeve.Proposal
	digest   reeve.Digest // of the proposal, once somebody asked for it
	grounds  []string     // of each change, from the read state
	foreseen []string     // sentences of the committer, for the question
}

// Do implements reeve.Doer. Whatever goes wrong before the swap means that
// nothing has happened.
func (g *Gate) Do(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
	c, err := g.admit(ctx, r)
	if err != nil {
		return g.refuse(ctx, c, err)
	}
	err = safely(func() (err error) {
		c.intents, err = c.verb.Plan(c.Call, c.policy.Settings) // 1 plan
		return err
	})
	if err != nil {
		return g.refuse(ctx, c, err)
	}
	leave, err := g.queues.enter(ctx, c.queued())
	if err != nil {
		return g.refuse(ctx, c, err)
	}
	defer leave()
	for try := 1; ; try++ {
		out, err := g.attempt(ctx, c)
		if err == nil || !errors.Is(err, reeve.Changed) || c.committed == 0 || c.final || !again(ctx, try) {
			return out, err
		}
		// Somebody else changed it between looking and swapping: look again.
		c.reply = newReply(c.policy.Settings.ReplyBytes, g.o.Redact)
	}
}

// attempt is one way through: a look, and if the look comes to a proposal
// that may be committed, the commit.
func (g *Gate) attempt(ctx context.Context, c *call) (reeve.Outcome, error) {
	c.event, c.committed = "call", 0
	p, err := g.pass(ctx, c)
	if err != nil {
		return g.refuse(ctx, c, err)
	}
	defer p.view.close()
	if len(p.work.Changes) == 0 {
		return g.answer(ctx, c, p)
	}
	approved, pending, err := g.settle(ctx, c, p)
	if err != nil {
		return g.refuse(ctx, c, err)
	}
	if pending != nil {
		return g.ask(ctx, c, p, *pending)
	}
	return g.commit(ctx, c, p, approved)
}

// admit looks at the request as a request: for this computer, known, and
// while file access is on. The policy it finds is the call's until its end.
func (g *Gate) admit(ctx context.Context, r reeve.Request) (*call, error) {
	if r.Target == "" {
		r.Target = g.o.Target
	}
	if !r.Subject.IsOwner() {
		r.Subject.Kind = reeve.Agent
	}
	c := &call{Request: r, started: g.o.Now(), reply: newReply(0, g.o.Redact), event: "call"}
	if r.Call == nil {
		return c, internalError("a request without a call")
	}
	if r.Target != g.o.Target {
		return c, &reeve.Error{Kind: reeve.IO, Code: reeve.LocalExecutionLost,
			What: "the request is for another computer", Not: "Nothing was done."}
	}
	var err error
	if c.policy, err = g.o.Policies.Current(ctx); err != nil {
		return c, &reeve.Error{Kind: reeve.Policy, Code: reeve.Disabled, Cause: err,
			What: "the rules could not be read, so nothing is allowed", Not: "Nothing was done.",
			Instead: "The owner can look with `reeve doctor`."}
	}
	c.reply = newReply(c.policy.Settings.ReplyBytes, g.o.Redact)
	if !c.policy.Enabled || c.policy.Rules == nil {
		why := c.policy.Off
		if why == "" {
			why = "file access is switched off"
		}
		return c, &reeve.Error{Kind: reeve.Policy, Code: reeve.Disabled, What: why, Not: "Nothing was done.",
			Instead: "Only the owner can change that, with `reeve roots add DIR`; `reeve doctor` tells more."}
	}
	verb, ok := g.verbs[r.Call.Verb()]
	if !ok {
		return c, &reeve.Error{Kind: reeve.Input, Code: reeve.Invalid,
			What: fmt.Sprintf("there is no operation %q", bounded(string(r.Call.Verb()), 64)), Not: "Nothing was done."}
	}
	c.verb = verb
	return c, nil
}

// pass is resolve, decide, open, work and fresh, in a worker that can be left
// behind when a file system does not answer. Left behind, it closes
// what it holds by itself.
func (g *Gate) pass(ctx context.Context, c *call) (*passed, error) {
	reply := c.reply
	return capfs.CallFor(ctx, g.o.Files, c.policy.Settings.CallTime, func(ctx context.Context) (p *passed, err error) {
		view := &View{files: g.o.Files, rules: c.policy.Rules, subject: c.Subject, target: c.Target,
			settings: c.policy.Settings, paths: c.policy.Paths, now: g.o.Now}
		defer func() {
			if e := recover(); e != nil {
				p, err = nil, panicked(e)
			}
			if err == nil && len(p.work.Changes) > 0 && ctx.Err() != nil {
				p, err = nil, ctx.Err() // nobody waits for the holds any more
			}
			if err != nil || len(p.work.Changes) == 0 {
				view.close()
			}
		}()
		up := above{}
		for _, in := range c.intents {
			s, err := g.look(ctx, c, in, up) // 2 resolve, 3 decide
			if err != nil && !in.Optional {
				return nil, err
			} else if err != nil {
				s = &Seen{Intent: in, shown: shownPath(in.Path), Err: reply.Refusal(asRefusal(c.Call.Verb(), in.Path, err)), rule: ruleOf(err)}
			}
			view.seen = append(view.seen, s)
		}
		work, err := c.verb.Work(ctx, c.Call, view, reply) // 4 open (through the view), 5 work
		if err != nil {
			return nil, err
		}
		p = &passed{view: view, work: work}
		if len(work.Changes) > 0 {
			if p.proposal, err = propose(c, view, work.Changes, work.Shown); err != nil {
				return nil, err
			}
			g.foresee(ctx, p)
			return p, g.fresh(c, p) // 6 fresh
		}
		return p, nil
	})
}

// look finds where one intent leads and what policy says to each effect it
// comes to. What does not exist is judged like what does, before anyone is
// told that it does not.
func (g *Gate) look(ctx context.Context, c *call, in reeve.Intent, up above) (*Seen, error) {
	for try := 1; ; try++ {
		s, moved, err := g.lookOnce(ctx, c, in, up)
		if err == nil || !moved || try == 5 {
			return s, err
		}
	}
}

// lookOnce also reports that a refusal is about a file which is no longer
// what the path leads to: a change has just put another in its place, and
// what was held is in the history by now, or wherever else.
func (g *Gate) lookOnce(ctx context.Context, c *call, in reeve.Intent, up above) (_ *Seen, moved bool, _ error) {
	s := &Seen{Intent: in}
	ok := false
	defer func() {
		if !ok {
			(&View{seen: []*Seen{s}}).close()
		}
	}()
	var err error
	if s.held, s.shown, err = g.resolve(ctx, c, in.Path, in.Kind.Follows()); err != nil {
		return nil, false, err
	}
	if in.Kind == reeve.IntentMove {
		if s.to, _, err = g.resolve(ctx, c, in.To, false); err != nil {
			return nil, false, err
		}
	}
	if s.Effects, err = effects(s, up); err != nil {
		return nil, false, err
	}
	for _, e := range s.Effects {
		d := c.policy.Rules.Decide(c.Subject, e)
		if c.Subject.IsOwner() && d.Verdict == reeve.Ask {
			d.Verdict = reeve.Allow // an owner is not asked; that is all
		}
		if d.Verdict != reeve.Allow && (d.Verdict != reeve.Ask || !e.Kind.Changes()) {
			return nil, s.gone(ctx), refusal(c.Call.Verb(), s.shown, e.Kind, d)
		}
		s.decisions = append(s.decisions, d)
	}
	last := len(s.Effects) - 1
	if err := c.aliases(s, last); err != nil {
		return nil, false, err
	}
	g.gitFolders(ctx, c, s, last)
	if err := g.there(ctx, c, s); err != nil {
		return nil, false, err
	}
	if e := s.Effects[last]; (e.Kind == reeve.EffectMove || e.Kind == reeve.EffectRemove) && e.Place.Kind == reeve.Directory {
		found, err := g.below(ctx, c, s.held, e, s.decisions[last])
		if err != nil {
			return nil, false, err
		}
		if found != nil && !c.Subject.IsOwner() {
			s.decisions[last] = joined(s.decisions[last], *found)
		}
	}
	up.add(s.Effects)
	ok = true
	return s, false, nil
}

// resolve turns a path as written into a held place.
func (g *Gate) resolve(ctx context.Context, c *call, raw string, follow bool) (*capfs.Held, string, error) {
	p, err := pathname.Parse(raw, c.policy.Paths)
	if err != nil {
		return nil, "", badPath(c.Call.Verb(), raw, err)
	}
	h, err := g.o.Files.Resolve(ctx, p, follow)
	if err != nil {
		return nil, "", g.unresolved(c, p, err)
	}
	return h, p.Shown(), nil
}

// answer is the end of a call that only looked: recorded, then given.
func (g *Gate) answer(ctx context.Context, c *call, p *passed) (reeve.Outcome, error) {
	if p.work.Answer == nil {
		return g.refuse(ctx, c, internalError("a verb gave no answer"))
	}
	if c.reply.over() {
		return g.refuse(ctx, c, &reeve.Error{Kind: reeve.IO, Code: reeve.TooLarge,
			What: "the answer is larger than a reply may be", Not: "Nothing was shown.", Instead: "Ask for less at a time."})
	}
	row := g.row(c, "call")
	row.Verdict, row.Effects = reeve.Allow, rowEffects(p.view)
	row.Bytes, row.Lines, row.Files = int64(c.reply.used), c.reply.lines, c.reply.files
	if err := g.o.Record.Append(ctx, row); err != nil {
		return reeve.Outcome{}, unrecorded(c, err)
	}
	if g.o.ReadState != nil {
		for _, s := range c.reply.saw {
			g.o.ReadState.Read(c.Subject, s.place, s.page)
		}
	}
	return reeve.Outcome{Result: &reeve.Result{Answer: p.work.Answer, Notes: c.reply.notes, FileAccess: c.reply.access}}, nil
}

// settle finds out whether a proposal may be committed now: by policy, by
// what was approved for this turn, or by an answer to exactly this digest.
func (g *Gate) settle(ctx context.Context, c *call, p *passed) (Approval, *reeve.Pending, error) {
	need, human, remembered, remember := false, false, false, true
	for _, s := range p.view.seen {
		for i, d := range s.decisions {
			if d.Verdict != reeve.Ask {
				continue
			}
			human, remember = human || d.HumanOnly, remember && d.Remember
			if d.Remember && g.o.Ledger != nil && g.o.Ledger.Covers(c.Subject, s.Effects[i]) {
				remembered = true
				continue
			}
			need = true
		}
	}
	if !need && remembered {
		return Approval{Yes: true, Channel: "ledger"}, nil, nil
	}
	if !need {
		return Approval{Yes: true, Channel: "policy"}, nil, nil
	}
	if g.o.Approvals == nil {
		return Approval{}, nil, noChannel(c, nil)
	}
	digest := p.id()
	if a, ok := c.approved[digest]; ok {
		return a, nil, nil
	}
	a, answered, err := g.o.Approvals.Take(ctx, digest)
	if err != nil {
		return Approval{}, nil, notAsked(c, err)
	}
	if answered && !a.Yes {
		return Approval{}, nil, declined(c, p.proposal)
	}
	if answered {
		c.approved = map[reeve.Digest]Approval{digest: a}
		return a, nil, nil
	}
	var q reeve.Question
	var pending reeve.Pending
	if err := safely(func() (err error) {
		q = g.question(p, human, c.reply)
		q.Remember = remember
		pending, err = g.o.Approvals.Ask(ctx, p.proposal, q, p.wholeFor(q, c.reply))
		if err != nil {
			err = notAsked(c, err)
		}
		return err
	}); err != nil {
		return Approval{}, nil, err
	}
	return Approval{}, &pending, nil
}

// ask is the end of a call that needs an answer first: recorded, then given.
func (g *Gate) ask(ctx context.Context, c *call, p *passed, pending reeve.Pending) (reeve.Outcome, error) {
	row := g.row(c, "call")
	row.Verdict, row.Effects, row.Digest = reeve.Ask, rowEffects(p.view), pending.Digest.String()
	if err := g.o.Record.Append(ctx, row); err != nil {
		return reeve.Outcome{}, unrecorded(c, err)
	}
	return reeve.Outcome{Pending: &pending}, nil
}

// commit stages the new content outside any lock, writes the intent to the
// record, and swaps under the lock of the devices, after the premises of the
// pass were found unchanged. All changes happen, or none. Until the swap
// begins the call can be cancelled; from then on it is carried to its end and
// noted, whoever still waits for it.
func (g *Gate) commit(ctx context.Context, c *call, p *passed, a Approval) (reeve.Outcome, error) {
	if g.o.Changes == nil {
		return g.refuse(ctx, c, &reeve.Error{Kind: reeve.Policy, Code: reeve.Disabled,
			What: "this gate changes no files", Not: "Nothing was written."})
	}
	c.digest = p.id()
	c.event, c.committed = "outcome", c.committed+1
	ready, err := g.prepare(ctx, c, p, a) // 8 stage, beside the synced intent row; premises
	if err != nil {
		return g.refuse(ctx, c, err)
	}
	if ctx.Err() != nil { // the last moment at which a cancelled call does nothing
		ready.release()
		return g.refuse(ctx, c, ctx.Err())
	}
	type ended struct {
		out reeve.Outcome
		err error
	}
	var begun atomic.Bool
	end, err := capfs.CallFor(context.WithoutCancel(ctx), g.o.Files, swapTime, func(ctx context.Context) (ended, error) {
		begun.Store(true)
		defer ready.release()
		receipt, err := g.swap(ctx, ready.staged) // 9 swap
		ready.free()
		if err != nil {
			out, err := g.refuse(ctx, c, g.notSwapped(ctx, c, receipt, err))
			return ended{out, err}, nil
		}
		return ended{out: g.note(ctx, c, p, a, receipt)}, nil // 10 note
	})
	if err == nil {
		return end.out, end.err
	}
	if !begun.Load() {
		ready.release()
		return g.refuse(ctx, c, err)
	}
	// The worker still hangs in the swap. It writes its own outcome row when
	// it comes back.
	return reeve.Outcome{}, unknownOutcome(c)
}

// note is 10: what was done becomes known to the ledger, the read state and
// the record. From here on the change stands, whatever fails.
func (g *Gate) note(ctx context.Context, c *call, p *passed, a Approval, receipt capfs.Receipt) reeve.Outcome {
	for _, s := range p.view.seen {
		for i, e := range s.Effects {
			if d := s.decisions[i]; d.Verdict == reeve.Ask && d.Remember && g.o.Ledger != nil {
				g.o.Ledger.Remember(c.Subject, e, a.For)
			}
		}
	}
	if g.o.ReadState != nil {
		for i, d := range receipt.Done {
			if i < len(p.grounds) {
				g.o.ReadState.Wrote(c.Subject, p.based(i), p.grounds[i], d.Version)
			}
		}
	}
	let := receipt.Hold()
	settle := func() {
		if err := receipt.Sync(ctx); err != nil {
			c.reply.Note("The change stands, but the disk did not confirm it: a power cut now could take it back.")
		}
	}
	patch := p.patchBeside(c.reply) // made while the disk is waited for
	if len(receipt.Done) > 1 {
		// Until they are settled, a start takes all of several changes back,
		// and needs what they displaced where it lies.
		settle()
		g.keep(ctx, c, receipt, nil)
	} else {
		g.keep(ctx, c, receipt, settle)
	}
	let() // history knows of it all
	made := patch()
	for _, d := range receipt.Done {
		for _, n := range d.Notes {
			c.reply.Note("%s", n)
		}
	}
	res := &reeve.Result{}
	if err := safely(func() error {
		if p.work.After != nil {
			res.Answer = p.work.After(receipt, c.reply)
		}
		return nil
	}); err != nil {
		c.reply.Note("The change was made. What it came to could not be put into words.")
	}
	row := g.row(c, "outcome")
	row.Verdict, row.Rule, row.Effects, row.Digest = reeve.Allow, a.Channel, rowChanges(p.proposal), c.digest.String()
	row.Patch = made
	for i, d := range receipt.Done {
		row.Effects[i].After = d.Version.String()
	}
	if err := g.o.Record.Append(ctx, row); err != nil {
		c.reply.Note("The change was made, but its outcome could not be recorded. The intent is on record.")
	}
	res.Notes, res.FileAccess = c.reply.notes, c.reply.access
	return reeve.Outcome{Result: res}
}

// refuse is the end of a call that is not done: recorded, then said.
func (g *Gate) refuse(ctx context.Context, c *call, err error) (reeve.Outcome, error) {
	var verb reeve.Verb
	if c.Call != nil {
		verb = c.Call.Verb()
	}
	e := c.reply.clear(asRefusal(verb, "", err))
	row := g.row(c, c.event)
	if c.committed > 0 {
		row.Digest = c.digest.String()
	}
	row.Verdict, row.Kind, row.Code = reeve.Refuse, e.Kind, e.Code
	row.Asked, row.Rule = asked(c.intents), ruleOf(err)
	if left := (*halfDone)(nil); errors.As(err, &left) {
		row.Note = left.note
	}
	if rerr := g.o.Record.Append(context.WithoutCancel(ctx), row); rerr != nil && row.Note == "" {
		return reeve.Outcome{}, unrecorded(c, rerr)
	}
	return reeve.Outcome{}, e
}

// Refused puts a refusal on record that a door made by itself, before there
// was anything to ask the gate: arguments it could not take, a tool that does
// not exist. It gives the error to be said.
func (g *Gate) Refused(ctx context.Context, r reeve.Request, e *reeve.Error) error {
	if r.Target == "" {
		r.Target = g.o.Target
	}
	if !r.Subject.IsOwner() {
		r.Subject.Kind = reeve.Agent
	}
	c := &call{Request: r, started: g.o.Now(), reply: newReply(0, g.o.Redact), event: "call"}
	if u, ok := r.Call.(*reeve.Unread); ok {
		for _, p := range u.Paths {
			c.intents = append(c.intents, reeve.Intent{Path: p})
		}
	}
	_, err := g.refuse(ctx, c, e)
	return err
}
