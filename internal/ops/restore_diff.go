package ops

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/blake3"

	"reeve/internal/edit"
	"reeve/internal/pathname"
)

const (
	restoreLines = 12  // of each side
	restoreTail  = 4   // of them from its end
	restoreWidth = 200 // characters of a line
)

func hashOf(b []byte) [32]byte { return blake3.Sum256(b) }

// difference tells in short what goes ("- ") and what comes ("+ "): the lines
// between what both begin and end with, of many the first and the last, with a
// line that begins with "…" in between. Nothing where one side is no text.
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
		mark         string
		lines, peers []string
	}{{"- ", a, b}, {"+ ", b, a}} {
		from, to := len(side.lines), len(side.lines)
		if len(side.lines) > restoreLines {
			from, to = restoreLines-restoreTail, len(side.lines)-restoreTail
			more += to - from
		}
		for i, l := range side.lines {
			if i == from {
				lines = append(lines, "… "+counted(int64(to-from), "line", "lines")+" more here")
			}
			if i >= from && i < to {
				continue
			}
			peer := ""
			if len(a) == len(b) {
				peer = side.peers[i]
			}
			lines = append(lines, side.mark+pathname.Visible(edit.Window(l, peer, restoreWidth)))
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
