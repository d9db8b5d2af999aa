package attack_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"reeve"
	"reeve/internal/attack"
	"reeve/node"
)

// TestLinksAreJudgedWhereTheyLead asks an assembled node for links in a
// planted home that is granted as a whole: what counts is the place at their
// end, never the harmless name that they have.
func TestLinksAreJudgedWhereTheyLead(t *testing.T) {
	canary := attack.NewCanary("links")
	h, err := attack.BuildHome(t.TempDir(), canary, attack.HomeOptions{BigFile: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(h.Project, "links", "out")); err != nil {
		t.Skip("this system does not let everybody make links:", err)
	}
	n, err := node.New(t.Context(), node.Config{
		Home: h.Home, ConfigFile: filepath.Join(h.Config, "config.toml"), StateDir: h.State,
		Folders: []node.Folder{{Path: h.Home, Access: reeve.ReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Shutdown(t.Context())
	read := func(p string) reeve.Call { return &reeve.ReadFile{Paths: []string{p}} }
	list := func(p string) reeve.Call { return &reeve.ListDirectory{Path: p} }
	search := func(p string) reeve.Call { return &reeve.SearchFiles{Path: p, Pattern: "*"} }
	for _, c := range []struct {
		what string
		path string
		call func(string) reeve.Call
		want error // nil: allowed
	}{
		{"a key behind a link", "to-key", read, reeve.Protected},
		{"a key through a linked folder", "to-ssh/id_ed25519", read, reeve.Protected},
		{"a protected name behind a link", "to-env", read, reeve.Protected},
		{"a protected folder listed through a link", "to-ssh", list, reeve.Protected},
		{"a protected folder searched through a link", "to-ssh", search, reeve.Protected},
		{"a second name of a key", "hard-to-key", read, reeve.Protected},
		{"what is not there in a protected folder", "to-ssh/none", read, reeve.Protected},
		{"Reeve's own state behind a link", "to-state", list, reeve.ReeveOwn},
		{"a second name of a file of Reeve's own", "hard-to-own", read, reeve.ReeveOwn},
		{"a file outside", "out-file", read, reeve.LinkOutside},
		{"a folder outside", "out", list, reeve.LinkOutside},
		{"a folder outside by a relative link", "out-relative", search, reeve.LinkOutside},
		{"a link to a link to a folder outside", "chain", list, reeve.LinkOutside},
		{"the whole disk", "to-root", list, reeve.LinkOutside},
		{"a link to itself", "loop", read, reeve.TooManyLinks},
		{"a folder inside", "inside", list, nil},
		{"a file in it", "inside/main.go", read, nil},
		{"the same by an absolute link", "inside-absolute/main.go", read, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			call := c.call(filepath.Join(h.Project, "links", filepath.FromSlash(c.path)))
			out, err := n.Do(t.Context(), reeve.Request{Subject: reeve.Subject{Agent: "attack", Door: "library"}, Call: call})
			switch {
			case c.want == nil && (err != nil || out.Result == nil):
				t.Errorf("refused: %v", err)
			case c.want != nil && !errors.Is(err, c.want):
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err != nil {
				if leak := canary.Check([]byte(err.Error())); leak != nil {
					t.Error(leak)
				}
			}
		})
	}
}
