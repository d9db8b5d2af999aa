package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"

	"reeve"
)

const (
	// maxRow bounds a line with its newline.
	maxRow    = 8192
	sumField  = `,"sum":"`
	sumLen    = len(sumField) + 2*sha256.Size + len(`"}`)
	maxBody   = maxRow - sumLen - len(`{"n":9223372036854775807,`) - 1
	eventOpen = "segment" // first line of a segment
	eventHead = "heads"   // names the heads of other segments
)

type sum [sha256.Size]byte

// Ref is one row of one segment.
type Ref struct {
	Segment string `json:"segment"` // month/file
	N       int64  `json:"n"`
	Sum     string `json:"sum"`
}

// link appends the line of a body (fields without braces) to b, and gives its
// sum, which is the next line's prev.
func link(b []byte, n int64, body []byte, prev sum) ([]byte, sum) {
	start := len(b)
	b = append(b, `{"n":`...)
	b = strconv.AppendInt(b, n, 10)
	b = append(b, ',')
	b = append(b, body...)
	s := sumOf(prev, b[start:])
	b = append(b, sumField...)
	b = hex.AppendEncode(b, s[:])
	return append(b, "\"}\n"...), s
}

func sumOf(prev sum, body []byte) sum {
	var buf [sha256.Size + maxRow]byte
	return sha256.Sum256(append(append(buf[:0], prev[:]...), body...))
}

// line is everything that a line can hold.
type line struct {
	N int64 `json:"n"`
	reeve.Row
	// Detail is where the whole row stands in the details of this segment;
	// this one was cut to its bounds.
	Detail *place `json:"detail,omitempty"`
	// Cut says why the row is cut and no detail was kept.
	Cut string `json:"cut,omitempty"`

	Segment  string   `json:"segment,omitempty"`
	Format   int      `json:"format,omitempty"`
	Machine  string   `json:"machine,omitempty"`
	Process  *Process `json:"process,omitempty"`
	Previous *Ref     `json:"previous,omitempty"` // this process's file before
	Heads    []Ref    `json:"heads,omitempty"`

	Sum string `json:"sum"`
}

func (l *line) control() bool { return l.Event == eventOpen || l.Event == eventHead }

var (
	errNotALine = errors.New("is not a row")
	errSum      = errors.New("is not what was written: its sum does not fit")
)

// parse reads a line without its newline. The line is given back as far as it
// could be read, also when the sum does not fit.
func parse(b []byte, prev sum) (l line, s sum, err error) {
	if len(b) <= sumLen || len(b) >= maxRow || !bytes.HasPrefix(b, []byte(`{"n":`)) {
		return line{}, sum{}, errNotALine
	}
	body, tail := b[:len(b)-sumLen], b[len(b)-sumLen:]
	if !bytes.HasPrefix(tail, []byte(sumField)) || !bytes.HasSuffix(tail, []byte(`"}`)) {
		return line{}, sum{}, errNotALine
	}
	if _, err := hex.Decode(s[:], tail[len(sumField):len(tail)-2]); err != nil {
		return line{}, sum{}, errNotALine
	}
	if err := json.Unmarshal(b, &l); err != nil || l.N < 1 {
		return line{}, s, errNotALine
	}
	if sumOf(prev, body) != s {
		return l, s, errSum
	}
	return l, s, nil
}
