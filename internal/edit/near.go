package edit

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What looking for the nearest text may cost: the bytes looked at, and the
// lines of the old text that are compared.
const (
	nearBytes = 4 << 20
	nearLines = 200
	// excerptLines bounds what is shown, excerptWidth each line of it in
	// characters.
	excerptLines = 15
	excerptWidth = 120
)

// nearest is the part of a file that is most like a text that is not there.
type nearest struct {
	first, last int64
	excerpt     string
	differs     string
}

// near looks for lines that are the same but for spaces, invisible
// characters, quotation marks and letter case, the rarest of them first; if
// there is none, for lines that share the most groups of three letters.
func (t *text) near(old string) *nearest {
	want := strings.Split(strings.Trim(old, "\n"), "\n")
	if len(want) > nearLines {
		want = want[:nearLines]
	}
	win, before := t.window(want)
	lines := strings.Split(t.fold(t.decode(win)), "\n")
	at, ok := aligned(lines, want)
	if !ok {
		if at, ok = similar(lines, want); !ok {
			return nil
		}
	}
	// What stands outside the file can't be shown.
	for at < 0 {
		at++
		want = want[1:]
	}
	want = want[:min(len(want), len(lines)-at)]
	if len(want) == 0 {
		return nil
	}
	n := &nearest{first: before + int64(at) + 1}
	n.last = n.first + int64(len(want)) - 1
	n.show(lines[at:at+len(want)], want)
	return n
}

// window is the part of the body that is looked at, from the start of a line,
// and the lines before it: all of a file that is not large, else what is
// around a line of the old text, else the beginning.
func (t *text) window(want []string) (win []byte, before int64) {
	if len(t.body) <= nearBytes {
		return t.body, 0
	}
	from := 0
	for _, l := range longest(want, 3) {
		if i := bytes.Index(t.body, t.encode(nil, l)); i >= 0 {
			from = max(0, i-nearBytes/2)
			break
		}
	}
	from -= from % t.unit
	for end := min(from+1<<16, len(t.body)); from > 0 && from < end && !lineStart(t, from); {
		from += t.unit
	}
	c := lineCounter{t: t}
	to := min(len(t.body), from+nearBytes)
	return t.body[from:to], c.line(from) - 1
}

// longest gives the n longest lines, without the spaces around them.
func longest(lines []string, n int) (out []string) {
	for range n {
		best := ""
		for _, l := range lines {
			l = strings.TrimSpace(l)
			if len(l) > len(best) && (len(out) == 0 || len(l) < len(out[len(out)-1])) {
				best = l
			}
		}
		if best == "" {
			break
		}
		out = append(out, best)
	}
	return out
}

// aligned votes for where the old text would start: each line that both have,
// but for what is not seen, gives its length, shared between the places that
// it could stand for.
func aligned(lines, want []string) (at int, ok bool) {
	const most = 4 // places in the old text of one line
	index := map[uint64][]int{}
	weight := map[uint64]int{}
	for i, l := range want {
		h, n := essence(l)
		if n == 0 || len(index[h]) == most {
			continue
		}
		index[h] = append(index[h], i)
		weight[h] = min(n, 60)
	}
	if len(index) == 0 {
		return 0, false
	}
	hashes := make([]uint64, len(lines))
	seen := map[uint64]int{}
	for i, l := range lines {
		h, n := essence(l)
		if n == 0 || index[h] == nil {
			continue
		}
		hashes[i] = h
		seen[h]++
	}
	votes := make([]float32, len(lines)+len(want))
	best := float32(0)
	for i := range lines {
		h := hashes[i]
		if h == 0 || seen[h] == 0 {
			continue
		}
		w := float32(weight[h]) * (1 + 1/float32(seen[h]))
		for _, j := range index[h] {
			p := i - j + len(want)
			if votes[p] += w; votes[p] > best {
				best, at, ok = votes[p], i-j, true
			}
		}
	}
	// A closing brace that both have is not alike.
	total := 0
	for _, l := range want {
		_, n := essence(l)
		total += min(n, 60)
	}
	return at, ok && best*4 >= float32(total)
}

// essence is a hash of what is seen of a line, and how many characters that
// is.
func essence(l string) (hash uint64, n int) {
	hash = 14695981039346656037
	for i := 0; i < len(l); {
		c := l[i]
		if c < utf8.RuneSelf {
			i++
			if c <= ' ' || c == 0x7f {
				continue
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			hash = (hash ^ uint64(c)) * 1099511628211
			n++
			continue
		}
		r, w := utf8.DecodeRuneInString(l[i:])
		i += w
		if r = alike(r); r < 0 {
			continue
		}
		hash = (hash ^ uint64(r)) * 1099511628211
		n++
	}
	return hash, n
}

// alike is the plain character that one beyond ASCII is easily taken for, -1
// for one that is not seen.
func alike(r rune) rune {
	switch r {
	case '\u2018', '\u2019', '\u201b', '\u2032', '\u00b4':
		return '\''
	case '\u201c', '\u201d', '\u201f', '\u2033':
		return '"'
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212':
		return '-'
	}
	if hidden(r) {
		return -1
	}
	return unicode.ToLower(r)
}

const (
	gramBits = 16
	gramMask = 1<<gramBits - 1
)

// eachGram calls f with each group of three letters of a line, spaces left
// out.
func eachGram(l string, f func(uint32)) {
	var a, b uint32
	n := 0
	for i := range len(l) {
		c := uint32(l[i])
		if c <= ' ' {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if n++; n >= 3 {
			f((a*0x9E3779B1 ^ b*0x85EBCA77 ^ c*0xC2B2AE3D) >> 7 & gramMask)
		}
		a, b = b, c
	}
}

// similar finds the stretch of as many lines that shares the most groups of
// three letters with the old text.
func similar(lines, want []string) (at int, ok bool) {
	var set [1 << gramBits / 64]uint64
	all := 0
	for _, l := range want {
		eachGram(l, func(g uint32) {
			set[g/64] |= 1 << (g % 64)
			all++
		})
	}
	if all == 0 {
		return 0, false
	}
	hit, sum := make([]int32, len(lines)), make([]int32, len(lines))
	for i, l := range lines {
		eachGram(l, func(g uint32) {
			hit[i] += int32(set[g/64] >> (g % 64) & 1)
			sum[i]++
		})
	}
	best := float32(0.4)
	var h, s int32
	for i := range lines {
		h += hit[i]
		s += sum[i]
		if i >= len(want) {
			h -= hit[i-len(want)]
			s -= sum[i-len(want)]
		}
		if score := float32(h) / float32(max(int(s), all)); score > best {
			best, at, ok = score, max(0, i-len(want)+1), true
		}
	}
	return at, ok
}
