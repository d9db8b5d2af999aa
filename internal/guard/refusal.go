package guard

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

// refused is a refusal by policy. It keeps the decision for the record.
type refused struct {
	err      *reeve.Error
	decision reeve.Decision
}

func (r *refused) Error() string { return r.err.Error() }
func (r *refused) Unwrap() error { return r.err }

// ruleOf is the rule that an error's refusal rests on, if it is one.
func ruleOf(err error) string {
	if by := (*refused)(nil); errors.As(err, &by) {
		return by.decision.Rule
	}
	return ""
}

// noSpelling ends every refusal by policy: a model that is told no tries
// other spellings of the same path otherwise.
const noSpelling = "Do not try other spellings of it."

// refusal is the error for a decision that is not a yes.
func refusal[V ~string](op V, path string, k reeve.EffectKind, d reeve.Decision) error {
	e := &reeve.Error{Op: string(op), Path: path, Kind: reeve.Policy, Code: d.Code,
		What: d.Reason, Not: notDone(k), Instead: noSpelling}
	if e.Code == "" {
		e.Code = reeve.Declined
	}
	if e.What == "" {
		e.What = "is refused by the rule " + d.Rule
	}
	if d.Verdict == reeve.Ask {
		e.What = "needs the owner's yes, which this operation cannot ask for"
	}
	if d.Fix != "" {
		e.Instead += " The owner can allow it: " + d.Fix
		if !strings.HasSuffix(e.Instead, ".") {
			e.Instead += "."
		}
	}
	return &refused{e, d}
}

// notDone says in plain words what did not happen.
func notDone(k reeve.EffectKind) string {
	switch k {
	case reeve.EffectRead:
		return "Nothing was read."
	case reeve.EffectList:
		return "Nothing was listed."
	case reeve.EffectCreate, reeve.EffectReplace, reeve.EffectMkdir:
		return "Nothing was written."
	case reeve.EffectRemove:
		return "Nothing was deleted."
	case reeve.EffectMove:
		return "Nothing was moved."
	case reeve.EffectSend:
		return "Nothing was sent."
	}
	return "Nothing was done."
}

// intentEffect is the effect that an intent's refusal speaks of when no
// place was found.
func intentEffect(k reeve.IntentKind) reeve.EffectKind {
	switch k {
	case reeve.IntentList, reeve.IntentWalk:
		return reeve.EffectList
	case reeve.IntentWrite:
		return reeve.EffectReplace
	case reeve.IntentMkdir:
		return reeve.EffectMkdir
	case reeve.IntentRemove:
		return reeve.EffectRemove
	case reeve.IntentMove:
		return reeve.EffectMove
	}
	return reeve.EffectRead
}

// unresolved completes what the resolver said with what was not done and
// what to do. Outside the roots the words are the same whatever is there.
func (g *Gate) unresolved(c *call, p pathname.Parsed, err error) error {
	e, ok := reeve.AsError(err)
	if !ok {
		return asRefusal(c.Call.Verb(), p.Shown(), err)
	}
	out := *e
	out.Op, out.Path = string(c.Call.Verb()), p.Shown()
	if out.Not == "" {
		out.Not = c.notDone()
	}
	switch out.Code {
	case reeve.OutsideRoots:
		out.Kind = reeve.Policy
		out.What = "is outside the folders that were granted"
		out.Not = c.notDone()
		out.Instead = strings.TrimSpace(g.granted(c) + " " + noSpelling)
		return &refused{&out, reeve.Decision{Verdict: reeve.Refuse, Rule: "roots: outside", Code: out.Code}}
	case reeve.LinkOutside:
		out.Kind = reeve.Policy
		out.Not = c.notDone()
		out.Instead = strings.TrimSpace(g.granted(c) + " " + noSpelling)
		return &refused{&out, reeve.Decision{Verdict: reeve.Refuse, Rule: "roots: link", Code: out.Code}}
	}
	return &out
}

// granted names the roots, which the agent may know by list_roots anyway.
func (g *Gate) granted(c *call) string {
	var list []string
	for _, s := range g.o.Files.Roots() {
		if len(list) == 5 {
			list = append(list, "…")
			break
		}
		list = append(list, fmt.Sprintf("%s (%s)", pathname.EscapePath(s.Path), s.Access))
	}
	if len(list) == 0 {
		return "No folder was granted."
	}
	return "Granted: " + strings.Join(list, ", ") + "."
}

