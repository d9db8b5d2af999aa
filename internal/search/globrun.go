package search

import (
	"math/bits"
	"strings"
)

// maxProg bounds a program: two instructions for a byte of a pattern is the
// most there can be ("," in braces), and the start and end of one.
const (
	maxProg = 2*MaxPattern + 64
	words   = (maxProg + 63) / 64
)

// set is a set of instructions, as long as the program needs.
type set []uint64

func (s set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s set) join(o set) {
	for i, w := range o {
		s[i] |= w
	}
}

// state is where a run stands: the instructions that may consume next. It
// lives on the stack.
type state struct{ now, then [words]uint64 }

func (s *state) has(i int) bool { return s.now[i/64]&(1<<(i%64)) != 0 }

// link works out, for each instruction, which ones consume when it is
// reached. Splits lead forward only, so that going backwards meets each once.
func (g *Glob) link() {
	n := (len(g.prog) + 63) / 64
	all := make(set, n*len(g.prog))
	g.follow = make([]set, len(g.prog))
	for i := len(g.prog) - 1; i >= 0; i-- {
		f := all[i*n : (i+1)*n]
		g.follow[i] = f
		switch in := g.prog[i]; in.op {
		case opSplit:
			for _, to := range in.next {
				f.join(g.follow[to])
			}
		case opStar, opDeep:
			f.add(i)
			f.join(g.follow[i+1])
		default:
			f.add(i)
		}
	}
}

func (g *Glob) start(s *state) { set(s.now[:]).join(g.follow[0]) }

// run consumes a text, and reports whether anything can still match.
func (g *Glob) run(s *state, text string) bool {
	n := (len(g.prog) + 63) / 64
	for text != "" {
		c, size := first(text)
		text = text[size:]
		alive := false
		clear(s.then[:n])
		for w, b := range s.now[:n] {
			for ; b != 0; b &= b - 1 {
				i := w*64 + bits.TrailingZeros64(b)
				if to := g.prog[i].consume(c, i); to >= 0 {
					set(s.then[:]).join(g.follow[to])
					alive = true
				}
			}
		}
		copy(s.now[:n], s.then[:n])
		if !alive {
			return false
		}
	}
	return true
}

// consume gives where instruction i goes on after c, or -1.
func (in *inst) consume(c symbol, i int) int {
	switch in.op {
	case opChar:
		if c == in.char {
			return i + 1
		}
	case opAny:
		if c != '/' {
			return i + 1
		}
	case opStar:
		if c != '/' {
			return i
		}
	case opDeep:
		return i
	case opClass:
		if c != '/' && in.holds(c) != in.not {
			return i + 1
		}
	}
	return -1
}

func (in *inst) holds(c symbol) bool {
	for j := 0; j < len(in.set); j += 2 {
		if in.set[j] <= c && c <= in.set[j+1] {
			return true
		}
	}
	return false
}

// simplify finds the shapes that most patterns have: *.go, name, pre*, *mid*.
func (g *Glob) simplify() {
	body := g.prog[:len(g.prog)-1]
	star := func(o op) bool { return o == opStar || o == opDeep && !g.path }
	head, tail := len(body) > 0 && star(body[0].op), len(body) > 1 && star(body[len(body)-1].op)
	if head {
		body = body[1:]
	}
	if tail {
		body = body[:len(body)-1]
	}
	var b strings.Builder
	for _, in := range body {
		if in.op != opChar {
			return
		}
		if in.char >= badByte {
			b.WriteByte(byte(in.char - badByte))
		} else {
			b.WriteRune(rune(in.char))
		}
	}
	if g.path && (head || tail) {
		return // "*" must not cross a "/"
	}
	g.text = b.String()
	switch {
	case head && g.text == "":
		g.simple = anything
	case head && tail:
		g.simple = within
	case head:
		g.simple = suffix
	case tail:
		g.simple = prefix
	default:
		g.simple = equal
	}
}
