package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reeve"
	"reeve/internal/pathname"
)

func TestOffByDefault(t *testing.T) {
	roots := "[[root]]\npath = '~/work'\n"
	for name, tt := range map[string]struct {
		profile, config string
		run             Run
		on              bool
	}{
		"nothing":                      {"default", "", Run{}, false},
		"roots, but not switched on":   {"default", roots, Run{}, false},
		"switched off":                 {"default", "enabled = false\n" + roots, Run{}, false},
		"switched on":                  {"default", "enabled = true\n" + roots, Run{}, true},
		"on, but no root":              {"default", "enabled = true", Run{}, false},
		"a folder on the line":         {"default", "", Run{ReadRoots: []string{"/srv"}}, true},
		"a bad folder on the line":     {"default", "", Run{ReadRoots: []string{"srv"}}, false},
		"off, a folder on the line":    {"default", "enabled = false", Run{WriteRoots: []string{"/srv"}}, true},
		"lam, not switched on":         {"lam", "", Run{}, false},
		"lam, switched on":             {"lam", "enabled = true", Run{}, true},
		"lam, for this run":            {"lam", "", Run{Enabled: true}, true},
		"broken, a folder on the line": {"default", "enabled = ", Run{WriteRoots: []string{"/srv"}}, false},
		"unknown profile, a folder":    {"default", "profile = 'x'", Run{WriteRoots: []string{"/srv"}}, false},
		"mistyped switch":              {"default", "enabled = 'yes'\n" + roots, Run{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := compileFor(t, tt.profile, tt.config, tt.run)
			if p.Enabled() != tt.on || (p.Off() == "") != tt.on {
				t.Errorf("enabled %t, off %q", p.Enabled(), p.Off())
			}
			d := p.Decide(reeve.Subject{Kind: reeve.Owner}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/srv", reeve.ReadWrite, "x", reeve.File)})
			if (d.Verdict == reeve.Allow) != tt.on || !tt.on && d.Code != reeve.Disabled {
				t.Errorf("%+v", d)
			}
			if f := p.Folder(placeAt("/srv", reeve.ReadWrite, "", reeve.Directory)); (f("x", reeve.File).Verdict == reeve.Allow) != tt.on {
				t.Errorf("%+v", f("x", reeve.File))
			}
		})
	}
}

func TestZeroValuesRefuse(t *testing.T) {
	p, problems := Compile(Env{}, Profile{}, Config{}, Run{WriteRoots: []string{"/"}})
	if p.Enabled() || len(problems) == 0 {
		t.Errorf("enabled %t, %v", p.Enabled(), problems)
	}
	profile, err := LoadProfile("default")
	if err != nil {
		t.Fatal(err)
	}
	p, problems = Compile(Env{Home: "/home/u", GOOS: "linux"}, profile, Config{}, Run{WriteRoots: []string{"/"}})
	if p.Enabled() || len(problems) == 0 {
		t.Errorf("without Reeve's own places: enabled %t, %v", p.Enabled(), problems)
	}
	on, _ := compileFor(t, "default", "", Run{WriteRoots: []string{"/home/u"}})
	if d := on.Decide(reeve.Subject{}, reeve.Effect{}); d.Verdict != reeve.Refuse {
		t.Errorf("%+v", d)
	}
	for _, e := range []reeve.Effect{{Kind: "chmod"}, {Kind: reeve.EffectMove}, {Kind: reeve.EffectSend}, {Kind: reeve.EffectRead, To: &reeve.Place{}}} {
		e.Place = placeAt("/home/u", reeve.ReadWrite, "a", reeve.File)
		if d := on.Decide(reeve.Subject{}, e); d.Verdict != reeve.Refuse || d.Code != reeve.Invalid {
			t.Errorf("%+v: %+v", e.Kind, d)
		}
	}
	for _, access := range []reeve.Access{"", "write", "rw", "READWRITE"} {
		if d := on.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", access, "a", reeve.File)}); d.Verdict != reeve.Refuse {
			t.Errorf("access %q: %+v", access, d)
		}
	}
}

