package edit

import "strings"

// endedEvery is after how many replacements Options.Ended is asked.
const endedEvery = 1 << 16

// least is the least size that the file comes to by edit i, which replaces
// count times and leaves size, and by those after it that find what it brings:
// {"x" → "xx"} again and again doubles with each, whatever others do to other
// characters in between. It makes none of them, and ends at the first of which
// it can't tell.
func (w *work) least(i int, count, size int64) int64 {
	most, made := w.options.max(), w.edits[i].New
	for _, e := range w.edits[i+1:] {
		if size > most || strings.ContainsAny(made+e.Old, "\r\n") {
			break // a line end is as long as those around it
		}
		more := int64(len(w.is.encode(nil, e.New)) - len(w.is.encode(nil, e.Old)))
		if more < 0 {
			break
		}
		if !strings.ContainsAny(made, e.Old) {
			continue // it can't touch what was made
		}
		// What is made does not overlap, and as many as anyhow fit are found.
		inEach := int64(strings.Count(made, e.Old))
		if inEach == 0 || !e.All {
			break
		}
		count = min(count*inEach, most)
		size += count * more
		made = e.New
	}
	return size
}

// room is an empty slice for the whole file: what the edit before the last one
// left is used again where it is large enough.
func (w *work) room(size int) []byte {
	out := w.spare
	w.spare = nil
	if cap(out) >= size {
		return out[:0]
	}
	if len(w.edits) > 2 {
		size += size / 16 // for those that make it grow a little each
	}
	return make([]byte, 0, size)
}
