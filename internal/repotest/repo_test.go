package repotest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// moduleRoot is found from this file's folder upwards.
func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

func loadRepo(t *testing.T) *Tree {
	t.Helper()
	tree, err := Load(os.DirFS(moduleRoot(t)))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) < 3 {
		t.Fatalf("only %d packages found; the check looks in the wrong place", len(tree.Packages))
	}
	return tree
}

func report(t *testing.T, findings []Finding) {
	t.Helper()
	for _, f := range findings {
		t.Error(f)
	}
}

func TestRepositoryKeepsItsRules(t *testing.T) {
	tree := loadRepo(t)
	for name, check := range map[string]func() []Finding{
		"import table":                func() []Finding { return Imports(tree, Floors()) },
		"imports from elsewhere":      func() []Finding { return ExternalImports(tree, Externals()) },
		"pure packages":               func() []Finding { return PureImports(tree, pure()) },
		"only capfs opens":            func() []Finding { return Openers(tree, OpensFiles()) },
		"only the gate clears text":   func() []Finding { return Cleared(tree) },
		"no init":                     func() []Finding { return NoInit(tree) },
		"no state in packages":        func() []Finding { return NoGlobals(tree, Globals()) },
		"no cgo, no unsafe":           func() []Finding { return NoUnsafe(tree, Unsafe()) },
		"package comments":            func() []Finding { return PackageComments(tree, Guarding()) },
		"exported names are told":     func() []Finding { return Documented(tree) },
		"interfaces are small":        func() []Finding { return Interfaces(tree, WideInterfaces()) },
		"exceptions are still needed": func() []Finding { return StaleExceptions(tree) },
	} {
		t.Run(name, func(t *testing.T) { report(t, check()) })
	}
}

func TestLongFilesAreReported(t *testing.T) {
	for _, f := range LongFiles(loadRepo(t), 450, 900) {
		t.Log(f)
	}
}

func TestNothingUnfitIsCommitted(t *testing.T) {
	root := moduleRoot(t)
	places := []string{root, goEnv(t, "GOMODCACHE"), goEnv(t, "GOCACHE")}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	// What stands beside the checkout, and in the home of whoever runs this.
	for _, dir := range []string{filepath.Dir(root), home} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			// A home's usual names stand in examples everywhere.
			if dir != home || !strings.HasPrefix(e.Name(), ".") {
				places = append(places, filepath.Join(dir, e.Name()))
			}
		}
	}
	words := append(Words(), BuildPaths(places...)...)
	found, err := ForbiddenWords(os.DirFS(root), words)
	if err != nil {
		t.Fatal(err)
	}
	report(t, found)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// program tells whether cmd/reeve is there. A checkout without it (a part
// taken out for other use) has nothing to measure; CI must have it.
func program(t *testing.T, root string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, "cmd", "reeve", "main.go")); errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("CI") == "true" {
			t.Fatal("cmd/reeve/main.go is missing")
		}
		t.Skip("this checkout has no cmd/reeve")
	}
	return "./cmd/reeve"
}

func TestLinkedModulesAreFreeAndTold(t *testing.T) {
	root := moduleRoot(t)
	prog := program(t, root)
	// Without it every module is told, which is the list to write.
	document, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	if err != nil {
		t.Error(err)
	}
	graph, err := Graph(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			linked, err := Linked(root, prog, goos)
			if err != nil {
				t.Fatal(err)
			}
			if len(linked) == 0 {
				t.Fatal("nothing is linked; the check looks at the wrong program")
			}
			report(t, Licences(linked, graph, string(document)))
		})
	}
}

func TestInitBudget(t *testing.T) {
	root := moduleRoot(t)
	prog := program(t, root)
	now, err := MeasureInit(root, prog, t.TempDir(), "version")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/initbudget.txt"
	if os.Getenv("REEVE_INIT_BUDGET") == "write" {
		b := Budget{System: System(), Percent: 10, Costs: now}
		if err := os.WriteFile(file, b.Format(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	budget, err := ParseBudget(stored)
	if err != nil {
		t.Fatal(err)
	}
	if budget.System != System() {
		t.Skipf("the figures are of %s and this is %s", budget.System, System())
	}
	total := now.Total()
	t.Logf("%d bytes, %d allocations on %s", total.Bytes, total.Allocs, runtime.Version())
	report(t, budget.Over(now))
}