// Without a home nobody knows where its keys are, so they are looked for
// everywhere.
func TestUnknownHomeProtectsWider(t *testing.T) {
	profile, err := LoadProfile("lam")
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv()
	env.Home = ""
	p, problems := Compile(env, profile, Config{}, Run{WriteRoots: []string{"/"}})
	if len(problems) == 0 {
		t.Error("no problem was told")
	}
	for _, path := range []string{"root/.ssh/x", "home/a/.config/gh/hosts.yml", "x/.docker/config.json", ".netrc"} {
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/", reeve.Read, path, reeve.File)}); d.Code != reeve.Protected {
			t.Errorf("%s: %+v", path, d)
		}
	}
}

func TestGrants(t *testing.T) {
	const ro, rw = reeve.Read, reeve.ReadWrite
	lam := []Root{{"/home/u", ro, FromProfile, false}, {"/home/u/Downloads", rw, FromProfile, true},
		{"/home/u/Documents/Lam Agent", rw, FromProfile, true}, {"/home/u/.local/share/reeve/lam", rw, FromProfile, true}}
	for name, tt := range map[string]struct {
		profile, config string
		run             Run
		want            []Root
		problems        int
	}{
		"lam's own":                  {"lam", "", Run{}, lam, 0},
		"lam with empty preferences": {"lam", `read_roots = ""` + "\n" + `write_roots = " , \n "`, Run{}, lam, 0},
		"lam with preferences": {"lam", `read_roots = "/srv, rel, /srv"` + "\n" + `write_roots = "~/Desktop\n~/Desktop/"`, Run{},
			append(lam[:4:4], Root{"/srv", ro, FromConfig, false}, Root{"/home/u/Desktop", rw, FromConfig, true}), 1},
		"lam with both": {"lam", "read_roots = '/srv, /srv/'\nwrite_roots = \"~/Desktop\\n~/Downloads\"", Run{}, []Root{{"/home/u", ro, FromProfile, false}, {"/home/u/Downloads", rw, FromConfig, true},
			{"/home/u/Documents/Lam Agent", rw, FromProfile, true}, {"/home/u/.local/share/reeve/lam", rw, FromProfile, true},
			{"/srv", ro, FromConfig, false}, {"/home/u/Desktop", rw, FromConfig, true}}, 0},
		"the line replaces all":        {"lam", "[[root]]\npath = '/srv'", Run{WriteRoots: []string{"/a/"}, ReadRoots: []string{"/b/../c"}}, []Root{{"/a", rw, FromCommandLine, false}, {"/c", ro, FromCommandLine, false}}, 0},
		"the line, twice, differently": {"default", "", Run{WriteRoots: []string{"/a"}, ReadRoots: []string{"/a"}}, []Root{{"/a", ro, FromCommandLine, false}}, 1},
		"the line, twice":              {"default", "", Run{WriteRoots: []string{"/a", "/a/."}}, []Root{{"/a", rw, FromCommandLine, false}}, 0},
		"twice, differently":           {"default", "roots = [{path='/a', access='readwrite'}, {path='/a/'}]", Run{}, []Root{{"/a", ro, FromConfig, false}}, 1},
		"nested":                       {"default", "roots = [{path='/a', access='readwrite'}, {path='/a/b'}]", Run{}, []Root{{"/a", rw, FromConfig, false}, {"/a/b", ro, FromConfig, false}}, 0},
		"relative":                     {"default", "roots = [{path='a'}, {path='./a'}, {path='~bob/x'}, {path='/ok'}]", Run{}, []Root{{"/ok", ro, FromConfig, false}}, 3},
		"a NUL":                        {"default", `roots = [{path="/a\u0000b"}]`, Run{}, nil, 1},
		"read only":                    {"default", "roots = [{path='/a', access='readwrite'}]", Run{ReadOnly: true}, []Root{{"/a", ro, FromConfig, false}}, 0},
		"read only on the line":        {"default", "", Run{ReadOnly: true, WriteRoots: []string{"/a"}}, []Root{{"/a", ro, FromCommandLine, false}}, 0},
		"case is kept apart":           {"default", "roots = [{path='/a', access='readwrite'}, {path='/A'}]", Run{}, []Root{{"/a", rw, FromConfig, false}, {"/A", ro, FromConfig, false}}, 0},
		"bytes":                        {"default", "", Run{ReadRoots: []string{"/a\xff"}}, []Root{{"/a\xff", ro, FromCommandLine, false}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, problems := compileFor(t, tt.profile, tt.config, tt.run)
			if len(problems) != tt.problems {
				t.Errorf("problems: %v", problems)
			}
			if d := cmp.Diff(tt.want, p.Grants()); d != "" {
				t.Error(d)
			}
		})
	}
}

