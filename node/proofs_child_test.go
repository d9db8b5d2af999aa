package node_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"reeve"
	"reeve/node"
)

// TestMain lets a test start this binary again, as another process that
// embeds a node.
func TestMain(m *testing.M) {
	if what := os.Getenv("REEVE_PROOF"); what != "" {
		role, ok := roles()[what]
		if !ok {
			fmt.Fprintln(os.Stderr, "no role", what)
			os.Exit(2)
		}
		if err := role(os.Getenv("REEVE_PROOF_DIR"), number("REEVE_PROOF_N")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func number(env string) int {
	n, _ := strconv.Atoi(os.Getenv(env))
	return n
}

// role gives a command that runs this binary in a role, over a base folder.
func role(t testing.TB, what, base string, n int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "REEVE_PROOF="+what, "REEVE_PROOF_DIR="+base, fmt.Sprint("REEVE_PROOF_N=", n))
	return cmd
}

// standing is the node of a base folder that several processes share: the
// granted folder is yard, the state state.
func standing(base string) (*node.Node, error) {
	return node.New(context.Background(), node.Config{ConfigFile: filepath.Join(base, "config", "config.toml"),
		StateDir: filepath.Join(base, "state"), Home: filepath.Join(base, "home"), Profile: "lam", Approve: "allow",
		Folders: []node.Folder{{Path: filepath.Join(base, "yard"), Access: reeve.ReadWrite}}})
}

// newBase makes a base folder with an empty yard.
func newBase(t testing.TB) (base, dir string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(base, "yard")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return base, dir
}

// leftovers gives hidden names beside files, journals, and parts of blobs that
// nobody needs any more.
func leftovers(base string) (out []string) {
	err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir := filepath.Base(filepath.Dir(p))
		if strings.HasPrefix(d.Name(), ".reeve-") || dir == "journal" && d.Name() != "swap.lock" || dir == "tmp" {
			out = append(out, p)
		}
		return nil
	})
	if err != nil {
		out = append(out, err.Error())
	}
	return out
}

func short(c reeve.Call) string { return fmt.Sprintf("%.300s", fmt.Sprintf("%T %+v", c, c)) }
