package readstate

import (
	"bytes"
	"compress/flate"
	"container/list"
	"io"
	"strings"
)

const (
	// rawText is how much of the newest text waits uncompressed, in bytes:
	// most reads cost no compression.
	rawText = 256 << 10
	// maxText is the largest piece that is kept.
	maxText = 1 << 20
	// blockCost is what a block costs beside its text.
	blockCost = 256
)

// block is a stretch of lines that were shown.
type block struct {
	file   *file
	first  int64
	n      int
	lines  []string // while not packed
	size   int      // of the text
	packed []byte
	at     *list.Element
}

// store keeps the text shown last, the oldest of it compressed.
type store struct {
	max    int
	raw    list.List // of *block, oldest in front
	old    list.List // the packed ones, oldest in front
	rawUse int
	oldUse int
	writer *flate.Writer
}

func (s *store) add(f *file, first int64, lines []string) {
	if len(lines) == 0 || s.max == 0 {
		return
	}
	b := &block{file: f, first: first, n: len(lines), lines: lines}
	for _, l := range lines {
		b.size += len(l) + 17 // its header, and a newline
	}
	if b.size > maxText || b.size > s.max {
		return
	}
	b.at = s.raw.PushBack(b)
	s.rawUse += b.size + blockCost
	f.blocks = append(f.blocks, b)
	for s.rawUse > min(rawText, s.max) && s.raw.Len() > 1 {
		s.pack(s.raw.Front().Value.(*block))
	}
}

func (s *store) pack(b *block) {
	s.raw.Remove(b.at)
	s.rawUse -= b.size + blockCost
	var out bytes.Buffer
	if s.writer == nil {
		s.writer, _ = flate.NewWriter(&out, flate.BestSpeed)
	} else {
		s.writer.Reset(&out)
	}
	for i, l := range b.lines {
		if i > 0 {
			io.WriteString(s.writer, "\n")
		}
		io.WriteString(s.writer, l)
	}
	s.writer.Close()
	b.lines, b.packed = nil, bytes.Clone(out.Bytes())
	b.at = s.old.PushBack(b)
	s.oldUse += len(b.packed) + blockCost
	for s.oldUse > s.max && s.old.Len() > 0 {
		s.remove(s.old.Front().Value.(*block))
	}
}

// remove takes a block out, of its file too.
func (s *store) remove(b *block) {
	s.unlink(b)
	for i, x := range b.file.blocks {
		if x == b {
			b.file.blocks = append(b.file.blocks[:i], b.file.blocks[i+1:]...)
			break
		}
	}
}

func (s *store) unlink(b *block) {
	if b.packed != nil {
		s.old.Remove(b.at)
		s.oldUse -= len(b.packed) + blockCost
	} else {
		s.raw.Remove(b.at)
		s.rawUse -= b.size + blockCost
	}
}

func (s *store) drop(f *file) {
	for _, b := range f.blocks {
		s.unlink(b)
	}
	f.blocks = nil
}

// texts gives the lines of a range that are still kept, by number.
func (s *store) texts(f *file, r Range) map[int64]string {
	out := map[int64]string{}
	for _, b := range f.blocks {
		if b.first > r.To || b.first+int64(b.n)-1 < r.From {
			continue
		}
		lines := b.lines
		if b.packed != nil {
			text, err := io.ReadAll(flate.NewReader(bytes.NewReader(b.packed)))
			if err != nil {
				continue
			}
			lines = strings.Split(string(text), "\n")
		}
		for i, l := range lines {
			if n := b.first + int64(i); n >= r.From && n <= r.To {
				out[n] = l
			}
		}
	}
	return out
}
