package textcode

import (
	"bytes"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// sniffBytes is how far a NUL is looked for.
const sniffBytes = 8 << 10

const (
	unknownType = "application/octet-stream"
	unknown8Bit = "unknown-8bit"
)

// ByMark tells the encoding from the first bytes of a file, and the length of
// its byte order mark: 0 when there is none and the encoding is taken to be
// UTF-8. It does not look whether the rest is in that encoding.
func ByMark(head []byte) (e Encoding, mark int) {
	e, mark, utf32 := byMark(head)
	if utf32 != "" {
		return UTF8(), 0
	}
	return e, mark
}

// byMark tells the encoding from the byte order mark. A text in UTF-32 is
// not read here, though its mark starts like that of UTF-16.
func byMark(head []byte) (e Encoding, mark int, utf32 string) {
	switch {
	case bytes.HasPrefix(head, []byte("\xFF\xFE\x00\x00")):
		return Encoding{}, 4, "utf-32le"
	case bytes.HasPrefix(head, []byte("\x00\x00\xFE\xFF")):
		return Encoding{}, 4, "utf-32be"
	case bytes.HasPrefix(head, UTF16LE().Mark()):
		return UTF16LE(), 2, ""
	case bytes.HasPrefix(head, UTF16BE().Mark()):
		return UTF16BE(), 2, ""
	case bytes.HasPrefix(head, []byte(utf8Mark)):
		return UTF8(), 3, ""
	}
	return UTF8(), 0, ""
}

// hasNUL looks for the character NUL in the first 8 KiB of a file. A trailing
// odd byte is no unit.
func hasNUL(e Encoding, head []byte, mark int) bool {
	p := head[mark:min(len(head), sniffBytes)]
	return ends{unit: e.Unit(), big: e.big}.index(p, 0) >= 0
}

// mediaType names what is not text.
func mediaType(head []byte, utf32 string) string {
	if utf32 != "" {
		return "text/plain; charset=" + utf32
	}
	if e, mark, _ := byMark(head); mark > 0 && e.Unit() == 2 && !hasNUL(e, head, mark) {
		return "text/plain; charset=" + e.Name()
	}
	t := mimetype.Detect(head).String()
	if t != unknownType && !strings.HasPrefix(t, "text/") {
		return t
	}
	p := head[:min(len(head), sniffBytes)]
	if bytes.IndexByte(p, 0) < 0 {
		if t == unknownType {
			return t
		}
		return "text/plain; charset=" + unknown8Bit
	}
	if name := unmarked16(p); name != "" {
		return "text/plain; charset=" + name
	}
	return unknownType
}

// leastUnits is how many characters it takes to tell an encoding by its look.
const leastUnits = 2

// unmarked16 recognises mostly Latin text in UTF-16 without its mark: nearly
// every second byte is NUL, and hardly any of the others. A few bytes tell
// nothing.
func unmarked16(p []byte) string {
	var nul [2]int
	for i, b := range p {
		if b == 0 {
			nul[i%2]++
		}
	}
	half := len(p) / 2
	switch {
	case half < leastUnits:
	case nul[1] > half*7/10 && nul[0] <= half/50:
		return "utf-16le"
	case nul[0] > half*7/10 && nul[1] <= half/50:
		return "utf-16be"
	}
	return ""
}
