package repotest

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

// tree makes a module out of files given as "path" → source.
func tree(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module reeve\n\ngo 1.26\n")}}
	for p, src := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(src)}
	}
	tr, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// want checks that there is one finding for each text, in any order.
func want(t *testing.T, got []Finding, texts ...string) {
	t.Helper()
	if len(got) != len(texts) {
		t.Errorf("%d findings, want %d: %v", len(got), len(texts), got)
	}
	for _, w := range texts {
		found := false
		for _, f := range got {
			found = found || strings.Contains(f.String(), w)
		}
		if !found {
			t.Errorf("no finding says %q in %v", w, got)
		}
	}
}

func TestLoadReadsThisModuleAlone(t *testing.T) {
	tr := tree(t, map[string]string{
		"a.go":                  "package reeve",
		"internal/x/x_plan9.go": "package x",
		"bench/go.mod":          "module reeve/bench",
		"bench/b.go":            "package bench",
		"testdata/t.go":         "no Go at all",
		"node_modules/n/n.go":   "package n",
	})
	var dirs []string
	for _, p := range tr.Packages {
		dirs = append(dirs, p.Dir)
	}
	if got := strings.Join(dirs, " "); got != ". internal/x" {
		t.Errorf("read %s", got)
	}
	if _, err := Load(fstest.MapFS{"go.mod": {Data: []byte("go 1.26\n")}}); err == nil {
		t.Error("took a go.mod without a name")
	}
	if _, err := Load(fstest.MapFS{"go.mod": {Data: []byte("module m\n")}, "a.go": {Data: []byte("packag")}}); err == nil {
		t.Error("took a file that is no Go")
	}
}

func TestImportTableCatches(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"a verb that takes capfs", map[string]string{"internal/ops/read.go": `package ops; import _ "reeve/internal/capfs"`},
			[]string{"internal/ops/read.go:1: imports internal/capfs: a verb has no other way"}},
		{"a word that needs a part", map[string]string{"place.go": `package reeve; import _ "reeve/internal/policy"`}, []string{"ties everybody"}},
		{"a skill that imports a skill", map[string]string{"internal/policy/p.go": `package policy; import _ "reeve/internal/capfs"`}, []string{"policy is pure"}},
		{"a dialect with the gate", map[string]string{"internal/dialect/native/n.go": `package native; import _ "reeve/internal/guard"`}, []string{"could act"}},
		{"the node under a surface", map[string]string{"internal/mcpserver/s.go": `package mcpserver; import _ "reeve/node"`}, []string{"render"}},
		{"a package nobody placed", map[string]string{"internal/helper/h.go": `package helper`}, []string{"stands on no floor. Decide"}},
		{"an import of a package nobody placed", map[string]string{"node/n.go": `package node; import _ "reeve/internal/helper"`}, []string{"helper, which stands on no floor"}},
		{"a kit in the program", map[string]string{"internal/guard/g.go": `package guard; import _ "reeve/internal/capfstest"`}, []string{"kit"}},
		{"a test that looks up", map[string]string{"internal/capfs/c_test.go": `package capfs; import _ "reeve/internal/guard"`}, []string{"testable without"}},
		{"a test that looks down and uses a kit", map[string]string{"internal/guard/g_test.go": `package guard
import (
	_ "reeve/internal/capfstest"
	_ "reeve/internal/policy"
	_ "reeve/internal/attack"
)`}, nil},
		{"what the table allows", map[string]string{"internal/guard/g.go": `package guard
import (
	_ "reeve"
	_ "reeve/internal/capfs"
	_ "reeve/internal/pathname"
)`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, Imports(tree(t, c.files), Floors()), c.want...) })
	}
}

func TestTheTablePointsDown(t *testing.T) {
	floors := map[string]Floor{}
	for _, f := range Floors() {
		if _, twice := floors[f.Package]; twice {
			t.Errorf("%s has two lines", f.Package)
		}
		if len(f.Why) < 20 {
			t.Errorf("%s has no reason", f.Package)
		}
		floors[f.Package] = f
	}
	for _, f := range Floors() {
		for _, m := range f.May {
			to, ok := floors[m]
			if !ok {
				t.Errorf("%s may import %s, which has no line", f.Package, m)
			}
			if to.Floor > f.Floor {
				t.Errorf("%s (floor %d) may import %s (floor %d)", f.Package, f.Floor, m, to.Floor)
			}
		}
	}
}