func (c *call) notDone() string {
	if len(c.intents) == 0 {
		return "Nothing was done."
	}
	return notDone(intentEffect(c.intents[0].Kind))
}

// badPath is the refusal of a path that is not one.
func badPath(verb reeve.Verb, raw string, err error) error {
	e := &reeve.Error{Op: string(verb), Path: shownPath(raw), Kind: reeve.Input, Code: reeve.Invalid,
		What: "is not a path that can be used here", Not: "Nothing was done.", Cause: err}
	var pe *pathname.Error
	if errors.As(err, &pe) {
		e.What, e.Instead = pe.What, pe.Instead
	}
	return e
}

// shownPath is a path as written, fit to be shown before it was parsed.
func shownPath(raw string) string {
	return bounded(pathname.EscapePath(bounded(raw, 400)), 512)
}

// asRefusal makes an error of any origin one that a caller can read.
func asRefusal(verb reeve.Verb, path string, err error) *reeve.Error {
	if e, ok := reeve.AsError(err); ok {
		c := *e
		if c.Op == "" {
			c.Op = string(verb)
		}
		if c.Path == "" && path != "" {
			c.Path = shownPath(path)
		}
		if c.Not == "" {
			c.Not = "Nothing was done."
		}
		return &c
	}
	e := &reeve.Error{Op: string(verb), Path: shownPath(path), Kind: reeve.IO, Code: reeve.Failed,
		What: "could not be used: the system gave an error", Not: "Nothing was done.", Cause: err}
	switch {
	case errors.Is(err, context.Canceled):
		e.Code, e.What = reeve.Cancelled, "the call was cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		e.Code, e.What, e.Instead = reeve.Timeout, "the work was not done in time", "Ask for less at once."
	}
	return e
}

// withPath gives an error the path as the caller wrote it.
func withPath(err error, shown string) error {
	if e, ok := reeve.AsError(err); ok {
		c := *e
		c.Path = shown
		return &c
	}
	return err
}

// noChannel says that the question found nobody.
func noChannel(c *call, cause error) error {
	return &reeve.Error{Op: string(c.Call.Verb()), Kind: reeve.Approval, Code: reeve.NoChannel, Cause: cause,
		What: "this needs the owner's yes, and nobody could be asked", Not: c.notDone()}
}

// notAsked passes on what the approvals table says of itself (too many
// questions wait already), and the end of the call; anything else means that
// nobody could be asked.
func notAsked(c *call, err error) error {
	if _, ok := reeve.AsError(err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return noChannel(c, err)
}

// declined says that the owner said no.
func declined(c *call, p reeve.Proposal) error {
	path := ""
	if len(p.Effects) > 0 {
		path = p.Effects[len(p.Effects)-1].Place.Display()
	}
	return &reeve.Error{Op: string(c.Call.Verb()), Path: path, Kind: reeve.Approval, Code: reeve.Declined,
		What: "was not changed: the owner declined", Not: c.notDone(), Instead: "Ask before trying again."}
}

// unrecorded refuses a call whose row could not be kept.
func unrecorded(c *call, err error) error {
	var verb reeve.Verb
	if c.Call != nil {
		verb = c.Call.Verb()
	}
	return &reeve.Error{Op: string(verb), Kind: reeve.IO, Code: reeve.RecordFailed, Cause: err,
		What: "the record could not be written, so nothing was done", Not: "Nothing was shown or changed.",
		Instead: "The owner can look with `reeve doctor`."}
}

func internalError(what string) error {
	return &reeve.Error{Kind: reeve.IO, Code: reeve.Failed, What: "there is a fault in Reeve: " + what, Not: "Nothing was done.",
		Instead: "Try another way, and tell the owner."}
}

// safely runs fn and turns a panic in it into an error.
func safely(fn func() error) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = panicked(e)
		}
	}()
	return fn()
}

// panicked turns a panic into a refusal. What the panic says may hold file
// contents, so only the runtime's own words are kept.
func panicked(v any) error {
	what := "a step failed"
	if e, ok := v.(runtime.Error); ok {
		what = e.Error()
	}
	return internalError(what)
}
