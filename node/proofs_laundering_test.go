package node_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/attack"
	"reeve/node"
)

// laundry is one way of getting round a rule about paths by moving folders:
// what is moved away, what is written there, and what is moved back.
type laundry struct {
	away  [2]string
	write string
	back  [2]string
	// plant is a file that must never come to be, or to change.
	plant string
}

func launderings() map[string]laundry {
	return map[string]laundry{
		"a hook by way of .git": {away: [2]string{"repo/.git", "repo/g"}, write: "repo/g/hooks/pre-commit",
			back: [2]string{"repo/g", "repo/.git"}, plant: "repo/.git/hooks/pre-commit"},
		"the folder above .git": {away: [2]string{"repo", "r"}, write: "r/.git/hooks/pre-commit",
			back: [2]string{"r", "repo"}, plant: "repo/.git/hooks/pre-commit"},
		"protected by way of .config": {away: [2]string{".config", "c"}, write: "c/gh/hosts.yml",
			back: [2]string{"c", ".config"}, plant: ".config/gh/hosts.yml"},
		"a read-only root in a folder that is moved": {away: [2]string{"area", "free"}, write: "free/fixed/law.txt",
			back: [2]string{"free", "area"}, plant: "area/fixed/law.txt"},
		"the folder above Reeve's state": {away: [2]string{"own", "mine"}, write: "mine/state/record/forged",
			back: [2]string{"mine", "own"}, plant: "own/state/record/forged"},
		"the folder above Reeve's configuration": {away: [2]string{"own", "mine"}, write: "mine/config/config.toml",
			back: [2]string{"mine", "own"}, plant: "own/config/config.toml"},
		"a hook in a folder that becomes .git": {write: "repo2/g/hooks/pre-commit",
			back: [2]string{"repo2/g", "repo2/.git"}, plant: "repo2/.git/hooks/pre-commit"},
		"a copy that becomes .git": {write: "repo3/g/hooks/pre-commit",
			back: [2]string{"repo3", "repo4"}, plant: "repo4/.git/hooks/pre-commit"},
	}
}

