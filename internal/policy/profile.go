package policy

import (
	"embed"
	"fmt"
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

//go:embed profiles/*.toml lists/*.txt
var presets embed.FS

// Profile is a policy preset. Each is one file in profiles/.
type Profile struct {
	Name string
	// Style is how paths are read.
	Style pathname.Style
	// Protect names the lists of protected places that hold.
	Protect []string
	// Except are protected names that may be used all the same.
	Except []string
	// Roots are granted by the profile itself. They always apply, unless the
	// command line names folders.
	Roots []ConfigRoot
	// Approvals has a row for every key of ApprovalKeys.
	Approvals Approvals
	Settings  reeve.Settings
}

// DefaultProfile is the preset that holds where none is named.
const DefaultProfile = "default"

// Profiles lists the names of the presets, sorted.
func Profiles() []string {
	return []string{"arinova", DefaultProfile, "elowen", "lam", "llm-chat-file"}
}

func styles() map[string]pathname.Style {
	return map[string]pathname.Style{"first_root": pathname.StyleFirstRoot, "home": pathname.StyleHome,
		"session": pathname.StyleSession, "workspace": pathname.StyleWorkspace, "absolute": pathname.StyleAbsolute}
}

func readStates() []string { return []string{"off", "read", "all_lines"} }

// LoadProfile reads a preset. Every key must be there and nothing else: a
// preset that forgets a number is a mistake, never "no limit".
func LoadProfile(name string) (Profile, error) {
	if !contains(Profiles(), name) {
		return Profile{}, fmt.Errorf("there is no profile %q; there are %s", name, strings.Join(Profiles(), ", "))
	}
	data, err := presets.ReadFile("profiles/" + name + ".toml")
	if err != nil {
		return Profile{}, fmt.Errorf("profile %s: %w", name, err)
	}
	return parseProfile(name, data)
}

func parseProfile(name string, data []byte) (Profile, error) {
	tree, bad := parseTree(name+".toml", data)
	if bad != nil {
		return Profile{}, fmt.Errorf("%s", bad)
	}
	p := Profile{Name: name}
	s := &p.Settings
	s.Profile = name
	r := &reader{file: name + ".toml"}
	var numbers map[string]int64
	known := []string{"path_style", "protect", "except", "read_state", "binary", "base_name_patterns",
		"search_hidden", "list_hidden", "create_parents", "skip_dirs", "approvals", "limits"}
	word := func(v *value, key string, words []string) string { w, _ := r.word(v, key, words); return w }
	names := func(v *value, key string) []string { l, _ := r.lines(v, key, key+` = ["…"]`); return texts(l) }
	for _, key := range tree.keys {
		v := tree.at[key]
		switch key {
		case "path_style":
			var words []string
			for w := range styles() {
				words = append(words, w)
			}
			p.Style = styles()[word(v, key, words)]
		case "protect":
			p.Protect = names(v, key)
			for _, l := range p.Protect {
				if !contains([]string{"lam", "secrets"}, l) {
					r.bad(v, key, "names the list "+l+", which does not exist", "")
				}
			}
		case "except":
			p.Except = names(v, key)
		case "read_state":
			s.ReadState = word(v, key, readStates())
		case "binary":
			s.Binary = word(v, key, []string{"nul", "utf8"})
		case "base_name_patterns":
			r.flag(v, key, &s.BaseNamePatterns)
		case "search_hidden":
			r.flag(v, key, &s.SearchHidden)
		case "list_hidden":
			r.flag(v, key, &s.ListHidden)
		case "create_parents":
			r.flag(v, key, &s.CreateParents)
		case "skip_dirs":
			s.SkipDirs = names(v, key)
		case "root":
			p.Roots = r.roots(v, key)
		case "approvals":
			p.Approvals = r.approvals(v, key)
			for _, k := range ApprovalKeys() {
				if p.Approvals[k] == "" {
					r.bad(v, "approvals."+k, "is missing", "")
				}
			}
		case "limits":
			numbers = r.limits(v, key)
			for _, k := range limitNames() {
				if _, ok := numbers[k]; !ok {
					r.bad(v, "limits."+k, "is missing", "")
				}
			}
			applyLimits(s, numbers)
		default:
			r.unknown(v, "a profile", key, append(known, "root"))
		}
	}
	for _, k := range known {
		if tree.at[k] == nil {
			r.problems = append(r.problems, Problem{File: r.file, Entry: k, What: "is missing"})
		}
	}
	if len(r.problems) > 0 {
		return Profile{}, fmt.Errorf("%s", r.problems[0])
	}
	return p, nil
}
