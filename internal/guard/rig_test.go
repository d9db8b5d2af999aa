package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
	"reeve/internal/pathname"
)

// rig is a gate over files in memory, with every part in the test's hand.
type rig struct {
	t         *testing.T
	mem       *capfstest.Memory
	files     *capfs.FS
	rules     *rules
	record    *rows
	approvals *table
	ledger    *ledger
	read      *readState
	commit    *hooked
	now       time.Time
	gate      *Gate
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, now: time.Unix(1_800_000_000, 0)}
	r.mem = capfstest.NewMemory(capfstest.MemoryOptions{})
	r.make("dir", "/home/ann/proj", "")
	r.make("dir", "/home/ann/other", "")
	r.make("file", "/home/ann/proj/a.txt", "alpha\n")
	r.make("file", "/home/ann/proj/secret", "CANARY\n")
	r.make("file", "/home/ann/other/out.txt", "CANARY\n")
	r.make("link", "/home/ann/proj/alias", "a.txt")
	r.make("link", "/home/ann/proj/leak", "/home/ann/other/out.txt")
	r.make("fifo", "/home/ann/proj/pipe", "")
	r.files = capfs.New(capfs.Options{Layer: r.mem, Timeout: 5 * time.Second})
	r.files.SetGrants([]capfs.Grant{{Path: "/home/ann/proj", Access: reeve.ReadWrite}}, nil)
	t.Cleanup(func() { r.files.Close() })
	r.rules = &rules{verdicts: map[reeve.EffectKind]reeve.Verdict{}, enabled: true}
	r.record, r.approvals, r.ledger, r.read = &rows{}, &table{}, &ledger{}, &readState{}
	r.commit = &hooked{Committer: r.mem.Committer()}
	r.open(Options{})
	return r
}

