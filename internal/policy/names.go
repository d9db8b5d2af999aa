package policy

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// names holds the rules on one component, wherever it stands. Almost every
// name that is asked about meets none, so what can be told from its length
// and its first and last byte is told from them.
type names struct {
	exact   map[string]*rule
	lengths lengths
	first   [256][]part // patterns that begin with this byte
	last    [256][]part // patterns that end with it
	rest    []part
	all     []part
	backups bool // a copy that an editor keeps counts as the name itself
}

// lengths says by first letter which lengths there are among some names.
type lengths [32]uint64

func (l *lengths) add(s string)      { l[s[0]%32] |= 1 << min(len(s), 63) }
func (l *lengths) may(t []byte) bool { return l[t[0]%32]>>min(len(t), 63)&1 != 0 }

type shape byte

const (
	exactly shape = iota
	begins
	ends
	wildly
)

type part struct {
	shape shape
	text  string
	rule  *rule
}

// add takes a pattern: a name with * for any run of characters and ? for one.
// It is false for a pattern of dots and spaces alone, which meets nothing.
func (n *names) add(pattern string, r *rule) bool {
	p := canonical(pattern)
	if p == "" {
		return false
	}
	body := strings.Trim(p, "*")
	var pt part
	switch odd := strings.ContainsAny(body, "*?") || body == ""; {
	case !strings.ContainsAny(p, "*?"):
		pt = part{exactly, p, r}
		if n.exact == nil {
			n.exact = map[string]*rule{}
		}
		if n.exact[p] == nil {
			n.exact[p] = r
		}
		n.lengths.add(p)
	case !odd && p[0] != '*':
		pt = part{begins, body, r}
		n.first[p[0]] = append(n.first[p[0]], pt)
	case !odd && p[len(p)-1] != '*':
		pt = part{ends, body, r}
		n.last[p[len(p)-1]] = append(n.last[p[len(p)-1]], pt)
	default:
		pt = part{wildly, p, r}
		if f, l := p[0], p[len(p)-1]; f != '*' && f != '?' {
			n.first[f] = append(n.first[f], pt)
		} else if l != '*' && l != '?' {
			n.last[l] = append(n.last[l], pt)
		} else {
			n.rest = append(n.rest, pt)
		}
	}
	n.all = append(n.all, pt)
	return true
}

// match gives the first rule that meets the name in any of its disguises.
func (n *names) match(f form) *rule {
	if r := n.one(f.text); r != nil {
		return r
	}
	if f.colon > 0 {
		if r := n.one(f.stream()); r != nil {
			return r
		}
	}
	if f.tilde > 0 {
		if s, ok := f.short(); ok {
			if r := n.shortened(s); r != nil {
				return r
			}
		}
	}
	if n.backups {
		if b := withoutBackup(f.text, f.dot); b != nil {
			return n.one(b)
		}
	}
	return nil
}

func (n *names) one(t []byte) *rule {
	if len(t) == 0 {
		return nil
	}
	if n.lengths.may(t) {
		if r := n.exact[string(t)]; r != nil {
			return r
		}
	}
	for i := range n.last[t[len(t)-1]] {
		if p := &n.last[t[len(t)-1]][i]; p.meets(t) {
			return p.rule
		}
	}
	for i := range n.first[t[0]] {
		if p := &n.first[t[0]][i]; p.meets(t) {
			return p.rule
		}
	}
	for i := range n.rest {
		if p := &n.rest[i]; p.meets(t) {
			return p.rule
		}
	}
	return nil
}

func (p *part) meets(t []byte) bool {
	switch n := len(t) - len(p.text); p.shape {
	case begins:
		return n >= 0 && string(t[:len(p.text)]) == p.text
	case ends:
		return n >= 0 && string(t[n:]) == p.text
	}
	return wild(p.text, t)
}

// shortened looks for a rule whose name Windows may have shortened to s.
func (n *names) shortened(s shortName) *rule {
	for i := range n.all {
		switch p := &n.all[i]; p.shape {
		case exactly:
			if longOf(p.text, false).may(s) {
				return p.rule
			}
		case begins:
			if longOf(p.text, true).may(s) {
				return p.rule
			}
		case ends:
			// Of an extension only three characters are left.
			if len(p.text) > 4 && p.text[0] == '.' && strings.Count(p.text, ".") == 1 && string(s.ext) == p.text[1:4] {
				return p.rule
			}
		}
	}
	return nil
}

// withoutBackup gives the name that a copy was made of (`x~`, `x.bak`,
// `.x.swp`, `#x#`), nil if it does not look like one. Dot is the last one.
func withoutBackup(t []byte, dot int) []byte {
	last := len(t) - 1
	if last < 1 {
		return nil
	}
	switch {
	case t[last] == '~':
		return trimNumber(t[:last])
	case t[last] == '#' && t[0] == '#' && last > 1:
		return t[1:last]
	case dot < 1:
		return nil
	}
	switch string(t[dot+1:]) {
	case "bak", "backup", "old", "orig", "save", "saved", "copy", "tmp":
		return t[:dot]
	case "swp", "swo", "swn":
		if t[0] == '.' && dot > 1 {
			return t[1:dot]
		}
		return t[:dot]
	}
	return nil
}

// trimNumber takes `.~12` off: emacs numbers its copies `x.~12~`.
func trimNumber(t []byte) []byte {
	n := len(t)
	for n > 0 && t[n-1] >= '0' && t[n-1] <= '9' {
		n--
	}
	if n < len(t) && n > 2 && t[n-1] == '~' && t[n-2] == '.' {
		return t[:n-2]
	}
	return t
}

// wild matches * and ? in time proportional to the product of the lengths at
// worst.
func wild(pattern string, t []byte) bool {
	p, i, star, from := 0, 0, -1, 0
	for i < len(t) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, n := utf8.DecodeRune(t[i:])
			p, i = p+1, i+n
		case p < len(pattern) && pattern[p] == t[i]:
			p, i = p+1, i+1
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// form is a name ready to be compared.
type form struct {
	text  []byte
	colon int // the first one: a stream suffix; -1 if none
	tilde int // the last one, -1 if none
	dot   int // the last one, -1 if none
}

// formOf uses buf's room if it is large enough.
func formOf(buf []byte, name string) form {
	f := form{colon: -1, tilde: -1, dot: -1}
	var ascii bool
	if f.text, ascii = canonASCII(buf, name); !ascii {
		f.text = canon(buf, name)
	}
	for i, c := range f.text {
		switch c {
		case '.':
			f.dot = i
		case '~':
			f.tilde = i
		case ':':
			if f.colon < 0 {
				f.colon = i
			}
		}
	}
	return f
}

// stream is the name before a stream suffix (`.env::$DATA`).
func (f form) stream() []byte { return trimEnd(f.text[:f.colon], 0) }

func (f form) short() (shortName, bool) {
	t := f.text
	if f.colon > 0 {
		t = f.stream()
	}
	var s shortName
	if i := bytes.LastIndexByte(t, '.'); i >= 0 {
		t, s.ext = t[:i], t[i+1:]
	}
	i := bytes.LastIndexByte(t, '~')
	if i < 1 || i > 6 || len(t) > 8 || len(s.ext) > 3 || i+1 == len(t) || bytes.IndexByte(t, '.') >= 0 {
		return shortName{}, false
	}
	for _, c := range t[i+1:] {
		if c < '0' || c > '9' {
			return shortName{}, false
		}
	}
	s.stem = t[:i]
	return s, true
}
