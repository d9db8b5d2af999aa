package node

import (
	"context"
	"strings"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/history"
	"reeve/internal/pathname"
	"reeve/internal/record"
)

// cutCall is a call of which the record has the intent.
type cutCall struct {
	row     reeve.Row
	segment string
	ended   bool // its outcome is there
	looked  bool // change and have are known
	change  string
	undoes  string
	have    []kept
}

type kept struct {
	history.Entry
	history.Detail
}

// toldKey names a change of which an earlier start has told.
type toldKey struct{ call, digest, path string }

// call finds the intent of a change, and which of its effects it is. It is
// nil where the record does not tell.
func (c *cuts) call(ctx context.Context, s capfs.CutShort) (*cutCall, int) {
	if since := s.At.Add(-cutBefore); c.since.IsZero() || since.Before(c.since) {
		c.load(ctx, since)
	}
	if s.Temp == "" {
		return nil, 0
	}
	for _, call := range c.calls {
		for i, e := range call.row.Effects {
			if e.Temp == string(s.Temp) {
				c.lookUp(ctx, call)
				return call, i
			}
		}
	}
	return nil, 0
}

// load reads the record.
func (c *cuts) load(ctx context.Context, since time.Time) {
	known := map[string]*cutCall{}
	for _, call := range c.calls {
		known[call.key()] = call
	}
	c.since, c.calls = since, nil
	for e, err := range record.Rows(c.n.places.State, record.Filter{Since: since}) {
		if ctx.Err() != nil {
			c.err = ctx.Err()
			return
		}
		if err != nil {
			continue // what a damaged segment told is not known to any start
		}
		r := e.Row
		switch r.Event {
		case "intent":
			call := &cutCall{row: r, segment: e.Segment}
			if had := known[call.key()]; had != nil {
				call = had
			}
			c.calls = append(c.calls, call)
		case "outcome":
			for i := len(c.calls) - 1; i >= 0; i-- {
				if call := c.calls[i]; call.segment == e.Segment && call.row.Digest == r.Digest && call.row.Call == r.Call {
					call.ended = true
					break
				}
			}
		case "recovered":
			for _, x := range r.Effects {
				c.told[toldKey{r.Call, r.Digest, x.Path}] = true
			}
		}
	}
}

func (c *cutCall) key() string { return c.segment + " " + c.row.Digest + " " + c.row.Time.String() }

// lookUp finds what history has of a call already, and the change that it is.
func (c *cuts) lookUp(ctx context.Context, call *cutCall) {
	if call.looked {
		return
	}
	call.looked = true
	if what, as, ok := undoWords(call.row.Verb, call.row.Subject, call.row.Call); ok {
		call.undoes, call.change = what, as
	}
	for e, err := range c.n.changes.history.Entries(ctx, history.Filter{Since: call.row.Time}) {
		if err != nil {
			c.err = err
			return
		}
		d, err := e.Detail()
		if err != nil || d.Digest != call.row.Digest || d.ID != call.row.Call || c.of(e, d) != call {
			continue
		}
		call.have = append(call.have, kept{e, d})
		call.change = e.Change
	}
	if call.change == "" {
		call.change = history.NewID()
	}
}

// of gives the call of an entry. The same change may have been made again,
// with the same digest.
func (c *cuts) of(e history.Entry, d history.Detail) (call *cutCall) {
	for _, o := range c.calls {
		if o.row.Digest == d.Digest && o.row.Call == d.ID && !o.row.Time.After(e.At) {
			call = o
		}
	}
	return call
}

// root gives, in shown form, the granted folder that a path is in; otherwise
// the folder that the change was made in.
func (c *cuts) root(path, folder string) string {
	best := ""
	for _, r := range c.n.files.Roots() {
		if rest, ok := strings.CutPrefix(path, r.Real); ok && len(r.Real) > len(best) && (rest == "" || rest[0] == '/' || rest[0] == '\\' || strings.HasSuffix(r.Real, "/")) {
			best = r.Real
		}
	}
	if best == "" {
		best = folder
	}
	return pathname.EscapePath(best)
}
