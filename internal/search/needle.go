package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"unicode"
	"unicode/utf8"
)

// sniff is how much of a file is looked at for a NUL, which tells binary.
const sniff = 8 << 10

// MaxNeedle is the longest text to be found, in bytes.
const MaxNeedle = 1000

// Needle is a text to be found without regard to letter case, by Unicode's
// simple folding. It may be used by many goroutines at once. Bytes that are
// not UTF-8 are equal to nothing.
type Needle struct {
	folded  []rune
	anchor  int      // index of the character to look for first
	forms   [][]byte // that character in every letter case
	longest int      // bytes of the longest text that is equal
}

// NewNeedle prepares a text. The error is always *Problem.
func NewNeedle(s string) (*Needle, error) {
	switch {
	case s == "":
		return nil, &Problem{0, "is empty", "Leave it out, or give the text to look for."}
	case len(s) > MaxNeedle:
		return nil, &Problem{0, "is longer than 1,000 bytes", "Give a shorter part of the text."}
	case !utf8.ValidString(s):
		return nil, &Problem{0, "is not valid UTF-8", "Give text."}
	}
	n := &Needle{}
	best := math.MinInt
	for i, r := range []rune(s) {
		r = fold(r)
		n.folded = append(n.folded, r)
		forms, widest := cases(r)
		n.longest += widest
		if score := rareness(forms); score > best {
			best, n.anchor, n.forms = score, i, forms
		}
	}
	return n, nil
}

// fold gives one form for all letter cases of a character.
func fold(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	case r < 0:
		return r
	}
	least := r
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		least = min(least, c)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// cases lists the characters equal to r as bytes, and the longest one's size.
func cases(r rune) (forms [][]byte, widest int) {
	for c := r; ; {
		b := utf8.AppendRune(nil, c)
		forms = append(forms, b)
		widest = max(widest, len(b))
		if c = unicode.SimpleFold(c); c == r {
			return forms, widest
		}
	}
}

// rareness guesses how seldom a character stands in text: one that is rare is
// worth looking for first.
func rareness(forms [][]byte) int {
	score := 100
	if len(forms[0]) == 1 {
		const common = " etaoinsrhldcumfpgwybvkxjqz"
		switch i := bytes.IndexByte([]byte(common), forms[0][0]); {
		case i >= 0:
			score = 2 * i
		case forms[0][0] >= '0' && forms[0][0] <= '9':
			score = 45
		default:
			score = 50
		}
	}
	return score - 12*len(forms)
}

// In reports whether the text is in b.
func (n *Needle) In(b []byte) bool {
	// next[i] is where the i-th form stands at or after the place that was
	// reached, len(b) when nowhere. A character has at most four forms.
	var next [4]int
	for i := range n.forms {
		next[i] = n.find(b, 0, i)
	}
	for {
		at, which := len(b), -1
		for i := range n.forms {
			if next[i] < at {
				at, which = next[i], i
			}
		}
		if which < 0 {
			return false
		}
		if n.around(b, at) {
			return true
		}
		next[which] = n.find(b, at+1, which)
	}
}

func (n *Needle) find(b []byte, from, form int) int {
	i := -1
	if f := n.forms[form]; len(f) == 1 {
		i = bytes.IndexByte(b[from:], f[0])
	} else {
		i = bytes.Index(b[from:], f)
	}
	if i < 0 {
		return len(b)
	}
	return from + i
}

// around compares the whole text about an anchor at byte at.
func (n *Needle) around(b []byte, at int) bool {
	i := at
	for _, want := range n.folded[n.anchor:] {
		if i >= len(b) {
			return false
		}
		r, size := rune(b[i]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeRune(b[i:]); r == utf8.RuneError && size == 1 {
				return false
			}
		}
		if r != want && fold(r) != want {
			return false
		}
		i += size
	}
	i = at
	for j := n.anchor - 1; j >= 0; j-- {
		if i == 0 {
			return false
		}
		r, size := rune(b[i-1]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeLastRune(b[:i]); r == utf8.RuneError && size == 1 {
				return false
			}
		}
		if want := n.folded[j]; r != want && fold(r) != want {
			return false
		}
		i -= size
	}
	return true
}

// Outcome is what looking into a file came to.
type Outcome int

// Absent means not found, Present found, and Binary not looked for.
const (
	Absent Outcome = iota
	Present
	Binary
)

// Look reads the first limit bytes of a source (all of them when limit is 0)
// through buf, and says whether the text is there. A NUL in the first 8 KiB
// makes it Binary, except in UTF-16 with its byte order mark, which is
// decoded. The context is asked before each block. buf must hold MinBuffer
// bytes or more; it is left dirty.
func (n *Needle) Look(ctx context.Context, src io.ReaderAt, size, limit int64, buf []byte) (Outcome, error) {
	if limit > 0 {
		size = min(size, limit)
	}
	var wide *utf16Blocks
	kept := 0 // bytes at the start of buf that a match may begin in
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return Absent, err
		}
		room := buf[kept:]
		room = room[:min(int64(len(room)), size-at)]
		got, err := src.ReadAt(room, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return Absent, err
		}
		if got == 0 {
			break // shorter than it was: what was there has been looked at
		}
		block := buf[:kept+got]
		if at == 0 {
			if wide = utf16Of(block); wide == nil && bytes.IndexByte(block[:min(len(block), sniff)], 0) >= 0 {
				return Binary, nil
			}
		}
		at += int64(got)
		if wide != nil {
			if n.In(wide.decode(block, n.keep())) {
				return Present, nil
			}
			continue
		}
		if n.In(block) {
			return Present, nil
		}
		kept = copy(buf, block[max(0, len(block)-n.keep()):])
	}
	return Absent, nil
}

// MinBuffer is the least that Look can work with, in bytes.
const MinBuffer = 64 << 10

// keep is how much of a block has to be looked at again with the next one:
// a match, less a byte, and a character that was cut.
func (n *Needle) keep() int { return n.longest - 1 + utf8.UTFMax - 1 }
