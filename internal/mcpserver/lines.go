package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest message that is taken, in bytes.
const maxLine = 16 << 20

// Of a line that is too long, its ends are kept: the answer needs the id.
const (
	keptHead = 4 << 10
	keptTail = 512
)

// message is one line as it came in.
type message struct {
	data []byte
	// long is set for a line over the limit; data is empty then.
	long *longLine
	err  error
}

type longLine struct{ head, tail []byte }

// lineReader cuts a stream into lines in bounded memory, whatever comes.
type lineReader struct {
	r     *bufio.Reader
	limit int
	begun bool
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next gives the next line without its end. The last line may lack one.
func (l *lineReader) next() message {
	var line []byte
	var long *longLine
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case long != nil:
			long.add(part)
		case len(line)+len(part) > l.limit+1:
			long = &longLine{head: bytes.Clone(line[:min(len(line), keptHead)])}
			if room := keptHead - len(long.head); room > 0 {
				long.head = append(long.head, part[:min(len(part), room)]...)
			}
			long.add(line[max(0, len(line)-keptTail):])
			long.add(part)
			line = nil
		default:
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && long == nil) {
			return message{err: err}
		}
		if long != nil {
			return message{long: long}
		}
		if !l.begun {
			// A byte order mark is no message, but shells put one here.
			l.begun = true
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		return message{data: bytes.Trim(line, " \t\r\n")}
	}
}

func (l *longLine) add(b []byte) {
	if len(b) > keptTail {
		b = b[len(b)-keptTail:]
	}
	l.tail = append(l.tail, b...)
	if n := len(l.tail) - keptTail; n > 0 {
		l.tail = l.tail[:copy(l.tail, l.tail[n:])]
	}
}
