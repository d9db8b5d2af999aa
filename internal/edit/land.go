package edit

import (
	"strings"

	"reeve/internal/textcode"
)

// replacer makes the new text of a match: its line ends are those of where it
// lands.
type replacer struct {
	t        *text
	old, new string // folded
	lines    int    // line ends in new
	made     map[string][]byte
	any      []byte // what was made last
}

func (t *text) replacer(old, new string) *replacer {
	return &replacer{t: t, old: old, new: new, lines: strings.Count(new, "\n"), made: map[string][]byte{}}
}

// bytes is the new text for a match.
func (r *replacer) bytes(m match) []byte {
	if r.lines == 0 {
		return r.uniform(textcode.LF)
	}
	region := r.t.body[m.from:m.to]
	e := r.t.endings(region)
	switch kind := e.name(); kind {
	case "":
		if kind = r.t.ends().most(); kind == "" {
			kind = textcode.LF
		}
		return r.uniform(kind)
	case textcode.Mixed:
		r.any = r.t.join(r.new, align(r.old, r.new, r.t.kinds(region), e.most()))
		return r.any
	default:
		return r.uniform(kind)
	}
}

func (r *replacer) uniform(kind string) []byte {
	b, ok := r.made[kind]
	if !ok {
		s := r.new
		if kind != textcode.LF && r.lines > 0 {
			s = strings.ReplaceAll(s, "\n", newline(kind))
		}
		b = r.t.encode(nil, s)
		r.made[kind] = b
	}
	r.any = b
	return b
}

func newline(kind string) string {
	switch kind {
	case textcode.CRLF:
		return "\r\n"
	case textcode.CR:
		return "\r"
	}
	return "\n"
}

// kinds lists the endings of p in their order.
func (t *text) kinds(p []byte) (list []string) {
	for i := 0; i < len(p); i += t.unit {
		switch {
		case t.is(p, i, '\n'):
			list = append(list, textcode.LF)
		case t.is(p, i, '\r') && t.is(p, i+t.unit, '\n'):
			list = append(list, textcode.CRLF)
			i += t.unit
		case t.mac && t.is(p, i, '\r'):
			list = append(list, textcode.CR)
		}
	}
	return list
}

// join writes a folded text with an ending of its own for each line.
func (t *text) join(s string, kinds []string) []byte {
	var b strings.Builder
	b.Grow(len(s) + len(kinds))
	i := 0
	for part := range strings.SplitSeq(s, "\n") {
		if i > 0 {
			b.WriteString(newline(kinds[i-1]))
		}
		b.WriteString(part)
		i++
	}
	return t.encode(nil, b.String())
}

// maxAligned bounds the lines, old times new, that are compared one by one.
const maxAligned = 1 << 20

// align gives each line of the new text the ending of the line it stands for:
// lines that are the same keep theirs, as do lines that replace as many
// others; what is new gets the most frequent one.
func align(old, new string, kinds []string, most string) []string {
	a, b := strings.Split(old, "\n"), strings.Split(new, "\n")
	a, b = a[:len(a)-1], b[:len(b)-1] // the last ones have no ending
	out := make([]string, len(b))
	for i := range out {
		out[i] = most
	}
	p := 0
	for p < len(a) && p < len(b) && a[p] == b[p] {
		out[p] = kinds[p]
		p++
	}
	q := 0
	for q < len(a)-p && q < len(b)-p && a[len(a)-1-q] == b[len(b)-1-q] {
		out[len(b)-1-q] = kinds[len(a)-1-q]
		q++
	}
	a, b, kinds = a[p:len(a)-q], b[p:len(b)-q], kinds[p:len(kinds)-q]
	mid := out[p : len(out)-q]
	if len(a)*len(b) > maxAligned {
		return out
	}
	i, j := 0, 0
	for _, m := range append(common(a, b), [2]int{len(a), len(b)}) {
		if m[0]-i == m[1]-j { // as many lines in place of as many
			copy(mid[j:m[1]], kinds[i:m[0]])
		}
		if m[1] < len(b) {
			mid[m[1]] = kinds[m[0]]
		}
		i, j = m[0]+1, m[1]+1
	}
	return out
}

// common is a longest common subsequence, as pairs of places.
func common(a, b []string) (pairs [][2]int) {
	w := len(b) + 1
	best := make([]int32, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				best[i*w+j] = best[(i+1)*w+j+1] + 1
			} else {
				best[i*w+j] = max(best[(i+1)*w+j], best[i*w+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case best[(i+1)*w+j] >= best[i*w+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
