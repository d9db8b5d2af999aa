package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"reeve"
)

// Server is what a storm runs against: it makes one call and gives back every
// byte that came of it, and the cursor for going on, if there is one. OnDoer
// and OnTools make them.
type Server func(ctx context.Context, call reeve.Call) (Reply, error)

// Reply is what one call gave.
type Reply struct {
	Bytes  [][]byte // everything that came out, in every form it came in
	Cursor string
	Hits   int // names that a search found
}

// Storm says how a storm runs. The zero value checks nothing and refuses to.
type Storm struct {
	// Check is handed every byte that comes back. It must be safe for
	// concurrent use, as Canary.Check is.
	Check func([]byte) error
	// Probe is the canary's: a search for it that finds anything is a leak.
	Probe string
	// Workers run calls at the same time; 0 means 4.
	Workers int
	// Pages is how many cursors are followed for one call; 0 means 3.
	Pages int
	// PerCall bounds one call; 0 means 30 s. A call that takes longer hangs,
	// and that is a finding.
	PerCall time.Duration
	// Until ends the storm, or starts the calls anew until it does, if it is
	// set: for running beside a Swapper.
	Until func(done int) bool
}

// Finding is a call with what is wrong about it.
type Finding struct {
	Call reeve.Call
	Err  error
}

// Error names the call by its JSON.
func (f *Finding) Error() string {
	args, _ := json.Marshal(f.Call)
	if len(args) > 400 {
		args = append(args[:400], "…"...)
	}
	return fmt.Sprintf("%s %s: %v", f.Call.Verb(), args, f.Err)
}

// Unwrap gives what is wrong.
func (f *Finding) Unwrap() error { return f.Err }

// Run makes all calls and gives how many were made, and the first finding.
// Refusals are no findings: what they say is checked like everything else.
func (s Storm) Run(ctx context.Context, server Server, calls iter.Seq[reeve.Call]) (int, error) {
	if s.Check == nil {
		return 0, errors.New("a storm needs a Check")
	}
	workers, pages, perCall := s.Workers, s.Pages, s.PerCall
	if workers == 0 {
		workers = 4
	}
	if pages == 0 {
		pages = 3
	}
	if perCall == 0 {
		perCall = 30 * time.Second
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan reeve.Call)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range workers {
		wg.Go(func() {
			for call := range work {
				n, err := s.one(ctx, server, call, pages, perCall)
				mu.Lock()
				done += n
				mu.Unlock()
				if err != nil && ctx.Err() == nil {
					cancel(&Finding{call, err})
				}
			}
		})
	}
	for again := true; again; {
		again = false
		for call := range calls {
			mu.Lock()
			n := done
			mu.Unlock()
			if s.Until != nil && s.Until(n) {
				break
			}
			select {
			case work <- call:
				again = s.Until != nil
				continue
			case <-ctx.Done():
			}
			again = false
			break
		}
	}
	close(work)
	wg.Wait()
	return done, context.Cause(ctx)
}

func (s Storm) one(ctx context.Context, server Server, call reeve.Call, pages int, perCall time.Duration) (int, error) {
	for page := 0; ; page++ {
		reply, err := bounded(ctx, perCall, func(ctx context.Context) (Reply, error) { return server(ctx, call) })
		if err != nil {
			return page, err
		}
		for _, b := range reply.Bytes {
			if err := s.Check(b); err != nil {
				return page + 1, err
			}
		}
		if f, ok := call.(*reeve.SearchFiles); ok && s.Probe != "" && f.Contains == s.Probe && reply.Hits > 0 {
			return page + 1, fmt.Errorf("a search by the content of secrets found %d names", reply.Hits)
		}
		if reply.Cursor == "" || page == pages {
			return page + 1, nil
		}
		switch c := call.(type) {
		case *reeve.ListDirectory:
			next := *c
			next.Cursor = reply.Cursor
			call = &next
		case *reeve.SearchFiles:
			next := *c
			next.Cursor = reply.Cursor
			call = &next
		default:
			return page + 1, nil
		}
	}
}