// A root that lies in a protected place is of no use, and the owner is told
// so with the line that would open it.
func TestProtectedRootsAreTold(t *testing.T) {
	for root, want := range map[string]string{
		"/home/u/.ssh":          `/home/u/.ssh is granted and protected by the rule ~/.ssh, so nothing in it can be used. To open it all the same, write except = ["~/.ssh"] at the top of Reeve's configuration.`,
		"/home/u/x/.env/y":      `/home/u/x/.env/y is granted and protected by the rule .env`,
		"/home/u/.config/reeve": "the folder /home/u/.config/reeve is granted and belongs to Reeve itself",
		"/proc":                 "the folder /proc is granted and is on a file system that shows the system itself",
		"/home/u":               "",
		"/home/u/.local/state":  "",
	} {
		p, problems := compileFor(t, "default", "", Run{WriteRoots: []string{root}})
		if len(problems) != 1 && want != "" || len(problems) > 0 && want == "" {
			t.Errorf("%s: %v", root, problems)
			continue
		}
		if want == "" {
			continue
		}
		if got := strings.TrimPrefix(problems[0].String(), "config.toml: "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", root, got)
		}
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectList, Place: placeAt(root, reeve.ReadWrite, "", reeve.Directory)}); d.Verdict != reeve.Refuse {
			t.Errorf("%s: %+v", root, d)
		}
	}
	p, problems := compileFor(t, "default", `except = ["~/.ssh"]`, Run{WriteRoots: []string{"/home/u/.ssh"}})
	if len(problems) > 0 {
		t.Error(problems)
	}
	for path, want := range map[string]reeve.Verdict{"": reeve.Allow, "config": reeve.Allow, "id_rsa": reeve.Refuse} {
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u/.ssh", reeve.Read, path, reeve.File)}); d.Verdict != want {
			t.Errorf("%q: %+v", path, d)
		}
	}
}

func TestReadOnlyRunOffersNothing(t *testing.T) {
	e := reeve.Effect{Kind: reeve.EffectCreate, Place: placeAt("/home/u/my work", reeve.Read, "a", reeve.Absent)}
	p, _ := compileFor(t, "default", "enabled = true\nroots = [{path='/home/u/my work'}]", Run{ReadOnly: true})
	if d := p.Decide(reeve.Subject{}, e); d.Code != reeve.ReadOnlyRoot || d.Fix != "" {
		t.Errorf("%+v", d)
	}
	p, _ = compileFor(t, "default", "enabled = true\nroots = [{path='/home/u/my work'}]", Run{})
	if d := p.Decide(reeve.Subject{}, e); d.Fix != "reeve roots add '/home/u/my work'" {
		t.Errorf("%+v", d)
	}
}

