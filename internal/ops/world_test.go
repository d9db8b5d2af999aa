package ops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/guard"
	"reeve/internal/pathname"
	"reeve/internal/policy"
)

// world is a real gate over a folder of its own, with the real policy.
type world struct {
	t    testing.TB
	gate *guard.Gate
	dir  string
	cur  *guard.Current
	with func(map[reeve.Verb]guard.Verb) (*guard.Gate, error)
}

// worldKey seals the cursors of every world.
func worldKey() []byte { return []byte("the secret of the worlds") }

// sealed is a cursor as a world would give it.
func sealed(c cursor) string { return (&seal{secret: worldKey}).text(c) }

// fixed is one policy for ever.
type fixed struct{ cur *guard.Current }

func (f fixed) Current(context.Context) (guard.Current, error) { return *f.cur, nil }

// rows keeps nothing: the record has tests of its own.
type rows struct{}

func (rows) Append(context.Context, reeve.Row) error     { return nil }
func (rows) AppendSync(context.Context, reeve.Row) error { return nil }

// newWorld grants a fresh folder. Tweak changes the profile's numbers.
func newWorld(t testing.TB, profile string, tweak func(*reeve.Settings)) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, home := filepath.Join(base, "granted"), filepath.Join(base, "home")
	for _, d := range []string{dir, home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return grant(t, profile, tweak, home, dir)
}

func grant(t testing.TB, profile string, tweak func(*reeve.Settings), home string, dirs ...string) *world {
	t.Helper()
	return grantOn(t, nil, profile, tweak, home, dirs...)
}

func grantOn(t testing.TB, layer capfs.Layer, profile string, tweak func(*reeve.Settings), home string, dirs ...string) *world {
	t.Helper()
	p, err := policy.LoadProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	env := policy.Env{Home: home, DataHome: filepath.Join(home, "data"), ConfigDir: filepath.Join(home, "config"),
		StateDir: filepath.Join(home, "state"), GOOS: runtime.GOOS, WorkDir: home}
	pol, problems := policy.Compile(env, p, policy.Config{}, policy.Run{WriteRoots: dirs})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	files := capfs.New(capfs.Options{Layer: layer})
	t.Cleanup(func() { files.Close() })
	var grants []capfs.Grant
	for _, r := range pol.Grants() {
		grants = append(grants, capfs.Grant{ID: capfs.RootID(r.Path), Path: r.Path, Access: r.Access, Create: r.Create})
	}
	var narrow []capfs.Narrowing
	for _, n := range pol.Narrowings() {
		narrow = append(narrow, capfs.Narrowing{Path: n.Path, Kind: n.Kind, Rule: n.Rule, Folder: n.Folder})
	}
	files.SetGrants(grants, narrow)
	set := pol.Settings()
	if tweak != nil {
		tweak(&set)
	}
	w := &world{t: t, dir: dirs[0], cur: &guard.Current{Rules: pol, Settings: set, Paths: pol.PathContext(), Enabled: true}}
	w.with = func(verbs map[reeve.Verb]guard.Verb) (*guard.Gate, error) {
		return guard.New(guard.Options{Files: files, Policies: fixed{w.cur}, Record: rows{}, Verbs: verbs})
	}
	if w.gate, err = w.with(Verbs(Options{Key: worldKey})); err != nil {
		t.Fatal(err)
	}
	return w
}

// path is an absolute path in the granted folder.
func (w *world) path(rel string) string { return filepath.Join(w.dir, filepath.FromSlash(rel)) }

// write makes a file and the folders above it; a name that ends with "/" is a
// folder.
func (w *world) write(rel, content string) {
	w.t.Helper()
	p := w.path(rel)
	if strings.HasSuffix(rel, "/") {
		if err := os.MkdirAll(p, 0o755); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) files(rels ...string) {
	w.t.Helper()
	for _, r := range rels {
		w.write(r, "x")
	}
}

func (w *world) link(text, rel string) {
	w.t.Helper()
	if err := os.Symlink(text, w.path(rel)); err != nil {
		w.t.Skip("no links here: ", err)
	}
}

func (w *world) try(ctx context.Context, c reeve.Call) (*reeve.Result, error) {
	out, err := w.gate.Do(ctx, reeve.Request{Call: c})
	if err != nil {
		return nil, err
	}
	return out.Result, nil
}

// do expects an answer of the given type.
func do[A reeve.Answer](w *world, c reeve.Call) (A, []string) {
	w.t.Helper()
	res, err := w.try(context.Background(), c)
	if err != nil {
		w.t.Fatalf("%+v: %v", c, err)
	}
	a, ok := res.Answer.(A)
	if !ok {
		w.t.Fatalf("%+v: answered %T", c, res.Answer)
	}
	var notes []string
	for _, n := range res.Notes {
		notes = append(notes, n.String())
	}
	return a, notes
}

// refusedWith expects a refusal with a code, and gives its words.
func (w *world) refusedWith(c reeve.Call, code reeve.Code) string {
	w.t.Helper()
	res, err := w.try(context.Background(), c)
	if err == nil {
		w.t.Fatalf("%+v was answered: %+v", c, res.Answer)
	}
	if !errors.Is(err, code) {
		w.t.Fatalf("%+v: %v, want %s", c, err, code)
	}
	e, ok := reeve.AsError(err)
	if !ok || e.What == "" || e.Not == "" {
		w.t.Fatalf("%+v: an incomplete refusal: %+v", c, err)
	}
	return err.Error()
}

func entryNames(list []reeve.Entry) []string {
	var out []string
	for _, e := range list {
		n := e.Name.String()
		if e.Kind == reeve.Directory {
			n += "/"
		}
		if e.Protected {
			n += " protected"
		}
		if e.Kind == reeve.Special {
			n += " special"
		}
		out = append(out, n)
	}
	return out
}

func skips(list []reeve.Skipped) map[string]int {
	m := map[string]int{}
	for _, s := range list {
		m[s.Reason] = s.Count
	}
	return m
}

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func sorted(list []string) []string {
	out := append([]string(nil), list...)
	sort.Strings(out)
	return out
}

func escapeRel(rel string) string {
	parts := strings.Split(rel, "/")
	for i, p := range parts {
		parts[i] = pathname.Escape(p)
	}
	return strings.Join(parts, "/")
}

func linux(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("names of any bytes and special files are made on Linux")
	}
}
