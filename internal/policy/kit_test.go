package policy

import (
	"strings"
	"testing"

	"reeve"
)

func testEnv() Env {
	return Env{Home: "/home/u", DataHome: "/home/u/.local/share", ConfigDir: "/home/u/.config/reeve",
		StateDir: "/home/u/.local/state/reeve", GOOS: "linux", WorkDir: "/home/u/work"}
}

func compileFor(t testing.TB, profile, config string, run Run) (*Policy, []Problem) {
	t.Helper()
	p, err := LoadProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	cfg, bad := ParseConfig("config.toml", []byte(config))
	policy, more := Compile(testEnv(), p, cfg, run)
	return policy, append(bad, more...)
}

// placeAt makes a place under a root; path is relative to it, with / between
// the components.
func placeAt(root string, access reeve.Access, path string, kind reeve.FileKind) reeve.Place {
	p := reeve.Place{Target: reeve.Local, Root: "r", RootPath: reeve.Name(root), Access: access, Kind: kind}
	if path != "" {
		for _, c := range strings.Split(path, "/") {
			p.Components = append(p.Components, reeve.Name(c))
		}
	}
	if kind == reeve.Absent && path != "" {
		p.Missing = 1
	}
	return p
}