// bounded gives up on a call that ignores its context.
func bounded[T any](ctx context.Context, d time.Duration, fn func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	type result struct {
		v   T
		err error
	}
	out := make(chan result, 1)
	go func() {
		v, err := fn(ctx)
		out <- result{v, err}
	}()
	grace := time.NewTimer(d + d/4)
	defer grace.Stop()
	select {
	case r := <-out:
		return r.v, r.err
	case <-grace.C:
		var zero T
		return zero, fmt.Errorf("the call hangs: no answer after %v, with its context ended", d)
	}
}

// OnDoer runs calls through a Doer. What it gives back is the outcome's JSON,
// the error's text, its JSON and the texts of its causes.
func OnDoer(doer reeve.Doer, subject reeve.Subject) Server {
	return func(ctx context.Context, call reeve.Call) (Reply, error) {
		out, err := doer.Do(ctx, reeve.Request{Target: reeve.Local, Subject: subject, Call: call})
		var r Reply
		add := func(v any) error {
			b, err := json.Marshal(v)
			r.Bytes = append(r.Bytes, b)
			return err
		}
		if err != nil {
			for e := err; e != nil; e = errors.Unwrap(e) {
				r.Bytes = append(r.Bytes, []byte(e.Error()))
			}
			re, ok := err.(*reeve.Error)
			if !ok {
				return r, fmt.Errorf("Do gave an error that is no *reeve.Error: %T", err)
			}
			return r, add(re)
		}
		if (out.Result == nil) == (out.Pending == nil) {
			return r, errors.New("an outcome must be a result or pending, exactly one of them")
		}
		if err := add(out); err != nil {
			return r, err
		}
		if out.Result == nil {
			return r, errors.New("a reading verb waits for an answer")
		}
		switch a := out.Result.Answer.(type) {
		case *reeve.Listing:
			r.Cursor = a.Cursor
		case *reeve.Found:
			r.Cursor, r.Hits = a.Cursor, len(a.Entries)
		}
		return r, nil
	}
}

// OnTools runs calls as tools of the native dialect over the protocol. What
// it gives back is the raw line that the server sent.
func OnTools(c *LineClient) Server {
	return func(ctx context.Context, call reeve.Call) (Reply, error) {
		name, args, err := NativeTool(call)
		if err != nil {
			return Reply{}, err
		}
		raw, err := c.Tool(ctx, name, args)
		r := Reply{Bytes: [][]byte{raw}}
		var rpc *RPCError
		if errors.As(err, &rpc) {
			// Refused before the tool: what it says is checked too.
			return Reply{Bytes: [][]byte{[]byte(rpc.Message), rpc.Data}}, nil
		}
		if err != nil {
			return r, err
		}
		var facts struct {
			Meta struct {
				Result struct {
					Cursor  string `json:"cursor"`
					Entries int    `json:"entries"`
				} `json:"reeve/result"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal(raw, &facts); err != nil {
			return r, err
		}
		r.Cursor, r.Hits = facts.Meta.Result.Cursor, facts.Meta.Result.Entries
		return r, nil
	}
}

// NativeTool gives the name and the arguments of a call in the native
// dialect, which names everything as the words do; it takes one path as
// `path` and does not offer max_entries.
func NativeTool(call reeve.Call) (name string, args map[string]any, err error) {
	b, err := json.Marshal(call)
	if err != nil {
		return "", nil, err
	}
	if err := json.Unmarshal(b, &args); err != nil {
		return "", nil, err
	}
	delete(args, "max_entries")
	if r, ok := call.(*reeve.ReadFile); ok && len(r.Paths) == 1 {
		delete(args, "paths")
		args["path"] = r.Paths[0]
	}
	return string(call.Verb()), args, nil
}