func TestNarrowerRootBelowStays(t *testing.T) {
	p, _ := compileFor(t, "arinova", "", Run{WriteRoots: []string{"/w", "/w/a/b"}, ReadRoots: []string{"/w/r/s"}})
	free := placeAt("/w", reeve.ReadWrite, "free", reeve.Absent)
	for path, want := range map[string]reeve.Verdict{"r": reeve.Refuse, "R": reeve.Refuse, "r/s2": reeve.Allow, "a": reeve.Allow, "rr": reeve.Allow} {
		pl := placeAt("/w", reeve.ReadWrite, path, reeve.Directory)
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectMove, Place: pl, To: &free}); d.Verdict != want {
			t.Errorf("move %s: %+v", path, d)
		}
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectMove, Place: free, To: &pl}); path != "R" && d.Verdict != want {
			t.Errorf("move to %s: %+v", path, d)
		}
	}
}

// A model reads the refusal of one path: it learns nothing there of what else
// the owner has opened.
func TestARefusalTellsNoOtherException(t *testing.T) {
	p, problems := compileFor(t, "default", "except = ['.env.test', '~/.ssh/config']", Run{WriteRoots: []string{"/home/u"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", reeve.Read, "a/k.pem", reeve.File)})
	if want := `add "~/a/k.pem" to the list except in Reeve's configuration`; d.Fix != want {
		t.Errorf("the refusal says %q, want %q", d.Fix, want)
	}
}

func TestExceptFixIsTheWholeLine(t *testing.T) {
	config := ""
	for range 2 {
		p, problems := compileFor(t, "default", config, Run{WriteRoots: []string{"/home/u"}})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		pl := placeAt("/home/u", reeve.Read, "a b/\"q\"\\\t.pem", reeve.File)
		d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: pl})
		if strings.Contains(config, "a b") {
			if d.Verdict != reeve.Allow {
				t.Errorf("%+v", d)
			}
			break
		}
		line, ok := strings.CutSuffix(d.Fix, " at the top of Reeve's configuration")
		if !ok || !strings.HasPrefix(line, `except = ["~/a b/`) {
			t.Fatalf("%+v", d)
		}
		config = line
	}
	p, _ := compileFor(t, "default", "", Run{WriteRoots: []string{"/home/u"}})
	if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", reeve.Read, "\xff.pem", reeve.File)}); d.Fix != "" || d.Code != reeve.Protected {
		t.Errorf("%+v", d)
	}
}

func TestUselessExceptionsAreTold(t *testing.T) {
	_, problems := compileFor(t, "default", "except = ['*.pem', 'a/b', '~/.config/reeve/config.toml', 'readme.md', '.env.test', '~/.ssh']", Run{})
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.Entry+" "+p.What)
	}
	if len(problems) != 4 {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
}