// open makes the gate anew, with what is set in o taken away or replaced.
func (r *rig) open(o Options) {
	r.t.Helper()
	o.Files, o.Policies, o.Record = r.files, r.rules, r.record
	o.Approvals, o.Ledger, o.ReadState, o.Changes = r.approvals, r.ledger, r.read, r.commit
	if o.Verbs == nil {
		o.Verbs = map[reeve.Verb]Verb{"peek": peek{}, "put": put{}, "add": add{}, "delete": del{}, "shift": shift{}, "stray": stray{}, "burst": burst{}, "facts": facts{}}
	}
	o.Now = func() time.Time { return r.now }
	g, err := New(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.gate = g
}

func (r *rig) make(verb, path, arg string) {
	r.t.Helper()
	if err := r.mem.Make(capfstest.Op{Verb: verb, Path: path, Arg: arg}); err != nil {
		r.t.Fatalf("%s %s: %v", verb, path, err)
	}
}

func (r *rig) do(call reeve.Call) (reeve.Outcome, error) {
	return r.doAs(reeve.Subject{Agent: "t", Turn: "1"}, call)
}

func (r *rig) doAs(s reeve.Subject, call reeve.Call) (reeve.Outcome, error) {
	return r.gate.Do(context.Background(), reeve.Request{Subject: s, Call: call})
}

func (r *rig) bytes(path string) string {
	b, err := r.mem.Bytes(path)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(b)
}

func (r *rig) wantCode(err error, code reeve.Code) {
	r.t.Helper()
	if !errors.Is(err, code) {
		r.t.Fatalf("got %v, want code %s", err, code)
	}
}

// rules is a policy that a test sets by hand.
type rules struct {
	mu       sync.Mutex
	verdicts map[reeve.EffectKind]reeve.Verdict // missing: allow
	human    bool
	prefix   string // of a rule's name, "test: " if empty
	state    string
	enabled  bool
	err      error
	budget   int
	gen      uint64
	decided  []reeve.Effect
}

func (p *rules) Current(context.Context) (Current, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := p.state
	if state == "" {
		state = "off"
	}
	return Current{Rules: p, Enabled: p.enabled, Generation: p.gen,
		Settings: reeve.Settings{ReplyBytes: p.budget, ReadState: state},
		Paths:    pathname.Context{Home: "/home/ann", Base: "/home/ann/proj", GOOS: "linux"}}, p.err
}

func (p *rules) set(k reeve.EffectKind, v reeve.Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.verdicts[k] = v
}

func (p *rules) Decide(_ reeve.Subject, e reeve.Effect) reeve.Decision {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decided = append(p.decided, e)
	names := e.Place.Components
	if e.To != nil {
		names = append(slices.Clone(names), e.To.Components...)
	}
	for _, c := range names {
		if c == "secret" {
			return reeve.Decision{Verdict: reeve.Refuse, Rule: "protected: secret", Code: reeve.Protected, Reason: "is protected"}
		}
	}
	if n := len(names); n > 0 && names[n-1] == "control" && e.Kind.Changes() {
		return reeve.Decision{Verdict: reeve.Ask, Rule: "control: control", HumanOnly: true, Reason: "is a control file"}
	}
	for _, m := range e.Place.Marks {
		return reeve.Decision{Verdict: reeve.Refuse, Rule: string(m.Kind), Code: reeve.Protected, Reason: "is protected"}
	}
	v, ok := p.verdicts[e.Kind]
	if !ok {
		v = reeve.Allow
	}
	once := e.Kind == reeve.EffectCreate || e.Kind == reeve.EffectReplace || e.Kind == reeve.EffectMkdir
	prefix := p.prefix
	if prefix == "" {
		prefix = "test: "
	}
	if e.Place.Kind == reeve.Directory {
		prefix += "folder "
	}
	return reeve.Decision{Verdict: v, Rule: prefix + string(e.Kind), Code: reeve.ReadOnlyRoot, Remember: once, HumanOnly: p.human}
}

func (p *rules) Folder(reeve.Place) func(string, reeve.FileKind) reeve.Decision {
	return func(name string, _ reeve.FileKind) reeve.Decision {
		if name == "secret" {
			return reeve.Decision{Verdict: reeve.Refuse, Code: reeve.Protected}
		}
		return reeve.Decision{Verdict: reeve.Allow}
	}
}

type rows struct {
	mu     sync.Mutex
	list   []reeve.Row
	fail   error
	failOn string // event
}

func (r *rows) Append(_ context.Context, row reeve.Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil && (r.failOn == "" || r.failOn == row.Event) {
		return r.fail
	}
	r.list = append(r.list, row)
	return nil
}

func (r *rows) AppendSync(ctx context.Context, row reeve.Row) error { return r.Append(ctx, row) }

func (r *rows) last() reeve.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 {
		return reeve.Row{}
	}
	return r.list[len(r.list)-1]
}

// table is an approvals table in memory.
type table struct {
	mu      sync.Mutex
	asked   map[reeve.Digest]reeve.Question
	whole   map[reeve.Digest]string
	answers map[reeve.Digest]Approval
}

func (t *table) Ask(_ context.Context, p reeve.Proposal, q reeve.Question, whole func() string) (reeve.Pending, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asked == nil {
		t.asked, t.whole = map[reeve.Digest]reeve.Question{}, map[reeve.Digest]string{}
	}
	d := p.Digest()
	if _, ok := t.asked[d]; !ok && whole != nil {
		t.whole[d] = whole()
	}
	t.asked[d] = q
	return reeve.Pending{ID: d.String()[:6], Digest: d, Question: q}, nil
}

func (t *table) Take(_ context.Context, d reeve.Digest) (Approval, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, ok := t.answers[d]
	delete(t.answers, d)
	return a, ok, nil
}

func (t *table) answer(d reeve.Digest, a Approval) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answers == nil {
		t.answers = map[reeve.Digest]Approval{}
	}
	t.answers[d] = a
}

// ledger keys as the gate's contract says: turn and real path.
type ledger struct{ keys map[string]bool }

func (l *ledger) Covers(s reeve.Subject, e reeve.Effect) bool {
	return s.Turn != "" && l.keys[s.Turn+"\x00"+e.Place.Key()]
}

func (l *ledger) Remember(s reeve.Subject, e reeve.Effect, _ time.Duration) {
	if l.keys == nil {
		l.keys = map[string]bool{}
	}
	if s.Turn != "" {
		l.keys[s.Turn+"\x00"+e.Place.Key()] = true
	}
}

