package attack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
)

func TestPairsMeetEveryPair(t *testing.T) {
	sizes := []int{2, 3, 5, 4, 2, 3}
	rows := pairs(sizes...)
	if slices.Max(rows[0]) != 0 {
		t.Errorf("the first row gives options: %v", rows[0])
	}
	for c1 := range sizes {
		for c2 := c1 + 1; c2 < len(sizes); c2++ {
			for v1 := range sizes[c1] {
				for v2 := range sizes[c2] {
					if !slices.ContainsFunc(rows, func(r []int) bool { return r[c1] == v1 && r[c2] == v2 }) {
						t.Errorf("no row has %d at %d and %d at %d", v1, c1, v2, c2)
					}
				}
			}
		}
	}
	if len(rows) > 40 {
		t.Errorf("%d rows for %v", len(rows), sizes)
	}
}

func TestCallsCoverEveryVerbAndOption(t *testing.T) {
	verbs := map[reeve.Verb]int{}
	var hidden, recursive, created, negative, several bool
	for call := range Calls([]string{"/a", "/b"}, DefaultAxes("probe")) {
		verbs[call.Verb()]++
		switch c := call.(type) {
		case *reeve.ListDirectory:
			recursive = recursive || c.Recursive && c.Depth > 0
		case *reeve.SearchFiles:
			hidden = hidden || c.Hidden != nil && *c.Hidden && c.Contains == "probe"
			created = created || c.CreatedAfter != "" && c.LargerThan != nil
		case *reeve.ReadFile:
			negative = negative || c.Offset < 0 && c.Column > 0
			several = several || len(c.Paths) == 3
		}
	}
	for _, v := range []reeve.Verb{reeve.VerbListRoots, reeve.VerbListDirectory, reeve.VerbSearchFiles, reeve.VerbStat, reeve.VerbReadFile} {
		if verbs[v] == 0 {
			t.Errorf("no call of %s", v)
		}
	}
	if !hidden || !recursive || !created || !negative || !several {
		t.Error("an option was never tried", hidden, recursive, created, negative, several)
	}
	t.Log(verbs)
}

type doerFunc func(ctx context.Context, r reeve.Request) (reeve.Outcome, error)

func (f doerFunc) Do(ctx context.Context, r reeve.Request) (reeve.Outcome, error) { return f(ctx, r) }

func refusal(s string) error {
	return &reeve.Error{Kind: reeve.Policy, Code: reeve.OutsideRoots, What: s}
}

func calls(n int) func(func(reeve.Call) bool) {
	return func(yield func(reeve.Call) bool) {
		for i := range n {
			if !yield(&reeve.ListDirectory{Path: fmt.Sprintf("/%d", i)}) {
				return
			}
		}
	}
}

func TestStormCatches(t *testing.T) {
	c := NewCanary("storm")
	m := c.Marker("secret")
	ok := func() (reeve.Outcome, error) {
		return reeve.Outcome{Result: &reeve.Result{Answer: &reeve.Listing{}}}, nil
	}
	for _, x := range []struct {
		name string
		doer doerFunc
		want string
	}{
		{"a good server", func(context.Context, reeve.Request) (reeve.Outcome, error) { return ok() }, ""},
		{"a refusal", func(context.Context, reeve.Request) (reeve.Outcome, error) {
			return reeve.Outcome{}, refusal("is outside")
		}, ""},
		{"a secret in an answer", func(context.Context, reeve.Request) (reeve.Outcome, error) {
			return reeve.Outcome{Result: &reeve.Result{Answer: &reeve.Listing{Entries: []reeve.Entry{{Name: reeve.Cleared(m)}}}}}, nil
		}, "leak: secret"},
		{"a secret in a refusal", func(context.Context, reeve.Request) (reeve.Outcome, error) {
			return reeve.Outcome{}, refusal("is not " + m)
		}, "leak: secret"},
		{"a secret in a cause", func(context.Context, reeve.Request) (reeve.Outcome, error) {
			return reeve.Outcome{}, &reeve.Error{Kind: reeve.IO, Code: reeve.Failed, Cause: errors.New(m)}
		}, "leak: secret"},
		{"a secret on the second page", func(_ context.Context, r reeve.Request) (reeve.Outcome, error) {
			if r.Call.(*reeve.ListDirectory).Cursor == "next" {
				return reeve.Outcome{}, refusal(m)
			}
			return reeve.Outcome{Result: &reeve.Result{Answer: &reeve.Listing{Cursor: "next"}}}, nil
		}, "leak: secret"},
		{"an error that is none of ours", func(context.Context, reeve.Request) (reeve.Outcome, error) {
			return reeve.Outcome{}, os.ErrNotExist
		}, "no *reeve.Error"},
		{"nothing at all", func(context.Context, reeve.Request) (reeve.Outcome, error) { return reeve.Outcome{}, nil }, "exactly one"},
		{"a call that hangs", func(context.Context, reeve.Request) (reeve.Outcome, error) { select {} }, "hangs"},
	} {
		t.Run(x.name, func(t *testing.T) {
			n, err := Storm{Check: c.Check, PerCall: 50 * time.Millisecond}.Run(t.Context(), OnDoer(x.doer, reeve.Subject{}), calls(10))
			switch {
			case x.want == "" && (err != nil || n != 10):
				t.Errorf("%d calls, %v", n, err)
			case x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)):
				t.Errorf("found %v, want %s", err, x.want)
			}
		})
	}
	if _, err := (Storm{}).Run(t.Context(), nil, calls(1)); err == nil {
		t.Error("a storm that checks nothing ran")
	}
}