func TestNarrowings(t *testing.T) {
	env := testEnv()
	env.ConfigHome = "/cfg"
	env.Real = map[string]string{"/home/u": "/data/users/u"}
	profile, err := LoadProfile("default")
	if err != nil {
		t.Fatal(err)
	}
	cfg, _ := ParseConfig("c", []byte("protect = ['~/taxes', '*.gpg', '/srv/*/x']"))
	p, problems := Compile(env, profile, cfg, Run{WriteRoots: []string{"/"}})
	if len(problems) > 0 {
		t.Error(problems)
	}
	got := map[string]Narrowing{}
	for _, n := range p.Narrowings() {
		got[n.Path] = n
		if !strings.HasPrefix(n.Path, "/") || strings.ContainsAny(n.Path, "*?~") || n.Kind == "" || n.Rule == "" {
			t.Errorf("%+v", n)
		}
	}
	for path, want := range map[string]Narrowing{
		"/home/u/.ssh":                     {"/home/u/.ssh", reeve.MarkProtected, "~/.ssh", true},
		"/data/users/u/.ssh":               {"/data/users/u/.ssh", reeve.MarkProtected, "~/.ssh", true},
		"/cfg/gh":                          {"/cfg/gh", reeve.MarkProtected, "~/.config/gh", true},
		"/home/u/.netrc":                   {"/home/u/.netrc", reeve.MarkProtected, "~/.netrc", false},
		"/home/u/taxes":                    {"/home/u/taxes", reeve.MarkProtected, "~/taxes", true},
		"/home/u/.config/reeve":            {"/home/u/.config/reeve", reeve.MarkOwn, "configuration", true},
		"/data/users/u/.local/state/reeve": {"/data/users/u/.local/state/reeve", reeve.MarkOwn, "state", true},
	} {
		if d := cmp.Diff(want, got[path]); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
	if _, ok := got["/home/u/Library/Keychains"]; ok {
		t.Error("a place of another system is looked up")
	}
	for _, path := range []string{"data/users/u/.ssh/x", "cfg/gh/hosts.yml", "data/users/u/taxes", "data/users/u/.config/reeve/config.toml", "cfg/reeve/config.toml"} {
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/", reeve.Read, path, reeve.File)}); d.Verdict != reeve.Refuse {
			t.Errorf("%s: %+v", path, d)
		}
	}
	// What a policy hands out is the caller's own.
	p.Narrowings()[0].Path = "x"
	p.Grants()[0].Path = "x"
	p.Settings().SkipDirs[0] = "x"
	if p.Narrowings()[0].Path == "x" || p.Grants()[0].Path == "x" || p.Settings().SkipDirs[0] == "x" {
		t.Error("a caller changed the policy")
	}
}

// Where Reeve's own folder holds the folder that lam may write to, the one is
// shut and the other open, by name and by identity.
func TestLamFolderInsideOwn(t *testing.T) {
	env := testEnv()
	env.StateDir = "/home/u/.local/share/reeve"
	profile, err := LoadProfile("lam")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := Compile(env, profile, Config{}, Run{Enabled: true})
	own := []reeve.Mark{{Kind: reeve.MarkOwn, Rule: "state"}}
	for path, want := range map[string]reeve.Verdict{"reeve/lam/x": reeve.Allow, "reeve/lam": reeve.Allow, "reeve/record": reeve.Refuse, "reeve": reeve.Refuse, "reeve/LAM/x": reeve.Refuse, "reeve/lam2": reeve.Refuse} {
		for _, marks := range [][]reeve.Mark{nil, own} {
			pl := placeAt("/home/u", reeve.Read, ".local/share/"+path, reeve.File)
			pl.Marks = marks
			if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: pl}); d.Verdict != want {
				t.Errorf("%s, marks %v: %+v", path, marks, d)
			}
		}
	}
	pl := placeAt("/home/u", reeve.Read, ".local/share/reeve/lam/x", reeve.File)
	pl.Marks = []reeve.Mark{{Kind: reeve.MarkOwn, Rule: "configuration"}}
	if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: pl}); d.Verdict != reeve.Refuse {
		t.Errorf("a mark from elsewhere: %+v", d)
	}
}

