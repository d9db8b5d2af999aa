package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestMain removes what program built.
func TestMain(m *testing.M) {
	alone() // no test may ask whoever started it
	code := m.Run()
	built.Lock()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// built is the program, built once for all tests, when the first needs it.
var built struct {
	sync.Mutex
	dir, bin string
	err      error
}

// program builds reeve as it is shipped: the stories drive it from outside.
func program(t testing.TB) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.bin == "" && built.err == nil {
		built.dir, built.err = os.MkdirTemp("", "reeve-cli-*")
		bin := filepath.Join(built.dir, "reeve")
		if runtime.GOOS == "windows" {
			bin += ".exe"
		}
		if built.err == nil {
			if out, err := exec.Command("go", "build", "-o", bin, "reeve/cmd/reeve").CombinedOutput(); err != nil {
				built.err = fmt.Errorf("building reeve: %w\n%s", err, out)
			}
		}
		built.bin = bin
	}
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.bin
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
		if !strings.HasPrefix(k, "XDG_") && !strings.HasPrefix(k, "REEVE_") && k != "HOME" && k != "COLUMNS" && k != "DISPLAY" && k != "WAYLAND_DISPLAY" {
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