func TestStormTakesAHitByContentForALeak(t *testing.T) {
	c := NewCanary("oracle")
	found := doerFunc(func(_ context.Context, r reeve.Request) (reeve.Outcome, error) {
		return reeve.Outcome{Result: &reeve.Result{Answer: &reeve.Found{Entries: make([]reeve.Entry, 1)}}}, nil
	})
	run := func(contains string) error {
		_, err := Storm{Check: c.Check, Probe: c.Probe()}.Run(t.Context(), OnDoer(found, reeve.Subject{}), func(yield func(reeve.Call) bool) {
			yield(&reeve.SearchFiles{Pattern: "*", Contains: contains})
		})
		return err
	}
	if err := run("fox"); err != nil {
		t.Error(err)
	}
	if err := run(c.Probe()); err == nil {
		t.Error("a hit on a secret's content was let through")
	}
}

func TestStormRunsUntilItIsTold(t *testing.T) {
	var n atomic.Int64
	doer := doerFunc(func(context.Context, reeve.Request) (reeve.Outcome, error) {
		n.Add(1)
		return reeve.Outcome{}, refusal("is outside")
	})
	done, err := Storm{Check: NewCanary("u").Check, Until: func(d int) bool { return d >= 50 }}.Run(t.Context(), OnDoer(doer, reeve.Subject{}), calls(3))
	if err != nil || done < 50 || int64(done) != n.Load() {
		t.Errorf("%d done, %d made, %v", done, n.Load(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Storm{Check: NewCanary("u").Check, Until: func(int) bool { return false }}).Run(ctx, OnDoer(doer, reeve.Subject{}), calls(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled storm gave %v", err)
	}
}

func TestModelClientsSeeWhatTheyShow(t *testing.T) {
	cases := []struct {
		result string
		want   [3]string // content only, structured when present, both
	}{
		{`{"content":[{"type":"text","text":"a \"b\""}]}`, [3]string{`a "b"`, `a "b"`, `a "b"`}},
		{`{"content":[{"type":"text","text":"see structured"}],"structuredContent":{"text":"line\n1"}}`,
			[3]string{"see structured", "text: line\n1", "see structured\ntext: line\n1"}},
		{`{"content":[],"structuredContent":{"n":1}}`, [3]string{"", "n: 1", "\nn: 1"}},
		{`{"content":[{"type":"text","text":"x"},{"type":"image","mimeType":"image/png","data":"AA"}],"structuredContent":null}`,
			[3]string{"x\n[image image/png]", "x\n[image image/png]", "x\n[image image/png]"}},
	}
	for _, c := range cases {
		for i, m := range ModelClients() {
			got, err := m.Sees([]byte(c.result))
			if err != nil || got != c.want[i] {
				t.Errorf("%s of %s: %q, %v; want %q", m.Name, c.result, got, err, c.want[i])
			}
		}
	}
	if _, err := ModelClients()[0].Sees([]byte("nonsense")); err == nil {
		t.Error("nonsense was taken for a result")
	}
}