func TestPathContext(t *testing.T) {
	for name, tt := range map[string]struct {
		profile string
		roots   []string
		want    pathname.Context
	}{
		"default":                       {"default", []string{"/w", "/v"}, pathname.Context{Style: pathname.StyleFirstRoot, Home: "/home/u", Base: "/w", GOOS: "linux"}},
		"lam":                           {"lam", []string{"/w"}, pathname.Context{Style: pathname.StyleHome, Home: "/home/u", Base: "/home/u", GOOS: "linux"}},
		"arinova":                       {"arinova", []string{"/w"}, pathname.Context{Style: pathname.StyleAbsolute, Home: "/home/u", GOOS: "linux"}},
		"elowen, started in a root":     {"elowen", []string{"/w", "/home/u"}, pathname.Context{Style: pathname.StyleSession, Home: "/home/u", Base: "/home/u/work", GOOS: "linux"}},
		"elowen, started elsewhere":     {"elowen", []string{"/w", "/home/u/wor"}, pathname.Context{Style: pathname.StyleSession, Home: "/home/u", Base: "/w", GOOS: "linux"}},
		"llm-chat-file, started inside": {"llm-chat-file", []string{"/home/u/work"}, pathname.Context{Style: pathname.StyleWorkspace, Home: "/home/u", Base: "/home/u/work", GOOS: "linux"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := compileFor(t, tt.profile, "", Run{WriteRoots: tt.roots})
			if got := p.PathContext(); got != tt.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAsks(t *testing.T) {
	p, _ := compileFor(t, "default", "", Run{Approve: "allow", WriteRoots: []string{"/w"}})
	want := []Asked{{"create", Free, false}, {"replace", Free, false}, {"mkdir", Free, false}, {"move", Free, false}, {"remove", Free, false}, {"remove_folder", Free, false}, {"send", Free, false}, {"control", AskEach, true}}
	if d := cmp.Diff(want, p.Asks()); d != "" {
		t.Error(d)
	}
	p, _ = compileFor(t, "lam", "", Run{WriteRoots: []string{"/w"}})
	want = []Asked{{"create", AskTurn, false}, {"replace", AskTurn, false}, {"mkdir", AskTurn, false}, {"move", AskEach, false}, {"remove", AskEach, true}, {"remove_folder", AskEach, true}, {"send", Never, false}, {"control", AskEach, true}}
	if d := cmp.Diff(want, p.Asks()); d != "" {
		t.Error(d)
	}
}

func TestWindowsPaths(t *testing.T) {
	env := Env{Home: `C:\Users\u`, DataHome: `C:\Users\u\AppData\Local`, ConfigDir: `C:\Users\u\AppData\Roaming\reeve`, StateDir: `C:\Users\u\AppData\Local\reeve`, GOOS: "windows", WorkDir: `C:\Users\u\work`}
	profile, err := LoadProfile("default")
	if err != nil {
		t.Fatal(err)
	}
	cfg, _ := ParseConfig("c", []byte(`except = ['~\.kube\config']`+"\nroots = [{path='c:/Users/u', access='readwrite'}, {path='C:\\users\\U'}, {path='\\\\srv\\share\\x'}, {path='/x'}, {path='\\x'}]\nprotect = ['~\\taxes\\', 'a\\b']"))
	p, problems := Compile(env, profile, cfg, Run{Enabled: true})
	if len(problems) != 3 {
		t.Errorf("%v", problems)
	}
	if d := cmp.Diff([]Root{{`c:\Users\u`, reeve.Read, FromConfig, false}, {`\\srv\share\x`, reeve.Read, FromConfig, false}}, p.Grants()); d != "" {
		t.Error(d)
	}
	for path, want := range map[string]reeve.Code{`.ssh/x`: reeve.Protected, `AppData/Local/Google/Chrome/User Data`: reeve.Protected, `appdata/local/REEVE/record`: reeve.ReeveOwn,
		`.kube/config`: "", `.kube/other`: reeve.Protected, `taxes/1`: reeve.Protected, `x/a/b/c`: reeve.Protected, `notes.txt`: "", `AppData/Local/reeve/lam/x`: "",
		`AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt`: reeve.Protected} {
		pl := placeAt(`C:\Users\u`, reeve.Read, path, reeve.File)
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: pl}); d.Code != want {
			t.Errorf("%s: %+v", path, d)
		}
	}
	pl := placeAt(`C:\Users\u`, reeve.Read, `x.pem`, reeve.File)
	if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: pl}); !strings.Contains(d.Fix, `"~/x.pem"`) {
		t.Errorf("%+v", d)
	}
	for _, n := range p.Narrowings() {
		if !p.sys.isAbs(n.Path) || strings.Contains(n.Path, "/") {
			t.Errorf("%+v", n)
		}
	}
}

