package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"reeve/internal/pathname"
)

type op uint8

const (
	opChar  op = iota // one character
	opAny             // any one but "/"
	opClass           // one of a set, never "/"
	opStar            // any number of any but "/"
	opDeep            // any number of any
	opSplit           // go on at each of next
	opEnd
)

type inst struct {
	op   op
	char symbol
	not  bool
	set  []symbol // pairs: from, to
	next []int
}

// symbol is a character, or a byte that is none.
type symbol int32

const badByte symbol = utf8.MaxRune + 1

// first gives the first symbol of a text that is not empty, and its length.
func first(s string) (symbol, int) {
	if c := s[0]; c < utf8.RuneSelf {
		return symbol(c), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return badByte + symbol(s[0]), 1
	}
	return symbol(r), n
}

// parser turns a pattern into a program.
type parser struct {
	in      string
	at      int
	base    bool
	slash   bool
	folders bool
	skipped int // bytes taken away at the start
	out     []inst
}

// shape looks at the components, and takes "./" and a last "/" away.
func (p *parser) shape() error {
	if p.base {
		if i := strings.IndexByte(p.in, '/'); i >= 0 {
			return &Problem{i + 1, `has a "/", and here a pattern meets the base name alone`, "Give the folder as path and only the name's pattern, as in *.txt."}
		}
		return nil
	}
	if strings.HasPrefix(p.in, "/") || strings.HasPrefix(p.in, "~/") {
		return &Problem{1, "is absolute, and patterns are relative to path", "Give the folder as path and the rest as pattern."}
	}
	for strings.HasPrefix(p.in, "./") {
		p.in, p.skipped = p.in[2:], p.skipped+2
	}
	if rest, ok := strings.CutSuffix(p.in, "/"); ok && !strings.HasSuffix(rest, `\`) {
		p.in, p.folders = rest, true
	}
	at := p.skipped
	for part := range strings.SplitSeq(p.in, "/") {
		switch part {
		case "", ".":
			return &Problem{at + 1, "has an empty component", "Write names with one / between them."}
		case "..":
			return &Problem{at + 1, "has a .. component, and patterns only look below path", "Give the folder to start from as path."}
		}
		at += len(part) + 1
	}
	// "**/x" says what "x" says, and names are quicker to match than paths.
	for strings.HasPrefix(p.in, "**/") && !strings.Contains(p.in[3:], "/") {
		p.in, p.skipped = p.in[3:], p.skipped+3
	}
	return nil
}

func (p *parser) parse() error {
	if err := p.sequence(true, 0); err != nil {
		return err
	}
	if p.at < len(p.in) { // a "," or "}" outside of braces is never left over
		return &Problem{p.skipped + p.at + 1, "could not be read", "Check the braces."}
	}
	p.emit(inst{op: opEnd})
	return nil
}

func (p *parser) emit(i inst) int {
	p.out = append(p.out, i)
	return len(p.out) - 1
}

// literal emits text that stands for itself.
func (p *parser) literal(s string) {
	for s != "" {
		c, n := first(s)
		p.emit(inst{op: opChar, char: c})
		s = s[n:]
	}
}

// sequence reads up to the end, or inside braces to "," or "}". start says
// that a component starts here.
func (p *parser) sequence(start bool, depth int) error {
	for p.at < len(p.in) {
		rest := p.in[p.at:]
		c, n := first(rest)
		switch {
		case start && strings.HasPrefix(rest, "$'"):
			name, exact, n := escaped(rest)
			if n > 0 && !exact {
				return &Problem{p.skipped + p.at + 1, "has the name " + pathname.Visible(rest[:n]) + ", which is not how any name is shown",
					"Write " + pathname.Escape(name) + ", or, for a file that is itself named so, " + pathname.Escape(rest[:n]) + "."}
			}
			if n > 0 {
				p.literal(compose(name))
				p.at += n
				start = false
				continue
			}
			p.literal("$")
			p.at++
		case c == '*':
			p.stars(start)
			// "**/" leaves us at the start of a component again.
			start = p.at > 0 && p.in[p.at-1] == '/'
			continue
		case c == '?':
			p.emit(inst{op: opAny})
			p.at++
		case p.base:
			p.literal(rest[:n])
			p.at += n
		case c == '[':
			if err := p.class(); err != nil {
				return err
			}
		case c == '{':
			if err := p.braces(start, depth); err != nil {
				return err
			}
		case depth > 0 && (c == ',' || c == '}'):
			return nil
		case c == '\\':
			if len(rest) == 1 {
				return &Problem{p.skipped + p.at + 1, `ends with \`, `Write \\ for a backslash.`}
			}
			_, n := first(rest[1:])
			p.literal(rest[1 : 1+n])
			p.at += 1 + n
		default:
			p.slash = p.slash || c == '/'
			p.literal(rest[:n])
			p.at += n
			start = c == '/'
			continue
		}
		start = false
	}
	return nil
}

// escaped reads a component in the escaped form. Exact is false for another
// spelling than the one that listings show.
func escaped(s string) (name string, exact bool, n int) {
	for n = 2; n < len(s) && s[n] != '\''; n++ {
		if s[n] == '\\' {
			n++
		}
	}
	n++
	if n > len(s) || n < len(s) && strings.IndexByte("/,}", s[n]) < 0 {
		return "", false, 0
	}
	name, exact, err := pathname.UnescapeExact(s[:n])
	if err != nil || name == "" || strings.ContainsAny(name, "/\x00") {
		return "", false, 0
	}
	return name, exact, n
}

// stars reads a run of "*".
func (p *parser) stars(start bool) {
	from := p.at
	for p.at < len(p.in) && p.in[p.at] == '*' {
		p.at++
	}
	rest := p.in[p.at:]
	whole := start && p.at-from > 1 && !p.base && (rest == "" || strings.IndexByte("/,}", rest[0]) >= 0)
	switch {
	case !whole:
		p.emit(inst{op: opStar})
	case strings.HasPrefix(rest, "/"):
		p.slash = true
		p.at++
		split := p.emit(inst{op: opSplit})
		p.emit(inst{op: opDeep})
		p.emit(inst{op: opChar, char: '/'})
		p.out[split].next = []int{split + 1, len(p.out)}
	default:
		p.emit(inst{op: opDeep})
	}
}

// class reads "[…]".
func (p *parser) class() error {
	open := p.at
	bad := func(at int, what string) error {
		return &Problem{p.skipped + at + 1, what, `Write \[ for a bracket that stands for itself.`}
	}
	i := inst{op: opClass}
	p.at++
	if p.at < len(p.in) && (p.in[p.at] == '!' || p.in[p.at] == '^') {
		i.not = true
		p.at++
	}
	one := func() (symbol, bool) {
		if p.at < len(p.in) && p.in[p.at] == '\\' {
			p.at++
		}
		if p.at >= len(p.in) {
			return 0, false
		}
		c, n := first(p.in[p.at:])
		p.at += n
		return c, true
	}
	for n := 0; ; n++ {
		if p.at >= len(p.in) {
			return bad(open, "has a [ without its ]")
		}
		if p.in[p.at] == ']' && n > 0 {
			p.at++
			break
		}
		if strings.HasPrefix(p.in[p.at:], "[:") {
			return bad(p.at, "has a named class such as [:alpha:], which is not known here")
		}
		from, ok := one()
		if !ok {
			return bad(open, "has a [ without its ]")
		}
		to := from
		if p.at+1 < len(p.in) && p.in[p.at] == '-' && p.in[p.at+1] != ']' {
			at := p.at
			p.at++
			if to, ok = one(); !ok {
				return bad(open, "has a [ without its ]")
			}
			if to < from {
				return bad(at, "has a range whose end is before its start")
			}
		}
		i.set = append(i.set, from, to)
	}
	p.emit(i)
	return nil
}

// braces reads "{a,b}".
func (p *parser) braces(start bool, depth int) error {
	open := p.at
	split := p.emit(inst{op: opSplit})
	var next, ends []int
	for {
		p.at++ // "{" or ","
		next = append(next, len(p.out))
		if err := p.sequence(start, depth+1); err != nil {
			return err
		}
		ends = append(ends, p.emit(inst{op: opSplit}))
		if p.at >= len(p.in) {
			return &Problem{p.skipped + open + 1, "has a { without its }", `Write \{ for a brace that stands for itself.`}
		}
		if p.in[p.at] == '}' {
			break
		}
	}
	p.at++
	for _, e := range ends {
		p.out[e].next = []int{len(p.out)}
	}
	p.out[split].next = slices.Clip(next)
	return nil
}
