package record

import (
	"strings"
	"time"

	"reeve"
)

// Filter says which rows are wanted; what is not set does not matter. Damaged
// rows are always told, since nobody knows what they were.
type Filter struct {
	Since, Until time.Time // from Since on, before Until
	Agent        string
	Verb         reeve.Verb
	// Path is a path in shown form: the rows that name it, or something below.
	Path    string
	Verdict reeve.Verdict
	Code    reeve.Code
	Effect  reeve.EffectKind
	Event   string
	Call    string
}

func (f Filter) wants(e *Entry) bool {
	if e.Damage != "" && e.Row.Time.IsZero() {
		return true
	}
	r := &e.Row
	if !f.Since.IsZero() && r.Time.Before(f.Since) || !f.Until.IsZero() && !r.Time.Before(f.Until) {
		return false
	}
	if e.Damage != "" {
		return true
	}
	return is(f.Agent, r.Subject.Agent) && is(f.Verb, r.Verb) && is(f.Verdict, r.Verdict) && is(f.Code, r.Code) &&
		is(f.Event, r.Event) && is(f.Call, r.Call) && f.effects(r)
}

func is[T ~string](want, have T) bool { return want == "" || want == have }

// effects: one and the same effect must have the kind and the path asked for.
func (f Filter) effects(r *reeve.Row) bool {
	if f.Effect == "" && f.Path == "" {
		return true
	}
	for _, e := range r.Effects {
		if is(f.Effect, e.Kind) && (f.Path == "" || below(e.Path, f.Path) || below(e.To, f.Path)) {
			return true
		}
	}
	if f.Effect != "" {
		return false
	}
	for _, p := range r.Asked {
		if below(p, f.Path) {
			return true
		}
	}
	return false
}

// below reports whether path is dir or something inside it.
func below(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || strings.HasSuffix(dir, "/") || strings.HasSuffix(dir, `\`) || rest[0] == '/' || rest[0] == '\\')
}
