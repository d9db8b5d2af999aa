package capfstest

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

//go:embed testdata/resolution.txt
var resolution string

// tableCase is one case of the table.
type tableCase struct {
	name  string
	lines []string
}

func tableCases() []tableCase {
	var out []tableCase
	for line := range strings.Lines(resolution) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "== "); ok {
			out = append(out, tableCase{name: name})
		} else if line != "" && !strings.HasPrefix(line, "#") && len(out) > 0 {
			c := &out[len(out)-1]
			c.lines = append(c.lines, line)
		}
	}
	return out
}

func runTable(t *testing.T, newWorld func(*testing.T) World) {
	for _, c := range tableCases() {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for _, line := range c.lines {
				verb, rest, _ := strings.Cut(line, " ")
				if slices.Contains(w.Lacks, verb) || strings.Contains(rest, `\xE9`) && slices.Contains(w.Lacks, "bytes") {
					t.Skip("this world has no " + verb)
				}
			}
			r := newRunner(t, w)
			for _, line := range c.lines {
				if err := r.line(line); err != nil {
					t.Errorf("%s\n\t%v", line, err)
				}
			}
		})
	}
}

// runner plays one case.
type runner struct {
	t      *testing.T
	w      World
	fs     *capfs.FS
	grants []capfs.Grant
	narrow []capfs.Narrowing
	dirty  bool
	events []capfs.Event
}

func newRunner(t *testing.T, w World) *runner {
	r := &runner{t: t, w: w}
	r.fs = capfs.New(capfs.Options{Layer: w.Layer, Refresh: -1, Event: func(e capfs.Event) { r.events = append(r.events, e) }})
	t.Cleanup(func() { r.fs.Close() })
	return r
}

// path reads one word: @ is the base, odd names are unescaped.
func (r *runner) path(word string) string {
	parts := strings.Split(strings.Replace(word, "@", r.w.Base, 1), "/")
	for i, p := range parts {
		name, err := pathname.Unescape(p)
		if err != nil {
			r.t.Fatalf("bad word %q", word)
		}
		parts[i] = name
	}
	return strings.Join(parts, "/")
}

func (r *runner) line(line string) error {
	ask, want, asks := strings.Cut(line, " => ")
	words := strings.Fields(ask)
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	switch verb := words[0]; verb {
	case "grant":
		r.grants = append(r.grants, capfs.Grant{
			ID: reeve.RootID(arg(1)), Path: r.path(arg(2)), Access: reeve.Access(arg(3)), Create: arg(4) == "create",
		})
		r.dirty = true
		return nil
	case "protect", "own":
		path, folder := strings.CutSuffix(r.path(arg(1)), "/")
		kind := reeve.MarkProtected
		if verb == "own" {
			kind = reeve.MarkOwn
		}
		r.narrow = append(r.narrow, capfs.Narrowing{Path: path, Kind: kind, Rule: arg(1), Folder: folder})
		r.dirty = true
		return nil
	case "find", "read", "list", "state", "confirm", "event":
		r.settle()
		if !asks && verb != "confirm" && verb != "event" {
			return fmt.Errorf("no => in the line")
		}
		return r.check(words, want)
	}
	r.settle()
	op := Op{Verb: words[0], Path: r.path(arg(1)), Arg: arg(2)}
	switch op.Verb {
	case "link", "hard", "bind", "move", "swap":
		op.Arg = r.path(arg(2))
	}
	return r.w.Make(op)
}

// settle makes the grants of the lines so far stand.
func (r *runner) settle() {
	if r.dirty {
		r.fs.SetGrants(r.grants, r.narrow)
		r.dirty = false
	}
}

func (r *runner) check(words []string, want string) error {
	var got string
	switch words[0] {
	case "state":
		for _, s := range r.fs.Roots() {
			if string(s.ID) == words[1] {
				got = string(s.State)
			}
		}
	case "confirm":
		return r.fs.Confirm(reeve.RootID(words[1]))
	case "event":
		for _, e := range r.events {
			if string(e.Kind) == words[1] {
				r.events = nil
				return nil
			}
		}
		return fmt.Errorf("no such event, only %v", r.events)
	default:
		path := words[len(words)-1]
		follow := words[1] != "nofollow"
		var err error
		switch words[0] {
		case "find":
			got, err = r.find(path, follow, want)
		case "read":
			got, err = r.read(path)
		case "list":
			got, err = r.list(path)
		}
		if err != nil {
			return r.refused(path, want, err)
		}
	}
	if got != want {
		return fmt.Errorf("got %s", got)
	}
	return nil
}

// refused checks an error's code and that it says nothing it should not.
func (r *runner) refused(path, want string, err error) error {
	e, ok := reeve.AsError(err)
	if !ok {
		return fmt.Errorf("not a *reeve.Error: %v", err)
	}
	if want != "!"+string(e.Code) {
		return fmt.Errorf("got !%s: %v", e.Code, err)
	}
	if e.What == "" || e.Not == "" || e.Instead == "" {
		return fmt.Errorf("an incomplete refusal: %+v", e)
	}
	said := strings.ReplaceAll(err.Error(), r.path(path), "")
	said, _, _ = strings.Cut(strings.Replace(said, "whose text is ", "\x00", 1), "\x00")
	if strings.Contains(said, "beyond") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "inner") && !strings.Contains(path, "inner") {
		return fmt.Errorf("the refusal tells what lies outside: %v", err)
	}
	return nil
}