// house is a home that is granted whole, with Reeve's own files in it.
func launderingHouse(t *testing.T, profile string) (*node.Node, string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(base, "home")
	for p, text := range map[string]string{
		"repo/.git/hooks/sample": "", "repo/.git/config": "[core]\n", "repo/main.go": "package main\n", "repo2/g/config": "[core]\n",
		"repo3/.git/config": "[core]\n", "repo3/g/config": "[core]\n",
		".config/gh/hosts.yml": "token\n", ".config/app/x": "x\n", "area/fixed/law.txt": "law\n", "area/draft.txt": "draft\n",
		"own/config/config.toml": "# the owner's\n", "own/other.txt": "other\n",
	} {
		p = filepath.Join(home, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(home, "own", "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"l-repo": "repo", "l-home": ".", "l-area": "area", "l-own": "own", "repo2/l-g": "g"} {
		if err := os.Symlink(to, filepath.Join(home, filepath.FromSlash(link))); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	n := open(t, node.Config{Home: home, Profile: profile, Approve: "allow", ConfigFile: filepath.Join(home, "own", "config", "config.toml"),
		StateDir: filepath.Join(home, "own", "state"), Folders: []node.Folder{{Path: home, Access: reeve.ReadWrite},
			{Path: filepath.Join(home, "area", "fixed"), Access: reeve.Read}}})
	return n, home
}

// The same path in other words.
func otherWords() map[string]func(string) string {
	through := func(p string) string { return "l-home/" + p }
	return map[string]func(string) string{
		"plain":         func(p string) string { return p },
		"through links": through,
		"through links of their own": func(p string) string {
			for from, to := range map[string]string{"repo/": "l-repo/", "area/": "l-area/", "own/": "l-own/"} {
				if strings.HasPrefix(p, from) {
					return to + strings.TrimPrefix(p, from)
				}
			}
			return through(p)
		},
		// Of what is there the exact name, of what is not another one: a file
		// system that folds letters would take it for the same.
		"another letter case": func(p string) string {
			p = strings.ReplaceAll(p, "/.git", "/.Git")
			p = strings.ReplaceAll(p, ".config", ".CONFIG")
			return strings.Replace(p, "c/gh/", "c/GH/", 1)
		},
	}
}

// No sequence of moves gets round what a rule says of a path: in no profile,
// also in those that do not ask for moves and with a yes to all that is
// asked. Each step is refused or is a question for the owner alone, or what
// it makes is harmless; in the end nothing is planted.
func TestLaundering(t *testing.T) {
	for _, profile := range []string{"default", "lam", "arinova", "elowen", "llm-chat-file"} {
		for spelled, words := range otherWords() {
			for name, l := range launderings() {
				t.Run(profile+"/"+spelled+"/"+name, func(t *testing.T) {
					n, home := launderingHouse(t, profile)
					plant := filepath.Join(home, filepath.FromSlash(l.plant))
					before, _ := os.ReadFile(plant)
					var stops int
					do := func(c reeve.Call) {
						out, err := n.Do(context.Background(), reeve.Request{Subject: agent, Call: c})
						switch {
						case out.Pending != nil:
							if !out.Pending.Question.HumanOnly {
								t.Errorf("%s: a client may answer %q by itself", short(c), out.Pending.Question.Title)
							}
							stops++
						case errors.Is(err, reeve.Protected), errors.Is(err, reeve.ReeveOwn), errors.Is(err, reeve.ReadOnlyRoot),
							errors.Is(err, reeve.HoldsRoot):
							stops++
						case err != nil && !errors.Is(err, reeve.NotFound) && !errors.Is(err, reeve.Exists):
							t.Errorf("%s: %v", short(c), err)
						}
					}
					at := func(p string) string { return filepath.Join(home, filepath.FromSlash(words(p))) }
					from := func(p string) string { // what is there is named as it is
						if _, err := os.Lstat(at(p)); err != nil {
							return filepath.Join(home, filepath.FromSlash(p))
						}
						return at(p)
					}
					if l.away[0] != "" {
						do(&reeve.MovePath{From: from(l.away[0]), To: at(l.away[1])})
					}
					do(&reeve.WriteFile{Path: at(l.write), Content: "planted\n", CreateParents: true})
					if name == "a copy that becomes .git" {
						do(&reeve.DeletePath{Path: at("repo3/.git"), Recursive: true})
						do(&reeve.MovePath{From: from("repo3/g"), To: at("repo3/.git")})
						do(&reeve.CopyPath{From: from(l.back[0]), To: at(l.back[1])})
						do(&reeve.CopyPath{From: from("repo3/g"), To: at("repo3/h/.git"), CreateParents: true})
					}
					do(&reeve.MovePath{From: from(l.back[0]), To: at(l.back[1])})
					if l.away[0] != "" {
						do(&reeve.CopyPath{From: from(l.away[0]), To: at(l.away[1] + "2")})
					}
					after, _ := os.ReadFile(plant)
					if string(after) != string(before) {
						t.Errorf("planted: %s holds %q", l.plant, after)
					}
					tree, err := attack.ScanTree(home)
					if err != nil {
						t.Fatal(err)
					}
					for p, x := range tree {
						if x.Body == "planted\n" && strings.EqualFold(p, l.plant) {
							t.Errorf("planted: %s", p)
						}
					}
					for _, p := range []string{"repo/.git", "repo3/.git", ".config/gh/hosts.yml", "area/fixed/law.txt", "own/config/config.toml", "own/state/record"} {
						if _, err := os.Lstat(filepath.Join(home, filepath.FromSlash(p))); err != nil {
							t.Errorf("moved away or removed: %v", err)
						}
					}
					if _, err := os.Lstat(filepath.Join(home, "repo3", "h", ".git")); err == nil {
						t.Error("a copy became a control folder")
					}
					if stops == 0 {
						t.Error("nothing was refused, and nothing asked")
					}
				})
			}
		}
	}
}
