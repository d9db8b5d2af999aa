package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Mutation is a fault put into the source on purpose: a test must notice it.
// If none does, nobody would notice when somebody makes it in earnest.
type Mutation struct {
	Name string
	Why  string // what could happen with this fault
	File string // slashes, from the module's root
	// Edits make the fault together, one after another.
	Edits    []Edit
	Packages []string // whose tests must notice
	Run      string   // go test's -run
}

// Edit puts New in the place of Old, which must stand in the file exactly
// once.
type Edit struct{ Old, New string }

// ParseMutation reads one mutation: a txtar archive whose comment has lines
// "why:", "file:", "packages:" and "run:", with the files "old" and "new", as
// often as there are edits. The name is given by the archive's own file name.
func ParseMutation(name string, data []byte) (Mutation, error) {
	m := Mutation{Name: name}
	ar := txtar.Parse(data)
	for line := range strings.Lines(string(ar.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case key == "" || strings.HasPrefix(key, "#"):
		case !ok:
			return m, fmt.Errorf("%s: %q is no line of a mutation", name, line)
		case key == "why":
			m.Why = value
		case key == "file":
			m.File = value
		case key == "packages":
			m.Packages = strings.Fields(value)
		case key == "run":
			m.Run = value
		default:
			return m, fmt.Errorf("%s: unknown key %q", name, key)
		}
	}
	if len(ar.Files)%2 != 0 {
		return m, fmt.Errorf("%s: an old without a new", name)
	}
	for i := 0; i < len(ar.Files); i += 2 {
		before, after := ar.Files[i], ar.Files[i+1]
		if before.Name != "old" || after.Name != "new" {
			return m, fmt.Errorf("%s: parts are old and new in turn, not %q and %q", name, before.Name, after.Name)
		}
		e := Edit{strings.TrimSuffix(string(before.Data), "\n"), strings.TrimSuffix(string(after.Data), "\n")}
		if e.Old == "" || e.Old == e.New {
			return m, fmt.Errorf("%s: an edit that changes nothing", name)
		}
		m.Edits = append(m.Edits, e)
	}
	if len(m.Edits) == 0 || m.Why == "" || m.File == "" || m.Run == "" || len(m.Packages) == 0 {
		return m, fmt.Errorf("%s: a mutation needs why, file, packages, run, old and new", name)
	}
	return m, nil
}

// ErrSurvived says that the fault was put in and every test passed.
var ErrSurvived = errors.New("no test noticed the fault")

// Check runs the tests without the fault, which must pass and must be some,
// and with it, which must fail without failing to build. Nothing in the module
// is changed: the compiler is shown the faulty file in place of the real one.
// Scratch is an empty folder.
//
// The error is ErrSurvived (wrapped) when no test noticed; any other error
// says that the mutation itself no longer fits.
func (m Mutation) Check(ctx context.Context, moduleRoot, scratch string) error {
	path := filepath.Join(moduleRoot, filepath.FromSlash(m.File))
	src, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	text := string(src)
	for i, e := range m.Edits {
		if n := strings.Count(text, e.Old); n != 1 {
			return fmt.Errorf("%s: the old text of edit %d stands %d times in %s; it must stand there once", m.Name, i+1, n, m.File)
		}
		text = strings.Replace(text, e.Old, e.New, 1)
	}
	faulty := filepath.Join(scratch, "faulty.go")
	if err := os.WriteFile(faulty, []byte(text), 0o600); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: faulty}})
	if err != nil {
		return err
	}
	overlayFile := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return err
	}
	run := func(more ...string) (string, error) {
		args := append([]string{"test", "-vet=off", "-v", "-timeout=120s"}, more...)
		cmd := exec.CommandContext(ctx, "go", append(args, m.Packages...)...)
		cmd.Dir = moduleRoot
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("-run=" + m.Run); err != nil {
		return fmt.Errorf("%s: the tests fail without the fault already: %w\n%s", m.Name, err, tail(out))
	} else if !strings.Contains(out, "--- PASS") {
		return fmt.Errorf("%s: -run=%s meets no test in %v", m.Name, m.Run, m.Packages)
	}
	out, err := run("-overlay="+overlayFile, "-failfast", "-run="+m.Run)
	switch {
	case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"):
		return fmt.Errorf("%s: the faulty source does not build, which proves nothing: %w\n%s", m.Name, err, tail(out))
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", m.Name, ctx.Err())
	case err == nil:
		return fmt.Errorf("%s: %w: %s", m.Name, ErrSurvived, m.Why)
	case !strings.Contains(out, "--- FAIL") && !strings.Contains(out, "panic:"):
		return fmt.Errorf("%s: the run failed, but no test did: %w\n%s", m.Name, err, tail(out))
	}
	return nil
}

func tail(s string) string {
	if len(s) > 3000 {
		return "…" + s[len(s)-3000:]
	}
	return s
}
