package ops

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/blake3"

	"reeve/internal/pathname"
)

const (
	restoreLines = 12  // of each side
	restoreWidth = 200 // characters of a line
)

func hashOf(b []byte) [32]byte { return blake3.Sum256(b) }

// difference tells in short what goes ("- ") and what comes ("+ "): the lines
// between what both begin and end with. Nothing where one side is no text.
func difference(now, old []byte) (lines []string, more int) {
	if !plain(now) || !plain(old) {
		return nil, 0
	}
	a, b := splitLines(now), splitLines(old)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for _, side := range []struct {
		mark  string
		lines []string
	}{{"- ", a}, {"+ ", b}} {
		for i, l := range side.lines {
			if i == restoreLines {
				more += len(side.lines) - i
				break
			}
			lines = append(lines, side.mark+cutWide(pathname.Visible(l)))
		}
	}
	return lines, more
}

func plain(b []byte) bool {
	return len(b) <= maxCompared && bytes.IndexByte(b, 0) < 0 && utf8.Valid(b)
}

// splitLines keeps the ends of lines, so that a changed one shows.
func splitLines(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	list := strings.SplitAfter(string(b), "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	for i, l := range list {
		if cut, ok := strings.CutSuffix(l, "\n"); ok {
			list[i] = cut
		} else {
			list[i] += " (no line end)"
		}
	}
	return list
}

func cutWide(s string) string {
	n := 0
	for i := range s {
		if n++; n > restoreWidth {
			return s[:i] + "…"
		}
	}
	return s
}
