package search

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxPattern is the longest pattern, in bytes.
const MaxPattern = 1000

// GlobOptions say how a pattern is read. The zero value knows the whole
// language.
type GlobOptions struct {
	// BaseName: the pattern meets the base name alone and knows only *, ? and
	// ** (which is * there); every other character stands for itself.
	BaseName bool
}

// Glob is a compiled pattern. It may be used by many goroutines at once.
//
// A pattern without "/" meets the base name, one with "/" the whole path
// relative to the start. "*" stands for any characters but "/", "?" for one,
// "[a-z]" and "[!a-z]" for one of a set, "{a,b}" for alternatives, "\" takes
// the meaning from the next character, and "**" as a whole component stands
// for any number of components: "**/x" meets x as well, "x/**" what is below
// x and not x. A "/" at the end asks for folders only. Letter case counts;
// composed and decomposed forms of a character are equal. A component in the
// escaped form of package pathname stands for that very name.
type Glob struct {
	prog    []inst
	follow  []set // of the instruction: what consumes next, itself included
	path    bool
	folders bool
	simple  simple
	text    string
}

// simple names the shapes that are matched without the machine.
type simple uint8

const (
	machine simple = iota
	anything
	equal
	prefix
	suffix
	within
)

// Compile reads a pattern. The error is always *Problem.
func Compile(pattern string, o GlobOptions) (*Glob, error) {
	if pattern == "" {
		return nil, &Problem{0, "is empty", "Give a glob such as *.go or src/**/*.ts."}
	}
	if len(pattern) > MaxPattern {
		return nil, &Problem{0, "is longer than 1,000 bytes", "Give a shorter glob."}
	}
	if !utf8.ValidString(pattern) || strings.IndexByte(pattern, 0) >= 0 {
		return nil, &Problem{0, "is not text: it holds a NUL or bytes that are not UTF-8", `Write odd names in the escaped form that listings show, as in $'caf\xE9.txt'.`}
	}
	p := parser{in: compose(pattern), base: o.BaseName}
	if err := p.shape(); err != nil {
		return nil, err
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	g := &Glob{prog: p.out, path: p.slash, folders: p.folders}
	g.simplify()
	if g.simple == machine {
		g.link()
	}
	return g, nil
}

// Folders reports that the pattern asks for folders only.
func (g *Glob) Folders() bool { return g.folders }

// Match reports whether an entry meets the pattern. rel is its path relative
// to the start, with "/" between raw names, and name its last component; rel
// is not looked at where the pattern has no "/".
func (g *Glob) Match(rel, name string) bool {
	if g.path {
		name = rel
	}
	name = compose(name)
	switch g.simple {
	case anything:
		return true
	case equal:
		return name == g.text
	case prefix:
		return strings.HasPrefix(name, g.text)
	case suffix:
		return strings.HasSuffix(name, g.text)
	case within:
		return strings.Contains(name, g.text)
	}
	var s state
	g.start(&s)
	g.run(&s, name)
	return s.has(len(g.prog) - 1)
}

// Below reports whether anything below the folder at rel can meet the
// pattern.
func (g *Glob) Below(rel string) bool {
	if !g.path || g.simple == anything {
		return true
	}
	if g.simple == equal {
		return strings.HasPrefix(g.text, compose(rel)+"/")
	}
	if g.simple != machine {
		return true
	}
	var s state
	g.start(&s)
	return g.run(&s, compose(rel)) && g.run(&s, "/")
}

// compose gives the one form in which names and patterns are compared.
func compose(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return norm.NFC.String(s)
		}
	}
	return s
}
