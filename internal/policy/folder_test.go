package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reeve"
)

// TestFolderAgreesWithDecide: a walk that asks by name gets the answer that
// the whole path gets, for any folder, name, mark, root and exception.
func TestFolderAgreesWithDecide(t *testing.T) {
	configs := []string{"", `except = [".env.test", "~/.ssh/config", "~/.kube", "~/work/a.pem", "~/.config/gh/hosts.yml"]`,
		"protect = [\"~/work\", \"a/b\", \"*x*\"]\nexcept = [\"~/work/ok\", \"x\"]"}
	var policies []*Policy
	for _, profile := range Profiles() {
		for _, c := range configs {
			p, _ := compileFor(t, profile, c, Run{WriteRoots: []string{"/home/u", "/"}})
			policies = append(policies, p)
		}
	}
	off, _ := compileFor(t, "default", "", Run{})
	policies = append(policies, off)
	words := []string{"work", "a", "b", "c", "x", "ok", ".ssh", "config", ".kube", ".config", "gh", "hosts.yml", ".docker", "config.json", ".DOCKER", "CONFIG~1.JSO",
		".env", ".env.test", ".env.example", "a.pem", "A.PEM", ".aws", "credentials", "credentials.json", "proc", "self", "dev", "shm", "home", "u", "reeve", "lam",
		".local", "share", "state", "id_rsa", "ID_RSA~", ".mozilla", "firefox", "run", "user", "1000", "keyring", "\u200b.ssh", "x:y", "etc", "shadow", ""}
	kinds := []reeve.FileKind{reeve.File, reeve.Directory, reeve.Symlink, reeve.Special, reeve.Absent}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(policies).Draw(t, "policy")
		root := rapid.SampledFrom([]string{"/", "/home/u", "/home/u/.ssh", "/srv", ""}).Draw(t, "root")
		access := rapid.SampledFrom([]reeve.Access{reeve.Read, reeve.ReadWrite, reeve.ReadWrite, ""}).Draw(t, "access")
		folder := placeAt(root, access, "", reeve.Directory)
		for range rapid.IntRange(0, 5).Draw(t, "depth") {
			folder.Components = append(folder.Components, reeve.Name(rapid.SampledFrom(words).Draw(t, "component")))
		}
		if rapid.IntRange(0, 4).Draw(t, "marked") == 0 {
			folder.Marks = []reeve.Mark{{Kind: rapid.SampledFrom([]reeve.MarkKind{reeve.MarkProtected, reeve.MarkOwn, reeve.MarkPseudo}).Draw(t, "mark"),
				Rule: rapid.SampledFrom([]string{"~/.ssh", "state", "proc"}).Draw(t, "mark rule")}}
		}
		f := p.Folder(folder)
		for range 4 {
			name := rapid.SampledFrom(words).Draw(t, "name")
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			child := folder
			child.Components = append(append([]reeve.Name(nil), folder.Components...), reeve.Name(name))
			child.Kind = kind
			e := reeve.EffectRead
			if kind == reeve.Directory {
				e = reeve.EffectList
			}
			got, want := f(name, kind), p.Decide(reeve.Subject{}, reeve.Effect{Kind: e, Place: child})
			want.Fix = ""
			if got != want {
				t.Fatalf("%s in %s (marks %v)\nfolder: %+v\ndecide: %+v", name, folder.Path(), folder.Marks, got, want)
			}
			// Once more, so that entries do not disturb each other.
			if again := f(name, kind); again != got {
				t.Fatalf("%s: %+v, then %+v", name, got, again)
			}
		}
	})
}

// TestFolderAgreesInSmallWorlds tries all there is of a few words: exceptions
// on, above and below the folder, with marks and without.
func TestFolderAgreesInSmallWorlds(t *testing.T) {
	words := []string{".ssh", "config", ".kube", "work", "a.pem", ".env.test", ".config", "reeve"}
	marks := [][]reeve.Mark{nil, {{Kind: reeve.MarkProtected, Rule: "~/.ssh"}}, {{Kind: reeve.MarkOwn, Rule: "configuration"}}}
	for _, config := range []string{"", `except = [".env.test", "~/.ssh/config", "~/.kube", "~/work/a.pem", "~/a.pem", "~/.ssh/config/work"]`} {
		p, _ := compileFor(t, "default", config, Run{WriteRoots: []string{"/home/u"}})
		var try func(path []reeve.Name)
		try = func(path []reeve.Name) {
			for _, m := range marks {
				folder := placeAt("/home/u", reeve.ReadWrite, "", reeve.Directory)
				folder.Components, folder.Marks = path, m
				f := p.Folder(folder)
				for _, name := range words {
					child := folder
					child.Components = append(path[:len(path):len(path)], reeve.Name(name))
					child.Kind = reeve.File
					got, want := f(name, reeve.File), p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: child})
					if want.Fix = ""; got != want {
						t.Fatalf("%s, marks %v\nfolder: %+v\ndecide: %+v", child.Path(), m, got, want)
					}
				}
			}
			if len(path) < 3 {
				for _, w := range words {
					try(append(path[:len(path):len(path)], reeve.Name(w)))
				}
			}
		}
		try(nil)
	}
}

// TestNothingBelowProtectedIsAllowed: no name under a protected folder opens
// a way in.
func TestNothingBelowProtectedIsAllowed(t *testing.T) {
	p, _ := compileFor(t, "default", "", Run{WriteRoots: []string{"/home/u"}})
	rapid.Check(t, func(t *rapid.T) {
		path := ".ssh"
		for range rapid.IntRange(1, 4).Draw(t, "depth") {
			path += "/" + strings.ReplaceAll(rapid.StringN(1, 20, 40).Draw(t, "name"), "/", "_")
		}
		for _, k := range reeve.EffectKinds() {
			e := reeve.Effect{Kind: k, Place: placeAt("/home/u", reeve.ReadWrite, path, reeve.File)}
			if k == reeve.EffectMove || k == reeve.EffectSend {
				to := placeAt("/home/u", reeve.ReadWrite, "free", reeve.Absent)
				e.To = &to
			}
			for _, s := range []reeve.Subject{{}, {Kind: reeve.Owner}} {
				if d := p.Decide(s, e); d.Verdict != reeve.Refuse || d.Code != reeve.Protected {
					t.Fatalf("%s %q: %+v", k, path, d)
				}
			}
		}
	})
}

func TestFolderCostsNothingForOrdinaryNames(t *testing.T) {
	p, _ := compileFor(t, "default", "", Run{WriteRoots: []string{"/home/u"}})
	f := p.Folder(placeAt("/home/u", reeve.ReadWrite, "", reeve.Directory))
	if n := testing.AllocsPerRun(100, func() {
		if f("an_ordinary_name.go", reeve.File).Verdict != reeve.Allow {
			t.Fail()
		}
	}); n != 0 {
		t.Errorf("%v allocations for each entry", n)
	}
}