func TestOwnFileAmongOthers(t *testing.T) {
	env := testEnv()
	env.Own = []string{"/home/u/work/reeve.toml", "relative"}
	profile, err := LoadProfile("default")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := Compile(env, profile, Config{}, Run{WriteRoots: []string{"/home/u"}})
	for path, want := range map[string]reeve.Code{"work/reeve.toml": reeve.ReeveOwn, "work/Reeve.TOML": reeve.ReeveOwn, "work/reeve.tom": "", "work/x": ""} {
		for _, who := range []reeve.SubjectKind{reeve.Agent, reeve.Owner} {
			if d := p.Decide(reeve.Subject{Kind: who}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", reeve.ReadWrite, path, reeve.File)}); d.Code != want {
				t.Errorf("%s: %+v", path, d)
			}
		}
	}
	if p.Profile() != "default" {
		t.Error(p.Profile())
	}
}

func TestProfileName(t *testing.T) {
	for _, tt := range []struct {
		config, run, want string
	}{{"", "", "default"}, {"lam", "", "lam"}, {"", "elowen", "elowen"}, {"lam", "elowen", "elowen"}} {
		if got := ProfileName(Config{Profile: tt.config}, Run{Profile: tt.run}); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

// Every row of the table can be refused, and the refusal names it.
func TestRefusedRows(t *testing.T) {
	for _, key := range ApprovalKeys() {
		p, problems := compileFor(t, "default", "[approvals]\n"+key+" = 'refuse'", Run{WriteRoots: []string{"/home/u"}})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		e := reeve.Effect{Kind: reeve.EffectKind(key), Place: placeAt("/home/u", reeve.ReadWrite, "a", reeve.File)}
		switch key {
		case keyRemoveFolder:
			e.Kind, e.Place.Kind = reeve.EffectRemove, reeve.Directory
		case keyControl:
			e.Kind, e.Place = reeve.EffectReplace, placeAt("/home/u", reeve.ReadWrite, ".git/config", reeve.File)
		case string(reeve.EffectMove), string(reeve.EffectSend):
			to := placeAt("/home/u", reeve.ReadWrite, "b", reeve.Absent)
			e.To = &to
		}
		seen := map[string]bool{}
		for _, s := range []reeve.Subject{{}, {Kind: reeve.Owner}} {
			d := p.Decide(s, e)
			if d.Verdict != reeve.Refuse || d.Rule != "approvals: "+key || d.Code != reeve.Declined || !strings.HasPrefix(d.Reason, "is refused: the rules in force allow no ") {
				t.Errorf("%s: %+v", key, d)
			}
			seen[d.Reason] = true
		}
		if len(seen) != 1 {
			t.Errorf("%s: %v", key, seen)
		}
	}
}

func TestUselessRulesAreTold(t *testing.T) {
	p, problems := compileFor(t, "default", "protect = ['.', 'a/..', '...', ' ~/x ']\ncontrol = ['..']", Run{WriteRoots: []string{"/home/u"}})
	if len(problems) != 4 {
		t.Errorf("%v", problems)
	}
	if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", reeve.ReadWrite, "x", reeve.File)}); d.Code != reeve.Protected {
		t.Errorf("%+v", d)
	}
	for _, all := range []string{"/", "*", "/..", "~/*"} {
		p, problems := compileFor(t, "default", "protect = ['"+all+"']", Run{WriteRoots: []string{"/home/u"}})
		for _, pr := range problems {
			if !strings.Contains(pr.String(), "is granted and protected") {
				t.Error(pr)
			}
		}
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", reeve.ReadWrite, "x", reeve.File)}); d.Code != reeve.Protected {
			t.Errorf("%s: %+v", all, d)
		}
	}
}

func TestQuoteArg(t *testing.T) {
	for path, want := range map[string]string{"/a/b": "/a/b", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "/$(x)": "'/$(x)'", "/é": "'/é'", "/a\nb": `$'/a\nb'`, "": "''", "~x": "'~x'"} {
		if got := quoteArg(path); got != want {
			t.Errorf("%q: %s", path, got)
		}
	}
}
