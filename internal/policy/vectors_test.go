package policy

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"reeve"
)

//go:embed testdata/vectors.txt
var vectors string

type vector struct {
	line       int
	profile    string
	config     string
	approve    string
	subject    reeve.Subject
	effect     reeve.Effect
	verdict    reeve.Verdict
	rule, code string
	text       string
}

func parseVectors(t testing.TB) []vector {
	t.Helper()
	var out []vector
	config, approve := "", ""
	for n, line := range strings.Split(vectors, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
			continue
		case strings.HasPrefix(line, "config "):
			config = strings.ReplaceAll(line[len("config "):], `\n`, "\n")
			continue
		case strings.HasPrefix(line, "approve "):
			approve = line[len("approve "):]
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 9 {
			t.Fatalf("line %d has %d columns", n+1, len(f))
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		v := vector{line: n + 1, profile: f[0], config: config, approve: approve, verdict: reeve.Verdict(f[6]), rule: f[7], code: strings.Trim(f[8], "-"), text: line}
		v.subject = reeve.Subject{Kind: reeve.SubjectKind(f[1])}
		kind, access, toAccess := vectorKind(t, f[4])
		from, to, two := strings.Cut(f[3], " -> ")
		v.effect = reeve.Effect{Kind: reeve.EffectKind(f[2]), Place: vectorPlace(t, from, kind, access)}
		if two {
			p := vectorPlace(t, to, reeve.Absent, toAccess)
			v.effect.To = &p
		}
		if f[5] != "-" {
			for _, m := range strings.Split(f[5], ",") {
				k, r, _ := strings.Cut(m, "=")
				v.effect.Place.Marks = append(v.effect.Place.Marks, reeve.Mark{Kind: reeve.MarkKind(k), Rule: r})
			}
		}
		out = append(out, v)
	}
	return out
}

func vectorKind(t testing.TB, s string) (kind reeve.FileKind, from, to reeve.Access) {
	t.Helper()
	word, rest, _ := strings.Cut(s, " ")
	from, to = reeve.ReadWrite, reeve.ReadWrite
	switch rest {
	case "":
	case "ro":
		from, to = reeve.Read, reeve.Read
	case "from-ro":
		from = reeve.Read
	case "to-ro":
		to = reeve.Read
	case "none":
		from, to = "", ""
	default:
		t.Fatalf("%q is no access", rest)
	}
	kinds := map[string]reeve.FileKind{"file": reeve.File, "folder": reeve.Directory, "absent": reeve.Absent, "link": reeve.Symlink, "special": reeve.Special}
	k, ok := kinds[word]
	if !ok {
		t.Fatalf("%q is nothing that can be there", s)
	}
	return k, from, to
}

func vectorPlace(t testing.TB, s string, kind reeve.FileKind, access reeve.Access) reeve.Place {
	t.Helper()
	if s[0] == '"' {
		u, err := strconv.Unquote(s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		s = u
	}
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		return placeAt("/home/u", access, rest, kind)
	}
	return placeAt("/", access, strings.TrimPrefix(s, "/"), kind)
}

func TestDecisionVectors(t *testing.T) {
	type key struct{ profile, config, approve string }
	compiled := map[key]*Policy{}
	seen := map[string]bool{}
	for _, v := range parseVectors(t) {
		k := key{v.profile, v.config, v.approve}
		p := compiled[k]
		if p == nil {
			var problems []Problem
			p, problems = compileFor(t, v.profile, v.config, Run{WriteRoots: []string{"/home/u", "/"}, Approve: v.approve})
			for _, pr := range problems {
				t.Errorf("line %d: %s", v.line, pr)
			}
			compiled[k] = p
		}
		d := p.Decide(v.subject, v.effect)
		if d.Verdict != v.verdict || d.Rule != v.rule || string(d.Code) != v.code {
			t.Errorf("line %d: got %s | %s | %s\n  %s", v.line, d.Verdict, d.Rule, d.Code, v.text)
		}
		seen[d.Rule] = true
		checkShape(t, v, d)
	}
	for _, rule := range lamRules(t) {
		if !seen["protected: "+rule] {
			t.Errorf("no vector meets the rule %s", rule)
		}
	}
}

// checkShape checks what holds for every decision.
func checkShape(t *testing.T, v vector, d reeve.Decision) {
	t.Helper()
	if d.Reason == "" || d.Rule == "" {
		t.Errorf("line %d: a decision without a rule or reason: %+v", v.line, d)
	}
	switch d.Verdict {
	case reeve.Refuse:
		if d.Code == "" || d.Remember || d.HumanOnly {
			t.Errorf("line %d: %+v", v.line, d)
		}
	case reeve.Ask:
		remembered := v.effect.Kind == reeve.EffectCreate || v.effect.Kind == reeve.EffectReplace || v.effect.Kind == reeve.EffectMkdir
		if d.Code != "" || d.Remember && (!remembered || strings.HasPrefix(d.Rule, "control: ")) {
			t.Errorf("line %d: %+v", v.line, d)
		}
		human := v.effect.Kind == reeve.EffectRemove || strings.HasPrefix(d.Rule, "control: ")
		if d.HumanOnly != human {
			t.Errorf("line %d: human only is %t: %+v", v.line, d.HumanOnly, d)
		}
		if d.Remember != (remembered && strings.HasPrefix(d.Rule, "approvals: ")) {
			t.Errorf("line %d: remember is %t: %+v", v.line, d.Remember, d)
		}
	case reeve.Allow:
		if d.Code != "" || d.Remember || d.HumanOnly {
			t.Errorf("line %d: %+v", v.line, d)
		}
	default:
		t.Errorf("line %d: verdict %q", v.line, d.Verdict)
	}
	if d.Fix != "" && !strings.HasPrefix(d.Fix, "except = [") && !strings.HasPrefix(d.Fix, "add \"") && !strings.HasPrefix(d.Fix, "add '") && !strings.HasPrefix(d.Fix, "reeve roots add ") || strings.Contains(d.Fix, "\n") {
		t.Errorf("line %d: fix %q", v.line, d.Fix)
	}
}

func lamRules(t testing.TB) []string {
	t.Helper()
	l, err := loadList("lam")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range l.all {
		out = append(out, strings.TrimSuffix(r, "/"))
	}
	return out
}
