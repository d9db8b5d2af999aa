package textcode

import (
	"math"
	"unicode/utf8"
)

// window takes as much of a line as the budgets hold, one character at least.
func (w *writer) window(line *Line, raw []byte, ended bool) (n, chars int) {
	over := w.overhead(line.N)
	room := max(w.maxBytes-over, 0)
	letters := math.MaxInt
	if w.ask.Chars > 0 {
		letters = max(w.maxChars-over, 0)
	}
	// In big steps while they fit, then in ever smaller ones.
	for step := 4096; n < len(raw) && step > 0; {
		k, c := w.t.enc.Skip(raw[n:], step, ended)
		if k == 0 {
			break
		}
		start := len(w.out)
		out, bad := w.t.show(w.out, raw[n:n+k])
		shown := len(out) - start
		runes := utf8.RuneCount(out[start:])
		if shown > room || runes > letters {
			w.stopped = StopBytes
			if runes > letters {
				w.stopped = StopChars
			}
			if step = min(step, c) / 2; step > 0 || chars > 0 {
				continue
			}
		}
		w.out = out
		w.bad += bad
		room -= shown
		letters -= runes
		n += k
		chars += c
	}
	w.bytes = w.maxBytes - room
	if w.ask.Chars > 0 {
		w.chars = w.maxChars - letters
	}
	line.Cut = !ended || n < len(raw)
	if line.Cut || line.Column > 1 {
		line.Chars = chars
	}
	w.keep(*line)
	return n, chars
}
