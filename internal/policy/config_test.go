package policy

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reeve"
)

//go:embed testdata/full.toml
var fullConfig []byte

func TestFullConfig(t *testing.T) {
	c, problems := ParseConfig("full.toml", fullConfig)
	for _, p := range problems {
		t.Error(p)
	}
	for _, k := range configKeys() {
		if !strings.Contains(string(fullConfig), "\n"+k+" ") && !strings.Contains(string(fullConfig), "["+k+"]") {
			t.Errorf("the key %s is not in testdata/full.toml", k)
		}
	}
	yes := true
	want := Config{File: "full.toml", Enabled: true, Profile: "elowen",
		Except:  []Entry{{".env.test", 4, 12}, {"~/.kube/config", 4, 25}},
		Protect: []Entry{{"~/taxes", 6, 3}, {"*.gpg", 7, 3}}, Control: []Entry{{"Justfile", 9, 12}},
		HumanOnly: []string{"remove", "control", "send"}, SkipDirs: []string{".git", "bazel-out"}, ReadState: "all_lines",
		ListHidden: &yes, SearchHidden: &yes,
		ReadRoots: Entry{"~/Music, /srv/data", 15, 1}, WriteRoots: Entry{"~/Desktop\n~/Music\n", 16, 1},
		Elicitation: "never", OpenConsole: "never", WaitSeconds: 30,
		Roots: []ConfigRoot{{Path: "~/notes", Access: reeve.Read, Line: 24, Column: 11}, {Path: "/srv/www", Access: reeve.Read, Line: 24, Column: 31},
			{Path: "~/work", Access: reeve.ReadWrite, Create: true, Line: 27, Column: 1}},
		Approvals: Approvals{"create": AskEach, "replace": AskTurn, "mkdir": Free, "move": Free, "remove": Free, "remove_folder": Never, "send": Never, "control": Never},
		Limits: map[string]int64{"read_lines": 500, "read_bytes": 20000, "read_chars": 0, "max_limit": 10000, "max_file_bytes": 1000000, "reply_bytes": 30000,
			"list_entries": 100, "list_depth": 5, "list_max_entries": 200, "search_results": 20, "search_depth": 4, "search_bytes": 1024, "walk_entries": 5000, "call_seconds": 3, "search_seconds": 4},
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
	profile, err := LoadProfile(c.Profile)
	if err != nil {
		t.Fatal(err)
	}
	p, problems := Compile(testEnv(), profile, c, Run{})
	for _, pr := range problems {
		t.Error(pr)
	}
	roots := []Root{
		{Path: "/home/u/notes", Access: reeve.Read, Source: FromConfig}, {Path: "/srv/www", Access: reeve.Read, Source: FromConfig},
		{Path: "/home/u/work", Access: reeve.ReadWrite, Source: FromConfig, Create: true},
		{Path: "/home/u/Music", Access: reeve.ReadWrite, Source: FromConfig, Create: true}, {Path: "/srv/data", Access: reeve.Read, Source: FromConfig},
		{Path: "/home/u/Desktop", Access: reeve.ReadWrite, Source: FromConfig, Create: true},
	}
	if d := cmp.Diff(roots, p.Grants()); d != "" {
		t.Error(d)
	}
	s := p.Settings()
	if s.Profile != "elowen" || s.ReadLines != 500 || s.SearchBytes != 1024 || s.CallTime != 3*time.Second || s.SearchTime != 4*time.Second ||
		s.MaxFileBytes != 1_000_000 || !s.ListHidden || !s.SearchHidden || s.ReadState != "all_lines" || !reflect.DeepEqual(s.SkipDirs, []string{".git", "bazel-out"}) {
		t.Errorf("%+v", s)
	}
	for _, l := range limits() {
		if c.Limits[l.name] < l.min || c.Limits[l.name] > l.max {
			t.Errorf("%s is out of its own bounds", l.name)
		}
	}
}

// TestBadConfig: what the owner sees, and what holds all the same.
func TestBadConfig(t *testing.T) {
	holds := func(c Config) string {
		return fmt.Sprintf("enabled=%t profile=%q roots=%d except=%d protect=%d", c.Enabled, c.Profile, len(c.Roots), len(c.Except), len(c.Protect))
	}
	const on = "enabled = true\n"
	for name, tt := range map[string]struct {
		config string
		want   []string // starts of the problems
		holds  string
	}{
		"nothing":                       {"", nil, `enabled=false profile="" roots=0 except=0 protect=0`},
		"only a comment":                {"# x\n", nil, `enabled=false profile="" roots=0 except=0 protect=0`},
		"enabled as text":               {`enabled = "true"`, []string{"c:1:1: enabled is text, and must be true or false"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"enabled as 1":                  {`enabled = 1`, []string{"c:1:1: enabled is a whole number"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"odd case":                      {"Enabled = true", []string{`c:1:1: Enabled is not a key that Reeve knows; it is left out. Did you mean "enabled"?`}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"typing error":                  {on + "\n\nexcpet = ['x']", []string{`c:4:1: excpet is not a key that Reeve knows; it is left out. Did you mean "except"?`}, `enabled=true profile="" roots=0 except=0 protect=0`},
		"far from any key":              {on + "zzzzzzzz = 1", []string{"c:2:1: zzzzzzzz is not a key that Reeve knows; it is left out."}, `enabled=true profile="" roots=0 except=0 protect=0`},
		"unclosed list":                 {on + "except = ['x'\nprofile = 'lam'", []string{"c:3:"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"a number too large for any":    {on + "a = 99999999999999999999", []string{"c:2:"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"key twice":                     {on + "enabled = true", []string{"c:2:"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"table twice":                   {on + "[limits]\nread_lines = 3\n[limits]\n", []string{"c:4:"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"JSON":                          {`{"enabled": true}`, []string{"c:1:"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"binary":                        {"\x00\x01\x02", []string{"c:1:"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"unknown profile":               {on + "profile = \"lamm\"", []string{`c:2:1: profile is "lamm", which is none of arinova, default, elowen, lam, llm-chat-file; file access is off until it is mended. Did you mean "lam"?`}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"unknown profile, then enabled": {"profile = 'x'\n" + on, []string{"c:1:1: profile"}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"one bad root of three": {on + "[[root]]\npath = '~/a'\n[[root]]\npth = '~/b'\n[[root]]\npath = '~/c'\n",
			[]string{`c:5:1: pth is not a key of root; it is left out. Did you mean "path"?`, "c:4:3: root names no path"}, `enabled=true profile="" roots=2 except=0 protect=0`},
		"roots as text":       {on + "roots = '~/a'", []string{"c:2:1: roots is text, and must be a list"}, `enabled=true profile="" roots=0 except=0 protect=0`},
		"roots as texts":      {on + "roots = ['~/a', {path='~/b'}]", []string{"c:2:10: an entry of roots is text"}, `enabled=true profile="" roots=1 except=0 protect=0`},
		"bad access":          {on + "[[root]]\npath = '~/a'\naccess = 'write'\n", []string{"c:4:1: root.access is \"write\", which is none of read, readwrite; it is granted for reading."}, `enabled=true profile="" roots=1 except=0 protect=0`},
		"a number in protect": {on + "protect = [\n  'a',\n  5,\n  'b',\n]", []string{"c:4:3: an entry of protect is a whole number"}, `enabled=true profile="" roots=0 except=0 protect=2`},
		"empty exception":     {on + "except = ['', ' ', 'a']", []string{"c:2:11: except has an empty entry", "c:2:15: except has an empty entry"}, `enabled=true profile="" roots=0 except=1 protect=0`},
		"bad limits": {on + "[limits]\nread_lines = 0\nread_bytes = '5'\nlist_depth = 10000000000\nlist_dept = 3\nwalk_entries = 0xffffffffff\nsearch_results = 1.5\n",
			[]string{"c:3:1: limits.read_lines is 0, and must be between 1 and 1000000; it is left out", "c:4:1: limits.read_bytes is text", "c:5:1: limits.list_depth is 10000000000", `c:6:1: list_dept is not a key of limits; it is left out. Did you mean "list_depth"?`, "c:7:1: limits.walk_entries is 1099511627775", "c:8:1: limits.search_results is a number with a fraction"}, `enabled=true profile="" roots=0 except=0 protect=0`},
		"bad approvals": {on + "[approvals]\ncreate = 'alow'\nremove = 'turn'\ncontrol = 'allow'\nread = 'ask'\nmove = true\n",
			[]string{`c:3:1: approvals.create is "alow", which is none of turn, ask, allow, refuse; it is asked every time. Did you mean "allow"?`, "c:4:1: approvals.remove is \"turn\"", "c:5:1: approvals.control is \"allow\"", "c:6:1: read is not a key of approvals", "c:7:1: approvals.move is true or false"}, `enabled=true profile="" roots=0 except=0 protect=0`},
		"a date":                  {on + "read_state = 2026-01-01", []string{"c:2:1: read_state is a date or time, and must be text; it is left out; all_lines holds."}, `enabled=true profile="" roots=0 except=0 protect=0`},
		"terminal codes in a key": {on + "\"\\u001b[2J\" = 1", []string{`c:2:1: \x1b[2J is not a key`}, `enabled=true profile="" roots=0 except=0 protect=0`},
		"a newline in a value":    {on + "profile = \"a\\nb\"", []string{`c:2:1: profile is "a\nb"`}, `enabled=false profile="" roots=0 except=0 protect=0`},
		"limits as list":          {on + "limits = [1]", []string{"c:2:1: limits is a list, and must be a table"}, `enabled=true profile="" roots=0 except=0 protect=0`},
		"dotted keys":             {on + "limits.read_lines = 5\napprovals.create = 'ask'", nil, `enabled=true profile="" roots=0 except=0 protect=0`},
	} {
		t.Run(name, func(t *testing.T) {
			c, problems := ParseConfig("c", []byte(tt.config))
			if len(problems) != len(tt.want) {
				t.Errorf("problems: %v", problems)
			} else {
				for i, p := range problems {
					if !strings.HasPrefix(p.String(), tt.want[i]) {
						t.Errorf("got  %s\nwant %s", p, tt.want[i])
					}
					if strings.ContainsAny(p.String(), "\n\x1b") {
						t.Errorf("more than a line: %q", p.String())
					}
				}
			}
			if got := holds(c); got != tt.holds {
				t.Errorf("holds %s\nwant  %s", got, tt.holds)
			}
		})
	}
}

// A value that cannot be read must never loosen what the profile asks.
func TestAByteOrderMarkInFrontIsNoFault(t *testing.T) {
	c, problems := ParseConfig("c.toml", []byte("\uFEFFenabled = true\nenabbled = true\n"))
	if !c.Enabled || c.Broken || len(problems) != 1 || problems[0].Line != 2 {
		t.Errorf("%+v, %v", c, problems)
	}
}

func TestASentenceEndsOnce(t *testing.T) {
	for want, p := range map[string]Problem{
		`c.toml:2: access is "raed". Did you mean "read"?`: {File: "c.toml", Line: 2, Entry: "access", What: `is "raed"`, Instead: `Did you mean "read"?`},
		`is gone. Look.`: {What: "is gone.", Instead: "Look"},
		``:               {},
	} {
		if got := p.String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestTheCommandLineIsNotBlamedOnTheConfiguration(t *testing.T) {
	profile, err := LoadProfile("default")
	if err != nil {
		t.Fatal(err)
	}
	env := Env{Home: "/home/u", ConfigDir: "/home/u/.config/reeve", StateDir: "/home/u/.local/state/reeve", GOOS: "linux"}
	_, problems := Compile(env, profile, Config{File: "c.toml"}, Run{WriteRoots: []string{"/home/u/.ssh"}})
	if len(problems) != 1 || problems[0].File != "" || !strings.HasPrefix(problems[0].String(), "/home/u/.ssh is granted and protected") {
		t.Errorf("%v", problems)
	}
	_, problems = Compile(env, profile, Config{File: "c.toml", Enabled: true, Roots: []ConfigRoot{{Path: "/home/u/.ssh"}}}, Run{})
	if len(problems) != 1 || problems[0].File != "c.toml" {
		t.Errorf("%v", problems)
	}
}

func TestBadApprovalIsAsked(t *testing.T) {
	p, problems := compileFor(t, "elowen", "[approvals]\ncreate = 'aks'\ncontrol = 'allow'", Run{WriteRoots: []string{"/home/u"}})
	if len(problems) != 2 {
		t.Error(problems)
	}
	for path, rule := range map[string]string{"a": "approvals: create", ".git/x": "control: .git"} {
		d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectCreate, Place: placeAt("/home/u", reeve.ReadWrite, path, reeve.Absent)})
		if d.Verdict != reeve.Ask || d.Rule != rule || d.Remember {
			t.Errorf("%s: %+v", path, d)
		}
	}
}

func TestBadHumanOnlyKeepsTheDefault(t *testing.T) {
	for _, config := range []string{"human_only = ['mvoe']", "human_only = [1]", "human_only = 'move'"} {
		p, problems := compileFor(t, "default", config, Run{WriteRoots: []string{"/home/u"}})
		if len(problems) != 1 {
			t.Error(problems)
		}
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRemove, Place: placeAt("/home/u", reeve.ReadWrite, "a", reeve.File)}); !d.HumanOnly {
			t.Errorf("%s: %+v", config, d)
		}
	}
	p, _ := compileFor(t, "default", "human_only = ['move']", Run{WriteRoots: []string{"/home/u"}})
	if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRemove, Place: placeAt("/home/u", reeve.ReadWrite, "a", reeve.File)}); d.HumanOnly {
		t.Errorf("%+v", d)
	}
}

func TestHostileDocuments(t *testing.T) {
	for name, doc := range map[string]string{
		"deep lists":      "a = " + strings.Repeat("[", 200_000),
		"deep tables":     "a = " + strings.Repeat("{a=", 60_000),
		"deep over lines": "a = " + strings.Repeat("[\n", 100_000),
		"deep after text": "b = '''\n'\n'''\na = " + strings.Repeat("[", 100_000),
		"too large":       "#" + strings.Repeat("x", maxConfig),
		"long dotted key": strings.Repeat("a.", 10_000) + "a = 1",
		"long table name": "[" + strings.Repeat("a.", 10_000) + "a]",
		"many tables":     strings.Repeat("[[root]]\n", 25_000),
		"long number":     "enabled = " + strings.Repeat("9", 200_000),
		"unclosed text":   "a = \"" + strings.Repeat("x", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			c, problems := ParseConfig("c", []byte(doc))
			if c.Enabled || len(problems) == 0 || len(problems) > maxProblems+1 {
				t.Errorf("enabled %t, %d problems", c.Enabled, len(problems))
			}
			for _, p := range problems {
				if len(p.String()) > 1000 {
					t.Errorf("a problem of %d bytes", len(p.String()))
				}
			}
		})
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add(fullConfig)
	for _, s := range []string{"", "enabled=true", "[[root]]\npath='~'\n[root.x]\ny=1", "roots=[{path='/'},{}]", "a.b.c=1\na.b.d=2", "x=[[],[1],{a={b=[1]}}]",
		"limits={read_lines=1}\n", "'' = 1", "\"\\u0000\"=1", "approvals.create='ask'", "[a]\n[a.b]\n[[a.c]]\n[a.c.d]", "x=\"\"\"\n[\"\"\"", "x = 0x_1", "wait_seconds = 0x1E", "enabled = true # [", "a=1979-05-27T07:32:00Z"} {
		f.Add([]byte(s))
	}
	profile, err := LoadProfile("default")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, problems := ParseConfig("c", data)
		for _, p := range problems {
			if strings.ContainsAny(p.String(), "\n\r\x1b") || p.What == "" {
				t.Fatalf("%q", p.String())
			}
			if lines := strings.Count(string(data), "\n") + 1; p.Line > lines+1 {
				t.Fatalf("line %d of %d", p.Line, lines)
			}
		}
		p, more := Compile(testEnv(), profile, c, Run{})
		for _, pr := range more {
			if strings.ContainsAny(pr.String(), "\n\r\x1b") {
				t.Fatalf("%q", pr.String())
			}
		}
		if p.Enabled() && !strings.Contains(string(data), "enabled") && !strings.Contains(string(data), `\`) {
			t.Fatal("switched on by nothing")
		}
		// Whatever stands in a configuration, Reeve's own and the home's keys stay shut.
		for _, path := range []string{".config/reeve/config.toml", ".local/state/reeve/x"} {
			d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", reeve.ReadWrite, path, reeve.File)})
			if d.Verdict != reeve.Refuse {
				t.Fatalf("%s: %+v", path, d)
			}
		}
		if len(c.Except) == 0 {
			d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", reeve.ReadWrite, ".ssh/id_rsa", reeve.File)})
			if d.Verdict != reeve.Refuse {
				t.Fatalf("%+v", d)
			}
		}
		for _, g := range p.Grants() {
			if !strings.HasPrefix(g.Path, "/") || g.Access != reeve.Read && g.Access != reeve.ReadWrite {
				t.Fatalf("%+v", g)
			}
		}
	})
}
