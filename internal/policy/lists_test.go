package policy

import (
	"strings"
	"testing"

	"reeve"
)

// exampleOf makes a path that a rule must meet.
func exampleOf(rule string) string {
	rule = strings.TrimSuffix(rule, "/")
	rule = strings.ReplaceAll(strings.ReplaceAll(rule, "*", "x"), "?", "0")
	switch {
	case strings.HasPrefix(rule, "~/"):
		return "home/u/" + rule[2:]
	case strings.HasPrefix(rule, "/"):
		return rule[1:]
	case strings.HasPrefix(rule, "C:/"):
		return ""
	}
	return "srv/data/" + rule
}

func listRules(t *testing.T, name string) []string {
	l, err := loadList(name)
	if err != nil {
		t.Fatal(err)
	}
	rules := l.all
	for _, s := range []string{"linux", "darwin", "windows"} {
		rules = append(rules, l.systems[s]...)
	}
	return rules
}

// TestEveryRuleHolds walks through every line of every list, in every
// profile that has it: the thing itself, what is in it, in capitals, as a
// place that does not exist.
func TestEveryRuleHolds(t *testing.T) {
	for _, profile := range Profiles() {
		p, _ := compileFor(t, profile, "", Run{WriteRoots: []string{"/"}})
		for _, list := range append(append([]string(nil), p.profile.Protect...), "control") {
			for _, rule := range listRules(t, list) {
				path := exampleOf(rule)
				if path == "" {
					continue
				}
				for _, path := range []string{path, path + "/in/it", strings.ToUpper(path), path + "."} {
					pl := placeAt("/", reeve.ReadWrite, path, reeve.Absent)
					d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectCreate, Place: pl})
					if list == "control" {
						if d.Verdict == reeve.Allow || d.Remember || d.Verdict == reeve.Ask && !strings.HasPrefix(d.Rule, "control: ") {
							t.Errorf("%s: creating /%s (rule %s): %+v", profile, path, rule, d)
						}
						continue
					}
					if d.Verdict != reeve.Refuse || d.Code != reeve.Protected {
						t.Errorf("%s: creating /%s (rule %s): %+v", profile, path, rule, d)
					}
					pl.Kind, pl.Missing = reeve.File, 0
					if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: pl}); d.Verdict != reeve.Refuse {
						t.Errorf("%s: reading /%s (rule %s): %+v", profile, path, rule, d)
					}
				}
			}
		}
	}
}

func TestListsAreTidy(t *testing.T) {
	for _, list := range []string{"lam", "secrets", "control"} {
		seen := map[string]bool{}
		for _, rule := range listRules(t, list) {
			if seen[rule] {
				t.Errorf("%s: %s stands there twice", list, rule)
			}
			seen[rule] = true
			if strings.Contains(rule, "//") || strings.Contains(rule, `\`) || rule == "*" {
				t.Errorf("%s: odd rule %s", list, rule)
			}
			if strings.HasSuffix(rule, "/") && !strings.HasPrefix(rule, "~/") && !strings.HasPrefix(rule, "/") && !strings.HasPrefix(rule, "C:/") {
				t.Errorf("%s: %s is no fixed place, so that it is a folder cannot matter", list, rule)
			}
		}
	}
	for name, text := range map[string]string{"unknown section": "[alll]\nx", "rule before any section": "x\n", "rule under backups": "[backups]\nx"} {
		if _, err := parseList(text); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// TestOrdinaryNames are files that people have; none may be refused.
func TestOrdinaryNames(t *testing.T) {
	for _, profile := range Profiles() {
		p, _ := compileFor(t, profile, "", Run{WriteRoots: []string{"/home/u"}})
		f := p.Folder(placeAt("/home/u", reeve.ReadWrite, "work/project", reeve.Directory))
		for _, name := range strings.Fields(`README.md Makefile go.mod go.sum main.go package.json package-lock.json tsconfig.json
			.gitignore .gitattributes .editorconfig .prettierrc .eslintrc.json Dockerfile docker-compose.yml .dockerignore
			id_rsa.pub known_hosts authorized_keys keys.go key.go keyboard.txt pem.go public.crt ca.cer env.go .environment environment.ts
			credentials.go secrets.go secret_test.go token.go password.txt wallet.go wallet.md history.md history.txt cookies.js config.json
			settings.json auth.json login.html Mail.tsx mail signal.go telegram.py discord.py slack.md keystore.go keyring.go
			terraform.tf main.tf variables.tf outputs.tf backend.tf kube.go kubeconfig.go kubeconfig app.log a.bak b.old c.orig d~ #e# .f.swp g.tmp
			IMG~1.JPG PROGRA~1 MICROS~1.TXT archive.zip data.db data.sqlite notes.asc sign.sig messages_sk.properties de_sk.json
			résumé.pdf straße.txt 日本語.md Ünïcödé.md ñandú.txt İstanbul.txt 한글.hwp emoji😀.txt 12:30.txt aux.c con.txt nul.go`) {
			if d := f(name, reeve.File); d.Verdict != reeve.Allow {
				t.Errorf("%s: %s: %+v", profile, name, d)
			}
		}
	}
}