type readState struct {
	err   error
	wrote atomic.Int32
	reads atomic.Int32
}

func (r *readState) Read(reeve.Subject, reeve.Place, reeve.Page) { r.reads.Add(1) }

func (r *readState) Fresh(_ reeve.Subject, s reeve.Settings, b Based) (string, error) {
	if s.ReadState == "off" || !b.Change.Place.Exists() {
		return "free", nil
	}
	return "read", r.err
}

func (r *readState) Wrote(_ reeve.Subject, _ Based, _ string, _ reeve.Version) {
	r.wrote.Add(1)
}

// hooked is a committer with a hook between staging and swapping.
type hooked struct {
	capfs.Committer
	beforeSwap func()
	staged     func()
	swaps      atomic.Int32
	panics     bool
}

func (h *hooked) Stage(ctx context.Context, at capfs.At, c reeve.Change) (capfs.Staged, error) {
	if h.panics {
		panic("CANARY in a panic")
	}
	s, err := h.Committer.Stage(ctx, at, c)
	if h.staged != nil {
		h.staged()
	}
	return s, err
}

func (h *hooked) Swap(ctx context.Context, s []capfs.Staged) (capfs.Receipt, error) {
	h.swaps.Add(1)
	if h.beforeSwap != nil {
		h.beforeSwap()
	}
	return h.Committer.Swap(ctx, s)
}

// The verbs of the tests: one that looks, some that propose, and some that
// misbehave.

type arg struct {
	verb         reeve.Verb
	path, to     string
	text         string
	also         string // a second path to put the same text to
	parents      bool
	misbehave    string
	expect       reeve.Version
	optionalPath string
}

func (a *arg) Verb() reeve.Verb { return a.verb }

type said struct {
	Text reeve.Text `json:"text"`
}

func (*said) AnswerKind() string { return "said" }

type peek struct{}

func (peek) Plan(c reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	a := c.(*arg)
	list := []reeve.Intent{{Kind: reeve.IntentRead, Path: a.path}}
	if a.optionalPath != "" {
		list = append(list, reeve.Intent{Kind: reeve.IntentRead, Path: a.optionalPath, Optional: true})
	}
	return list, nil
}

func (peek) Work(ctx context.Context, c reeve.Call, v *View, r *Reply) (Work, error) {
	var out strings.Builder
	for i := range v.Len() {
		if e := v.At(i).Err; e != nil {
			out.WriteString("[" + e.Error() + "]")
			continue
		}
		f, err := v.Open(ctx, i)
		if err != nil {
			return Work{}, err
		}
		defer f.Close()
		b := make([]byte, f.Size())
		if _, err := f.ReadAt(b, 0); err != nil {
			return Work{}, err
		}
		out.Write(b)
		r.Showed(f.Place(), 1)
	}
	if c.(*arg).misbehave == "silent" {
		return Work{}, nil
	}
	return Work{Answer: &said{r.Text(out.String())}}, nil
}

type put struct{}

func (put) Plan(c reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	a := c.(*arg)
	if a.misbehave == "plan" {
		panic("CANARY in a panic")
	}
	list := []reeve.Intent{{Kind: reeve.IntentWrite, Path: a.path, Parents: a.parents}}
	if a.also != "" {
		list = append(list, reeve.Intent{Kind: reeve.IntentWrite, Path: a.also, Parents: a.parents})
	}
	return list, nil
}

func (put) Work(ctx context.Context, c reeve.Call, v *View, r *Reply) (Work, error) {
	a := c.(*arg)
	if a.misbehave == "work" {
		panic("CANARY in a panic")
	}
	var w Work
	for i := range v.Len() {
		p := v.At(i).Place()
		ch := reeve.Change{Kind: reeve.Put, Place: p, Content: reeve.Bytes(a.text)}
		if p.Exists() {
			ch.Expect = reeve.NewVersion(p.Stamp, false, nil)
		}
		w.Changes = append(w.Changes, ch)
	}
	w.After = func(_ capfs.Receipt, r *Reply) reeve.Answer {
		if a.misbehave == "after" {
			panic("CANARY in a panic")
		}
		return &said{r.Text("written")}
	}
	return w, nil
}

// add appends to what it reads.
type add struct{ put }

