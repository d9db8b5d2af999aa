package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"reeve/internal/policy"
)

// readmeCommands are the command lines in README's shell blocks and client
// snippets, without what stands behind a #.
func readmeCommands(t *testing.T) (lines []string, doc string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc = strings.ReplaceAll(string(b), "\r\n", "\n")
	in := false
	for _, l := range strings.Split(doc, "\n") {
		switch {
		case strings.HasPrefix(l, "```"):
			in = l == "```sh"
		case in:
			l, _, _ = strings.Cut(l, " #")
			if l = strings.TrimSpace(l); l != "" {
				lines = append(lines, l)
			}
		}
	}
	return lines, doc
}

// Every command that README shows exists, and its flags are read.
func TestReadmeCommandsExist(t *testing.T) {
	lines, doc := readmeCommands(t)
	for _, span := range strings.Split(doc, "`") {
		if strings.HasPrefix(span, "reeve ") && !strings.Contains(span, "\n") {
			lines = append(lines, span)
		}
	}
	seen := 0
	for _, line := range lines {
		words := strings.Fields(line)
		switch {
		case words[0] == "reeve":
			words = words[1:]
		case strings.HasPrefix(line, "go run ./cmd/reeve "):
			words = words[3:]
		default:
			continue
		}
		seen++
		var out bytes.Buffer
		root := newRoot(&Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out})
		cmd, rest, err := root.Find(words)
		if err != nil || cmd == root || cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && cmd.Name() == "roots" {
			t.Errorf("README shows `%s`, and there is no such command (%v)", line, err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("README shows `%s`: %v", line, err)
			continue
		}
		if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil && strings.HasPrefix(line, "go run") {
			t.Errorf("README shows `%s`: %v", line, err)
		}
	}
	if seen < 8 {
		t.Errorf("README shows only %d commands of reeve; the reader of its blocks must be wrong", seen)
	}
}

// README's first command does what it says, from the top of the checkout.
func TestReadmeMainJob(t *testing.T) {
	lines, _ := readmeCommands(t)
	_, env := place(t)
	ran := false
	for _, line := range lines {
		rest, ok := strings.CutPrefix(line, "go run ./cmd/reeve ")
		if !ok {
			continue
		}
		ran = true
		cmd := exec.Command(program(t), strings.Fields(rest)...)
		cmd.Env, cmd.Dir = env, filepath.Join("..", "..")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Reeve looks after your files") {
			t.Errorf("`%s` gave %v:\n%s", line, err, out)
		}
	}
	if !ran {
		t.Error("README shows no `go run ./cmd/reeve …`")
	}
}

// The configuration that README shows is read without a problem, and its
// profiles are the ones there are.
func TestReadmeConfiguration(t *testing.T) {
	_, doc := readmeCommands(t)
	_, toml, ok := strings.Cut(doc, "```toml\n")
	if !ok {
		t.Fatal("README shows no configuration")
	}
	toml, _, _ = strings.Cut(toml, "```")
	_, problems := policy.ParseConfig("README.md", []byte(toml))
	for _, p := range problems {
		t.Errorf("the configuration in README: %s", p)
	}
	for _, name := range policy.Profiles() {
		if !strings.Contains(doc, "`"+name+"`") {
			t.Errorf("README does not name the profile %s", name)
		}
	}
}

// A relative link in the documents leads somewhere.
func TestDocumentLinks(t *testing.T) {
	top := filepath.Join("..", "..")
	docs := []string{"README.md"}
	more, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	deeper, _ := filepath.Glob(filepath.Join(top, "docs", "*", "*.md"))
	for _, p := range append(more, deeper...) {
		rel, _ := filepath.Rel(top, p)
		docs = append(docs, rel)
	}
	for _, doc := range docs {
		b, err := os.ReadFile(filepath.Join(top, doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(b), "](")[1:] {
			to, _, _ := strings.Cut(part, ")")
			to, _, _ = strings.Cut(to, "#")
			if to == "" || strings.Contains(to, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(top, filepath.Dir(doc), filepath.FromSlash(to))); err != nil {
				t.Errorf("%s links to %s, which is not there", doc, to)
			}
		}
	}
}

// The places that README names are the ones in force, on the system at hand.
func TestReadmePlaces(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the story is told for Linux")
	}
	home, env := place(t)
	var plain []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "REEVE_") {
			plain = append(plain, kv)
		}
	}
	command(t, plain, 0, "roots", "add", "--read", filepath.Join(home, "notes"))
	command(t, plain, 0, "call", "list_roots")
	for _, p := range []string{".config/reeve/config.toml", ".local/state/reeve/record"} {
		if _, err := os.Stat(filepath.Join(home, p)); err != nil {
			t.Errorf("README names ~/%s, and there is nothing there", p)
		}
	}
}
