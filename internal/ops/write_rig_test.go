package ops

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
	"reeve/internal/guard"
	"reeve/internal/policy"
)

// desk is a gate over files in memory, with the real policy and a committer.
type desk struct {
	t     testing.TB
	mem   *capfstest.Memory
	files *capfs.FS
	gate  *guard.Gate
	cur   *guard.Current
	asks  *cards
	meddl *meddler
}

// cards says yes to everything when told to, and keeps the questions.
type cards struct {
	mu   sync.Mutex
	yes  bool
	list []reeve.Question
}

func (c *cards) Ask(_ context.Context, p reeve.Proposal, q reeve.Question, _ func() string) (reeve.Pending, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, q)
	return reeve.Pending{ID: "x", Digest: p.Digest(), Question: q}, nil
}

func (c *cards) Take(context.Context, reeve.Digest) (guard.Approval, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return guard.Approval{Yes: true, Channel: "test"}, c.yes, nil
}

// meddler is a committer between whose steps a test acts.
type meddler struct {
	capfs.Committer
	beforeStage, beforeSwap func()
	rung                    string
	staged                  []reeve.Change // of the last call
}

func (m *meddler) Stage(ctx context.Context, at capfs.At, c reeve.Change) (capfs.Staged, error) {
	if m.beforeStage != nil {
		m.beforeStage()
	}
	m.staged = append(m.staged, c)
	return m.Committer.Stage(ctx, at, c)
}

func (m *meddler) Swap(ctx context.Context, s []capfs.Staged) (capfs.Receipt, error) {
	if m.beforeSwap != nil {
		m.beforeSwap()
	}
	r, err := m.Committer.Swap(ctx, s)
	for i := range r.Done {
		if m.rung != "" {
			r.Done[i].Rung = m.rung
		}
	}
	return r, err
}

const deskDir = "/home/ann/proj"

// newDesk grants /home/ann/proj for writing and /home/ann/docs for reading.
// Questions are answered with yes.
func newDesk(t testing.TB, profile string, tweak func(*reeve.Settings)) *desk {
	t.Helper()
	d := &desk{t: t, mem: capfstest.NewMemory(capfstest.MemoryOptions{}), asks: &cards{yes: true}}
	d.make("dir", deskDir, "")
	d.make("dir", "/home/ann/docs", "")
	d.make("file", "/home/ann/docs/fixed.txt", "fixed\n")
	d.make("file", "/home/ann/outside.txt", "CANARY\n")
	p, err := policy.LoadProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	env := policy.Env{Home: "/home/ann", DataHome: "/home/ann/data", ConfigDir: "/home/ann/config", StateDir: "/home/ann/state", GOOS: "linux", WorkDir: deskDir}
	pol, problems := policy.Compile(env, p, policy.Config{}, policy.Run{WriteRoots: []string{deskDir}, ReadRoots: []string{"/home/ann/docs"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	files := capfs.New(capfs.Options{Layer: d.mem, Timeout: 5 * time.Second,
		Now: func() time.Time { return time.Now().Add(time.Hour) }}) // no stamp is racy
	t.Cleanup(func() { files.Close() })
	var grants []capfs.Grant
	for _, r := range pol.Grants() {
		grants = append(grants, capfs.Grant{ID: capfs.RootID(r.Path), Path: r.Path, Access: r.Access})
	}
	files.SetGrants(grants, nil)
	set := pol.Settings()
	set.ReadState = "off" // what a session has read is judged elsewhere
	if tweak != nil {
		tweak(&set)
	}
	paths := pol.PathContext()
	paths.GOOS = "linux"
	d.cur = &guard.Current{Rules: pol, Settings: set, Paths: paths, Enabled: true}
	d.meddl = &meddler{Committer: d.mem.Committer()}
	d.files = files
	d.redact(nil)
	return d
}

// redact makes the gate anew, with a redaction.
func (d *desk) redact(fn func(string) string) {
	d.t.Helper()
	var err error
	d.gate, err = guard.New(guard.Options{Files: d.files, Policies: fixed{d.cur}, Record: rows{}, Verbs: Verbs(Options{}), Approvals: d.asks, Changes: d.meddl, Redact: fn})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) make(verb, path, arg string) {
	d.t.Helper()
	if !strings.HasPrefix(path, "/") {
		path = deskDir + "/" + path
	}
	if err := d.mem.Make(capfstest.Op{Verb: verb, Path: path, Arg: arg}); err != nil {
		d.t.Fatalf("%s %s: %v", verb, path, err)
	}
}

func (d *desk) file(rel, content string) { d.t.Helper(); d.make("file", rel, content) }

func (d *desk) bytes(rel string) string {
	if !strings.HasPrefix(rel, "/") {
		rel = deskDir + "/" + rel
	}
	b, err := d.mem.Bytes(rel)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(b)
}

func (d *desk) holds(rel, want string) {
	d.t.Helper()
	if got := d.bytes(rel); got != want {
		d.t.Errorf("%s holds %q, want %q", rel, got, want)
	}
}

func (d *desk) try(c reeve.Call) (reeve.Outcome, error) {
	d.meddl.staged = nil
	return d.gate.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Agent: "t"}, Call: c})
}

// did expects the change to be made, and gives its account and the notes.
func (d *desk) did(c reeve.Call) (*reeve.Changes, *reeve.Result) {
	d.t.Helper()
	out, err := d.try(c)
	if err != nil {
		d.t.Fatalf("%+v: %v", c, err)
	}
	if out.Result == nil {
		d.t.Fatalf("%+v: asked %+v", c, out.Pending)
	}
	a, ok := out.Result.Answer.(*reeve.Changes)
	if !ok || len(a.Files) == 0 {
		d.t.Fatalf("%+v: answered %T %+v", c, out.Result.Answer, out.Result.Answer)
	}
	return a, out.Result
}

// refuses expects a refusal that changes nothing, and gives its words.
func (d *desk) refuses(c reeve.Call, code reeve.Code) string {
	d.t.Helper()
	before := strings.Join(d.mem.Tree("/home/ann"), "\n")
	out, err := d.try(c)
	if err == nil {
		d.t.Fatalf("%+v was not refused: %+v", c, out)
	}
	e, ok := reeve.AsError(err)
	if !ok || !errors.Is(err, code) {
		d.t.Fatalf("%+v: %v, want %s", c, err, code)
	}
	if e.What == "" || e.Not == "" || e.Op == "" {
		d.t.Errorf("%+v: an incomplete refusal: %+v", c, e)
	}
	if strings.Contains(err.Error(), "CANARY") {
		d.t.Errorf("%+v: the refusal shows a protected file: %v", c, err)
	}
	if after := strings.Join(d.mem.Tree("/home/ann"), "\n"); after != before {
		d.t.Errorf("%+v was refused, and changed the disk:\n%s\nfrom\n%s", c, after, before)
	}
	return err.Error()
}

// asked is the question that a call comes to.
func (d *desk) asked(c reeve.Call) reeve.Question {
	d.t.Helper()
	d.asks.yes = false
	defer func() { d.asks.yes = true }()
	out, err := d.try(c)
	if err != nil || out.Pending == nil {
		d.t.Fatalf("%+v was not asked: %+v %v", c, out.Result, err)
	}
	return out.Pending.Question
}

func textsOf(list []reeve.Text) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.String())
	}
	return out
}