func (add) Work(ctx context.Context, c reeve.Call, v *View, r *Reply) (Work, error) {
	a := c.(*arg)
	s := v.At(0)
	f, err := v.Base(ctx, 0)
	if err != nil {
		return Work{}, err
	}
	defer f.Close()
	b := make([]byte, f.Size())
	if _, err := f.ReadAt(b, 0); err != nil {
		return Work{}, err
	}
	sum := blake3.Sum256(b)
	return Work{
		Changes: []reeve.Change{{Kind: reeve.Put, Place: s.Place(), Expect: f.Version(&sum), Content: reeve.Bytes(string(b) + a.text)}},
		After:   func(capfs.Receipt, *Reply) reeve.Answer { return &said{r.Text("added")} },
	}, nil
}

type del struct{}

func (del) Plan(c reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	return []reeve.Intent{{Kind: reeve.IntentRemove, Path: c.(*arg).path}}, nil
}

func (del) Work(_ context.Context, _ reeve.Call, v *View, _ *Reply) (Work, error) {
	p := v.At(0).Place()
	return Work{Changes: []reeve.Change{{Kind: reeve.Remove, Place: p, Expect: reeve.NewVersion(p.Stamp, false, nil)}}}, nil
}

type shift struct{}

func (shift) Plan(c reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	a := c.(*arg)
	return []reeve.Intent{{Kind: reeve.IntentMove, Path: a.path, To: a.to, Parents: a.parents}}, nil
}

func (shift) Work(_ context.Context, _ reeve.Call, v *View, _ *Reply) (Work, error) {
	e := v.At(0).Effects[len(v.At(0).Effects)-1]
	return Work{Changes: []reeve.Change{{Kind: reeve.Move, Place: e.Place, To: e.To, Expect: reeve.NewVersion(e.Place.Stamp, false, nil)}}}, nil
}

// stray reads one file and proposes to change something that it did not name.
type stray struct{}

func (stray) Plan(c reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	if c.(*arg).misbehave == "kind" {
		return []reeve.Intent{{Kind: reeve.IntentWrite, Path: c.(*arg).path}}, nil
	}
	return []reeve.Intent{{Kind: reeve.IntentRead, Path: c.(*arg).path}}, nil
}

func (stray) Work(ctx context.Context, c reeve.Call, v *View, r *Reply) (Work, error) {
	p := v.At(0).Place()
	if c.(*arg).misbehave == "kind" {
		if _, err := v.Open(ctx, 0); err == nil {
			return Work{Answer: &said{r.Text("opened an intent to write for reading")}}, nil
		}
		return Work{Changes: []reeve.Change{{Kind: reeve.Remove, Place: p}}}, nil
	}
	if c.(*arg).misbehave == "sibling" {
		p.Components = []reeve.Name{"secret"}
	}
	return Work{Changes: []reeve.Change{{Kind: reeve.Put, Place: p, Content: reeve.Bytes("x")}}}, nil
}

// burst says more than a reply may hold.
type burst struct{}

func (burst) Plan(reeve.Call, reeve.Settings) ([]reeve.Intent, error) { return nil, nil }

func (burst) Work(_ context.Context, _ reeve.Call, _ *View, r *Reply) (Work, error) {
	return Work{Answer: &said{r.Text(strings.Repeat("x", 1<<20))}}, nil
}

// facts tells the size of each entry.
type facts struct{}

func (facts) Plan(c reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	return []reeve.Intent{{Kind: reeve.IntentList, Path: c.(*arg).path}}, nil
}

func (facts) Work(ctx context.Context, _ reeve.Call, v *View, r *Reply) (Work, error) {
	f, err := v.Folder(ctx, 0)
	if err != nil {
		return Work{}, err
	}
	defer f.Close()
	var out strings.Builder
	err = f.Each(ctx, func(e Entry) error {
		switch info, err := f.Stat(ctx, e.Name); {
		case err != nil:
			fmt.Fprintf(&out, "%s:refused ", e.Name)
		default:
			fmt.Fprintf(&out, "%s:%d ", e.Name, info.Size)
		}
		return nil
	})
	return Work{Answer: &said{r.Text(out.String())}}, err
}
