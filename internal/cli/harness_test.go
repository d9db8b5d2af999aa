package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMain builds the program once, as it is shipped: the stories drive it
// from outside.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "reeve-cli-*")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		bin := filepath.Join(dir, "reeve")
		if runtime.GOOS == "windows" {
			bin += ".exe"
		}
		build := exec.Command("go", "build", "-o", bin, "reeve/cmd/reeve")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building reeve: %v\n%s", err, out)
			return 1
		}
		os.Setenv("REEVE_TEST_BIN", bin)
		return m.Run()
	}())
}

// program is the built reeve.
func program(t testing.TB) string {
	t.Helper()
	bin := os.Getenv("REEVE_TEST_BIN")
	if bin == "" {
		t.Fatal("reeve was not built")
	}
	return bin
}

// place makes a home with a little to read in it, and gives the environment
// of a run there.
func place(t testing.TB) (home string, env []string) {
	t.Helper()
	home = t.TempDir()
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	write(t, filepath.Join(home, "notes", "plan.txt"), "first line\nsecond line\n")
	for _, kv := range os.Environ() {
		k, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(k, "XDG_") && !strings.HasPrefix(k, "REEVE_") && k != "HOME" && k != "COLUMNS" {
			env = append(env, kv)
		}
	}
	return home, append(env, "HOME="+home, "USERPROFILE="+home, "AppData="+filepath.Join(home, "roaming"), "LocalAppData="+filepath.Join(home, "local"),
		"REEVE_CONFIG="+filepath.Join(home, "cfg", "config.toml"), "REEVE_STATE="+filepath.Join(home, "state"))
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
