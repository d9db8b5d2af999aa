package cli

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestStories runs what users do and see, one story a file.
func TestStories(t *testing.T) {
	bin := program(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			for k, v := range map[string]string{
				"HOME": home, "USERPROFILE": home,
				"REEVE_CONFIG": filepath.Join(e.WorkDir, "cfg", "config.toml"),
				"REEVE_STATE":  filepath.Join(e.WorkDir, "state"),
				"COLUMNS":      "", "TZ": "UTC", "REEVE": bin,
			} {
				e.Setenv(k, v)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"reeve":  func(ts *testscript.TestScript, neg bool, args []string) { runReeve(ts, bin, wanted(neg), args) },
			"exits":  func(ts *testscript.TestScript, neg bool, args []string) { exits(ts, bin, neg, args) },
			"talk":   func(ts *testscript.TestScript, neg bool, args []string) { talk(ts, bin, neg, args) },
			"answer": func(ts *testscript.TestScript, neg bool, args []string) { answerQuestion(ts, bin, wanted(neg), args) },
			"tamper": tamper,
			"oddly":  oddly,
		},
	})
}

func wanted(neg bool) int {
	if neg {
		return exitRefused
	}
	return exitOK
}

// exits CODE ARGS…: reeve must exit with exactly this code.
func exits(ts *testscript.TestScript, bin string, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS…")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	runReeve(ts, bin, code, args[1:])
}

func runReeve(ts *testscript.TestScript, bin string, code int, args []string) {
	err := ts.Exec(bin, args...)
	got := 0
	if err != nil {
		got = exitCode(err)
	}
	if got != code {
		ts.Fatalf("reeve %q exited with %d, not %d", args, got, code)
	}
}
