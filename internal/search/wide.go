package search

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Blocks decodes a file of UTF-16 block by block.
type utf16Blocks struct {
	big  bool
	odd  []byte // what is left of the last block: half a unit or half a pair
	text []byte // decoded; its end is kept for a match over two blocks
}

// utf16Of looks for a byte order mark.
func utf16Of(block []byte) *utf16Blocks {
	switch {
	case bytes.HasPrefix(block, []byte{0xff, 0xfe, 0, 0}): // UTF-32
		return nil
	case bytes.HasPrefix(block, []byte{0xff, 0xfe}):
		return &utf16Blocks{}
	case bytes.HasPrefix(block, []byte{0xfe, 0xff}):
		return &utf16Blocks{big: true}
	}
	return nil
}

// decode gives the text of a block, after the last keep bytes of the one
// before it. A lone surrogate becomes a byte that equals nothing.
func (w *utf16Blocks) decode(block []byte, keep int) []byte {
	w.text = append(w.text[:0], w.text[max(0, len(w.text)-keep):]...)
	if len(w.odd) > 0 {
		block = append(w.odd, block...)
	}
	unit := func(i int) rune {
		if w.big {
			return rune(block[i])<<8 | rune(block[i+1])
		}
		return rune(block[i+1])<<8 | rune(block[i])
	}
	i := 0
	for i+1 < len(block) {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			if r < 0xdc00 && i+3 >= len(block) {
				break // the other half is in the next block, or nowhere
			}
			if i+3 < len(block) {
				if pair := utf16.DecodeRune(r, unit(i+2)); pair != utf8.RuneError {
					w.text = utf8.AppendRune(w.text, pair)
					i += 4
					continue
				}
			}
			w.text = append(w.text, 0xff)
			i += 2
			continue
		}
		w.text = utf8.AppendRune(w.text, r)
		i += 2
	}
	w.odd = append([]byte(nil), block[i:]...)
	return w.text
}
