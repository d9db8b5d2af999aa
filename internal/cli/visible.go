package cli

import (
	"io"
	"os"
	"strings"

	"reeve/internal/pathname"
)

// forOutput is a text as it may be written to out: at a terminal, what a
// file holds could move the cursor, set the title or worse. A program that
// reads the output gets every byte.
func forOutput(out io.Writer, text string) string {
	if f, ok := out.(*os.File); !ok || !isTerminal(f) {
		return text
	}
	return visibleLines(text)
}

// visibleLines writes out what acts on a terminal or hides itself, and leaves
// lines and tabs as they are.
func visibleLines(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for {
		i := strings.IndexAny(text, "\n\t")
		if i < 0 {
			b.WriteString(pathname.Visible(text))
			return b.String()
		}
		b.WriteString(pathname.Visible(text[:i]))
		b.WriteByte(text[i])
		text = text[i+1:]
	}
}