func TestExternalImportsCatch(t *testing.T) {
	for _, c := range []struct{ name, path, src, want string }{
		{"the protocol outside its package", "internal/cli/c.go", `package cli; import _ "github.com/modelcontextprotocol/go-sdk/mcp"`, "one package speaks"},
		{"the engine outside the bus", "node/n.go", `package node; import _ "github.com/nats-io/nats.go"`, "engine under the bus"},
		{"a module without a line", "internal/capfs/c.go", `package capfs; import _ "example.org/fast"`, "no line yet"},
		{"a module that only begins the same", "internal/cli/c.go", `package cli; import _ "github.com/spf13evil/cobra"`, "no line yet"},
		{"the network in the gate", "internal/guard/g.go", `package guard; import _ "net/http"`, "talk to nobody"},
		{"the network below the gate", "internal/policy/p.go", `package policy; import _ "net"`, "talk to nobody"},
		{"a program started by a verb", "internal/ops/o.go", `package ops; import _ "os/exec"`, "starts a program"},
		{"a test library that is shipped", "internal/search/s.go", `package search; import _ "pgregory.net/rapid"`, "test libraries"},
		{"a test library in a test", "internal/search/s_test.go", `package search; import _ "pgregory.net/rapid"`, ""},
		{"parsing an address", "internal/dialect/d.go", `package dialect; import _ "net/url"`, ""},
		{"the protocol in its package", "internal/mcpserver/m.go", `package mcpserver; import _ "github.com/modelcontextprotocol/go-sdk/mcp"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ExternalImports(tree(t, map[string]string{c.path: c.src}), Externals())
			if c.want == "" {
				want(t, got)
				return
			}
			want(t, got, c.want)
		})
	}
	want(t, PureImports(tree(t, map[string]string{
		"internal/policy/p.go":      `package policy; import _ "os"`,
		"internal/policy/p_test.go": `package policy; import _ "os"`,
		"internal/capfs/c.go":       `package capfs; import _ "os"`,
	}), pure()), "internal/policy/p.go:1: internal/policy imports os")
}

func TestOpenersCatch(t *testing.T) {
	for _, c := range []struct{ name, path, src, want string }{
		{"a read by name", "internal/guard/g.go", `package guard; import "os"; func f() { os.ReadFile("x") }`, "os.ReadFile"},
		{"under another name", "internal/guard/g.go", `package guard; import sys "os"; func f() { sys.Create("x") }`, "os.Create"},
		{"passed on, not called", "internal/guard/g.go", `package guard; import "os"; var f = os.Open`, "os.Open"},
		{"behind a dot", "internal/guard/g.go", `package guard; import . "os"; func f() { Open("x") }`, "dot-imports"},
		{"by system call", "internal/mcpserver/g.go", `package mcpserver; import "golang.org/x/sys/unix"; func f() { unix.Openat2(0, "", nil) }`, "Openat2"},
		{"by walking", "internal/mcpserver/g.go", `package mcpserver; import "path/filepath"; func f() { filepath.WalkDir("x", nil) }`, "WalkDir"},
		{"in a file for another system", "internal/guard/g_windows.go", "//go:build windows\n\npackage guard; import \"os\"; func f() { os.Lstat(\"x\") }", ""},
		{"a template", "internal/mcpserver/g.go", `package mcpserver; import "text/template"; func f() { template.ParseFiles("x") }`, "ParseFiles"},
		{"a served folder", "internal/mcpserver/g.go", `package mcpserver; import "net/http"; func f() { http.FileServer(nil) }`, "FileServer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want(t, Openers(tree(t, map[string]string{c.path: c.src}), OpensFiles()), cmpOr(c.want, "os.Lstat"))
		})
	}
	want(t, Openers(tree(t, map[string]string{
		"internal/capfs/c.go":      `package capfs; import "os"; func f() { os.Open("x") }`,
		"internal/guard/g.go":      `package guard; import "os"; func f() { os.Getpid(); os.Exit(1) }`,
		"internal/guard/g_test.go": `package guard; import "os"; func f() { os.Open("x") }`,
	}), OpensFiles()))
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func TestClearedTextCatches(t *testing.T) {
	want(t, Cleared(tree(t, map[string]string{
		"text.go":                    `package reeve; type Text struct{}; func Cleared(s string) Text { return Text{} }`,
		"answer.go":                  `package reeve; func make1(s string) Text { return Cleared(s) }`,
		"internal/ops/o.go":          `package ops; import "reeve"; func f() { g(reeve.Cleared) }`,
		"internal/dialect/d.go":      `package dialect; import w "reeve"; var _ = w.Cleared("x")`,
		"internal/guard/reply.go":    `package guard; import "reeve"; func f() { reeve.Cleared("x") }`,
		"internal/dialect/d_test.go": `package dialect; import "reeve"; var _ = reeve.Cleared("x")`,
	})), "answer.go:1", "internal/ops/o.go:1", "internal/dialect/d.go:1")
}

func TestStateCatches(t *testing.T) {
	const head = "package guard\nimport (\"errors\"; \"regexp\"; \"sync\"; \"embed\"; \"io\")\n"
	for _, c := range []struct{ name, src, want string }{
		{"an error value", `var errX = errors.New("x")`, ""},
		{"an assertion", `var _ io.Reader = (*T)(nil); type T struct{}; func (*T) Read([]byte) (int, error) { return 0, nil }`, ""},
		{"an embedded file", "//go:embed x.md\nvar files embed.FS", ""},
		{"a table", `var table = [...]struct{ s string; n int }{{"a", 1}, {"b", -1}}`, ""},
		{"a cache", `var cache sync.Map`, "has no value"},
		{"a map", `var m = map[string]bool{"x": true}`, "more than a table"},
		{"a pattern", `var re = regexp.MustCompile("x")`, "computed at every start"},
		{"a counter", `var n = 1; func f() { n++ }`, "is changed"},
		{"a table that is written", `var t = [2]int{1, 2}; func f(i int) { t[i] = 3 }`, "is changed"},
		{"a table that is lent", `var t = [2]int{1, 2}; func f() *[2]int { return &t }`, "is changed"},
		{"a pointer", `var p = &T{}; type T struct{}`, "more than a table"},
		{"a function value", `var now = func() int { return 1 }`, "more than a table"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := NoGlobals(tree(t, map[string]string{"internal/guard/g.go": head + c.src}), nil)
			if c.want == "" {
				want(t, got)
				return
			}
			want(t, got, c.want)
		})
	}
	want(t, NoGlobals(tree(t, map[string]string{"internal/guard/g.go": head + `var pool sync.Pool`}), []May{{"internal/guard.pool", "a pool holds no meaning"}}))
	want(t, NoInit(tree(t, map[string]string{
		"internal/guard/g.go": "package guard; func init() {}; type T struct{}; func (T) init() {}",
	})), "g.go:1: func init")
	want(t, NoUnsafe(tree(t, map[string]string{
		"a.go":      `package reeve; import "C"`,
		"b.go":      `package reeve; import _ "unsafe"`,
		"c.go":      `package reeve; import _ "unsafe"`,
		"d.go":      "package reeve\n\n//go:linkname x runtime.x\nfunc x()",
		"e_test.go": `package reeve; import _ "unsafe"`,
	}), []May{{"c.go", "listed"}}), "a.go:1: uses cgo", "b.go:1: imports unsafe", "d.go:3: uses go:linkname", "e_test.go:1: imports unsafe")
}

func TestPackageCommentsCatch(t *testing.T) {
	want(t, PackageComments(tree(t, map[string]string{
		"internal/ops/a.go":        "package ops",
		"internal/dialect/doc.go":  "// Package dialect translates.\npackage dialect",
		"internal/search/doc.go":   "// Package search matches names. Call Compile first.\npackage search",
		"internal/guard/doc.go":    "// Package guard is the gate. It is safe.\npackage guard",
		"internal/policy/doc.go":   "// Package policy judges. It does not\n// protect from a place made by hand.\npackage policy",
		"internal/capfs/x_test.go": "package capfs",
	}), Guarding()), "internal/ops: has no package comment", "internal/dialect: its package comment is a single", "internal/guard: its package comment does not say")
}

func TestDocumentedCatches(t *testing.T) {
	want(t, Documented(tree(t, map[string]string{"internal/guard/g.go": `package guard

func Bare() {}

// Told is told.
func Told() {}

func private() {}

type Open struct{}

// Kind is a kind.
type Kind string

const (
	KindA Kind = "a"
	Loose      = 3
)

const (
	// First and Second go together.
	First  = 1
	Second = 2
	Third  = 3
)

// Doer does.
type Doer interface{ Do() }

// T is told.
type T struct{}

func (T) Do()            {}
func (T) String() string { return "" }
func (T) Other()         {}

type hidden struct{}

func (hidden) Shown() {}
`})), "exported Bare", "exported type Open", "exported Loose", "exported Third", "exported Other")
}

func TestInterfacesCatch(t *testing.T) {
	src := `package guard
import "io"
type Small interface { A(); B(); C() }
type Wide interface { A(); B(); C(); D() }
type Grown interface { Small; io.Reader }
type Number interface { ~int | ~string }
`
	want(t, Interfaces(tree(t, map[string]string{"internal/guard/g.go": src}), nil), "Wide has 4", "Grown has 4")
	want(t, Interfaces(tree(t, map[string]string{"internal/guard/g.go": src}), []May{{"internal/guard.Wide", "x"}}), "Grown has 4")
}

func TestLongFilesTold(t *testing.T) {
	long := "package guard\n" + strings.Repeat("\n", 20)
	want(t, LongFiles(tree(t, map[string]string{
		"internal/guard/a.go": long, "internal/guard/a_test.go": long, "internal/guard/gate.go": long,
	}), 10, 30), "internal/guard/a.go: has 21 lines")
}

func TestForbiddenWordsCatch(t *testing.T) {
	later := "TO" + "DO"
	words := append(Words(), BuildPaths("/build/place/main", `C:\build\place`, "/home", "")...)
	got, err := ForbiddenWords(fstest.MapFS{
		"a.go":             {Data: []byte("x\n// " + later + ": finish\n")},
		"b.md":             {Data: []byte("m" + later + "S and autoTODO_x are words\nfixed in iss" + "ue 12\nthe issue at hand\n")},
		"c.txt":            {Data: []byte("see /build/place/main/x\n./build/place/main is relative\nhttps://example.org/build/place/main\n/build/place/mainly\n")},
		"d.txt":            {Data: []byte("C:/build/place/x\n")},
		"e.bin":            {Data: []byte("\x00" + later)},
		"go.sum":           {Data: []byte(later)},
		".git/x":           {Data: []byte(later)},
		"node_modules/y":   {Data: []byte(later)},
		"testdata/z/f.txt": {Data: []byte("registry." + "npmjs.org")},
	}, words)
	if err != nil {
		t.Fatal(err)
	}
	want(t, got, "a.go:2: holds "+later, "b.md:2: holds iss"+"ue", "c.txt:1: holds /build", "d.txt:1: holds C:/build", "testdata/z/f.txt:1")
}

func TestLicencesCatch(t *testing.T) {
	const mit = "Permission is hereby granted, free of charge, to any person obtaining a copy"
	agpl := Module{"example.org/agpl", "v1.0.0", []string{mit, "GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3"}}
	mozilla := "Mozilla Public License Version 2.0 … Secondary License means … the GNU Affero General Public License, Version 3.0"
	got := Licences([]Module{
		{"example.org/good", "v1.2.3", []string{mit, mozilla}},
		{"example.org/untold", "v1.0.0", []string{mit}},
		{"example.org/old", "v1.1.0", []string{mit}},
		{"example.org/bare", "v1.0.0", nil},
		{"example.org/odd", "v1.0.0", []string{"Do what you like on Tuesdays."}},
		agpl,
	}, []Module{agpl, {"example.org/notloaded", "v1", nil}},
		"example.org/good v1.2.3\nexample.org/untold/v2 v1.0.0\nexample.org/old v1.0.0\nexample.org/bare v1.0.0\nexample.org/odd v1.0.0\nexample.org/agpl v1.0.0\n")
	want(t, got, "example.org/untold: is linked but", "example.org/old: is linked but", "example.org/bare: is linked and has no licence", "odd: is linked under a licence", "agpl: is in the module graph", "agpl: is linked under AGPL")
}

func TestInitBudgetCatches(t *testing.T) {
	trace := []byte("noise\ninit runtime @0.05 ms, 0.1 ms clock, 0 bytes, 0 allocs\ninit errors @0.3 ms, 0 ms clock, 100 bytes, 1 allocs\ninit heavy @1 ms, 2.5 ms clock, 9000 bytes, 90 allocs\n")
	now, err := ParseInitTrace(trace)
	if err != nil {
		t.Fatal(err)
	}
	if total := now.Total(); total != (Cost{9100, 91}) || len(now) != 2 {
		t.Fatalf("read %v", now)
	}
	if _, err := ParseInitTrace([]byte("noise\n")); err == nil {
		t.Error("a program that traced nothing passed")
	}
	b := Budget{System: System(), Percent: 10, Costs: InitCosts{"errors": {100, 1}, "heavy": {8300, 83}}}
	want(t, b.Over(now)) // within ten per cent
	b.Costs["heavy"] = Cost{5000, 90}
	want(t, b.Over(now), "cmd/reeve: its initialisers allocate 9100 bytes", "heavy: grew by 4000 bytes")
	b.Costs["heavy"] = Cost{9000, 30}
	want(t, b.Over(now), "91 allocations", "heavy: grew by 0 bytes and 60")
	again, err := ParseBudget(b.Format())
	if err != nil || again.System != b.System || again.Percent != 10 || again.Costs.Total() != b.Costs.Total() {
		t.Errorf("stored and read again: %v, %v", again, err)
	}
	for _, bad := range []string{"", "system x\npercent 10\n", "system x\nerrors 1 1\n", "system x\npercent 10\nerrors many\n"} {
		if _, err := ParseBudget([]byte(bad)); err == nil {
			t.Errorf("took %q for a budget", bad)
		}
	}
	if !bytes.Contains(b.Format(), []byte("heavy 9000 30\n")) {
		t.Error("a package is missing in the stored form")
	}
}
