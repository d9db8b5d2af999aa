package textcode

import (
	"context"
	"unicode/utf8"

	"github.com/zeebo/blake3"
)

// checkWhole reads all of a large file once: is it UTF-8? The hash comes with
// it. What it learns is kept in the index.
func (t *Text) checkWhole(ctx context.Context) (bool, error) {
	h := blake3.New()
	for off := int64(0); off < t.size; {
		p, err := t.peek(ctx, off, t.scan)
		if err != nil {
			return false, err
		}
		if off+int64(len(p)) < t.size {
			p = p[:wholeChars(p)]
		}
		if !utf8.Valid(p) || len(p) == 0 {
			return false, nil
		}
		h.Write(p)
		off += int64(len(p))
	}
	var sum [32]byte
	h.Sum(sum[:0])
	t.index.setHash(sum)
	t.index.setUTF8()
	return true, nil
}

// wholeChars is the length of p without an incomplete character at its end.
func wholeChars(p []byte) int {
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if utf8.FullRune(p[i:]) {
				break
			}
			return i
		}
	}
	return len(p)
}

// hashWhole reads a large file once more for its hash. It is called only
// where all of it was shown, so that it is not larger than a reply.
func (t *Text) hashWhole(ctx context.Context) error {
	h := blake3.New()
	for off := int64(0); off < t.size; {
		p, err := t.peek(ctx, off, t.scan)
		if err != nil {
			return err
		}
		h.Write(p)
		off += int64(len(p))
	}
	var sum [32]byte
	h.Sum(sum[:0])
	t.index.setHash(sum)
	return nil
}
