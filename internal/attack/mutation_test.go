package attack

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// smallModule writes a module with one function and a test of it.
func smallModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module small\n\ngo 1.26\n",
		"inside.go":     "package small\n\n// Inside tells.\nfunc Inside(a, b int) bool { return a < b }\n\n// Unused is not tested.\nfunc Unused() int { return 1 }\n",
		"small_test.go": "package small\n\nimport \"testing\"\n\nfunc TestInside(t *testing.T) {\n\tif !Inside(1, 2) {\n\t\tt.Error(\"1 is not inside 2\")\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMutationIsNoticed(t *testing.T) {
	dir := smallModule(t)
	base := Mutation{Name: "inverted", Why: "w", File: "inside.go", Edits: []Edit{{"a < b", "a > b"}}, Packages: []string{"."}, Run: "TestInside"}
	with := func(change func(*Mutation)) Mutation { m := base; change(&m); return m }
	for _, c := range []struct {
		name string
		m    Mutation
		want string
	}{
		{"not noticed", with(func(m *Mutation) { m.Edits = []Edit{{"return 1", "return 2"}} }), "no test noticed"},
		{"noticed by its second edit", with(func(m *Mutation) { m.Edits = []Edit{{"return 1", "return 2"}, m.Edits[0]} }), ""},
		{"the text is gone", with(func(m *Mutation) { m.Edits = []Edit{{"a <= b", ""}} }), "stands 0 times"},
		{"the text is there twice", with(func(m *Mutation) { m.Edits = []Edit{{"func ", ""}} }), "stands 2 times"},
		{"it does not build", with(func(m *Mutation) { m.Edits = []Edit{{"a < b", "a <"}} }), "does not build"},
		{"no such test", with(func(m *Mutation) { m.Run = "TestNothing" }), "meets no test"},
		{"no such file", with(func(m *Mutation) { m.File = "gone.go" }), "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.m.Check(t.Context(), dir, t.TempDir())
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
			if survived := errors.Is(err, ErrSurvived); survived != (c.name == "not noticed") {
				t.Errorf("survived: %v", survived)
			}
		})
	}
	b, err := os.ReadFile(filepath.Join(dir, "inside.go"))
	if err != nil || !strings.Contains(string(b), "a < b") {
		t.Error("the module itself was changed")
	}
}

func TestParseMutationRefusesWhatIsIncomplete(t *testing.T) {
	good := "# a note\nwhy: x\nfile: a.go\npackages: ./a ./b\nrun: TestA\n-- old --\na < b\n-- new --\na > b\n"
	m, err := ParseMutation("m", []byte(good))
	if err != nil || len(m.Edits) != 1 || m.Edits[0] != (Edit{"a < b", "a > b"}) || len(m.Packages) != 2 || m.Run != "TestA" {
		t.Fatalf("%+v, %v", m, err)
	}
	for _, bad := range []string{"", strings.Replace(good, "why: x\n", "", 1), strings.Replace(good, "run: TestA\n", "", 1), strings.Replace(good, "-- new --", "-- other --", 1), good + "-- old --\nx\n", good + "-- old --\n-- new --\nx\n",
		strings.Replace(good, "a > b", "a < b", 1), strings.Replace(good, "why:", "reason:", 1), strings.Replace(good, "packages: ./a ./b", "packages:", 1)} {
		if _, err := ParseMutation("m", []byte(bad)); err == nil {
			t.Errorf("took %q", bad)
		}
	}
}

// TestFaultsAreNoticed puts each fault of testdata/mutations into the source.
// Three of them are the ones that an outcome on paper looks the same with.
func TestFaultsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the module anew for each fault")
	}
	files, err := filepath.Glob("testdata/mutations/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{"containment-inverted": true, "judged-before-place": true, "ledger-on-written-path": true}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		delete(missing, name)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := ParseMutation(name, data)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Check(t.Context(), root, t.TempDir()); err != nil {
				t.Error(err)
			}
		})
	}
	for name := range missing {
		t.Errorf("testdata/mutations/%s.txtar is missing", name)
	}
}
